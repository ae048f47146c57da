"""The lexical index of passages: SQLite's FTS5, in the same transactions as the passages.

The one part of the database that belongs to SQLite; all else is portable.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, select, text

from ..language.analyser import terms
from . import schema
from .queries import batches

_TITLE_WEIGHT = 3.0
_MOST_QUERY_TERMS = 200
_SEARCH = text(
    "SELECT passages.id, -bm25(passage_terms, :weight, 1.0) AS score FROM passage_terms "
    "JOIN passages ON passages.number = passage_terms.rowid "
    "WHERE passage_terms MATCH :terms ORDER BY score DESC, passages.id LIMIT :most"
)
_ADD = text("INSERT INTO passage_terms (rowid, title, body) VALUES (:number, :title, :body)")
_REMOVE = text(
    "DELETE FROM passage_terms WHERE rowid IN (SELECT number FROM passages WHERE id IN :ids)"
).bindparams(bindparam("ids", expanding=True))


def search(connection: Connection, question: str, most: int) -> list[tuple[str, float]]:
    """The ids of at most ``most`` passages with BM25 scores (higher is better), best first."""
    query_terms = list(dict.fromkeys(terms(question)))[:_MOST_QUERY_TERMS]
    if not query_terms:
        return []
    match = " OR ".join(f'"{term}"' for term in query_terms)
    values = {"terms": match, "weight": _TITLE_WEIGHT, "most": most}
    return [(id, score) for id, score in connection.execute(_SEARCH, values)]


def add(connection: Connection, ids: Iterable[str]) -> None:
    """Indexes the stored passages ``ids``, which are not in the index yet."""
    table = schema.passages
    # In ascending order, else FTS5 begins a new segment with each row.
    query = select(table.c.number, table.c.title, table.c.text).order_by(table.c.number)
    for batch in batches(ids):
        found = connection.execute(query.where(table.c.id.in_(batch)))
        connection.execute(
            _ADD,
            [
                {"number": number, "title": " ".join(terms(title)), "body": " ".join(terms(body))}
                for number, title, body in found
            ],
        )


def remove(connection: Connection, ids: Iterable[str]) -> None:
    """Takes passages out of the index, while they are still stored."""
    for batch in batches(ids):
        connection.execute(_REMOVE, {"ids": batch})


def rebuild(connection: Connection) -> None:
    """Makes the index anew from all passages."""
    schema.begin_writing(connection)
    connection.execute(text("DROP TABLE IF EXISTS passage_terms"))
    connection.execute(schema.TERM_INDEX)
    table = schema.passages
    add(connection, connection.scalars(select(table.c.id).order_by(table.c.number)).all())


def purge(connection: Connection) -> None:
    """Removes the terms of deleted passages, which FTS5 until then only marks as deleted."""
    schema.begin_writing(connection)
    connection.execute(text("INSERT INTO passage_terms (passage_terms) VALUES ('optimize')"))
