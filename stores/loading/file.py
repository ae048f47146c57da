"""One file to load: opened, bounded, and turned into clean text."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from ...state.records import Metadata
from .encoding import detect
from .sources import open_source
from .types import BoundError, Limits, LoadedDocument, LoadError

_NO_MEMORY = 2  # the code of lxml's error
_FOLDERS_OWN = frozenset({"index", "_index", "readme"})  # names of a file that is about its folder
_LINE_END = re.compile(r"\r\n?")
# Neither can be stored: SQLite ends text at NUL, and half of a surrogate pair has no UTF-8 form.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass
class _Text:
    """The characters made of a file, and the bytes that they were made of."""

    made: int = 0
    source: int = 0


@dataclass(frozen=True)
class SourceFile:
    """A file to load; messages call it ``name``, and it must lie below ``root``, if given."""

    path: Path
    name: str
    root: Path | None
    limits: Limits
    _text: _Text = field(default_factory=_Text, init=False, repr=False, compare=False)

    @property
    def title(self) -> str:
        """The file's name without its ending, or its folder's where it is an index or a README."""
        stem = self.path.stem
        about_folder = stem.lower() in _FOLDERS_OWN
        return (about_folder and self.path.absolute().parent.name) or stem

    def document(
        self, titles: Iterable[str], blocks: Iterable[str], metadata: Metadata | None = None
    ) -> LoadedDocument:
        """The one document of the file, called by the first of ``titles``, at last by its name."""
        first, *others = dict.fromkeys([*filter(None, map(str.strip, titles)), self.title])
        return LoadedDocument("", first, blocks, metadata or {}, tuple(others))

    def reads(self, size: int) -> None:
        """Takes note of ``size`` bytes, as unpacked, of which text is made."""
        self._text.source += size

    def made(self, text: str) -> str:
        """``text``, which was made of the file. Raises LoadError where it is too much in all."""
        self.makes(len(text))
        return text

    def makes(self, characters: int) -> None:
        """Takes note of ``characters`` of text. Raises LoadError where it is too much in all."""
        self._text.made += characters
        if self._text.made > self.limits.text_characters:
            raise self.too_long(self.limits.text_characters)
        self._check_ratio()

    def keeps(self, characters: int) -> None:
        """Takes note of ``characters`` of metadata of a row. Raises LoadError for too much in all.

        They count twice, because an index keeps them in its catalogue and in Chroma.
        """
        self._text.made += 2 * characters
        self._check_ratio()

    def _check_ratio(self) -> None:
        if self._text.made > self.limits.text_ratio * self._text.source:
            raise BoundError(
                f"{self.name} repeats its parts: it makes more than {self.limits.text_ratio} "
                "characters of text for each byte; save its text as .txt."
            )

    def too_long(self, most: int) -> BoundError:
        """The error for a text of more than ``most`` characters."""
        return BoundError(
            f"{self.name} has more than {most:,} characters of text; split it, or raise "
            "RAGRAPHS_MAX_CHARACTERS."
        )

    def open(self) -> BufferedReader:
        """The file, open for reading bytes. Raises LoadError."""
        return open_source(self.path, self.root)

    def codec_of(self, file: BinaryIO) -> str:
        """The name of the codec of ``file``, this file opened. Raises LoadError without text."""
        encoding = detect(file, self.name)
        if not encoding.has_text:
            raise self.empty()
        return encoding.codec

    def size_of(self, file: BinaryIO, advice: str) -> int:
        """The bytes of ``file``, this file opened. Raises LoadError where there are none.

        Also where there are more than may be read of a packed file; then ``advice`` follows.
        """
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        if not size:
            raise self.empty()
        if size > self.limits.packed_bytes:
            most = megabytes(self.limits.packed_bytes)
            raise LoadError(f"{self.name} is larger than {most}; {advice}.")
        return size

    def read(self, most: int) -> bytes:
        """All its bytes. Raises LoadError where there are more than ``most``."""
        with self.open() as file:
            # Asked first, because reading allocates all that may be read.
            size = os.fstat(file.fileno()).st_size
            data = file.read(min(size, most) + 1)
        if len(data) > most:
            raise LoadError(
                f"{self.name} is larger than {megabytes(most)}, the most that is read of a "
                f"{self.path.suffix.lower()} file at once; split it, or save it as .txt or .jsonl."
            )
        self.reads(len(data))
        return data

    def empty(self) -> LoadError:
        """The error for a file without text."""
        return LoadError(f"{self.name} is empty, so there is nothing to index.")


@contextmanager
def unreadable(source: SourceFile, advice: str) -> Iterator[None]:
    """Raises LoadError with ``advice`` for an error within; parsers raise errors of all kinds."""
    try:
        yield
    except (LoadError, MemoryError):
        raise
    except Exception as error:
        if getattr(error, "code", None) == _NO_MEMORY:
            raise MemoryError from error
        raise LoadError(f"{source.name} {advice}") from error


@contextmanager
def needs(package: str, source: SourceFile) -> Iterator[None]:
    """Raises LoadError where an import within fails because the extra ``formats`` is missing."""
    try:
        yield
    except ImportError as error:
        ending = source.path.suffix.lower()
        raise LoadError(
            f"{source.name} was not read, because {ending} files need {package}; install it with: "
            "pip install 'ragraphs[formats]'."
        ) from error


def clean(text: str) -> str:
    """``text`` with line ends as ``\\n`` and U+FFFD for characters that cannot be stored."""
    return _UNSTORABLE.sub("\ufffd", _LINE_END.sub("\n", text))


def megabytes(size: int) -> str:
    """A number of bytes for people: ``64 MB``, below one ``64 KB``."""
    return f"{size / 2**20:.0f} MB" if size >= 2**20 else f"{size / 2**10:.0f} KB"
