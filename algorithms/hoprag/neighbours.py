"""Nearest neighbours among many questions, without a comparison with all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .keyword_index import Floats, Ints, ranges

if TYPE_CHECKING:
    from numpy.typing import DTypeLike
    from usearch.index import Index as Graph

Empty = Callable[[str, tuple[int, ...], "DTypeLike"], NDArray[Any]]

_LARGEST = 12  # coordinates of a vector that are listed
_ASKED = 6  # coordinates of a vector whose lists are read
_LISTED = 48  # vectors under a coordinate and its sign
_FOUND = 64  # neighbours of a vector in the graph
_EFFORT = 128
_PAIRS = 1 << 14  # compared at a time
_SPARSE_PAIRS = 1 << 11  # the same, few enough that all of them stay near the processor


class Neighbours(Protocol):
    """Unit vectors v_0 … v_{m−1} with d numbers each, which may lie in mapped files."""

    def __len__(self) -> int: ...

    def nearest(self, vectors: Floats) -> tuple[Ints, Ints]:
        """Pairs of a place in ``vectors`` (q, d) and a number j such that cos is likely high."""
        ...

    def cosines(self, vectors: Floats, places: Ints, numbers: Ints) -> Floats:
        """The cosine of each pair of ``vectors[place]`` and v_number, shape (pairs,)."""
        ...

    def vectors(self, numbers: Ints) -> Floats:
        """v_number of each of ``numbers``, shape (numbers, d)."""
        ...

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by their names, each of which begins with ``near``."""
        ...


