"""Vectors that are compared all with all, never searched: tables of the catalogue's database."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Engine, Table, and_, delete, func, literal, select

from ..state.errors import IncompleteIndexError
from . import tables
from .queries import (
    count_rows,
    delete_with,
    persistent,
    plain_rows,
    plain_rows_with,
    rows,
    rows_with,
    upsert,
)
from .untold import note_unlinked

Empty = Callable[[tuple[int, int]], NDArray[Any]]

_HALF = np.dtype("<f2")
_SCANNED = 2000  # of more vectors the whole table is read, which is faster than to look for each


@persistent
class _VectorTable:
    """A table with a primary key and the bytes of vectors in half precision. All methods block.

    Vectors made anew stand ``beside`` the vectors in use until they take their place.
    """

    _in_use: ClassVar[Table]
    _beside: ClassVar[Table]

    def __init__(self, engine: Engine, *, beside: bool = False) -> None:
        self._engine = engine
        self._table = self._beside if beside else self._in_use

    @property
    def beside(self) -> Self:
        """The table of those that are made anew."""
        return type(self)(self._engine, beside=True)

    def clear(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(delete(self._table))


@persistent
class QuestionVectors(_VectorTable):
    """The vectors of the distinct questions of an index, HopRAG's. All methods block.

    >>> questions = QuestionVectors(engine)
    >>> questions.add(["a", "b"], embedder.embed(["Who?", "When?"]))
    >>> both = questions.get(["a", "b"])
    """

    _in_use, _beside = tables.question_vectors, tables.question_vectors_beside

    def ids(self) -> set[str]:
        return {id for (id,) in plain_rows(self._engine, select(self._table.c.id))}

    def among(self, ids: Iterable[str]) -> set[str]:
        """The ``ids`` that have vectors."""
        column = self._table.c.id
        return {id for (id,) in rows_with(self._engine, select(column), column, ids)}

    def count(self) -> int:
        return count_rows(self._engine, self._table)

    def add(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Adds or replaces vectors, shape (len(ids), d), in one transaction."""
        pairs = zip(ids, vectors, strict=True)
        new = [{"id": id, **packed(vector, "vector")} for id, vector in pairs]
        with self._engine.begin() as connection:
            upsert(connection, self._table, new)

    def get(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of ``ids``, which are distinct, in this order: shape (len(ids), d).

        Raises IncompleteIndexError where one is missing, or is of another dimension.
        """
        id, columns = self._table.c.id, self._table.c
        query = select(id, literal(1), columns.dimension, columns.vector)
        many = len(ids) > _SCANNED
        found = rows(self._engine, query) if many else rows_with(self._engine, query, id, ids)
        with closing(found) as stored:
            return _in_order(stored, dict.fromkeys(ids, 1))

    def remove(self, ids: Sequence[str]) -> None:
        """Removes vectors, in one transaction; unknown ids do no harm."""
        with self._engine.begin() as connection:
            delete_with(connection, self._table.c.id, ids)

    def remove_damaged(self) -> None:
        """Removes damaged vectors, and others than most, so that they can be made anew."""
        columns = self._table.c
        dimension, whole = columns.dimension, _is_whole(columns, columns.dimension, "vector")
        most = select(dimension).where(whole).group_by(dimension).order_by(func.count().desc())
        with self._engine.begin() as connection:
            kept = connection.scalar(most.limit(1)) or 0
            connection.execute(delete(self._table).where(~whole | (dimension != kept)))


class SentenceVectors(NamedTuple):
    """The vectors of the sentences of ``passage``, in their order: shape (sentences, d)."""

    passage: str
    vectors: NDArray[np.float32]


@persistent
class SentenceStore(_VectorTable):
    """The sentence vectors of an index; a passage's are removed with it. All methods block.

    >>> sentences = SentenceStore(engine)
    >>> sentences.put([SentenceVectors("p1", embedder.embed(["One.", "Two."]))])
    >>> both = sentences.load({"p1": 2})
    """

    _in_use, _beside = tables.sentence_vectors, tables.sentence_vectors_beside

    def clear(self) -> None:
        super().clear()
        with self._engine.begin() as connection:
            note_unlinked(connection, None)

    def put(self, found: Sequence[SentenceVectors]) -> None:
        """Stores the vectors of passages, in one transaction, in place of earlier ones."""
        new = [
            {"passage": passage, "sentences": len(vectors), **packed(vectors, "vectors")}
            for passage, vectors in found
        ]
        with self._engine.begin() as connection:
            upsert(connection, self._table, new)
            note_unlinked(connection, {row["passage"] for row in new})

    def missing(self, wanted: Mapping[str, int]) -> list[str]:
        """The passages without a whole row for as many sentences as ``wanted`` says.

        All of them, where their vectors are not all of one dimension.
        """
        columns = self._table.c
        query = select(columns.passage, columns.sentences, columns.dimension).where(
            _is_whole(columns, columns.sentences * columns.dimension, "vectors")
        )
        whole: dict[str, int] = {}
        dimensions: set[int] = set()
        if len(wanted) <= _SCANNED:
            found: Iterable[Any] = rows_with(self._engine, query, columns.passage, wanted)
        else:
            found = plain_rows(self._engine, query)
        for passage, sentences, dimension in found:
            whole[passage] = sentences
            dimensions.add(dimension)
        mixed = len(dimensions) > 1
        return [id for id, sentences in wanted.items() if mixed or whole.get(id) != sentences]

    def load(self, wanted: Mapping[str, int], empty: Empty | None = None) -> NDArray[Any]:
        """The vectors of the passages ``wanted``, in this order, each with its number of sentences.

        Their shape is (sentences of all, d). ``empty`` makes the array that they are put into, if
        not one of float32 in memory. Raises IncompleteIndexError where a passage has no vectors, or
        not as many.
        """
        columns = self._table.c
        query = select(columns.passage, columns.sentences, columns.dimension, columns.vectors)
        if len(wanted) <= _SCANNED:
            found = rows_with(self._engine, query, columns.passage, wanted)
        else:
            found = rows(self._engine, query)
        with closing(found) as stored:  # an error would keep it, and its lock
            return _in_order(stored, wanted, empty)

    def of(self, passages: Iterable[str]) -> Iterator[SentenceVectors]:
        """The vectors of the sentences of ``passages``, as far as they have whole ones."""
        columns = self._table.c
        query = select(columns.passage, columns.sentences, columns.dimension, columns.vectors)
        with closing(rows_with(self._engine, query, columns.passage, passages)) as stored:
            for passage, count, dimension, blob in stored:
                with suppress(IncompleteIndexError):
                    vectors = _unpacked(blob, (count, dimension)).astype(np.float32)
                    yield SentenceVectors(passage, vectors)

    def counts(self, of: Iterable[str] | None = None) -> dict[str, int]:
        """How many sentences of each passage, or of some, have vectors."""
        query = select(self._table.c.passage, self._table.c.sentences)
        if of is None:
            return dict(plain_rows(self._engine, query))
        return dict(plain_rows_with(self._engine, query, self._table.c.passage, of))


def _in_order(
    stored: Iterable[Any], wanted: Mapping[str, int], empty: Empty | None = None
) -> NDArray[Any]:
    """The vectors of the keys ``wanted``, in this order, each with its number of vectors.

    ``stored`` are keys with the number, the dimension and the bytes of their vectors. Raises
    IncompleteIndexError where a key is not among them, or has not as many numbers.
    """
    starts = dict(zip(wanted, accumulate(wanted.values(), initial=0), strict=False))
    total = sum(wanted.values())
    vectors: NDArray[Any] = np.empty((total, 0), dtype=np.float32)
    for key, count, dimension, blob in stored:
        if key not in starts:
            continue
        if not vectors.shape[1]:
            shape = (total, dimension)
            vectors = empty(shape) if empty else np.empty(shape, dtype=np.float32)
        if (count, dimension) != (wanted[key], vectors.shape[1]):
            raise IncompleteIndexError
        start = starts.pop(key)
        vectors[start : start + count] = _unpacked(blob, (count, dimension))
    if starts:
        raise IncompleteIndexError
    return vectors


def packed(vectors: NDArray[np.floating[Any]], name: str) -> dict[str, Any]:
    """The columns of ``vectors``, shape (n, d) or (d,), with their bytes in the column ``name``."""
    blob = zlib.compress(vectors.astype(_HALF).tobytes(), level=1)
    return {"dimension": vectors.shape[-1], name: blob, "size": len(blob) + vectors.size}


def _is_whole(columns: Any, numbers: ColumnElement[int], name: str) -> ColumnElement[bool]:
    """The condition that the bytes in the column ``name`` are as many as when they were stored."""
    return and_(columns.dimension > 0, columns.size == func.length(columns[name]) + numbers)


def _unpacked(blob: bytes, shape: tuple[int, int]) -> NDArray[np.float16]:
    """The vectors of this ``shape``; raises IncompleteIndexError where their bytes are damaged."""
    try:
        return np.frombuffer(zlib.decompress(blob), _HALF).reshape(shape)
    except (zlib.error, ValueError) as error:
        raise IncompleteIndexError from error
