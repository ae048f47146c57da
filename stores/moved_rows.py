"""Rows of a mapped array in another order, with some that were added since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# End the names of the files beside the one with most rows, or numbers.
PLACES, RUNS, ADDED = "@places", "@runs", "@added"
MOST_CHANGED = 0.1  # of the rows: when so many are new, or not used any more, all are written anew


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
    if max(unused, len(used) + len(new)) > MOST_CHANGED * count:
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
