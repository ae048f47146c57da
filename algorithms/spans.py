"""Many runs of numbers at once."""

from __future__ import annotations

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


def taken(
    content: NDArray[Any], ends: NDArray[np.int64], numbers: NDArray[np.integer[Any]]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The rows ``numbers`` of ``content``, whose row i is [ends[i], ends[i + 1]); and their ends.

    Rows that follow each other are copied as a whole.
    """
    first = np.flatnonzero(np.diff(numbers, prepend=-2) != 1)
    last = np.append(first[1:], len(numbers))[: len(first)] - 1
    runs = zip(ends[numbers[first]].tolist(), ends[numbers[last] + 1].tolist(), strict=True)
    parts = [content[start:end] for start, end in runs]
    lengths = np.cumsum(np.diff(ends)[numbers])
    return np.concatenate([content[:0], *parts]), np.append(np.int64(0), lengths)
