"""The rows of passages: written for new documents, moved, and deleted with all that hangs on them.

Each function works within a transaction of its caller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, select

from ..state.records import Passage
from . import tables
from .lexical_index import form_of
from .pgvector_tables import delete_vectors
from .pieces import NewDocument, identified
from .queries import add_missing, batches, delete_with, update_rows
from .readings import IMPORTED, forget_codes
from .untold import note_passages


def stored_passages(connection: Connection, documents: Sequence[str]) -> dict[str, Any]:
    """The passages of ``documents`` by their ids: the lines before each, and its metadata."""
    table = tables.passages.c
    query = select(table.id, table.before, table.metadata).where(table.document.in_(documents))
    return {row.id: row for row in connection.execute(query)}


def passage_of(row: Any) -> Passage:
    """A row as the passage that others are given."""
    passage: Passage = {
        "id": row.id,
        "document": row.document,
        "title": row.title,
        "text": row.text,
        "start": row.start,
        "end": row.end,
        "metadata": row.metadata,
    }
    return {**passage, "turns": row.turns} if row.turns else passage


def beginnings(chosen: ColumnElement[bool]) -> Select[Any]:
    """The query for the first passages of ``chosen`` documents: id, document, title and text."""
    table = tables.passages
    least = select(table.c.document, func.min(table.c.start).label("start"))
    first = least.where(chosen).group_by(table.c.document).subquery()
    is_first = (table.c.document == first.c.document) & (table.c.start == first.c.start)
    columns = (table.c.id, table.c.document, table.c.title, table.c.text)
    # Chosen twice, else PostgreSQL compares them with all passages.
    return select(*columns).join(first, is_first).where(chosen).order_by(table.c.id)


def write_passages(
    connection: Connection, documents: Sequence[NewDocument], old: dict[str, Any]
) -> Counter[str]:
    """Inserts new passages and moves kept ones, which are taken out of ``old``.

    Returns the number of passages of each document.
    """
    counts: Counter[str] = Counter()
    pieces = ((new, *found) for new in documents for found in identified(new))
    for batch in batches(pieces):
        counts.update(document.id for document, *_ in batch)
        fresh: list[dict[str, Any]] = []
        kept: dict[str, Any] = {}
        moved: list[str] = []
        outdated: list[dict[str, str]] = []
        for document, id, piece, before in batch:
            place = {
                "start": piece.start,
                "end": piece.end,
                "before": before,
                "metadata": dict(piece.metadata),
                "turns": list(piece.turns),
            }
            if stored := old.pop(id, None):
                if stored.before != before:
                    moved.append(id)
                if stored.metadata != place["metadata"]:
                    outdated.append({"passage": id})
                kept[id] = place
            else:
                row = {"id": id, "document": document.id, "title": piece.title(document.title)}
                fresh.append(row | place | {"text": piece.text})
        if fresh:
            connection.execute(tables.passages.insert(), fresh)
            form_of(connection).add(connection, [row["id"] for row in fresh])
        update_rows(connection, tables.passages, kept)
        note_passages(connection, {*kept, *(row["id"] for row in fresh)})
        add_missing(connection, tables.outdated_entries, outdated)
        _forget_readings(connection, moved)
    return counts


def _forget_readings(connection: Connection, passages: Sequence[str]) -> None:
    """Deletes what a model read in ``passages``; what was imported does not depend on the lines."""
    table = tables.readings
    for batch in batches(passages):
        read = table.c.passage.in_(batch) & (table.c.model != IMPORTED)
        connection.execute(delete(table).where(read))
        forget_codes(connection, batch)


def delete_passages(connection: Connection, ids: Collection[str]) -> None:
    """Deletes passages, their words, their vectors, and what was read in them.

    Vectors in another store than this database are left to the next run.
    """
    form_of(connection).remove(connection, ids)
    delete_vectors(connection, ids)
    for column in (
        tables.readings.c.passage,
        tables.reading_codes.c.passage,
        tables.outdated_entries.c.passage,
        tables.sentence_vectors.c.passage,
        tables.sentence_vectors_beside.c.passage,
        tables.passages.c.id,
    ):
        delete_with(connection, column, ids)
    note_passages(connection, ids)
