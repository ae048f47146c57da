"""The nearest passages that a filter leaves, about as fast as a search of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..state.errors import IncompleteIndexError
from .opening import VECTORS_WRITTEN, CachedValue, Index
from .size import passage_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEW = 4_000  # passages whose vectors are kept in memory, for the last few filters
_AMPLE = 1.2  # times as many neighbours as would do if the filter left each with the same chance


def nearest_allowed(
    index: Index, asked: NDArray[np.float32], most: int
) -> list[list[tuple[str, float]]]:
    """As ``search_all`` of vectors, of the passages that the filter of ``index`` leaves. Blocks."""
    allowed, search = index.allowed, index.vectors.search_all
    if not allowed:
        return search("passages", asked, most, allowed)
    if len(allowed) <= _FEW:
        if (kept := _kept.of(index)) is not None:
            return _compared(*kept, asked, most)
        return search("passages", asked, most, allowed)
    wanted = int(_AMPLE * most * passage_count(index) / len(allowed))
    if wanted <= index.vectors.most_near:
        near = search("passages", asked, wanted)
        found = [[one for one in each if one[0] in allowed][:most] for each in near]
        if all(len(each) == most for each in found):
            return found
    return search("passages", asked, most, allowed)


def _load(index: Index) -> tuple[list[str], NDArray[np.float32]] | None:
    """The passages that are allowed, and their vectors; None while not all have one."""
    ids = sorted(index.allowed or ())
    try:
        return ids, index.vectors.get("passages", ids)
    except IncompleteIndexError:
        return None


_kept = CachedValue(lambda index: str(index.catalogue.property(VECTORS_WRITTEN)), _load, True)


def _compared(
    ids: list[str], vectors: NDArray[np.float32], asked: NDArray[np.float32], most: int
) -> list[list[tuple[str, float]]]:
    import numpy as np

    # Of vectors whose length is 1, or 0; a product of matrices would take all processors for it.
    cosines = np.einsum("qd,nd->qn", asked, vectors)
    best = (-cosines).argsort(axis=1, kind="stable")[:, :most]
    return [
        [(ids[place], float(each[place])) for place in places]
        for each, places in zip(cosines, best.tolist(), strict=True)
    ]