class WordNeighbours:
    """Neighbours of vectors that are mostly zeros: hashed words, where few coordinates are large.

    Two that share no large coordinate are not near, so that each vector is listed under its
    largest: ``near_lists`` (2d, 48) has the numbers of the vectors with the largest values of each
    coordinate and sign, −1 where there are fewer. The numbers other than 0 of v_j are
    ``near_values[near_ends[j]:near_ends[j + 1]]``; ``near_columns`` has their columns.

    >>> near = WordNeighbours.of([embedder.embed(["Who was Ada?", "Where is Oslo?"])])
    >>> places, numbers = near.nearest(embedder.embed(["Who is Ada?"]))
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._values = arrays["near_values"]
        self._columns = arrays["near_columns"]
        self._ends = arrays["near_ends"]
        self._lists = arrays["near_lists"]

    @classmethod
    def of(cls, batches: Iterable[Floats]) -> WordNeighbours:
        """Lists the vectors of ``batches``, shape (any, d) each, which are read once."""
        values, columns, counts = [np.empty(0, np.float32)], [np.empty(0, np.int32)], []
        large: list[tuple[Ints, Ints, Floats]] = []
        width = done = 0
        for batch in batches:
            width = batch.shape[1]
            row, column = np.nonzero(batch)
            values.append(batch[row, column])
            columns.append(column.astype(np.int32))
            counts.append(np.bincount(row, minlength=len(batch)))
            places, coordinates, sizes = _largest(batch, _LARGEST)
            large.append((places + done, coordinates, sizes))
            done += len(batch)
        return cls(
            {
                "near_values": np.concatenate(values),
                "near_columns": np.concatenate(columns),
                "near_ends": np.cumsum(np.concatenate([[0], *counts])),
                "near_lists": _lists(large, width),
            }
        )

    def vectors(self, numbers: Ints) -> Floats:
        lengths = self._ends[numbers + 1] - self._ends[numbers]
        at = ranges(self._ends[numbers], lengths)
        found = np.zeros((len(numbers), len(self._lists) // 2), dtype=np.float32)
        found[np.repeat(np.arange(len(numbers)), lengths), self._columns[at]] = self._values[at]
        return found

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "near_values": self._values,
            "near_columns": self._columns,
            "near_ends": self._ends,
            "near_lists": self._lists,
        }

    def __len__(self) -> int:
        return len(self._ends) - 1

    def nearest(self, vectors: Floats) -> tuple[Ints, Ints]:
        places, coordinates, _ = _largest(vectors, _ASKED)
        found = self._lists[coordinates].ravel()
        places = np.repeat(places, _LISTED)
        return places[found >= 0], found[found >= 0].astype(np.int64)

    def cosines(self, vectors: Floats, places: Ints, numbers: Ints) -> Floats:
        cosines = np.empty(len(numbers), dtype=np.float32)
        for start in range(0, len(numbers), _SPARSE_PAIRS):
            own = slice(start, start + _SPARSE_PAIRS)
            cosines[own] = self._cosines(vectors, places[own], numbers[own])
        return cosines

    def _cosines(self, vectors: Floats, places: Ints, numbers: Ints) -> NDArray[Any]:
        lengths = self._ends[numbers + 1] - self._ends[numbers]
        at = ranges(self._ends[numbers], lengths)
        other = np.repeat(places * vectors.shape[1], lengths) + self._columns.take(at)
        products = vectors.reshape(-1).take(other) * self._values.take(at)
        pair = np.repeat(np.arange(len(numbers)), lengths)
        return np.bincount(pair, products, minlength=len(numbers))


def _largest(vectors: Floats, most: int) -> tuple[Ints, Ints, Floats]:
    """The largest coordinates of each vector: places, 2 · coordinate + (0 or 1: its sign), sizes.

    At most so many of each vector, and none that is 0.
    """
    most = min(most, vectors.shape[1])
    sizes = np.abs(vectors)
    columns = np.argpartition(sizes, -most, axis=1)[:, -most:]
    rows = np.repeat(np.arange(len(vectors)), most)
    columns = columns.ravel()
    kept = sizes[rows, columns] > 0
    rows, columns = rows[kept], columns[kept]
    return rows, 2 * columns + (vectors[rows, columns] < 0), sizes[rows, columns]


def _lists(large: list[tuple[Ints, Ints, Floats]], width: int) -> NDArray[np.int32]:
    lists = np.full((2 * width, _LISTED), -1, dtype=np.int32)
    if large:
        numbers, coordinates, sizes = map(np.concatenate, zip(*large, strict=True))
        order = np.lexsort((numbers, -sizes, coordinates))
        coordinates = coordinates[order]
        first = np.searchsorted(coordinates, coordinates)
        rank = np.arange(len(order)) - first
        kept = rank < _LISTED
        lists[coordinates[kept], rank[kept]] = numbers[order][kept]
    return lists


class MeaningNeighbours:
    """Neighbours of dense vectors by a graph of them (HNSW, of usearch).

    ``near_vectors`` (m, d) are of half precision, ``near_graph`` is the graph in usearch's form,
    whose vectors have eight bits a number: it finds neighbours, and the cosines are not its own.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], graph: Graph | None = None) -> None:
        from usearch.index import Index

        self._vectors = arrays["near_vectors"]
        self._bytes = arrays.get("near_graph")
        if graph is None:
            assert self._bytes is not None
            width = self._vectors.shape[1]
            graph = Index(ndim=width, metric="ip", dtype="i8", expansion_search=_EFFORT)
            graph.view(memoryview(self._bytes.data))
        self._graph = graph

    @classmethod
    def of(cls, batches: Iterable[Floats], count: int, empty: Empty) -> MeaningNeighbours:
        """Joins the ``count`` vectors of ``batches``, which are read once.

        ``empty(name, shape, dtype)`` makes the array that they are kept in.
        """
        from usearch.index import Index

        done, graph, kept = 0, None, np.empty((0, 1), np.float16)
        for batch in batches:
            if graph is None:
                width = batch.shape[1]
                graph = Index(ndim=width, metric="ip", dtype="i8", expansion_search=_EFFORT)
                kept = empty("near_vectors", (count, batch.shape[1]), np.float16)
            kept[done : done + len(batch)] = batch
            graph.add(np.arange(done, done + len(batch)), batch)
            done += len(batch)
        return cls({"near_vectors": kept}, graph or Index(ndim=1, metric="ip", dtype="i8"))

    def vectors(self, numbers: Ints) -> Floats:
        return self._vectors[numbers].astype(np.float32)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        graph = self._bytes
        if graph is None:
            graph = np.frombuffer(self._graph.save() or b"", dtype=np.uint8)
        return {"near_vectors": self._vectors, "near_graph": graph}

    def __len__(self) -> int:
        return len(self._vectors)

    def nearest(self, vectors: Floats) -> tuple[Ints, Ints]:
        if not len(self._vectors) or not len(vectors):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        found: Any = self._graph.search(vectors, _FOUND)
        keys = np.atleast_2d(found.keys).astype(np.int64)
        count = keys.shape[1] if len(vectors) == 1 else found.counts
        counts = np.broadcast_to(count, len(keys))
        inside = np.arange(keys.shape[1]) < counts[:, None]
        places = np.broadcast_to(np.arange(len(keys))[:, None], keys.shape)
        return places[inside], keys[inside]

    def cosines(self, vectors: Floats, places: Ints, numbers: Ints) -> Floats:
        cosines = np.empty(len(numbers), dtype=np.float32)
        for start in range(0, len(numbers), _PAIRS):
            own = slice(start, start + _PAIRS)
            cosines[own] = np.einsum("ij,ij->i", vectors[places[own]], self.vectors(numbers[own]))
        return cosines


def neighbours_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> Neighbours:
    """The neighbours whose ``to_arrays`` are among ``arrays``."""
    return MeaningNeighbours(arrays) if "near_graph" in arrays else WordNeighbours(arrays)
