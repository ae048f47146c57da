"""The sections of plain text: headings of Markdown and reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from ...state.records import Metadata
from .columns import with_columns
from .headings import plain_heading
from .metadata import Outline
from .types import DocumentBlock

# A line that marks a heading with ``#``, opens or closes a fence, or underlines the line before.
_MARKING = (
    r"(?P<at> {0,3})(?:(?P<marks>#{1,6})[ \t]+(?P<heading>\S[^\n]*)"
    r"|(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<line>={3,}|-{3,})[ \t]*$)"
)
_FIRST = re.compile(_MARKING, re.MULTILINE)
_NEXT = re.compile(r"\n" + _MARKING, re.MULTILINE)  # four times as fast as with ``^``
_RST = re.compile(r"^(?P<line>([=\-~^\"'`:.*+#_<>])\2{2,})[ \t]*$", re.MULTILINE)
_WORD = re.compile(r"\w")
_BLANK = " \t"
_LONGEST = 500  # characters of a heading; a longer line is none


def _without_closing(text: str) -> str:
    """A heading without the marks that may close it, which stand after a blank."""
    rest = text.rstrip(_BLANK)
    kept = rest.rstrip("#")
    is_closed = kept != rest and kept[-1:] in ("", *_BLANK)
    return kept.rstrip(_BLANK) if is_closed else text


class _Heading(NamedTuple):
    start: int
    level: int
    text: str


def markdown_parts(blocks: Iterable[str], front: int = 0) -> Iterator[DocumentBlock]:
    """The blocks of a Markdown text with their sections; headings in fenced code are none.

    ``front`` are the characters of front matter before the text.
    """
    return _parts(blocks, _MarkdownHeadings(front))


def rst_parts(blocks: Iterable[str]) -> Iterator[DocumentBlock]:
    """The blocks of a reStructuredText with their sections, by the order of the underlines.

    Columns of simple tables have a sign between them.
    """
    return _parts(map(with_columns, blocks), _RstHeadings())


def markdown_title(text: str, front: int = 0) -> str:
    """The first heading of the highest level of a Markdown text, empty where there is none."""
    return _first_of_the_highest(_MarkdownHeadings(front)(text))


def rst_title(text: str) -> str:
    """The first heading of the highest level of a reStructuredText, empty where there is none."""
    return _first_of_the_highest(_RstHeadings()(text))


def _first_of_the_highest(headings: Iterator[_Heading]) -> str:
    first = min(headings, key=lambda heading: heading.level, default=None)
    return plain_heading(first.text) if first else ""


def with_sections(blocks: Iterable[tuple[str, int | None]]) -> Iterator[tuple[str, Metadata]]:
    """Texts with the metadata of their sections; a heading comes with its level, others None."""
    outline = Outline()
    for text, level in blocks:
        yield text, outline.metadata if level is None else outline.enter(level, text)


def joined(pieces: Iterable[tuple[str, Metadata]], size: int) -> Iterator[DocumentBlock]:
    """Consecutive texts with their metadata, in blocks of ``size`` characters or a little more."""
    texts: list[str] = []
    changes: list[tuple[int, Metadata]] = []
    length = 0
    for text, metadata in pieces:
        if not changes or changes[-1][1] != metadata:
            changes.append((length, metadata))
        texts.append(text)
        length += len(text)
        if length >= size:
            yield DocumentBlock("".join(texts), {}, changes)
            texts, changes, length = [], [], 0
    if texts:
        yield DocumentBlock("".join(texts), {}, changes)


def _parts(
    blocks: Iterable[str], headings_of: Callable[[str], Iterator[_Heading]]
) -> Iterator[DocumentBlock]:
    outline = Outline()
    for block in blocks:
        before = outline.metadata
        changes = [
            (heading.start, outline.enter(heading.level, plain_heading(heading.text)))
            for heading in headings_of(block)
        ]
        yield DocumentBlock(block, before, changes)


class _MarkdownHeadings:
    """The headings of consecutive blocks; a fence that one block opens, another may close."""

    def __init__(self, front: int) -> None:
        self._front = front
        self._fence = ""

    def __call__(self, block: str) -> Iterator[_Heading]:
        front, self._front = self._front, 0
        first = None if front else _FIRST.match(block)
        for found in chain([first] if first else [], _NEXT.finditer(block, max(0, front - 1))):
            start = found.start("at")
            if fence := found["fence"]:
                self._pass(fence, found["info"])
            elif self._fence:
                continue
            elif found["marks"]:
                text = found["heading"][:_LONGEST]
                yield _Heading(start, len(found["marks"]), _without_closing(text))
            elif (above := _line_above(block, start)) and (
                # The last line of a paragraph is no heading, nor is an item of a list.
                block[max(0, above.start - 2) : above.start] in ("", "\n", "\n\n")
                and not above.text.startswith(("- ", "* ", "+ "))
            ):
                yield above._replace(level=1 if found["line"][0] == "=" else 2)

    def _pass(self, fence: str, info: str) -> None:
        if not self._fence:
            # A backtick after the fence makes it code within a line.
            self._fence = "" if fence[0] == "`" and "`" in info else fence
        elif fence.startswith(self._fence) and not info.strip():
            self._fence = ""


class _RstHeadings:
    """The headings of consecutive blocks; the first kind of underline is the highest level."""

    def __init__(self) -> None:
        self._kinds: list[str] = []

    def __call__(self, block: str) -> Iterator[_Heading]:
        for found in _RST.finditer(block):
            above = _line_above(block, found.start())
            if not above or len(found["line"]) < len(above.text):
                continue
            start = _start_of_line(block, above.start - 1)
            before = block[max(0, start) : max(0, above.start - 1)].strip()
            over = before == found["line"]  # the same line above: another kind of heading
            if before and not over:
                continue
            kind = found["line"][0] * (1 + over)
            if kind not in self._kinds:
                self._kinds.append(kind)
            yield _Heading(start if over else above.start, 1 + self._kinds.index(kind), above.text)


def _line_above(block: str, place: int) -> _Heading | None:
    """The line before the one at ``place``, where it may be a heading."""
    start = _start_of_line(block, place - 1)
    text = block[max(0, start) : max(0, place - 1)]
    if start < 0 or not _WORD.search(text) or text[0] in " \t|>":
        return None
    return _Heading(start, 1, text.strip())


def _start_of_line(block: str, end: int) -> int:
    """Where the line begins that ends at ``end``; -1 where it is too long for a heading."""
    earliest = max(0, end - _LONGEST)
    found = block.rfind("\n", earliest, max(0, end))
    return found + 1 if found >= 0 or not earliest else -1
