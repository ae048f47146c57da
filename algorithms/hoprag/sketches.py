"""Vectors with eight bits a number, by which the few worth comparing are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .keyword_index import Floats, Ints
from .neighbours import Sparse

SCALE = 127
_SPARSE = 0.25  # of the numbers at most: then others than 0 are kept with their places alone
_FEW = 64  # vectors whose products with sparse ones take less time one by one
_BLOCK = 1 << 20  # numbers at a time, few enough that all of them stay near the processor
_SKETCHES, _PLACES, _ENDS = "question_sketches", "sketch_places", "sketch_ends"


class Sketches:
    """Sketches of m unit vectors with d = ``width`` numbers each; they may lie in mapped files.

    ``kept`` has all numbers (m, d), or the others than 0, since lexical embeddings have few.

    >>> Sketches.of(vectors).rows(np.array([3, 4])) @ vector / SCALE
    """

    def __init__(self, kept: NDArray[np.int8] | Sparse, width: int) -> None:
        self._kept = kept
        self._width = width

    @classmethod
    def of(cls, vectors: Floats) -> Sketches:
        """The sketches of ``vectors`` (m, d)."""
        return cls._made(_rounded(vectors))

    @classmethod
    def none(cls) -> Sketches:
        """No sketches at all."""
        return cls(np.empty((0, 0), np.int8), 0)

    @classmethod
    def _made(cls, whole: NDArray[np.int8]) -> Sketches:
        is_sparse = len(whole) and np.count_nonzero(whole) <= _SPARSE * whole.size
        return cls(_packed(whole) if is_sparse else whole, whole.shape[1])

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Sketches:
        """The sketches that ``to_arrays`` wrote."""
        kept = arrays[_SKETCHES]
        if kept.ndim == 2:
            return cls(kept, kept.shape[1])
        ends = np.append(np.int64(0), arrays[_ENDS][:-1])
        return cls(Sparse(kept, arrays[_PLACES], ends), int(arrays[_ENDS][-1]))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by their names."""
        if not isinstance(self._kept, Sparse):
            return {_SKETCHES: self._kept}
        ends = np.append(self._kept.ends[1:], self._width)
        return {_SKETCHES: self._kept.values, _PLACES: self._kept.columns, _ENDS: ends}

    def __len__(self) -> int:
        return len(self._kept.ends) - 1 if isinstance(self._kept, Sparse) else len(self._kept)

    def rows(self, numbers: Ints) -> Floats:
        """The sketches with these ``numbers``, shape (numbers, d)."""
        if not isinstance(self._kept, Sparse):
            return self._kept[numbers].astype(np.float32)
        return self._kept.whole(numbers, self._width)

    def products(self, numbers: Ints, others: Ints) -> Floats:
        """The dot products of all pairs of ``numbers`` and the fewer ``others``."""
        few = self.rows(others)
        one_by_one = isinstance(self._kept, Sparse) and len(few) <= _FEW
        found = np.empty((len(numbers), len(few)), dtype=np.float32)
        size = max(1, _BLOCK // max(1, self._width))
        for start in range(0, len(numbers), size):
            block = numbers[start : start + size]
            if isinstance(self._kept, Sparse) and one_by_one:
                found[start : start + size] = self._kept.products(block, few)
            else:
                found[start : start + size] = self.rows(block) @ few.T
        return found

    def followed(self, sources: Ints, new: Floats) -> Sketches:
        """The sketches with the numbers ``sources``; each that is −1 is the next of ``new``."""
        is_new, added = sources < 0, _rounded(new)
        rows = np.where(is_new, len(self) + np.cumsum(is_new) - 1, sources)
        if isinstance(self._kept, Sparse):
            moved = self._kept.and_then(_packed(added), rows)
            if len(moved.values) <= _SPARSE * len(rows) * self._width:
                return Sketches(moved, self._width)
        known = self.rows(np.arange(len(self))).astype(np.int8)
        return Sketches._made(np.concatenate([known, added])[rows])


def _rounded(vectors: Floats) -> NDArray[np.int8]:
    return np.clip(np.rint(vectors * SCALE), -SCALE, SCALE).astype(np.int8)


def _packed(whole: NDArray[np.int8]) -> Sparse:
    found = Sparse.of([whole])
    return Sparse(found.values.astype(np.int8), found.columns, found.ends)
