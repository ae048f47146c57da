"""Keyword sets in inverted form, to compare all of them with others at once."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float32]


class KeywordIndex:
    """Keyword sets k_0 … k_{m−1}, listed under each of their words."""

    def __init__(self, keywords: Sequence[AbstractSet[str]]) -> None:
        words = dict.fromkeys(chain.from_iterable(keywords))
        self._numbers = {word: number for number, word in enumerate(words)}
        has, counts = self._numbered(keywords)
        order = np.argsort(has, kind="stable")
        self._listed = np.repeat(np.arange(len(keywords)), counts)[order]
        self._bounds = np.searchsorted(has[order], np.arange(len(words) + 1))
        self._sizes = _sizes(keywords)

    def overlaps(self, keywords: Sequence[AbstractSet[str]]) -> tuple[Ints, Ints, Floats]:
        """The pairs of one of ``keywords`` and a k_j that share any word, with their J in (0, 1].

        Returns the places in ``keywords``, ascending, the numbers j, and J; each of shape (pairs,).
        """
        words, counts = self._numbered(keywords)
        first, last = self._bounds[words], self._bounds[words + 1]
        places = np.repeat(np.repeat(np.arange(len(keywords)), counts), last - first)
        pairs = places * len(self._sizes) + self._listed[_ranges(first, last)]
        pairs, found = np.unique(pairs, return_counts=True)
        place, number = np.divmod(pairs, len(self._sizes))
        shared = found.astype(np.float32)
        union = _sizes(keywords)[place] + self._sizes[number] - shared
        return place, number, shared / union

    def _numbered(self, keywords: Sequence[AbstractSet[str]]) -> tuple[Ints, Ints]:
        """The numbers of the known words of each set, one set after another; how many each has."""
        rows = [[self._numbers[w] for w in words if w in self._numbers] for words in keywords]
        found = np.array([*chain.from_iterable(rows)], dtype=np.int64)
        return found, np.array([len(row) for row in rows], dtype=np.int64)


def _sizes(keywords: Sequence[AbstractSet[str]]) -> Floats:
    return np.array([len(words) for words in keywords], dtype=np.float32)


def _ranges(first: Ints, last: Ints) -> Ints:
    """All from each of ``first`` up to its ``last``, one range after another."""
    ends = np.cumsum(last - first)
    return np.repeat(last - ends, last - first) + np.arange(ends[-1] if len(ends) else 0)
