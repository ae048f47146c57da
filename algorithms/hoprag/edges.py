"""Edge merging (HopRAG): from a passage that raises a question to the one that answers it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..similarity import hybrid_similarity, jaccard
from .keyword_index import Floats, Ints, KeywordIndex, KeywordSets

TIE = 1e-6
_DECIMALS = 6
_BLOCK_BYTES = 32 << 20
_SLACK = 8 * TIE  # above what ties and rounding make of a bound
_PAIR = 4  # the memory of a sparse pair, against a dense one's
_FEW, _GATHERED = 4, 64  # the time of a pair by itself, against one in a matrix product


@dataclass(frozen=True)
class QuestionSet:
    """m questions of one direction.

    ``passages`` (m,) is the vertex of each question, ``vectors`` (m, d) its unit embedding v and
    ``keywords`` (m) its keyword set k.
    """

    passages: Ints
    vectors: Floats
    keywords: KeywordSets

    def __len__(self) -> int:
        return len(self.passages)

    def take(self, numbers: Ints) -> QuestionSet:
        """The questions with these ``numbers``."""
        return QuestionSet(
            self.passages[numbers], self.vectors[numbers], self.keywords.take(numbers)
        )


@dataclass(frozen=True)
class Edges:
    """Directed edges ``source`` → ``target``, sorted by both, at most one for each pair.

    ``outgoing`` and ``incoming`` are the numbers of the questions r⁺ and r⁻ that made each edge,
    and ``similarity`` is their SIM in [−0.5, 1].
    """

    source: Ints
    target: Ints
    outgoing: Ints
    incoming: Ints
    similarity: Floats

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True)
class Pairs:
    """Out-coming questions r⁺ by their numbers, with the in-coming r⁻ of each and their SIM."""

    outgoing: Ints
    incoming: Ints
    similarity: NDArray[np.floating[Any]]


NO_INTS = np.empty(0, dtype=np.int64)
NO_PAIRS = Pairs(NO_INTS, NO_INTS, np.empty(0))


def merge_edges(outgoing: QuestionSet, incoming: QuestionSet, vertices: int) -> Edges:
    """The edges among ``vertices`` passages (HopRAG, edge merging), by ``best_incoming``."""
    pairs = best_pairs(outgoing, incoming)
    return joined(pairs, outgoing.passages, incoming.passages, vertices)


def best_pairs(outgoing: QuestionSet, incoming: QuestionSet) -> Pairs:
    """Each r⁺ with its r⁻ by ``best_incoming``, and their SIM; those that have one."""
    best = best_incoming(outgoing, incoming)
    found = np.flatnonzero(best >= 0)
    return Pairs(found, best[found], _similarities(outgoing, incoming, found, best[found]))


def _twice(outgoing: QuestionSet, incoming: QuestionSet, index: KeywordIndex) -> Floats:
    """J + cos of all pairs, −∞ within one passage; ``index`` has the keywords of ``incoming``."""
    twice: Floats = outgoing.vectors @ incoming.vectors.T
    row, column, overlap = index.overlaps(outgoing.keywords)
    twice[row, column] += overlap
    twice[outgoing.passages[:, None] == incoming.passages] = -np.inf
    return twice


def joined(pairs: Pairs, outgoing: Ints, incoming: Ints, vertices: int) -> Edges:
    """The edges s → t* of ``pairs`` of questions; ``outgoing`` and ``incoming`` are their vertices.

    Of parallel edges the one with the best SIM stands for all. At most ⌊n ln n⌋ edges stay, n being
    the number of vertices that have questions (see ``within_cap``). SIM is rounded to 6 places.
    """
    similarity = np.round(pairs.similarity, _DECIMALS).astype(np.float32)
    i, j = pairs.outgoing, pairs.incoming
    source, target = outgoing[i], incoming[j]
    best = _best_of_parallel(source.astype(np.int64) * vertices + target, -similarity, i, j)
    edges = Edges(source[best], target[best], i[best], j[best], similarity[best])
    asks = np.zeros(vertices, dtype=np.bool_)
    asks[outgoing] = asks[incoming] = True
    asked = int(asks.sum())
    most = math.floor(asked * math.log(asked)) if asked else 0
    kept = within_cap(edges, vertices, most)
    return Edges(*(getattr(edges, each.name)[kept] for each in fields(Edges)))


def _best_of_parallel(ends: Ints, *ranks: NDArray[Any]) -> Ints:
    """The places of the distinct ``ends``, ascending: of equal ones the lowest by ``ranks``."""
    order = np.argsort(ends, kind="stable")  # almost in order, which this kind makes use of
    first = np.flatnonzero(np.diff(ends[order], prepend=-1))
    counts = np.diff(first, append=len(order))
    parallel = np.flatnonzero(np.repeat(counts > 1, counts))  # few, so that only these are ranked
    some = order[parallel]
    order[parallel] = some[np.lexsort((*(rank[some] for rank in ranks[::-1]), ends[some]))]
    return order[first]


def best_incoming(outgoing: QuestionSet, incoming: QuestionSet) -> Ints:
    """r⁻_{t*,j*} = argmax SIM(r⁺_{s,i}, r⁻_{t,j}) over all t ≠ s, for each r⁺ (HopRAG eq. 1).

    Returns numbers of in-coming questions, shape (m⁺,), −1 where no other vertex has any. A
    question less than ``TIE`` below the best ties with it, and the lowest number wins. An r⁺ is
    compared with the questions that share its keywords where they show that no other can win, else
    with all; the time of that is the matrix product of the vectors, m⁺ · m⁻ · d.
    """
    best = np.full(len(outgoing), -1, dtype=np.int64)
    if not len(incoming) or not len(outgoing):
        return best
    index = KeywordIndex.of(incoming.keywords)
    if len(outgoing) * len(incoming) > _BLOCK_BYTES // 4:
        best = _best_sharing(outgoing, incoming, index)
    left = np.flatnonzero(best < 0)
    for block in _blocks(len(left), len(incoming)):
        rows = left[block]
        twice = _twice(outgoing.take(rows), incoming, index)
        highest = twice.max(axis=1)
        first = np.argmax(twice >= highest[:, None] - 2 * TIE, axis=1)
        best[rows] = np.where(np.isfinite(highest), first, -1)
    return best


def _best_sharing(outgoing: QuestionSet, incoming: QuestionSet, index: KeywordIndex) -> Ints:
    """``best_incoming`` by the pairs that share keywords alone, −1 where these do not decide it.

    Let b be J + cos of a pair that shares most. No other is better whose J is below b − |v⁺||v⁻|,
    the greatest that cos can be. Where that is above 0, none is that shares nothing.
    """
    best = np.full(len(outgoing), -1, dtype=np.int64)
    longest = _lengths(incoming.vectors).max()
    for block in _blocks(len(outgoing), _PAIR * len(incoming)):
        rows = np.arange(len(outgoing))[block]
        row, column, overlap = index.overlaps(outgoing.keywords[block])
        other = outgoing.passages[rows[row]] != incoming.passages[column]
        row, column, overlap = row[other], column[other], overlap[other]
        i, j, most = highest(row, column, overlap)
        cosines = _cosines(outgoing, incoming, rows[i], j)
        least = np.zeros(len(rows))
        least[i] = most + cosines - longest * _lengths(outgoing.vectors[rows[i]])
        least -= _SLACK
        close = overlap >= least[row]
        few = np.bincount(row[close], minlength=len(rows)) <= max(_FEW, len(incoming) // _GATHERED)
        close &= ((least > 0) & few)[row]
        row, column = row[close], column[close]
        twice = overlap[close] + _cosines(outgoing, incoming, rows[row], column)
        i, j, _ = highest(row, column, twice)
        best[rows[i]] = j
    return best


def _lengths(vectors: Floats) -> Floats:
    """|v| of each row; numpy's own function makes a copy of all."""
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return lengths


