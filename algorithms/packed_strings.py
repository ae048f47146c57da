"""Distinct texts as arrays of bytes and numbers, looked up where they lie, on disk or in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class PackedStrings:
    """The distinct texts 0..n-1, found by their number, or their number by binary search.

        names = PackedStrings.of(["Oslo", "Rome"])
        assert names[1] == "Rome" and names.get("Rome") == 1 and names.get("Bonn") is None

    Text i is the UTF-8 ``content[ends[i]:ends[i + 1]]``; ``order`` are the texts as their bytes are
    sorted. The arrays may be mapped files: nothing is read before it is asked for.
    """

    content: NDArray[np.uint8]
    ends: NDArray[np.int64]
    order: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[str]) -> PackedStrings:
        """Packs ``texts``, which are distinct."""
        encoded = [text.encode() for text in texts]
        ends = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(one) for one in encoded], out=ends[1:])
        order = np.array(sorted(range(len(encoded)), key=encoded.__getitem__), dtype=np.int32)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends, order)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]], name: str) -> PackedStrings:
        """The inverse of ``to_arrays``."""
        parts = (np.asarray(arrays[f"{name}_{part}"]) for part in cls.__dataclass_fields__)
        return cls(*parts)

    def to_arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """The arrays by their names, each of which begins with ``name``."""
        return {f"{name}_{part}": getattr(self, part) for part in self.__dataclass_fields__}

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._bytes(number).decode()

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))

    def get(self, text: str) -> int | None:
        """The number of ``text``; None where it is not among the texts."""
        wanted = text.encode(errors="surrogatepass")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._bytes(self.order[middle]) < wanted:
                low = middle + 1
            else:
                high = middle
        if low < len(self) and self._bytes(self.order[low]) == wanted:
            return int(self.order[low])
        return None

    def _bytes(self, number: int | np.int32) -> bytes:
        return self.content[self.ends[number] : self.ends[number + 1]].tobytes()
