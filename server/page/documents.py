"""The documents of an index: their list, and one of them around a place."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ...index.opening import open_index
from ...settings import settings, told
from ...state.errors import IndexNotFoundError, RagraphsError
from ...stores.catalogue import DocumentRow
from ...stores.document_texts import DocumentTexts
from ...views.overview import in_order
from ...views.reading import occurrences, places
from .pending import told_uploads
from .route import as_json, index_in, number_in, words_in

_AROUND = 10_000  # characters on each side of a place
_MOST = 500
_FAR = 1 << 40


async def documents(request: Request) -> Response:
    """The documents whose title or path has the words of the query.

    With them go the files that could not be read, and the uploaded ones that wait to be.
    """
    listed = partial(
        _documents,
        index_in(request),
        words_in(request).casefold(),
        number_in(request, "offset", 0, _FAR),
        number_in(request, "most", 50, _MOST),
    )
    return as_json(await asyncio.to_thread(listed))


async def document(request: Request) -> Response:
    """The passages of a document around a character of it, in order."""
    place = number_in(request, "at", 0, _FAR)
    around = partial(_document, index_in(request), words_in(request, "id"), place)
    return as_json(await asyncio.to_thread(around))


async def words(request: Request) -> Response:
    """Where words of the query stand in a document."""
    name, id, wanted = index_in(request), words_in(request, "id"), words_in(request)

    def found() -> dict[str, Any]:
        texts = DocumentTexts(open_index(name).engine)
        return {"found": occurrences(texts.between(id, 0, _FAR), wanted)}

    return as_json(await asyncio.to_thread(found))


def _documents(name: str, words: str, offset: int, most: int) -> dict[str, Any]:
    operator = settings()
    waiting = told_uploads(name, operator)
    try:
        index = open_index(name)
    except IndexNotFoundError:
        if operator.uploads is None:
            raise
        return {"documents": [], "total": 0, "failures": [], "waiting": waiting}
    found = [
        row
        for row in sorted(index.catalogue.documents(), key=in_order)
        if words in row["title"].casefold() or words in row["path"].casefold()
    ]
    shown = found[offset : offset + most]
    lengths = DocumentTexts(index.engine).lengths(row["id"] for row in shown)
    failures = index.catalogue.failures()
    return {
        "documents": [_told(row, lengths.get(row["id"], 0)) for row in shown],
        "total": len(found),
        "failures": [
            {"path": told(row["place"], operator), "reason": told(row["reason"], operator)}
            for row in failures
        ],
        "waiting": waiting,
    }


def _told(row: DocumentRow, characters: int) -> dict[str, Any]:
    return {
        "id": row["id"],
        "title": row["title"],
        "path": told(row["path"], settings()),
        "passages": row["passages"],
        "characters": characters,
        "metadata": row["metadata"],
    }


def _document(name: str, id: str, place: int) -> dict[str, Any]:
    index = open_index(name)
    texts = DocumentTexts(index.engine)
    characters = texts.lengths([id]).get(id)
    row = index.catalogue.document(id)
    if row is None or characters is None:
        raise RagraphsError(f"There is no document {id[:100]!r} in the index; look in its list.")
    place = min(place, characters - 1)
    pieces = texts.between(id, place - _AROUND, place + _AROUND)
    return {
        "id": id,
        "title": row["title"],
        "metadata": row["metadata"],
        "characters": characters,
        "places": places(index.catalogue.passages_of([id])[id]),
        "pieces": [piece._asdict() for piece in pieces],
        "before": bool(pieces) and pieces[0].start > 0,
        "after": bool(pieces) and pieces[-1].end < characters,
    }
