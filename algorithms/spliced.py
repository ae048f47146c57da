"""Arrays that are spliced of runs of another, which lies in a file, and of what came since."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .spans import spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.integer[Any]]


class Spliced:
    """One-dimensional: ``runs[1]`` (K,) numbers each, from ``runs[0]`` on in ``base`` or ``added``.

    The places in ``added`` are counted on from the end of ``base``, which is not empty.

    >>> Spliced(np.arange(9), np.array([70, 71]), np.array([[5, 9, 0], [2, 2, 1]]))[:].tolist()
    [5, 6, 70, 71, 0]
    """

    ndim = 1

    def __init__(self, base: NDArray[Any], added: NDArray[Any], runs: NDArray[np.int64]) -> None:
        self.base = base
        self.added = added
        self.runs = runs
        self._ends = np.cumsum(runs[1])
        self._shifts = np.append(runs[0] - (self._ends - runs[1]), 0)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.base.dtype

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    @property
    def data(self) -> _Memory:
        """The memory of a slice, as that of an array has it."""
        return _Memory(self)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def places(self, numbers: Ints) -> Ints:
        """Where the ``numbers`` of the array are, for ``take``."""
        found: Ints = numbers + self._shifts[self._ends.searchsorted(numbers, "right")]
        return found

    def take(self, places: Ints) -> NDArray[Any]:
        """The numbers at these ``places`` of ``base`` and ``added``."""
        count = len(self.base)
        if places.max(initial=0) < count:
            return self.base.take(places)
        found = self.base.take(np.minimum(places, count - 1))
        is_added = places >= count
        found[is_added] = self.added.take(places[is_added] - count)
        return found

    def __getitem__(self, numbers: slice | Ints) -> NDArray[Any]:
        if not isinstance(numbers, slice):
            return self.take(self.places(numbers))
        start, stop, _ = numbers.indices(len(self))
        run = int(self._ends.searchsorted(start, "right"))
        if start < stop <= self._ends[run]:
            return self._part(start + int(self._shifts[run]), stop - start)
        runs = _cut(self.runs, np.array([start]), np.array([max(start, stop)])).T.tolist()
        return np.concatenate([self.added[:0], *(self._part(*run) for run in runs)])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:] if dtype is None else self[:].astype(dtype)

    def parts(self) -> Iterator[tuple[int, NDArray[Any]]]:
        """Where each run stands, and its numbers."""
        for end, (place, length) in zip(self._ends.tolist(), self.runs.T.tolist(), strict=True):
            yield end - length, self._part(place, length)

    def _part(self, place: int, length: int) -> NDArray[Any]:
        if (behind := place - len(self.base)) >= 0:
            return self.added[behind : behind + length]
        return self.base[place : place + length]


class _Memory:
    def __init__(self, array: Spliced) -> None:
        self._array = array

    def __getitem__(self, numbers: slice) -> memoryview:
        return self._array[numbers].data


def taken(
    parts: tuple[NDArray[Any], NDArray[Any]], ends: NDArray[np.int64], numbers: Ints
) -> tuple[Any, NDArray[np.int64]]:
    """The rows ``numbers`` of two ``parts`` in one, of which row i is [ends[i], ends[i + 1]).

    Returns them, spliced, and their ends. Of the first part nothing is copied.
    """
    lengths = np.append(np.int64(0), np.cumsum(np.diff(ends)[numbers]))
    first = np.flatnonzero(np.diff(numbers, prepend=-2) != 1)
    last = np.append(first[1:], len(numbers))[: len(first)] - 1
    return _of_runs(parts, ends[numbers[first]], ends[numbers[last] + 1]), lengths


def inserted(before: Any, gone: Ints, at: Ints, new: NDArray[Any]) -> Any:
    """``before`` without the places ``gone``, with each of ``new`` before a place of what is left.

    These places are ``at``; they ascend as ``gone`` do. Of ``before`` nothing is copied.
    """
    places = at + (gone - np.arange(len(gone))).searchsorted(at, "right")  # in ``before``
    cuts, more = np.append(places, gone), np.repeat([0, 1], [len(places), len(gone)])
    order = np.argsort(cuts, kind="stable")
    starts, stops = np.full((2, 2 * len(order) + 1), len(before))
    starts[0], starts[2::2], stops[:-1:2] = 0, (cuts + more)[order], cuts[order]
    is_new = order < len(places)
    starts[1::2] = np.where(is_new, len(before) + order, 0)
    stops[1::2] = np.where(is_new, len(before) + order + 1, 0)
    return _of_runs((before, new), starts, stops)


def _of_runs(parts: tuple[NDArray[Any], NDArray[Any]], starts: Ints, stops: Ints) -> Any:
    """The numbers of two ``parts`` in one from each of ``starts`` to its one of ``stops``."""
    before: Any = parts[0]
    new = np.asarray(parts[1]).astype(before.dtype, copy=False)
    if not len(before):
        before, new = new, new[:0]
    if not isinstance(before, Spliced):
        before = Spliced(before, before[:0], np.array([[0], [len(before)]]))
    count = len(before.base)
    added = np.concatenate([before.added, new])
    runs = np.append(before.runs, [[count + len(before.added)], [len(new)]], axis=1)
    runs = _cut(runs, starts, stops)
    is_added = runs[0] >= count
    used, own = Spliced(before.base, added, runs[:, is_added])[:], runs[1, is_added]
    runs[0, is_added] = count + np.cumsum(own) - own
    return Spliced(before.base, used, runs) if count else used


def _cut(runs: NDArray[np.int64], starts: Ints, stops: Ints) -> NDArray[np.int64]:
    """The ``runs`` of all from each of ``starts`` to its one of ``stops``, one after another."""
    ends = np.cumsum(runs[1])
    first, last = ends.searchsorted(starts, "right"), ends.searchsorted(stops, "left")
    counts = np.where(stops > starts, last - first + 1, 0)
    run, own = spans(first, counts), np.repeat(np.arange(len(starts)), counts)
    begin = ends[run] - runs[1, run]
    start, stop = np.maximum(starts[own], begin), np.minimum(stops[own], ends[run])
    found = np.stack([runs[0, run] + start - begin, stop - start])
    return found[:, found[1] > 0]


def gathered(arrays: Sequence[Any], starts: Ints, lengths: Ints) -> list[NDArray[Any]]:
    """Of each of ``arrays`` so many numbers from each of ``starts`` on, one row after another."""
    found, places, at = list[Any](), None, starts
    for array in arrays:
        own = array.places(starts) if isinstance(array, Spliced) else starts
        if places is None or not np.array_equal(own, places):
            places, at = own, spans(own, lengths)
        if isinstance(array, Spliced) and own.max(initial=0) < len(array.base):
            array = array.base  # a row is of one or the other
        found.append(array.take(at))
    return found


def found_in(array: Any, is_wanted: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> Ints:
    """The places in ``array`` of the numbers that are wanted."""
    parts = array.parts() if isinstance(array, Spliced) else [(0, array)]
    found = [start + np.flatnonzero(is_wanted(part)) for start, part in parts]
    return np.concatenate([np.empty(0, np.int64), *found])
