"""Reading a document at a place, without the rest of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Engine, func, select

from . import tables
from .queries import persistent, rows, rows_with

_TABLE = tables.passages.c


class PassageText(NamedTuple):
    """The text of a passage; ``start`` and ``end`` are characters in the document's text."""

    passage: str
    start: int
    end: int
    text: str


@persistent
class DocumentTexts:
    """The texts of the documents of one index, as far as they are asked for. Its methods block.

    >>> texts = DocumentTexts(index.engine)
    >>> [piece.text for piece in texts.between("notes.md", 0, 1000)]
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def lengths(self, documents: Iterable[str]) -> dict[str, int]:
        """The characters of each of ``documents`` up to the end of its last passage."""
        query = select(_TABLE.document, func.max(_TABLE.end)).group_by(_TABLE.document)
        found = rows_with(self._engine, query, _TABLE.document, documents)
        return {document: length for document, length in found}

    def between(self, document: str, start: int, end: int) -> list[PassageText]:
        """The pieces of ``document`` that have characters from ``start`` to before ``end``."""
        columns = (_TABLE.id, _TABLE.start, _TABLE.end, _TABLE.text)
        query = select(*columns).where(
            _TABLE.document == document, _TABLE.end > start, _TABLE.start < end
        )
        found = rows(self._engine, query.order_by(_TABLE.start, _TABLE.id))
        return [PassageText(*row) for row in found]
