"""The vectors of HopRAG's questions, which are compared all with all, never searched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from ..state.errors import IncompleteIndexError
from . import schema
from .blobs import NUMBER_SIZE, from_blob, to_blob
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
