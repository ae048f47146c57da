"""Distinct texts as arrays of bytes and numbers, looked up where they lie, on disk or in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class PackedStrings:
    """The distinct texts 0..n-1, found by their number, or their number by binary search.

        names = PackedStrings.of(["Oslo", "Rome"])
        assert names[1] == "Rome" and names.get("Rome") == 1 and names.get("Bonn") is None

    Text i is the UTF-8 ``content[ends[i]:ends[i + 1]]``; ``hashes`` (n,) are in order, of the texts
    ``order`` (n,). The arrays may be mapped files: nothing is read before it is asked for.
    """

    content: NDArray[np.uint8]
    ends: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    order: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[str]) -> PackedStrings:
        """Packs ``texts``, which are distinct."""
        encoded = [text.encode(errors="surrogatepass") for text in texts]
        ends = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(one) for one in encoded], out=ends[1:])
        hashes = np.array([_hash(one) for one in encoded], dtype=np.uint64)
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        content = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        return cls(content, ends, hashes[order], order)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> PackedStrings:
        """The inverse of ``to_arrays``."""
        return cls(*(arrays[f"{name}_{part}"] for part in cls.__dataclass_fields__))

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """The arrays by their names, each of which begins with ``name``."""
        return {f"{name}_{part}": getattr(self, part) for part in self.__dataclass_fields__}

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._bytes(number).decode(errors="surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))

    def get(self, text: str, /) -> int | None:
        """The number of ``text``; None where it is not among the texts."""
        wanted = text.encode(errors="surrogatepass")
        hashed = np.uint64(_hash(wanted))
        at = int(self.hashes.searchsorted(hashed))
        while at < len(self) and self.hashes[at] == hashed:
            if self._bytes(number := int(self.order[at])) == wanted:
                return number
            at += 1
        return None

    def _bytes(self, number: int) -> bytes:
        return self.content[self.ends[number] : self.ends[number + 1]].tobytes()


def _hash(text: bytes) -> int:
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
