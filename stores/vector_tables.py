"""The vectors of HopRAG's questions, which are compared all with all, never searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from ..state.errors import IncompleteIndexError
from . import schema
from .catalogue import batches

_BATCH = 500


class QuestionVectors:
    """The vectors of the distinct questions of an index. All methods block."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def ids(self) -> set[str]:
        """The ids of all vectors."""
        with self._engine.connect() as connection:
            return set(connection.scalars(select(schema.question_vectors.c.id)))

    def add(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Adds or replaces vectors, shape (len(ids), d), in one transaction."""
        rows = [
            {"id": id, "vector": to_blob(vector)} for id, vector in zip(ids, vectors, strict=True)
        ]
        if not rows:
            return
        upsert = insert(schema.question_vectors)
        replaced = {"vector": upsert.excluded.vector}
        with self._engine.begin() as connection:
            connection.execute(
                upsert.on_conflict_do_update(index_elements=["id"], set_=replaced), rows
            )

    def get(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of ``ids`` in this order, shape (len(ids), d).

        Raises IncompleteIndexError where one is missing, or is of another dimension.
        """
        table = schema.question_vectors
        query = select(table.c.id, table.c.vector)
        vectors = np.empty((0, 0), dtype=np.float32)
        with self._engine.connect() as connection:
            for start in range(0, len(ids), _BATCH):
                batch = ids[start : start + _BATCH]
                rows = connection.execute(query.where(table.c.id.in_(batch)))
                stored = {id: blob for id, blob in rows}
                blobs = [stored.get(id, b"") for id in batch]
                if not start:
                    vectors = np.empty((len(ids), len(blobs[0]) // NUMBER_SIZE), dtype=np.float32)
                dimension = vectors.shape[1]
                if not dimension or {len(blob) for blob in blobs} != {dimension * NUMBER_SIZE}:
                    raise IncompleteIndexError
                read = from_blob(b"".join(blobs), (len(batch), dimension))
                vectors[start : start + len(batch)] = read
        return vectors

    def remove(self, ids: Sequence[str]) -> None:
        """Removes vectors, in one transaction; unknown ids do no harm."""
        if not ids:
            return
        table = schema.question_vectors
        with self._engine.begin() as connection:
            for batch in batches(ids, _BATCH):
                connection.execute(delete(table).where(table.c.id.in_(batch)))

    def remove_damaged(self) -> None:
        """Removes what is not as long as most vectors are, so that it can be made anew."""
        table = schema.question_vectors
        size = func.length(table.c.vector)
        query = select(size).group_by(size).order_by(func.count().desc())
        with self._engine.begin() as connection:
            sizes = connection.scalars(query).all()
            whole = [each for each in sizes if each and each % NUMBER_SIZE == 0]
            if sizes != whole[:1]:
                connection.execute(delete(table).where(size.not_in(whole[:1])))

    def clear(self) -> None:
        """Removes all vectors."""
        with self._engine.begin() as connection:
            connection.execute(delete(schema.question_vectors))


_ROWS = 500


class SentenceVectors(NamedTuple):
    """The vectors of the sentences of ``passage``, in their order: shape (sentences, d)."""

    passage: str
    vectors: NDArray[np.float32]


class SentenceStore:
    """The sentence vectors of an index; those of a passage go when it goes. All methods block."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, found: Sequence[SentenceVectors]) -> None:
        """Stores the vectors of passages, in one transaction, in place of earlier ones."""
        if not found:
            return
        rows = [
            {
                "passage": passage,
                "sentences": vectors.shape[0],
                "dimension": vectors.shape[1],
                "vectors": to_blob(vectors),
            }
            for passage, vectors in found
        ]
        upsert = insert(schema.sentence_vectors)
        replaced = {name: upsert.excluded[name] for name in ("sentences", "dimension", "vectors")}
        with self._engine.begin() as connection:
            connection.execute(
                upsert.on_conflict_do_update(index_elements=["passage"], set_=replaced), rows
            )

    def missing(self, wanted: Mapping[str, int]) -> list[str]:
        """The passages without a whole row for as many sentences as ``wanted`` says.

        All of them, where the vectors stored are not all of one dimension.
        """
        table = schema.sentence_vectors
        size = table.c.sentences * table.c.dimension * NUMBER_SIZE
        query = select(table.c.passage, table.c.sentences, table.c.dimension).where(
            func.length(table.c.vectors) == size
        )
        whole: dict[str, int] = {}
        dimensions: set[int] = set()
        with self._engine.connect() as connection:
            for passage, sentences, dimension in connection.execute(query):
                whole[passage] = sentences
                dimensions.add(dimension)
        mixed = len(dimensions) > 1
        return [id for id, sentences in wanted.items() if mixed or whole.get(id) != sentences]

    def load(self, wanted: Mapping[str, int]) -> NDArray[np.float32]:
        """The vectors of the passages ``wanted``, in this order, each with its number of sentences.

        Their shape is (sentences of all, d). Raises IncompleteIndexError where a passage has no
        vectors, or not as many.
        """
        table = schema.sentence_vectors
        query = select(table.c.passage, table.c.sentences, table.c.dimension, table.c.vectors)
        starts = dict(zip(wanted, accumulate(wanted.values(), initial=0), strict=False))
        loaded = np.empty((sum(wanted.values()), 0), dtype=np.float32)
        with self._engine.connect() as connection:
            rows = connection.execution_options(yield_per=_ROWS).execute(query)
            for passage, sentences, dimension, stored in rows:
                if passage not in wanted:
                    continue
                if not loaded.shape[1]:
                    loaded = np.empty((len(loaded), dimension), dtype=np.float32)
                shape = (wanted[passage], loaded.shape[1])
                if shape != (sentences, dimension):
                    raise IncompleteIndexError
                start = starts.pop(passage)
                loaded[start : start + sentences] = from_blob(stored, shape)
        if starts:
            raise IncompleteIndexError
        return loaded

    def counts(self) -> dict[str, int]:
        """How many sentences of each passage have vectors."""
        table = schema.sentence_vectors
        with self._engine.connect() as connection:
            rows = connection.execute(select(table.c.passage, table.c.sentences))
            return {passage: sentences for passage, sentences in rows}

    def clear(self) -> None:
        """Removes the vectors of all passages."""
        with self._engine.begin() as connection:
            connection.execute(delete(schema.sentence_vectors))


_FLOAT = np.dtype("<f4")
NUMBER_SIZE = _FLOAT.itemsize


def to_blob(vectors: NDArray[np.float32]) -> bytes:
    """The bytes of ``vectors``, row by row."""
    return vectors.astype(_FLOAT, copy=False).tobytes()


def from_blob(blob: bytes, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """The vectors of which ``blob`` has the bytes; not to be written to.

    Raises IncompleteIndexError where they are not of this shape.
    """
    try:
        return np.frombuffer(blob, _FLOAT).reshape(shape)
    except ValueError as error:
        raise IncompleteIndexError from error
