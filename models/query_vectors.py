"""The vectors of questions, and of what is compared with them, embedded once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, wait
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from .embeddings import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

_REMEMBERED = 10_000
_PATIENCE = 2.0  # seconds for other searches' requests; whoever waits has an end of its own
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
    wait(asked, _PATIENCE)
    found = {
        query: future.result()
        for query, future in zip(queries, asked, strict=True)
        if future.done() and not future.exception()
    }
    # Another search's request has failed, or is late.
    if lacking := [query for query in dict.fromkeys(queries) if query not in found]:
        found |= zip(lacking, embedder.embed(lacking), strict=True)
    return np.stack([found[query] for query in queries])


def _fill(
    embedder: Embedder, kept: OrderedDict[str, Future[Vector]], new: dict[str, Future[Vector]]
) -> None:
    """Embeds the queries that are ``new``; where that fails, nothing of them is kept."""
    try:
        vectors = list(zip(new.values(), embedder.embed(list(new)), strict=True))
    except BaseException as error:
        with _lock:
            for query, future in new.items():
                kept.pop(query, None)
                future.set_exception(error)
        raise
    for future, vector in vectors:
        future.set_result(vector)
