"""The lexical index in a database without one of its own: tables of postings, ranked by BM25.

A block holds the postings of one term in passages of neighbouring numbers, so that a question reads
a few rows for each of its terms, and the number of passages that hold a term is a sum over these.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    bindparam,
    cast,
    delete,
    func,
    select,
    tuple_,
)

from ..language.analyser import terms
from ..state.places import section_of
from . import large, tables
from .queries import add_missing, add_rows, batches, insert

_K1, _B = 1.2, 0.75
_TITLE_WEIGHT = 3
_LEAST_IDF = 1e-6  # as in FTS5, of terms that half of all passages hold
_BLOCK = 2048  # numbers of passages
_LONGEST_KEY = 200  # characters of a term; a database indexes no longer ones
_MOST_POSTINGS = 200_000  # that a question reads of a large index

# Of a passage that holds the term: its number, the number of its terms, the weighted frequency.
_POSTING = np.dtype([("number", "<i4"), ("length", "<i4"), ("frequency", "<i4")])

_metadata = MetaData()
_BLOCKS = Table(
    "term_blocks",
    _metadata,
    Column("term", tables.WORD, primary_key=True),
    Column("block", Integer, primary_key=True),
    Column("passages", Integer, nullable=False),
    Column("postings", LargeBinary, nullable=False),
)
_TOTALS = Table(
    "term_totals",
    _metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("passages", Integer, nullable=False),
    Column("terms", BigInteger, nullable=False),
)


def create(connection: Connection) -> None:
    """Makes an empty index where there is none."""
    _metadata.create_all(connection)
    add_missing(connection, _TOTALS, [{"id": 0, "passages": 0, "terms": 0}])


def scores(
    connection: Connection, query_terms: Sequence[str]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The numbers of the passages that hold ``query_terms``, with their scores.

    Of a large index, the commonest terms are left out beside rarer ones.
    """
    keys = [_key(term) for term in query_terms]
    known = _BLOCKS.c.term.in_(keys)
    total = (select(column).scalar_subquery() for column in (_TOTALS.c.passages, _TOTALS.c.terms))
    query = select(_BLOCKS.c.term, func.sum(_BLOCKS.c.passages), *total).where(known)
    counted = connection.execute(query.group_by(_BLOCKS.c.term)).all()
    counts = {term: count for term, count, _, _ in counted}
    if counted and counted[0][2] >= large.FLAT_FROM:
        counts = {term: counts[term] for term in large.rarest(counts, _MOST_POSTINGS)}
    found: dict[str, list[bytes]] = {key: [] for key in keys if key in counts}
    if not found:
        return np.empty(0, np.int32), np.empty(0)
    query = select(_BLOCKS.c.term, _BLOCKS.c.postings).where(_BLOCKS.c.term.in_(list(found)))
    for term, postings in connection.execute(query):
        found[term].append(postings)
    return _scores(list(found.values()), *counted[0][2:])


