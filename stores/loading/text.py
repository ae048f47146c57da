"""Text files: streamed in blocks, and their titles."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from .file import SourceFile
from .types import LoadedDocument, LoadError

_READ = 64 * 1024
_TITLE_LENGTH = 120
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)\n", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(['\"]?)(.+?)\1[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(
    r"^ {0,3}#{1,6}[ \t]+(?P<marked>.+?)[ \t]*#*[ \t]*$"
    r"|^(?P<underlined>[^\n]*\w[^\n]*)\n(?:={3,}|-{3,})[ \t]*$",
    re.MULTILINE,
)


def load_text(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a .txt or .md file. Raises LoadError."""
    with source.open() as file:
        blocks = TextBlocks(source, source.codec_of(file), _version(file))
    head = next(iter(blocks))
    markdown = source.path.suffix.lower() == ".md"
    yield LoadedDocument("", title_of(head, markdown) or source.path.stem, blocks)


@dataclass(frozen=True)
class TextBlocks:
    """The text of a file in blocks that end at paragraphs or lines where they can.

    Reads the file anew for each iteration; raises LoadError where it is no longer the same.
    """

    source: SourceFile
    codec: str
    version: tuple[int, ...]

    def __iter__(self) -> Iterator[str]:
        size = self.source.limits.block_characters
        with self.source.open() as file:
            self._require_same(file)
            yield from in_blocks(self._decoded(file), size)
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
        front = _FRONT_MATTER.match(text)
        named = _FRONT_TITLE.search(front[1]) if front else None
        text = text[front.end() :] if front else text
        if named:
            return named[2].strip()
        heading = _HEADING.search(_FENCE.sub("", text))
        if heading:
            return (heading["marked"] or heading["underlined"]).strip()
    first, _, following = text.lstrip().partition("\n")
    title = first.strip()
    alone = not following.partition("\n")[0].strip() or following.startswith(("===", "---"))
    looks = len(title) <= _TITLE_LENGTH and alone and title[-1:] not in ".,;:!…。、"
    return title if looks else ""
