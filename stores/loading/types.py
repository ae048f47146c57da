"""The results of loading a file, documents and failures, and the limits of loading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...language.analyser import LONGEST_TITLE, shortened
from ...state.errors import RagraphsError
from ...state.records import Metadata

if TYPE_CHECKING:  # importing it takes longer than reading a file
    from ...settings import Settings

LANGUAGES = {
    ".py": "python", ".js": "javascript", ".ts": "typescript", ".tsx": "typescript",
    ".java": "java", ".go": "go", ".rs": "rust", ".c": "c", ".h": "c", ".cpp": "c++",
    ".hpp": "c++", ".cs": "c#", ".rb": "ruby", ".php": "php", ".swift": "swift", ".kt": "kotlin",
    ".scala": "scala", ".sh": "shell", ".sql": "sql", ".r": "r", ".lua": "lua", ".toml": "toml",
    ".yaml": "yaml", ".yml": "yaml", ".ini": "ini",
}  # fmt: skip
_DOCUMENTS = (
    ".txt", ".md", ".rst", ".html", ".htm", ".epub", ".pdf", ".docx", ".odt", ".pptx", ".xlsx",
    ".eml", ".csv", ".json", ".jsonl",
)  # fmt: skip
ENDINGS = (*_DOCUMENTS, *LANGUAGES)
SUPPORTED = f"{', '.join(_DOCUMENTS)} and source code"  # for messages
PLAIN = frozenset({".txt", ".md", ".rst", *LANGUAGES})  # as many characters as bytes, or fewer

LONGEST_ID = 1000  # of a document: each of its passages carries it, like the title

_MB = 1024 * 1024


class LoadError(RagraphsError):
    """A document could not be read to its end; the part that was read is to be dropped."""


class BoundError(LoadError):
    """A document has more text than may be made of it."""


class DocumentBlock(str):
    """A block of a document that has metadata of its own, such as ``{"page": 3}``.

    ``changes`` are the places within the block where other metadata begins, as characters from its
    start: a long block of Markdown has many sections, and passages may reach from one into the
    next, as they may not from one block into the next.

    >>> part = DocumentBlock("Intro. Method.", {"section": "Intro"}, [(7, {"section": "Method"})])
    >>> list(part.places)
    [(0, {'section': 'Intro'}), (7, {'section': 'Method'})]
    """

    metadata: Metadata
    changes: tuple[tuple[int, Metadata], ...]

    def __new__(
        cls, text: str, metadata: Metadata, changes: Iterable[tuple[int, Metadata]] = ()
    ) -> DocumentBlock:
        """The block ``text``; ``metadata`` holds from its first character to the first change."""
        part = super().__new__(cls, text)
        part.metadata, part.changes = metadata, tuple(changes)
        while part.changes and part.changes[0][0] == 0:
            part.metadata, part.changes = part.changes[0][1], part.changes[1:]
        return part

    def __reduce__(self) -> tuple[type[DocumentBlock], tuple[object, ...]]:
        return DocumentBlock, (str(self), self.metadata, self.changes)

    @property
    def places(self) -> Iterator[tuple[int, Metadata]]:
        """The characters of the block at which metadata begins, the first of which is 0."""
        yield 0, self.metadata
        yield from self.changes


@dataclass(frozen=True)
class LoadedDocument:
    """One document of a file.

    ``id`` is empty for a file that is one document, else the row's. The concatenation of
    ``blocks`` is the document's text, with every line end as ``\\n``; citations count its
    characters. Iterating ``blocks`` reads the file again each time and may raise LoadError; a
    DocumentBlock has metadata of its own, besides the document's ``metadata``. A long ``title``
    is cut, because each passage carries it. ``others`` are the titles that take its place, one
    after the other, where many documents share it; without them it stays.
    """

    id: str
    title: str
    blocks: Iterable[str]
    metadata: Metadata = field(default_factory=dict)
    others: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", shortened(self.title, LONGEST_TITLE))
        others = tuple(shortened(other, LONGEST_TITLE) for other in self.others)
        object.__setattr__(self, "others", others)


@dataclass(frozen=True)
class LoadFailure:
    """A file, or a row or page of one, that was left out, and the reason in one sentence."""

    source: str
    reason: str


@dataclass(frozen=True)
class Limits:
    """How much of a file is read, and made of it, at most; plain text, .csv and .jsonl stream.

    ``unpacked_bytes`` and ``unpacked_ratio`` together mark a packed file (.docx, .pptx, .epub, ...)
    as a bomb; ``xml_bytes`` and ``xml_marks`` bound the XML that is parsed, ``cells`` the cells of
    an .xlsx file, ``mail_parts`` the parts of an .eml file that hold others.

    ``text_characters`` bounds the text that a file turns into, ``plain_characters`` plain text, and
    ``text_ratio`` the characters for a byte of the unpacked source. The process that reads a file
    may take ``file_seconds`` (less for a small file) and ``file_bytes`` of memory.
    """

    block_characters: int = 64 * 1024
    line_characters: int = 16 * _MB
    html_bytes: int = 32 * _MB
    html_tags: int = 1_000_000
    json_bytes: int = 64 * _MB
    packed_bytes: int = 256 * _MB
    unpacked_bytes: int = 200 * _MB
    unpacked_ratio: int = 100
    xml_bytes: int = 64 * _MB
    xml_marks: int = 5_000_000
    cells: int = 5_000_000
    mail_parts: int = 100
    pdf_stream_bytes: int = 50 * _MB
    text_characters: int = 50_000_000
    plain_characters: int = 400_000_000
    text_ratio: int = 45
    file_seconds: float = 300.0
    file_bytes: int = 2048 * _MB
    failures: int = 100

    @classmethod
    def by(cls, operator: Settings) -> Limits:
        """The limits that the operator sets."""
        most = operator.max_characters
        return cls(
            text_characters=most or cls.text_characters,
            plain_characters=most or cls.plain_characters,
            file_seconds=operator.file_seconds,
            file_bytes=operator.file_megabytes * _MB,
        )

    def seconds_for(self, size: int) -> float:
        """The time for a file of ``size`` bytes: a tenth of the most, and a fifth for each MB."""
        return self.file_seconds * min(1.0, 0.1 + 0.2 * size / _MB)


DEFAULT_LIMITS = Limits()
