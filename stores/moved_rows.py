"""Rows of a mapped array in another order, with some that were added since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

PLACES, ADDED = "@places", "@added"  # end the names of the files beside the one with most rows
_MOST = 0.1  # of the rows: when so many are new, or not used any more, all are written anew
_MOST_RUNS = 5000


class MovedRows:
    """The rows ``places`` of ``base`` and the ``added`` ones after it: an array that is read only.

    >>> MovedRows(np.eye(2), np.full((1, 2), 7.0), np.array([2, 0]))[:].tolist()
    [[7.0, 7.0], [1.0, 0.0]]
    """

    def __init__(self, base: NDArray[Any], added: NDArray[Any], places: NDArray[Any]) -> None:
        self.base = base
        self.added = added
        self.places = places

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.base.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.places), *self.base.shape[1:])

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, rows: slice | NDArray[Any]) -> NDArray[Any]:
        places, count = self.places[rows], len(self.base)
        found = np.empty((len(places), *self.base.shape[1:]), self.base.dtype)
        is_added = places >= count
        found[~is_added] = self.base[places[~is_added]]
        found[is_added] = self.added[places[is_added] - count]
        return found

    def __matmul__(self, vector: NDArray[Any]) -> NDArray[Any]:
        products = np.concatenate([self.base @ vector, self.added @ vector])
        found: NDArray[Any] = products[self.places]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:] if dtype is None else self[:].astype(dtype)


class MovedRuns(MovedRows):
    """Runs of the flat arrays ``base`` and ``added``, these two as one: an array that is read only.

    ``places`` (2, r + 1) tells where each run begins here, and there; the last column is the end.

    >>> MovedRuns(np.arange(5), np.array([7, 8]), np.array([[0, 2, 3], [3, 5, 0]]))[:].tolist()
    [3, 4, 7]
    """

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self),)

    def __len__(self) -> int:
        return int(self.places[0, -1])

    def __getitem__(self, rows: slice | NDArray[Any]) -> NDArray[Any]:
        base, added = self.base, self.added
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(self))
            runs = runs_within(self.places, start, max(start, stop))
            return np.concatenate([base[:0], *(part_of((base, added), *run) for run in runs)])
        begins, there = self.places
        at = rows + (there - begins)[np.searchsorted(begins, rows, side="right") - 1]
        found: NDArray[Any] = base.take(np.minimum(at, len(base) - 1))
        is_added = at >= len(base)
        found[is_added] = added[at[is_added] - len(base)]
        return found

    take = __getitem__


def runs_within(places: NDArray[Any], start: int, stop: int) -> list[tuple[int, int]]:
    """The bounds of the runs in the arrays behind ``MovedRuns``, of its part from start to stop."""
    begins, there = places
    first, last = np.searchsorted(begins, [start, max(start, stop - 1)], side="right") - 1
    own = slice(first, last + 1)
    begin = np.maximum(begins[own], start)
    end = np.minimum(begins[first + 1 : last + 2], stop)
    at = there[own] + begin - begins[own]
    return [(a, a + n) for a, n in zip(at.tolist(), (end - begin).tolist(), strict=True) if n > 0]


def part_of(parts: tuple[NDArray[Any], NDArray[Any]], start: int, stop: int) -> NDArray[Any]:
    """The part from ``start`` to ``stop`` of two arrays as one, which lies in one of them."""
    base, added = parts
    return base[start:stop] if start < (n := len(base)) else added[start - n : stop - n]


def followed_runs(
    before: NDArray[Any] | MovedRows, new: NDArray[Any], runs: Iterable[tuple[int, int]]
) -> MovedRuns | None:
    """Those ``runs`` of ``before`` and ``new`` as one, none of which lies in both.

    None where they are to be written as a whole, as ``followed`` says.
    """
    if not isinstance(before, MovedRuns):
        ends = np.array([[0, len(before)], [0, 0]])
        before = MovedRuns(np.asarray(before), np.asarray(before)[:0], ends)
    if file_of(base := before.base) is None:
        return None
    count, first_new = len(before), len(base) + len(before.added)
    found = list[list[int]]()
    for start, stop in runs:
        if start < count:
            own = runs_within(before.places, start, stop)
        else:
            own = [(start - count + first_new, stop - count + first_new)]
        for at, end in own:
            if found and found[-1][1] == at and at != len(base):
                found[-1][1] = end
            else:
                found.append([at, end])
    bounds = np.array(found, dtype=np.int64).reshape(-1, 2)
    begins = np.append(0, np.cumsum(bounds[:, 1] - bounds[:, 0]))
    added = np.concatenate([before.added, new.astype(base.dtype)])
    unused = len(base) + len(added) - int(begins[-1])
    if len(found) > _MOST_RUNS or max(unused, len(added)) > _MOST * len(base):
        return None
    return MovedRuns(base, added, np.stack([begins, np.append(bounds[:, 0], 0)]))


def followed(
    before: NDArray[Any] | MovedRows, rows: NDArray[np.int64], new: NDArray[Any]
) -> MovedRows | None:
    """The ``rows`` of ``before``, of which those that are −1 are the ``new`` ones in their order.

    None where they are to be written as a whole, since many have changed, or are not in a file.
    """
    if not isinstance(before, MovedRows):
        before = MovedRows(before, before[:0], np.arange(len(before)))
    if file_of(base := before.base) is None:
        return None
    count, is_new = len(base), rows < 0
    places = before.places[rows.clip(0)].astype(np.int64)
    used, numbers = np.unique(places[~is_new & (places >= count)] - count, return_inverse=True)
    unused = count - int((~is_new & (places < count)).sum())
    if max(unused, len(used) + len(new)) > _MOST * count:
        return None
    places[~is_new & (places >= count)] = count + numbers
    places[is_new] = count + len(used) + np.arange(len(new))
    added = np.concatenate([before.added[used], new.astype(base.dtype)])
    return MovedRows(base, added, places.astype(np.int32))


def file_of(array: NDArray[Any]) -> Path | None:
    """The file that ``array`` maps as a whole, if it does."""
    mapped = array.base
    if not isinstance(mapped, np.memmap):
        return None
    one, other = ((each.ctypes.data, each.strides, each.shape) for each in (array, mapped))
    return Path(str(mapped.filename)) if one == other and array.dtype == mapped.dtype else None
