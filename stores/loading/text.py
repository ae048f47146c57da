"""Text files: streamed in blocks, and their titles."""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from .dating import stated_date
from .file import SourceFile
from .headers import header_of, stated_title
from .headings import plain_heading
from .metadata import front_metadata
from .sections import markdown_parts, markdown_title, rst_parts, rst_title
from .types import LANGUAGES, LoadedDocument, LoadError

_READ = 64 * 1024
_TITLE_LENGTH = 120
_BLANK = " \t"


def load_text(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a .txt file. Raises LoadError."""
    blocks = _blocks(source)
    head = next(iter(blocks))
    header = header_of(head)
    titles = [stated_title(header), title_of(head)]
    yield source.document(titles, blocks, stated_date(header.fields))


def load_markdown(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a .md file, with its front matter and its sections. Raises LoadError."""
    blocks = _blocks(source)
    head = next(iter(blocks))
    front, text = _front_matter(head)
    begin = len(head) - len(text)
    blocks = replace(blocks, parts=partial(markdown_parts, front=begin))
    header = header_of(text)
    heading = markdown_title(head, begin) or title_of(text)
    titles = [_front_title(front), stated_title(header), heading]
    metadata = stated_date(header.fields) | front_metadata(front)
    yield source.document(map(plain_heading, titles), blocks, metadata)


def load_rst(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a .rst file with its sections, its markup as it is. Raises LoadError."""
    blocks = _blocks(source)
    head = next(iter(blocks))
    header = header_of(head)
    titles = map(plain_heading, [stated_title(header), rst_title(head) or title_of(head)])
    metadata = stated_date(header.fields)
    yield source.document(titles, replace(blocks, parts=rst_parts), metadata)


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


def title_of(text: str) -> str:
    """The short first line of a text that stands alone and ends like no sentence; else empty."""
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
