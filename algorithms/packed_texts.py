"""Many texts as two arrays, read one at a time where they lie, in memory or in a mapped file."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .spliced import taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

_READ = 4096  # texts at a time
_PARTS = ("content", "ends", "hashes", "order")


class PackedTexts(Sequence[str]):
    """The texts 0 … n−1; text i is the UTF-8 ``content[ends[i]:ends[i + 1]]``.

    >>> titles = PackedTexts.of(["Oslo", "Rome"])
    >>> titles[1]
    'Rome'
    """

    def __init__(self, content: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.content = content
        self.ends = ends
        # Reading a number of an array takes several times as long as of the memory below it.
        self._content, self._ends = content.data, ends.data
        self._count = len(ends) - 1

    @classmethod
    def of(cls, texts: Iterable[str]) -> PackedTexts:
        """Packs ``texts``, which are read once."""
        content, ends, left = bytearray(), array("q", [0]), iter(texts)
        while some := [text.encode(errors="surrogatepass") for text in islice(left, _READ)]:
            content += b"".join(some)
            ends.extend(accumulate(map(len, some), initial=ends.pop()))
        return cls(np.frombuffer(content, dtype=np.uint8), np.frombuffer(ends, dtype=np.int64))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> PackedTexts:
        """The texts that ``to_arrays`` wrote under ``name``."""
        return cls(arrays[name], arrays[f"{name}_ends"])

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """The two arrays, ``name`` and ``name``_ends."""
        return {name: self.content, f"{name}_ends": self.ends}

    def codes(self) -> NDArray[np.uint64]:
        """A hash of 64 bits of each text: shape (n,)."""
        hashes = (_hash(self._bytes(number)) for number in range(len(self)))
        return np.fromiter(hashes, dtype=np.uint64, count=len(self))

    def edited(self, new: PackedTexts, numbers: NDArray[np.integer[Any]]) -> PackedTexts:
        """The texts with these ``numbers``, in this order, of these and after them the ``new``."""
        ends = np.concatenate([self.ends, new.ends[1:] + self.ends[-1]])
        return PackedTexts(*taken((self.content, new.content), ends, numbers))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        for start in range(0, self._count, _READ):
            ends = self.ends[start : start + _READ + 1]
            content = bytes(self._content[ends[0] : ends[-1]])
            bounds = pairwise((ends - ends[0]).tolist())
            yield from [content[a:b].decode(errors="surrogatepass") for a, b in bounds]

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not 0 <= number < self._count:  # the end of an iteration
            raise IndexError(number)
        return str(self._bytes(number), errors="surrogatepass")

    def _bytes(self, number: int) -> memoryview:
        return self._content[self._ends[number] : self._ends[number + 1]]


class DistinctTexts(PackedTexts):
    """Packed texts without a double, whose number is found by binary search.

    >>> names = DistinctTexts.of(["Oslo", "Rome"])
    >>> names[1], names.get("Rome"), names.get("Bonn")
    ('Rome', 1, None)

    ``hashes`` (n,) are in order, of the texts ``order`` (n,).
    """

    def __init__(
        self,
        content: NDArray[np.uint8],
        ends: NDArray[np.int64],
        hashes: NDArray[np.uint64],
        order: NDArray[np.int32],
    ) -> None:
        super().__init__(content, ends)
        self.hashes = hashes
        self.order = order

    @classmethod
    def of(cls, texts: Iterable[str]) -> DistinctTexts:
        """Packs ``texts``, which are read once."""
        packed = PackedTexts.of(texts)
        return cls.packed(packed, packed.codes())

    @classmethod
    def packed(cls, texts: PackedTexts, codes: NDArray[np.uint64]) -> DistinctTexts:
        """The same ``texts``, of which these are the ``codes``."""
        order = np.argsort(codes, kind="stable").astype(np.int32)
        return cls(texts.content, texts.ends, codes[order], order)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> DistinctTexts:
        """The texts that ``to_arrays`` wrote under ``name``."""
        return cls(*(arrays[f"{name}_{part}"] for part in _PARTS))

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """The four arrays: ``name``_content, _ends, _hashes and _order."""
        return {f"{name}_{part}": getattr(self, part) for part in _PARTS}

    def followed(self, added: PackedTexts, numbers: NDArray[np.int64]) -> DistinctTexts:
        """The texts with these ``numbers``, of these and after them the ``added`` ones."""
        places = np.full(len(self) + len(added), -1, dtype=np.int32)
        places[numbers] = np.arange(len(numbers))
        codes, order = added.codes(), places[self.order]
        new = np.argsort(codes, kind="stable")
        new = new[places[len(self) + new] >= 0]
        hashes, order = self.hashes[order >= 0], order[order >= 0]
        at = hashes.searchsorted(codes[new], "right")
        texts = self.edited(added, numbers)
        hashes = np.insert(hashes, at, codes[new])
        order = np.insert(order, at, places[len(self) + new])
        return DistinctTexts(texts.content, texts.ends, hashes, order)

    def codes(self) -> NDArray[np.uint64]:
        codes = np.empty_like(self.hashes)
        codes[self.order] = self.hashes
        return codes

    def joined(self, texts: Iterable[str]) -> tuple[NDArray[np.int64], PackedTexts]:
        """The number of each of ``texts``, and those that come after these, since they are new."""
        numbers, added = dict[str, int](), list[str]()

        def number(text: str) -> int:
            if (found := self.get(text) if len(self) else None) is None:
                found = len(self) + len(added)
                added.append(text)
            return numbers.setdefault(text, found)

        found = [numbers[text] if text in numbers else number(text) for text in texts]
        return np.array(found, dtype=np.int64), PackedTexts.of(added)

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


def _hash(text: bytes | memoryview) -> int:
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def code_of(text: str) -> int:
    """A hash of 64 bits of ``text``."""
    return _hash(text.encode(errors="surrogatepass"))
