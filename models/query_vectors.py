"""The vectors of questions, embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from .embeddings import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REMEMBERED = 512
_vectors: WeakKeyDictionary[Embedder, dict[str, NDArray[np.float32]]] = WeakKeyDictionary()
_lock = Lock()


def embed_queries(embedder: Embedder, queries: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors of ``queries``, shape (len(queries), dimension). Blocks; raises RagraphsError.

    The last few hundred are remembered, because a run searches for its question in several ways.
    """
    import numpy as np

    with _lock:
        known = dict(_vectors.get(embedder, {}))
    missing = [query for query in dict.fromkeys(queries) if query not in known]
    if missing:
        known |= zip(missing, embedder.embed(missing), strict=True)
        with _lock:
            _vectors[embedder] = dict(list(known.items())[-_REMEMBERED:])
    return np.stack([known[query] for query in queries])