def highest(row: Ints, column: Ints, scores: Any) -> tuple[Ints, Ints, Any]:
    """Each of the ascending rows once, with the lowest column that ties for its highest score."""
    if not len(row):
        return row, column, scores
    first = np.flatnonzero(np.diff(row, prepend=-1))
    highest = np.maximum.reduceat(scores, first)
    ties = scores >= np.repeat(highest, np.diff(first, append=len(row))) - 2 * TIE
    row, column = row[ties], column[ties]
    first = np.flatnonzero(np.diff(row, prepend=-1))
    return row[first], np.minimum.reduceat(column, first), highest


def _blocks(rows: int, width: int) -> Iterator[slice]:
    """Slices of rows for which a float32 array of that width stays within ``_BLOCK_BYTES``."""
    size = max(1, _BLOCK_BYTES // (4 * max(1, width)))
    for start in range(0, rows, size):
        yield slice(start, start + size)


def _cosines(outgoing: QuestionSet, incoming: QuestionSet, i: Ints, j: Ints) -> NDArray[np.float64]:
    """cos of the pairs (i, j)."""
    cosines = np.empty(len(i), dtype=np.float64)
    for block in _blocks(len(i), 2 * outgoing.vectors.shape[-1]):
        a, b = outgoing.vectors[i[block]], incoming.vectors[j[block]]
        cosines[block] = np.einsum("ij,ij->i", a, b)
    return cosines


def _similarities(outgoing: QuestionSet, incoming: QuestionSet, i: Ints, j: Ints) -> Any:
    """SIM (HopRAG eq. 1) of the pairs (i, j)."""
    cosines = _cosines(outgoing, incoming, i, j)
    pairs = zip(i.tolist(), j.tolist(), strict=True)
    overlaps = np.array([jaccard(outgoing.keywords[a], incoming.keywords[b]) for a, b in pairs])
    similarities = hybrid_similarity(overlaps, np.clip(cosines, -1, 1))
    return similarities


def within_cap(edges: Edges, vertices: int, most: int) -> Ints:
    """The numbers, ascending, of the edges that stay when only ``most`` may.

    The lowest SIM goes first (of equals the highest number), but never an edge that is the only one
    of its source or its target, in-coming and out-going ones counted together. Edges that may not
    go form stars, fewer than there are vertices, so a cap of n ln n is kept for every n.
    """
    stays = np.ones(len(edges), dtype=np.bool_)
    if len(edges) <= most:
        return np.flatnonzero(stays)
    degree = np.bincount(np.concatenate([edges.source, edges.target]), minlength=vertices)
    excess = len(edges) - most
    for edge in np.lexsort((-np.arange(len(edges)), edges.similarity)):
        if excess <= 0:
            break
        ends = [edges.source[edge], edges.target[edge]]
        if (degree[ends] > 1).all():
            degree[ends] -= 1
            stays[edge] = False
            excess -= 1
    return np.flatnonzero(stays)
