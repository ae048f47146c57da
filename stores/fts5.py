"""The lexical index in SQLite: a table of its FTS5, which ranks by BM25."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnClause,
    ColumnElement,
    Connection,
    bindparam,
    column,
    func,
    literal_column,
    select,
    table,
    text,
)

from ..language.analyser import terms
from ..state.places import section_of
from . import large, tables
from .queries import batches, begin_writing

# No character of a term separates tokens, since without positions FTS5 has no phrases.
_INDEX = text(
    "CREATE VIRTUAL TABLE IF NOT EXISTS passage_terms USING fts5("
    "title, body, detail = 'column', tokenize = \"ascii tokenchars '.,'''\")"
)
_TITLE_WEIGHT = 3.0
_MOST_SCORED = 10_000  # passages of a large index; each takes some three microseconds
_TERMS = table("passage_terms", column("rowid"))
_WHOLE_ROW: ColumnClause[Any] = literal_column("passage_terms")
_SCORES = select(_TERMS.c.rowid, func.bm25(_WHOLE_ROW, _TITLE_WEIGHT, 1.0)).where(
    _WHOLE_ROW.match(bindparam("asked"))
)
_ADD = text("INSERT INTO passage_terms (rowid, title, body) VALUES (:number, :title, :body)")
_REMOVE = text(
    "DELETE FROM passage_terms WHERE rowid IN (SELECT number FROM passages WHERE id IN :ids)"
).bindparams(bindparam("ids", expanding=True))


def create(connection: Connection) -> None:
    """Makes an empty index where there is none."""
    connection.execute(_INDEX)


def scores(
    connection: Connection, query_terms: Sequence[str]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The numbers of the passages that hold ``query_terms``, with their scores.

    Of a large index, of the passages that hold one of the rarer terms, which all terms score.
    """
    asked = [_match(query_terms)]
    stored = connection.scalar(select(func.max(tables.passages.c.number))) or 0
    if len(query_terms) > 1 and stored >= large.FLAT_FROM:
        held = counts(connection, [[term] for term in query_terms])
        known = {term: count for term, count in zip(query_terms, held, strict=True) if count}
        rare = large.rarest(known, _MOST_SCORED)
        if common := [term for term in known if term not in rare]:
            asked = [f"({_match(rare)}) {sign} ({_match(common)})" for sign in ("AND", "NOT")]
    found = [row for one in asked for row in connection.execute(_SCORES, {"asked": one}).all()]
    numbers, negative = zip(*found, strict=True) if found else ((), ())
    return np.array(numbers, np.int32), -np.array(negative)


def counts(
    connection: Connection,
    asked: Sequence[Sequence[str]],
    most: int | None = None,
    where: ColumnElement[bool] | None = None,
) -> list[int]:
    """How many passages hold one of the terms of each of ``asked``, counted up to ``most``."""
    held = select(_TERMS.c.rowid).where(_WHOLE_ROW.match(bindparam("asked"))).limit(most)
    if where is not None:
        passages = tables.passages
        held = held.join(passages, passages.c.number == _TERMS.c.rowid).where(where)
    query = select(func.count()).select_from(held.subquery())
    return [connection.execute(query, {"asked": _match(one)}).scalar_one() for one in asked]


def _match(query_terms: Sequence[str]) -> str:
    """A query for the passages that hold one of the terms; none hold one of none."""
    return " OR ".join(f'"{term}"' for term in query_terms) or '""'


def add(connection: Connection, ids: Iterable[str]) -> None:
    """Indexes the stored passages ``ids``, which are not in the index yet."""
    passages = tables.passages
    # In ascending order, else FTS5 begins a new segment with each row.
    columns = (passages.c.number, passages.c.title, passages.c.metadata, passages.c.text)
    query = select(*columns).order_by(passages.c.number)
    for batch in batches(ids):
        found = connection.execute(query.where(passages.c.id.in_(batch)))
        connection.execute(
            _ADD,
            [
                {
                    "number": number,
                    "title": " ".join(terms(title)),
                    "body": " ".join(terms(f"{section_of(title, metadata)}\n{body}")),
                }
                for number, title, metadata, body in found
            ],
        )


def remove(connection: Connection, ids: Iterable[str]) -> None:
    """Takes passages out of the index, while they are still stored."""
    for batch in batches(ids):
        connection.execute(_REMOVE, {"ids": batch})


def rebuild(connection: Connection) -> None:
    """Makes the index anew from all passages."""
    begin_writing(connection)
    connection.execute(text("DROP TABLE IF EXISTS passage_terms"))
    create(connection)
    passages = tables.passages
    add(connection, connection.scalars(select(passages.c.id).order_by(passages.c.number)).all())


def purge(connection: Connection) -> None:
    """Removes the terms of deleted passages, which FTS5 until then only marks as deleted."""
    begin_writing(connection)
    connection.execute(text("INSERT INTO passage_terms (passage_terms) VALUES ('optimize')"))
