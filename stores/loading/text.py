"""Text files: streamed in blocks, and their titles."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from .file import SourceFile
from .metadata import front_metadata
from .sections import markdown_parts, rst_parts, rst_title
from .types import LANGUAGES, LoadedDocument, LoadError

_READ = 64 * 1024
_TITLE_LENGTH = 120
_BLANK = " \t"
_FENCES = ("```", "~~~")
_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t])")
_UNDERLINE = re.compile(r"(?:={3,}|-{3,})[ \t]*")
_WORD = re.compile(r"\w")


def load_text(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a .txt file. Raises LoadError."""
    blocks = _blocks(source)
    yield LoadedDocument("", title_of(next(iter(blocks))) or source.path.stem, blocks)


def load_markdown(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a .md file, with its front matter and its sections. Raises LoadError."""
    blocks = _blocks(source)
    head = next(iter(blocks))
    front, text = _front_matter(head)
    blocks = replace(blocks, parts=partial(markdown_parts, front=len(head) - len(text)))
    title = title_of(head, markdown=True) or source.path.stem
    yield LoadedDocument("", title, blocks, front_metadata(front))


def load_rst(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a .rst file with its sections, its markup as it is. Raises LoadError."""
    blocks = _blocks(source)
    head = next(iter(blocks))
    title = rst_title(head) or title_of(head) or source.path.stem
    yield LoadedDocument("", title, replace(blocks, parts=rst_parts))


def load_code(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a file of source code, called like the file. Raises LoadError."""
    language = LANGUAGES[source.path.suffix.lower()]
    yield LoadedDocument("", source.path.name, _blocks(source), {"language": language})


def _blocks(source: SourceFile) -> TextBlocks:
    with source.open() as file:
        return TextBlocks(source, source.codec_of(file), _version(file))


@dataclass(frozen=True)
class TextBlocks:
    """The text of a file in blocks that end at paragraphs or lines where they can.

    ``parts`` tells their metadata. Reads the file anew for each iteration; raises LoadError where
    it is no longer the same.
    """

    source: SourceFile
    codec: str
    version: tuple[int, ...]
    parts: Callable[[Iterable[str]], Iterable[str]] = iter

    def __iter__(self) -> Iterator[str]:
        size, most, made = (
            self.source.limits.block_characters,
            self.source.limits.plain_characters,
            0,
        )
        with self.source.open() as file:
            self._require_same(file)
            for block in self.parts(in_blocks(self._decoded(file), size)):
                made += len(block)
                if made > most:
                    raise self.source.too_long(most)
                yield block
            self._require_same(file)

    def _decoded(self, file: BinaryIO) -> Iterator[str]:
        decoder = io.IncrementalNewlineDecoder(
            codecs.getincrementaldecoder(self.codec)(), translate=True
        )
        try:
            while chunk := file.read(_READ):
                yield decoder.decode(chunk)
            yield decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            raise LoadError(
                f"{self.source.name} stopped being {self.codec} text while it was read; "
                "index it again when it is complete."
            ) from error
        except OSError as error:
            raise LoadError(f"{self.source.name} could not be read ({error.strerror}).") from error

    def _require_same(self, file: BinaryIO) -> None:
        if _version(file) != self.version:
            raise LoadError(f"{self.source.name} was changed while it was read; index it again.")


def in_blocks(texts: Iterable[str], size: int) -> Iterator[str]:
    """Consecutive ``texts`` in blocks of about ``size`` characters, less than twice as many."""
    rest = ""
    for text in texts:
        rest += text
        while len(rest) >= 2 * size:
            cut = _cut(rest, size)
            yield rest[:cut]
            rest = rest[cut:]
    if rest:
        yield rest


def _version(file: BinaryIO) -> tuple[int, ...]:
    status = os.fstat(file.fileno())
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _cut(text: str, size: int) -> int:
    """Where a block of about ``size`` characters ends: after a paragraph, line, word or nowhere."""
    for boundary in ("\n\n", "\n", " "):
        found = text.rfind(boundary, size // 2, size)
        if found >= 0:
            return found + len(boundary)
    return size


def title_of(text: str, markdown: bool = False) -> str:
    """The title that a text opens with, empty if it has none.

    Of Markdown the front matter's title or the first heading; else a short first line that stands
    alone and ends like no sentence.
    """
    if markdown:
        front, text = _front_matter(text)
        title = _front_title(front) or _heading(text.split("\n"))
        if title:
            return title
    first, _, following = text.lstrip().partition("\n")
    title = first.strip()
    alone = not following.partition("\n")[0].strip() or following.startswith(("===", "---"))
    looks = len(title) <= _TITLE_LENGTH and alone and title[-1:] not in ".,;:!…。、"
    return title if looks else ""


def _front_matter(text: str) -> tuple[str, str]:
    """The settings that Markdown opens with, and the text after them."""
    ends = [text.find(end, 4) for end in ("\n---\n", "\n...\n")] if text[:4] == "---\n" else []
    end = min((place for place in ends if place > 0), default=0)
    return (text[4:end], text[end + 5 :]) if end else ("", text)


def _front_title(front: str) -> str:
    for line in front.split("\n"):
        title = line.removeprefix("title:").strip(_BLANK)
        if title and line.startswith("title:"):
            quoted = len(title) > 2 and title[0] == title[-1] and title[0] in "'\""
            return (title[1:-1] if quoted else title).strip()
    return ""


def _heading(lines: list[str]) -> str:
    """The first heading outside of code blocks, marked with ``#`` or underlined."""
    # Line by line: one expression for them all takes cubic time on a line of spaces.
    closing = {line[:3]: place for place, line in enumerate(lines) if line.startswith(_FENCES)}
    fence = ""
    for place, line in enumerate(lines):
        if fence:
            fence = "" if line.startswith(fence) else fence
        elif closing.get(line[:3], 0) > place:
            fence = line[:3]
        elif title := _marked(line) or _underlined(line, lines[place + 1 : place + 2]):
            return title
    return ""


def _marked(line: str) -> str:
    mark = _HEADING.match(line)
    return line[mark.end() :].rstrip(_BLANK).rstrip("#").strip() if mark else ""


def _underlined(line: str, following: list[str]) -> str:
    underlined = following and _UNDERLINE.fullmatch(following[0]) and _WORD.search(line)
    return line.strip() if underlined else ""
