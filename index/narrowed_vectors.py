"""The nearest passages that a filter leaves, about as fast as a search of all."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from ..state.errors import IncompleteIndexError
from ..stores.queries import batches
from .opening import VECTORS_WRITTEN, CachedValue, Index
from .size import passage_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEW = 4_000  # passages whose vectors are read at the first search by a filter
_OFTEN = 10  # searches by a filter, which take as long as to read the vectors of more passages
_MOST_BYTES = 64_000_000  # of the vectors that are kept for a filter; there are a few filters
_AMPLE = 1.2  # times as many neighbours as would do if the filter left each with the same chance


def nearest_allowed(
    index: Index, asked: NDArray[np.float32], most: int
) -> list[list[tuple[str, float]]]:
    """As ``search_all`` of vectors, of the passages that the filter of ``index`` leaves. Blocks."""
    allowed, search = index.allowed, index.vectors.search_all
    if not allowed:
        return search("passages", asked, most, allowed)
    is_small = 2 * len(allowed) * asked.shape[1] <= _MOST_BYTES
    is_read = len(allowed) <= _FEW or (is_small and next(_searches.of(index)) > _OFTEN)
    if is_read and (kept := _kept.of(index)) is not None:
        return _compared(*kept, asked, most)
    wanted = int(_AMPLE * most * passage_count(index) / len(allowed))
    if wanted <= index.vectors.most_near:
        near = search("passages", asked, wanted)
        found = [[one for one in each if one[0] in allowed][:most] for each in near]
        if all(len(each) == most for each in found):
            return found
    return search("passages", asked, most, allowed)


def _load(index: Index) -> tuple[list[str], NDArray[np.float16]] | None:
    """The passages that are allowed, and their vectors; None while not all have one."""
    import numpy as np

    ids, get = sorted(index.allowed or ()), partial(index.vectors.get, "passages")
    try:
        return ids, np.concatenate([get(part).astype(np.float16) for part in batches(ids)])
    except IncompleteIndexError:
        return None


def _written(index: Index) -> str:
    return str(index.catalogue.property(VECTORS_WRITTEN))


_kept = CachedValue(_written, _load, by_filter=True)
_searches = CachedValue(_written, lambda index: count(1), by_filter=True)


def _compared(
    ids: list[str], vectors: NDArray[np.float16], asked: NDArray[np.float32], most: int
) -> list[list[tuple[str, float]]]:
    import numpy as np

    from ..algorithms.half_vectors import half_products

    cosines = half_products(vectors, asked).T
    best = np.argpartition(-cosines, min(most, len(ids)) - 1, axis=1)[:, :most]
    return [
        sorted(((ids[at], float(each[at])) for at in places), key=lambda one: (-one[1], one[0]))
        for each, places in zip(cosines, best.tolist(), strict=True)
    ]
