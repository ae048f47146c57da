"""Plain text whose line breaks are lost: its parts, and headings by its lists of contents."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...language.analyser import content_words
from .metadata import Outline
from .types import DocumentBlock

_LONG = 4000  # characters of a line that is no paragraph
_LONGEST_ENTRY = 100
_LEAST_HEADINGS, _MOST_ENTRIES = 3, 60
_MOST_CAPITALS = 8  # words with a capital in an entry
_MOST_UNKNOWN = 2  # entries that are no heading: the title of all, and one more
_REACH = 20_000  # characters from an entry to its heading
_LONGEST_SECTION = 10_000  # characters; further on a heading that no list names has come
_LINE = re.compile(r"[^\n]+\n*|\n+")
_NUMBERS = re.compile(r"\s*(?:\d{1,4}\s+)*")
_CAPITAL = r"[“\"(]?(?=[^\W\d_])(?![a-zà-ÿ가-힣])"
# An entry ends at its question mark or before a capital or a page; a sentence's signs are in none.
_END = re.compile(rf"(?P<entry>\?(?=\s)|(?<!\s)(?=\s+(?:{_CAPITAL}|\d)))|[.!?:;,]")
_SENTENCE_END = re.compile(rf"[.!?”\"]\s+(?=(?:\d{{1,3}}\s+)?{_CAPITAL})")
_OPEN = re.compile(r"\s+[^\W\d_A-Z]|\s+\(")  # the sentence goes on: it was no entry
_BEFORE, _AFTER = re.compile(r"[.!?:;,”\"’)\]]\s+\Z"), re.compile(rf"\s+(?:{_CAPITAL}|\d)")


class _Contents(NamedTuple):
    """A list of contents at ``[start, end)`` with its entries, the first of which is its title."""

    start: int
    end: int
    entries: list[str]


class Booklets:
    """The parts of a plain text whose lines are whole chapters, one behind the other.

    A long line is a part of its own, so that no passage reaches from one into the next. Where a
    list of contents names headings that follow, these are the sections, and the list is left out.
    """

    def __init__(self) -> None:
        self._lists: list[tuple[int, int]] = []

    def parted(self, blocks: Iterable[str]) -> Iterator[str]:
        """The ``blocks``, with each long line of plain text in blocks of its own."""
        offset = 0
        for block in blocks:
            if isinstance(block, DocumentBlock) or len(block) < _LONG:
                yield block
            else:
                for start, part in _parts(block):
                    yield from self._outlined(part, offset + start)
            offset += len(block)

    def leaves_out(self, start: int) -> bool:
        """Whether the passage that starts at ``start`` is of a list of contents."""
        place = bisect_right(self._lists, start, key=lambda one: one[0]) - 1
        return place >= 0 and start < self._lists[place][1]

    def _outlined(self, part: str, offset: int) -> Iterator[str]:
        """A part with its sections; its lists of contents are blocks of their own."""
        lists = [] if "\n" in part.rstrip() else list(_lists_of_contents(part))
        yield from filter(None, [part[: lists[0].start if lists else len(part)]])
        outline, title = Outline(), lists[0].entries[0] if lists and not lists[0].start else ""
        for place, one in enumerate(lists):
            self._lists.append((offset + one.start, offset + one.end))
            yield part[one.start : one.end]
            end = lists[place + 1].start if place + 1 < len(lists) else len(part)
            text = part[one.end : end]
            above = outline.enter(1 if one.start == 0 else 2, one.entries[0])
            changes = [(at, outline.enter(3, name)) for at, name in _headings(text, one.entries)]
            last = changes[-1][0] if changes else 0
            if len(text) - last > _LONGEST_SECTION:
                changes.append((last + _LONGEST_SECTION, {"section": title} if title else {}))
            yield from filter(None, [DocumentBlock(text, above, changes)])


def _parts(block: str) -> Iterator[tuple[int, str]]:
    """The long lines of ``block`` and what is between them, each with its start."""
    start = 0
    for line in _LINE.finditer(block):
        if len(line[0]) >= _LONG:
            if start < line.start():
                yield start, block[start : line.start()]
            yield line.start(), line[0]
            start = line.end()
    if start < len(block):
        yield start, block[start:]


def _lists_of_contents(text: str) -> Iterator[_Contents]:
    """The lists of contents in ``text``, at its beginning or behind a sentence."""
    end = 0
    for start in [0, *(found.end() for found in _SENTENCE_END.finditer(text))]:
        if start >= end and (found := _contents(text, start)):
            yield found
            end = found.end


def _contents(text: str, start: int) -> _Contents | None:
    """The list of contents at ``start``: a title, and entries that are headings further on."""
    entries: list[str] = []
    headings: set[str] = set()
    known, end, reached, unknown = 0, start, start, 0
    while len(entries) < _MOST_ENTRIES:
        numbers = _NUMBERS.match(text, reached)
        at = numbers.end() if numbers else reached
        candidates = _candidates(text, at)
        told = [one for one in candidates if _heading(text, one, at + len(one)) >= 0]
        unknown += not told
        if not candidates or unknown > _MOST_UNKNOWN:
            break
        entries.append(told[-1] if told else candidates[0])
        headings.update(told[-1:])
        reached = at + len(entries[-1])
        if told and not _OPEN.match(text, reached):
            known, end = len(entries), reached
    return _Contents(start, end, entries[:known]) if len(headings) >= _LEAST_HEADINGS else None


def _candidates(text: str, start: int) -> list[str]:
    """The entries that may begin at ``start``, from the shortest."""
    found: list[str] = []
    for end in _END.finditer(text, start + 1, start + _LONGEST_ENTRY):
        if end["entry"] is None or len(found) == _MOST_CAPITALS:
            break
        entry = text[start : end.end()]
        if " " in entry or content_words(entry):
            found.append(entry)
        if end["entry"]:
            break
    return found


def _headings(text: str, entries: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The places of ``entries`` as headings in ``text``, one after the other."""
    reached = 0
    for entry in entries:
        place = _heading(text, entry, reached)
        if place >= 0:
            yield place, entry
            reached = place + len(entry)


def _heading(text: str, entry: str, start: int) -> int:
    """The place of ``entry`` as a heading, between a sentence and a capital; -1 if it is none."""
    place = text.find(entry, start, start + _REACH)
    while place >= 0:
        end = place + len(entry)
        if _BEFORE.search(text, max(0, place - 3), place) and _AFTER.match(text, end):
            return place
        place = text.find(entry, end, start + _REACH)
    return -1
