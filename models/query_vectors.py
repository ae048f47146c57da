"""The vectors of questions, and of what is compared with them, embedded once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from .embeddings import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

_REMEMBERED = 10_000
_PATIENCE = 2.0  # seconds for another search's request; whoever waits has an end of its own
_vectors: WeakKeyDictionary[Embedder, OrderedDict[str, Future[Vector]]]
_vectors = WeakKeyDictionary()
_lock = Lock()


def embed_queries(embedder: Embedder, queries: Sequence[str]) -> Vector:
    """Unit vectors of ``queries``, shape (len(queries), dimension). Blocks; raises RagraphsError.

    The last few thousand are remembered: a run searches for its question in several ways, also at
    the same time, and the same sentences and phrases are compared with many questions.
    """
    import numpy as np

    with _lock:
        kept = _vectors.setdefault(embedder, OrderedDict())
        new: dict[str, Future[Vector]]
        new = {query: Future() for query in queries if query not in kept}
        kept.update(new)
        asked = [kept[query] for query in queries]
        for query in queries:
            kept.move_to_end(query)
        while len(kept) > _REMEMBERED:
            kept.popitem(last=False)
    if new:
        _fill(embedder, kept, new)
    return np.stack([_waited(embedder, *one) for one in zip(queries, asked, strict=True)])


def _fill(
    embedder: Embedder, kept: OrderedDict[str, Future[Vector]], new: dict[str, Future[Vector]]
) -> None:
    try:
        vectors = embedder.embed(list(new))
    except BaseException:
        with _lock:
            for query, future in new.items():
                kept.pop(query, None)
                future.cancel()
        raise
    for future, vector in zip(new.values(), vectors, strict=True):
        future.set_result(vector)


def _waited(embedder: Embedder, query: str, future: Future[Vector]) -> Vector:
    """The vector of another search's request; one's own where that fails or is late."""
    try:
        return future.result(_PATIENCE)
    except (CancelledError, TimeoutError):
        vector: Vector = embedder.embed([query])[0]
        return vector
