"""The vectors of the sentences of each passage, which are compared all with all, never searched."""

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
from .blobs import NUMBER_SIZE, from_blob, to_blob

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
