"""The vectors of questions, and of what is compared with them, embedded once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from .embeddings import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REMEMBERED = 10_000
_vectors: WeakKeyDictionary[Embedder, OrderedDict[str, NDArray[np.float32]]]
_vectors = WeakKeyDictionary()
_lock = Lock()


def embed_queries(embedder: Embedder, queries: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors of ``queries``, shape (len(queries), dimension). Blocks; raises RagraphsError.

    The last few thousand are remembered: a run searches for its question in several ways, and the
    same sentences and phrases are compared with many questions.
    """
    import numpy as np

    with _lock:
        kept = _vectors.setdefault(embedder, OrderedDict())
        found = {query: kept[query] for query in queries if query in kept}
    missing = [query for query in dict.fromkeys(queries) if query not in found]
    if missing:
        found |= zip(missing, embedder.embed(missing), strict=True)
    with _lock:
        for query, vector in found.items():
            kept[query] = vector
            kept.move_to_end(query)
        while len(kept) > _REMEMBERED:
            kept.popitem(last=False)
    return np.stack([found[query] for query in queries])
