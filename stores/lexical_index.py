"""The lexical index of passages, which changes in the same transactions as they do.

Each database has a form of its own: SQLite its FTS5, PostgreSQL tables of postings. Both rank
alike, by BM25 over the terms of ``language.analyser``; a term in the title counts three times, one
in the headings above a passage as one in its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType

from sqlalchemy import ColumnElement, Connection

from ..language.analyser import terms
from . import fts5, postings
from .queries import is_postgresql

_MOST_QUERY_TERMS = 200


def create(connection: Connection) -> None:
    """Makes an empty index where there is none."""
    _form(connection).create(connection)


def search(
    connection: Connection, question: str, most: int, where: ColumnElement[bool] | None = None
) -> list[tuple[str, float]]:
    """The ids of at most ``most`` passages with BM25 scores (higher is better), best first.

    Given ``where``, of the passages that meet this condition.
    """
    if not (query_terms := _query_terms(question)):
        return []
    found: list[tuple[str, float]] = _form(connection).search(connection, query_terms, most, where)
    return found


def counts(
    connection: Connection,
    words: Sequence[str],
    most: int,
    where: ColumnElement[bool] | None = None,
) -> list[int]:
    """How many passages hold a term of each of ``words``, which are counted up to ``most``.

    Given ``where``, of the passages that meet this condition.
    """
    if is_postgresql(connection):
        return [len(search(connection, word, most, where)) for word in words]
    return fts5.counts(connection, [_query_terms(word) for word in words], most, where)


def add(connection: Connection, ids: Iterable[str]) -> None:
    """Indexes the stored passages ``ids``, which are not in the index yet."""
    _form(connection).add(connection, ids)


def remove(connection: Connection, ids: Iterable[str]) -> None:
    """Takes passages out of the index, while they are still stored."""
    _form(connection).remove(connection, ids)


def rebuild(connection: Connection) -> None:
    """Makes the index anew from all passages."""
    _form(connection).rebuild(connection)


def purge(connection: Connection) -> None:
    """Removes the terms of deleted passages where the index until then only hides them."""
    _form(connection).purge(connection)


def _query_terms(question: str) -> list[str]:
    return list(dict.fromkeys(terms(question)))[:_MOST_QUERY_TERMS]


def _form(connection: Connection) -> ModuleType:
    return postings if is_postgresql(connection) else fts5