def _scores(
    found: Sequence[Sequence[bytes]], passages: int, terms: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The numbers of the passages in the postings ``found`` of each term, with BM25 scores."""
    postings = [np.frombuffer(b"".join(blocks), _POSTING) for blocks in found]
    numbers, places = np.unique(
        np.concatenate([each["number"] for each in postings]), return_inverse=True
    )
    scores = np.zeros(len(numbers))
    passages = max(passages, *map(len, postings))  # some may have come since
    mean, start = max(terms, 1) / max(passages, 1), 0
    for each in postings:
        idf = math.log((passages - len(each) + 0.5) / (len(each) + 0.5))
        frequency = each["frequency"].astype(np.float64)
        saturated = frequency + _K1 * (1 - _B + _B * each["length"] / mean)
        at = places[start : start + len(each)]
        scores[at] += max(idf, _LEAST_IDF) * frequency * (_K1 + 1) / saturated
        start += len(each)
    return numbers, scores


def add(connection: Connection, ids: Iterable[str]) -> None:
    """Indexes the stored passages ``ids``, which are not in the index yet."""
    for batch in batches(ids):
        rows = _stored(connection, tables.passages.c.id.in_(batch))
        _count(connection, len(rows), sum(length for _, length, _ in rows))
        if new := _blocks(rows):
            _append(connection, new)


def _blocks(stored: Iterable[tuple[int, int, Counter[str]]]) -> list[dict[str, Any]]:
    """The rows of blocks that hold the postings of passages, as ``_stored`` has them."""
    blocks: defaultdict[tuple[str, int], list[tuple[int, int, int]]] = defaultdict(list)
    for number, length, frequencies in stored:
        for key, frequency in frequencies.items():
            blocks[key, number // _BLOCK].append((number, length, frequency))
    return [
        {
            "term": term,
            "block": block,
            "passages": len(postings),
            "postings": np.array(postings, _POSTING).tobytes(),
        }
        for (term, block), postings in sorted(blocks.items())
    ]


def _append(connection: Connection, new: list[dict[str, Any]]) -> None:
    old, statement = _BLOCKS.c, insert(connection, _BLOCKS)
    more = statement.excluded
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=[old.term, old.block],
            set_={
                "passages": old.passages + more.passages,
                "postings": cast(old.postings.concat(more.postings), LargeBinary),
            },
        ),
        new,
    )


def remove(connection: Connection, ids: Iterable[str]) -> None:
    """Takes passages out of the index, while they are still stored."""
    for batch in batches(ids):
        rows = _stored(connection, tables.passages.c.id.in_(batch))
        _count(connection, -len(rows), -sum(length for _, length, _ in rows))
        keys = {(key, row[0] // _BLOCK) for row in rows for key in row[2]}
        _take(connection, sorted(keys), np.array([row[0] for row in rows], np.int32))


def _take(
    connection: Connection, keys: Iterable[tuple[str, int]], numbers: NDArray[np.int32]
) -> None:
    """Removes the postings of the passages ``numbers`` from the blocks ``keys``."""
    table = _BLOCKS.c
    place = tuple_(table.term, table.block)
    for batch in batches(keys):
        query = select(table.term, table.block, table.postings).where(place.in_(batch))
        left, empty = [], []
        for term, block, old in connection.execute(query):
            postings = np.frombuffer(old, _POSTING)
            postings = postings[~np.isin(postings["number"], numbers)]
            if not len(postings):
                empty.append((term, block))
            elif postings.nbytes < len(old):
                changed = {"passages": len(postings), "postings": postings.tobytes()}
                left.append({"at_term": term, "at_block": block, **changed})
        if empty:
            connection.execute(delete(_BLOCKS).where(place.in_(empty)))
        if left:
            same = table.term == bindparam("at_term"), table.block == bindparam("at_block")
            connection.execute(_BLOCKS.update().where(*same), left)


def rebuild(connection: Connection) -> None:
    """Makes the index anew from all passages, so that each block is written once."""
    _metadata.drop_all(connection)
    create(connection)
    number = tables.passages.c.number
    numbers = connection.scalars(select(number).order_by(number)).all()
    for block in dict.fromkeys(each // _BLOCK for each in numbers):
        first = block * _BLOCK
        rows = _stored(connection, number.between(first, first + _BLOCK - 1))
        _count(connection, len(rows), sum(length for _, length, _ in rows))
        add_rows(connection, _BLOCKS, _blocks(rows))


def purge(connection: Connection) -> None:
    """Does nothing: a removed passage leaves no terms behind."""


def _stored(
    connection: Connection, which: ColumnElement[bool]
) -> list[tuple[int, int, Counter[str]]]:
    """Of each passage its number, how many terms it has, and their weighted frequencies."""
    passages = tables.passages.c
    columns = (passages.number, passages.title, passages.metadata, passages.text)
    query = select(*columns).where(which).order_by(passages.number)
    found = []
    for number, title, metadata, text in connection.execute(query):
        searched = f"{section_of(title, metadata)}\n{text}"
        titled, body = list(map(_key, terms(title))), list(map(_key, terms(searched)))
        frequencies = Counter(body)
        for key in titled:
            frequencies[key] += _TITLE_WEIGHT
        found.append((number, len(titled) + len(body), frequencies))
    return found


def _count(connection: Connection, passages: int, terms: int) -> None:
    """Adds to the totals, whose row makes other writers wait for the end of the transaction."""
    total = _TOTALS.c
    changed = {"passages": total.passages + passages, "terms": total.terms + terms}
    connection.execute(_TOTALS.update().values(changed))


def _key(term: str) -> str:
    """The term as it is stored: a very long one as a hash, which no term is like."""
    if len(term) <= _LONGEST_KEY:
        return term
    return f" {hashlib.blake2b(term.encode(), digest_size=16).hexdigest()}"
