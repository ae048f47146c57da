"""Nearest neighbours among many questions, without a comparison with all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..spliced import found_in, gathered, taken
from .keyword_index import Floats, Ints

if TYPE_CHECKING:
    from numpy.typing import DTypeLike
    from usearch.index import Index as Graph

Empty = Callable[[str, tuple[int, ...], "DTypeLike"], NDArray[Any]]

_COLUMN = np.uint16
_LARGEST = 12  # coordinates of a vector that are listed
_ASKED = 6  # coordinates of a vector whose lists are read
_LISTED = 48  # vectors under a coordinate and its sign
_FOUND = 64  # neighbours of a vector in the graph
_EFFORT = 128
_ROWS = 1 << 12  # vectors at a time
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


class Sparse(NamedTuple):
    """Vectors, of which ``values[ends[j]:ends[j + 1]]`` are the numbers of v_j other than 0.

    ``columns`` are their columns, ascending.
    """

    values: NDArray[Any]
    columns: NDArray[Any]
    ends: Ints

    @classmethod
    def of(cls, batches: Iterable[NDArray[Any]]) -> Sparse:
        """The vectors of ``batches``, shape (any, d) each, which are read once."""
        values, columns, counts = [np.empty(0, np.float32)], [np.empty(0, _COLUMN)], []
        for batch in batches:
            row, column = np.nonzero(batch)
            values.append(batch[row, column])
            columns.append(column.astype(_COLUMN))
            counts.append(np.bincount(row, minlength=len(batch)))
        ends = np.cumsum(np.concatenate([[0], *counts]))
        return cls(np.concatenate(values), np.concatenate(columns), ends)

    def and_then(self, others: Sparse, numbers: Ints) -> Sparse:
        """The vectors with these ``numbers``, of these and after them the ``others``."""
        ends = np.concatenate([self.ends, others.ends[1:] + self.ends[-1]])
        columns = self.columns
        if columns.dtype != _COLUMN:  # before they were wider
            columns = columns.astype(_COLUMN)
        values, _ = taken((self.values, others.values), ends, numbers)
        return Sparse(values, *taken((columns, others.columns), ends, numbers))

    def read(self, numbers: Ints) -> tuple[NDArray[Any], NDArray[Any], Ints]:
        """The numbers of these vectors, one after another, their columns, how many each has."""
        lengths = self.ends[numbers + 1] - self.ends[numbers]
        values, columns = gathered((self.values, self.columns), self.ends[numbers], lengths)
        return values, columns, lengths

    def whole(self, numbers: Ints, width: int) -> Floats:
        """These vectors with all their numbers, shape (numbers, width)."""
        values, columns, lengths = self.read(numbers)
        found = np.zeros(len(numbers) * width, dtype=np.float32)
        found[np.repeat(np.arange(len(numbers)) * width, lengths) + columns] = values
        return found.reshape(len(numbers), width)

    def products(self, numbers: Ints, others: Floats) -> Floats:
        """The dot products of all pairs of these vectors and ``others``."""
        values, columns, lengths = self.read(numbers)
        values = values.astype(np.float32)
        found = np.zeros((len(numbers), len(others)), dtype=np.float32)
        some = np.flatnonzero(lengths)
        first = (np.cumsum(lengths) - lengths)[some]
        for place, other in enumerate(others if len(some) else ()):
            found[some, place] = np.add.reduceat(values * other[columns], first)
        return found

    def listed(self, coordinate: int, codes: NDArray[np.uint64]) -> _Coordinates:
        """The largest of the vectors that have ``coordinate`` among their own largest ones."""
        places = found_in(self.columns, lambda columns: columns == coordinate // 2)
        places = places[(self.values[places] < 0) == coordinate % 2]
        numbers = np.searchsorted(self.ends, places, side="right") - 1
        numbers = numbers[np.lexsort((codes[numbers], -np.abs(self.values[places])))]
        found, start, size = self.largest(numbers[:0], _LARGEST), 0, 2 * _LISTED
        while len(found.numbers) < _LISTED and start < len(numbers):
            own = self.largest(numbers[start : start + size], _LARGEST)
            found = _Coordinates.joined([found, own.where(own.coordinates == coordinate)])
            start, size = start + size, 2 * size
        return found

    def largest(self, numbers: Ints, most: int) -> _Coordinates:
        """The largest coordinates of these vectors, at most so many of each; ties by column."""
        found = [_Coordinates(np.empty(0, np.int64), np.empty(0, np.int32), self.values[:0])]
        for start in range(0, len(numbers), _ROWS):
            own = numbers[start : start + _ROWS]
            first, lengths = self.ends[own], self.ends[own + 1] - self.ends[own]
            places = np.arange(lengths.max(initial=0))
            inside = places < lengths[:, None]
            at = np.where(inside, first[:, None] + places, 0)
            sizes = np.where(inside, np.abs(self.values[at]), 0)
            best = np.argsort(-sizes, axis=1, kind="stable")[:, :most]
            row, place = np.nonzero(np.take_along_axis(inside, best, axis=1))
            chosen = at[row, best[row, place]]
            values = self.values[chosen]
            coordinates = 2 * self.columns[chosen].astype(np.int32) + (values < 0)
            found.append(_Coordinates(own[row], coordinates, np.abs(values)))
        return _Coordinates.joined(found)


class _Coordinates(NamedTuple):
    """Coordinates of vectors: ``numbers`` of these, 2 · column + (0 or 1: its sign), sizes."""

    numbers: Ints
    coordinates: NDArray[np.int32]
    sizes: Floats

    @classmethod
    def joined(cls, parts: Iterable[_Coordinates]) -> _Coordinates:
        """All of them."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def where(self, kept: NDArray[np.bool_]) -> _Coordinates:
        """The ones that are ``kept``."""
        return _Coordinates(self.numbers[kept], self.coordinates[kept], self.sizes[kept])

    def lists(self, codes: NDArray[np.uint64] | None, width: int) -> NDArray[np.int32]:
        """``near_lists`` of vectors with d = ``width`` numbers, whose ``codes`` decide ties."""
        lists = np.full((2 * width, _LISTED), -1, dtype=np.int32)
        ties = self.numbers if codes is None else codes[self.numbers]
        order = np.lexsort((ties, -self.sizes, self.coordinates))
        coordinates = self.coordinates[order]
        rank = np.arange(len(order)) - np.searchsorted(coordinates, coordinates)
        kept = rank < _LISTED
        lists[coordinates[kept], rank[kept]] = self.numbers[order][kept]
        return lists


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
        self._sparse = Sparse(*(arrays[f"near_{name}"] for name in Sparse._fields))
        self._lists = arrays["near_lists"]

    @classmethod
    def of(
        cls, batches: Iterable[Floats], codes: NDArray[np.uint64] | None = None
    ) -> WordNeighbours:
        """Lists the vectors of ``batches``, shape (any, d) each, which are read once.

        Of equal ones the lowest ``codes`` (m,) stand first, or the lowest numbers.
        """
        width = 0

        def seen() -> Iterator[Floats]:
            nonlocal width
            for batch in batches:
                width = batch.shape[1]
                yield batch

        sparse = Sparse.of(seen())
        every = sparse.largest(np.arange(len(sparse.ends) - 1), _LARGEST)
        return cls._made(sparse, every.lists(codes, width))

    @classmethod
    def _made(cls, sparse: Sparse, lists: NDArray[np.int32]) -> WordNeighbours:
        named = {f"near_{name}": array for name, array in sparse._asdict().items()}
        return cls({**named, "near_lists": lists})

    def followed(self, sources: Ints, new: Floats, codes: NDArray[np.uint64]) -> WordNeighbours:
        """The neighbours of vectors of which these have the numbers ``sources`` (m,).

        Where that is −1, the next of ``new`` is. They are as ``of`` makes them with the same
        ``codes``; a list is read anew that was full and has lost a vector.
        """
        is_new, count = sources < 0, len(self)
        places = np.where(is_new, count + np.cumsum(is_new) - 1, sources)
        sparse = self._sparse.and_then(Sparse.of([new]), places)
        moved = np.full(count + 1, -1, dtype=np.int32)
        moved[sources[~is_new]] = np.flatnonzero(~is_new)
        lists, own = moved[self._lists], sparse.largest(np.flatnonzero(is_new), _LARGEST)
        gone = ((self._lists >= 0) & (lists < 0)).any(axis=1)
        lost, changed = gone & (self._lists[:, -1] >= 0), gone.copy()
        changed[own.coordinates] = True
        coordinates, place = np.nonzero((lists >= 0) & (changed & ~lost)[:, None])
        numbers = lists[coordinates, place].astype(np.int64)
        values, columns, lengths = sparse.read(numbers)
        sizes = np.abs(values[columns == np.repeat(coordinates // 2, lengths)])
        again = [sparse.listed(one, codes) for one in np.flatnonzero(lost).tolist()]
        stays = _Coordinates(numbers, coordinates.astype(np.int32), sizes)
        every = _Coordinates.joined([stays, own.where(~lost[own.coordinates]), *again])
        lists[changed] = every.lists(codes, len(lists) // 2)[changed]
        return self._made(sparse, lists)

    def vectors(self, numbers: Ints) -> Floats:
        return self._sparse.whole(numbers, len(self._lists) // 2)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        named = {f"near_{name}": array for name, array in self._sparse._asdict().items()}
        return {**named, "near_lists": self._lists}

    def __len__(self) -> int:
        return len(self._sparse.ends) - 1

    def nearest(self, vectors: Floats) -> tuple[Ints, Ints]:
        sparse = Sparse.of([vectors])
        asked = sparse.largest(np.arange(len(vectors)), _ASKED)
        found = self._lists[asked.coordinates].ravel()
        places = np.repeat(asked.numbers, _LISTED)
        return places[found >= 0], found[found >= 0].astype(np.int64)

    def cosines(self, vectors: Floats, places: Ints, numbers: Ints) -> Floats:
        cosines = np.empty(len(numbers), dtype=np.float32)
        for start in range(0, len(numbers), _SPARSE_PAIRS):
            own = slice(start, start + _SPARSE_PAIRS)
            cosines[own] = self._cosines(vectors, places[own], numbers[own])
        return cosines

    def _cosines(self, vectors: Floats, places: Ints, numbers: Ints) -> NDArray[Any]:
        values, columns, lengths = self._sparse.read(numbers)
        other = np.repeat(places * vectors.shape[1], lengths) + columns
        products = vectors.reshape(-1).take(other) * values
        pair = np.repeat(np.arange(len(numbers)), lengths)
        return np.bincount(pair, products, minlength=len(numbers))


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
