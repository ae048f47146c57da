"""The lexical index in SQLite: a table of its FTS5, which ranks by BM25."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import (
    ColumnClause,
    ColumnElement,
    Connection,
    bindparam,
    column,
    desc,
    func,
    literal_column,
    select,
    table,
    text,
)

from ..language.analyser import terms
from ..state.places import section_of
from . import tables
from .queries import batches, begin_writing

# No character of a term separates tokens, since without positions FTS5 has no phrases.
_INDEX = text(
    "CREATE VIRTUAL TABLE IF NOT EXISTS passage_terms USING fts5("
    "title, body, detail = 'column', tokenize = \"ascii tokenchars '.,'''\")"
)
_TITLE_WEIGHT = 3.0
_TERMS = table("passage_terms", column("rowid"))
_WHOLE_ROW: ColumnClause[Any] = literal_column("passage_terms")
_ADD = text("INSERT INTO passage_terms (rowid, title, body) VALUES (:number, :title, :body)")
_REMOVE = text(
    "DELETE FROM passage_terms WHERE rowid IN (SELECT number FROM passages WHERE id IN :ids)"
).bindparams(bindparam("ids", expanding=True))


def create(connection: Connection) -> None:
    """Makes an empty index where there is none."""
    connection.execute(_INDEX)


def search(
    connection: Connection,
    query_terms: Sequence[str],
    most: int,
    where: ColumnElement[bool] | None = None,
) -> list[tuple[str, float]]:
    """The ids of at most ``most`` passages that hold ``query_terms``, with scores, best first."""
    passages = tables.passages
    query = (
        select(passages.c.id, (-func.bm25(_WHOLE_ROW, _TITLE_WEIGHT, 1.0)).label("score"))
        .join_from(_TERMS, passages, passages.c.number == _TERMS.c.rowid)
        .where(_WHOLE_ROW.match(_match(query_terms)))
        .order_by(desc("score"), passages.c.id)
        .limit(most)
    )
    if where is not None:
        query = query.where(where)
    return [(id, score) for id, score in connection.execute(query)]


def counts(
    connection: Connection,
    asked: Sequence[Sequence[str]],
    most: int,
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
