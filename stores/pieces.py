"""The pieces of a new document: what identifies each, and the lines before it."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from ..state.places import section_of
from ..state.records import MetadataValue, Turn

_LONGEST = 240
_BEGINNING = re.compile(r"\n\s*|(?<=[.!?…])[\"'”’)\]]*\s+")


class Piece(NamedTuple):
    """A new passage: its text, and its place in the document, counted in characters.

    ``header`` is the header of the table that it begins within; it stands in the passage's title.
    ``metadata`` describes its beginning; ``turns`` tell where in it that changes.
    """

    start: int
    end: int
    text: str
    header: str = ""
    metadata: Mapping[str, MetadataValue] = MappingProxyType({})
    turns: Sequence[Turn] = ()

    def title(self, document: str) -> str:
        """The title of the passage in the document titled ``document``."""
        return f"{document} ({self.header})" if self.header else document


class PlannedPiece(NamedTuple):
    """A piece as a passage to be: its id, the lines before it, whether these or it are new."""

    id: str
    piece: Piece
    before: str
    is_new: bool
    is_moved: bool


class NewDocument(NamedTuple):
    """A new document: its file, the hash of its content and metadata, its pieces.

    ``titles`` are all that it could have, the best first; without them they stay as they are.
    ``moved_from`` is the id of a document with the same content, whose place it takes.
    """

    id: str
    path: str
    title: str
    content: str
    pieces: Iterable[Piece]
    metadata: Mapping[str, MetadataValue] = MappingProxyType({})
    titles: Sequence[str] = ()
    moved_from: str = ""

    def row(self) -> dict[str, Any]:
        """The row of the document, before its passages are counted."""
        row = {name: getattr(self, name) for name in ("id", "path", "title", "content")}
        return row | {"passages": 0, "metadata": dict(self.metadata)}


def identified(document: NewDocument) -> Iterator[tuple[str, Piece, str]]:
    """The pieces of ``document``, each with its id and the lines before it."""
    seen: Counter[bytes] = Counter()
    last: Piece | None = None
    for piece in document.pieces:
        before = last_lines(last.text, last.end - piece.start) if last else ""
        id = _passage_id(document.id, piece, document.title, seen)
        yield id, piece, before
        last = piece


def _passage_id(document: str, piece: Piece, titled: str, seen: Counter[bytes]) -> str:
    """A hash of the content and its place; the same text again in a document counts up."""
    same = hashlib.blake2b(piece.text.encode(), digest_size=8).digest()
    seen[same] += 1
    title = piece.title(titled)
    section = section_of(title, piece.metadata)
    parts = [document, title, piece.text, seen[same], *([section] if section else [])]
    content = json.dumps(parts)
    return hashlib.blake2b(content.encode(), digest_size=12).hexdigest()


def last_lines(text: str, shared: int = 0) -> str:
    """The end of ``text``, which begins with a sentence or a line where it can.

    The last ``shared`` characters, with which the next passage begins, are left out.
    """
    text = text[: max(0, len(text) - shared)].rstrip()
    if len(text) <= _LONGEST:
        return text.lstrip()
    end = text[-_LONGEST:]
    begins = _BEGINNING.search(end, 0, _LONGEST * 2 // 3)
    return end[begins.end() :] if begins else end[end.find(" ") + 1 :]
