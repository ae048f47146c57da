"""Operations on the rows of one Chroma collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..state.errors import IncompleteIndexError
from .queries import batches
from .vectors import Entry

if TYPE_CHECKING:
    from chromadb import Collection as ChromaCollection
    from chromadb.api.types import QueryResult

MOST_ROWS = 5000  # Chroma refuses batches of more than 5461
MOST_READ = 256  # Chroma makes an object of each number of a vector


def describe_rows(store: ChromaCollection, entries: Sequence[Entry]) -> None:
    """Puts the metadata of ``entries`` in place of the stored."""
    found = store.get([entry.id for entry in entries], include=["metadatas"])
    stored = dict(zip(found["ids"], found["metadatas"] or (), strict=True))
    changed = {
        # Chroma keeps a key that is not named.
        entry.id: {**dict.fromkeys(stored[entry.id] or ()), **entry.metadata}
        for entry in entries
        if entry.id in stored
    }
    if changed:
        store.update(list(changed), metadatas=list(changed.values()))


def nearest(
    store: ChromaCollection, vectors: NDArray[np.float32], most: int, among: Iterable[str] | None
) -> list[list[tuple[str, float]]]:
    """The ids of the ``most`` nearest to each of ``vectors``, of ``among`` if given, and cosines.

    Chroma looks among ids in a tenth to a half of the time of a ``where`` of its own, which knows
    no order of texts, takes a missing key for unequal, and would have to be kept up to date.
    """
    from chromadb.errors import InternalError

    query = partial(store.query, vectors, n_results=most, include=["distances"])
    if among is None:
        return _cosines(query())
    ids = list(among)
    try:
        return _cosines(query(ids=ids))
    except InternalError:  # it refuses ids that it does not hold, as of a passage just added
        held = [id for part in batches(ids, MOST_ROWS) for id in store.get(part, include=[])["ids"]]
        if len(held) == len(ids):
            raise
        return _cosines(query(ids=held)) if held else []


def _cosines(found: QueryResult) -> list[list[tuple[str, float]]]:
    return [
        [(id, 1 - far) for id, far in zip(ids, distances, strict=True)]
        for ids, distances in zip(found["ids"], found["distances"] or (), strict=True)
    ]


def entries_of(
    store: ChromaCollection, ids: Sequence[str]
) -> tuple[list[Entry], NDArray[np.float32]]:
    """The entries with these ``ids``, as far as they exist, and their vectors."""
    found = store.get(list(ids), include=["embeddings", "metadatas"])
    parts = zip(found["ids"], found["metadatas"] or (), strict=True)
    entries = [Entry(id, "", dict(metadata or {})) for id, metadata in parts]
    return entries, np.asarray(found["embeddings"], dtype=np.float32)


def vectors_of(store: ChromaCollection, ids: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of ``ids`` in this order. Raises IncompleteIndexError where one is missing."""
    vectors = np.empty((0, 0), dtype=np.float32)
    for start in range(0, len(ids), MOST_READ):
        batch = list(ids[start : start + MOST_READ])
        found = store.get(batch, include=["embeddings"])
        rows = {id: row for row, id in enumerate(found["ids"])}
        if len(rows) < len(batch):
            raise IncompleteIndexError
        read = np.asarray(found["embeddings"], dtype=np.float32)
        if not start:
            vectors = np.empty((len(ids), read.shape[1]), dtype=np.float32)
        vectors[start : start + len(batch)] = read[[rows[id] for id in batch]]
    return vectors
