"""The lexical index of passages, which changes in the same transactions as they do.

Each database has a form of its own: SQLite its FTS5, PostgreSQL tables of postings. Both rank
alike, by BM25 over the terms of ``language.analyser``; a term in the title counts three times, one
in the headings above a passage as one in its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, select

from ..language.analyser import terms
from . import fts5, postings, tables
from .queries import batches, is_one_of, is_postgresql

_MOST_QUERY_TERMS = 200
_MOST_LOOKED_UP = 8192


def form_of(connection: Connection) -> ModuleType:
    """The module that creates, fills, rebuilds and purges the index in this database."""
    return postings if is_postgresql(connection) else fts5


def search(
    connection: Connection,
    question: str,
    most: int,
    where: ColumnElement[bool] | None = None,
    among: NDArray[np.int32] | None = None,
) -> list[tuple[str, float]]:
    """The ids of at most ``most`` passages with BM25 scores (higher is better), best first.

    Given ``where``, of the passages that meet this condition; ``among``, their numbers as far as
    these are known, spare it the others. Of a large index, passages that hold none but the
    commonest terms of a question may be left out.
    """
    if not (query_terms := _query_terms(question)):
        return []
    found: tuple[NDArray[np.int32], NDArray[np.float64]]
    found = form_of(connection).scores(connection, query_terms)
    numbers, scores = found
    if among is not None:
        is_allowed = np.isin(numbers, among)
        numbers, scores = numbers[is_allowed], scores[is_allowed]
    return _best(connection, numbers, scores, most, where)


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


def _query_terms(question: str) -> list[str]:
    return list(dict.fromkeys(terms(question)))[:_MOST_QUERY_TERMS]


def _best(
    connection: Connection,
    numbers: NDArray[np.int32],
    scores: NDArray[np.float64],
    most: int,
    where: ColumnElement[bool] | None,
) -> list[tuple[str, float]]:
    """The ids and scores of the ``most`` best passages that are stored and meet ``where``.

    Looks up more and more of them, each time with all that score alike, until there are enough.
    """
    order = np.argsort(-scores, kind="stable")
    falling = -scores[order]
    passages = tables.passages.c
    query = select(passages.number, passages.id)
    if where is not None:
        query = query.where(where)
    found: list[tuple[str, float]] = []
    start, count = 0, 2 * most
    while start < len(order) and len(found) < most:
        end = min(start + count, len(order))
        end = int(np.searchsorted(falling, falling[end - 1], side="right"))
        chosen = dict(zip(numbers[order[start:end]].tolist(), -falling[start:end], strict=True))
        for batch in batches(chosen, _MOST_LOOKED_UP):
            of_batch = query.where(is_one_of(connection, passages.number, batch))
            for number, id in connection.execute(of_batch):
                found.append((id, float(chosen[number])))
        start, count = end, 2 * count
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:most]
