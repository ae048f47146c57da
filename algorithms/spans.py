"""Many runs of numbers at once."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def spans(starts: NDArray[np.integer[Any]], counts: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The numbers start, start + 1, … of each run, one run after the other: shape (Σ counts,).

    >>> spans(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    counts = counts.astype(np.int64)
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    shifts = np.repeat(starts - (ends - counts), counts)
    found: NDArray[np.int64] = np.arange(total, dtype=np.int64) + shifts
    return found


def appearing(
    numbers: NDArray[np.integer[Any]], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct ``numbers`` in the order in which they first appear, and their places there.

    The places are of all numbers below ``count``, −1 of one that does not appear.
    """
    first = np.full(count, len(numbers))
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # of several the last one stays
    used = np.flatnonzero(first < len(numbers))
    order = used[np.argsort(first[used], kind="stable")]
    places = np.full(count, -1, dtype=np.int64)
    places[order] = np.arange(len(order))
    return order, places


def distinct(numbers: NDArray[Any], in_runs: bool = False) -> NDArray[Any]:
    """The distinct whole ``numbers``, ascending; numpy's own function takes many times as long.

    Long runs of them that ascend already are ``in_runs``, which is faster.
    """
    ordered = np.sort(numbers, kind="stable" if in_runs else None)
    return ordered[np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))]


def order_of(numbers: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The places of ``numbers`` in [0, 2**31) in ascending order, equal ones as they stand.

    They are sorted by their lower and then by their upper half, without a comparison.
    """
    order: NDArray[np.int64] = np.argsort(numbers.astype(np.uint16), kind="stable")
    upper = (numbers >> 16).astype(np.uint16)
    return order[np.argsort(upper[order], kind="stable")] if upper.any() else order


def places_in_lists(
    members: NDArray[Any],
    ends: NDArray[np.int64],
    lists: NDArray[np.int64],
    new: NDArray[np.integer[Any]],
) -> NDArray[np.int64]:
    """Where each of ``new`` belongs among the ``members[ends[l]:ends[l + 1]]`` of its list l.

    These ascend, and so do ``lists``.
    """
    places = ends[lists]
    starts = np.flatnonzero(np.diff(lists, prepend=-1)) if len(members) else lists[:0]
    for start, stop in pairwise([*starts.tolist(), len(new)] if len(starts) else []):
        own = members[ends[lists[start]] : ends[lists[start] + 1]]
        places[start:stop] += own.searchsorted(new[start:stop])
    return places
