"""Edge merging (HopRAG) after a change: only what the change touches is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..similarity import hybrid_similarity
from .candidates import BUDGET
from .carried import Carried
from .edges import TIE, Pairs, highest
from .keyword_index import Floats, Ints, KeywordIndex
from .sketches import SCALE, Sketches

_WIDE = 0.03  # more than cos of two sketches is ever away from that of their vectors
_BLOCK = 1 << 22  # pairs at a time
_EXACT = 1 << 15  # pairs of vectors at a time


def followed_pairs(
    found: Carried, sketches: Sketches, vectors_of: Callable[[Ints], Floats]
) -> Pairs:
    """Each r⁺ with its r⁻ by ``best_incoming``, and their SIM; those that have one.

    A question whose answer of before is still there is compared with those that were added, any
    other with all: by their ``sketches``, and where these leave it open by their vectors.
    ``vectors_of`` gives the vectors of distinct texts by their numbers, ascending.
    """
    best, twice = _of_before(found)
    compared = _ComparedQuestions(found, sketches, vectors_of)
    left, changed = np.flatnonzero(best < 0), np.zeros(len(best), dtype=np.bool_)
    of_added = _better(compared, best, twice, *_near_added(compared, best, twice, found.added))
    for i, j in (_of_left(compared, left), of_added):
        best[i], changed[i] = j, True
    return _with_similarity(compared, best, twice, changed)


def followed_candidates(
    found: Carried, best_of: Callable[[Ints], Pairs], vectors_of: Callable[[Ints], Floats]
) -> Pairs:
    """The pairs of ``followed_pairs``, whose cost does not follow the number of all pairs.

    A question whose answer of before is still there is compared with the added ones that share a
    word with it, as many as may be better; ``best_of`` finds the answers of any others by their
    numbers.
    """
    best, twice = _of_before(found)
    compared = _ComparedQuestions(found, Sketches.none(), vectors_of)
    left, changed = best_of(np.flatnonzero(best < 0)), np.zeros(len(best), dtype=np.bool_)
    i, j = _better(compared, best, twice, *_sharing_added(compared, best, twice, found.added))
    best[i], changed[i] = j, True
    best[left.outgoing], twice[left.outgoing] = left.incoming, 2 * left.similarity
    return _with_similarity(compared, best, twice, changed)


def _of_before(found: Carried) -> tuple[Ints, NDArray[np.float64]]:
    """The r⁻ of each r⁺ before, −1 without one, and J + cos of the two."""
    best = np.full(len(found.asked.outgoing.texts), -1, dtype=np.int64)
    twice = np.zeros(len(best))
    best[found.known.outgoing] = found.known.incoming
    twice[found.known.outgoing] = 2 * found.known.similarity
    return best, twice


def _with_similarity(
    compared: _ComparedQuestions, best: Ints, twice: NDArray[np.float64], changed: NDArray[np.bool_]
) -> Pairs:
    i = np.flatnonzero(changed)
    similarity = twice / 2
    cosines = np.clip(compared.cosines(i, best[i]), -1, 1)
    similarity[i] = hybrid_similarity(compared.overlaps(i, best[i]), cosines)
    have = np.flatnonzero(best >= 0)
    return Pairs(have, best[have], similarity[have])


class _ComparedQuestions:
    """The questions of both directions, compared in pairs of their numbers."""

    def __init__(
        self, found: Carried, sketches: Sketches, vectors_of: Callable[[Ints], Floats]
    ) -> None:
        self._outgoing, self._incoming = found.asked.outgoing, found.asked.incoming
        self._words, self._sketches, self._vectors_of = found.words, sketches, vectors_of
        self.incoming = np.arange(len(self._incoming.texts))

    def near(self, i: Ints, j: Ints) -> tuple[Floats, Floats]:
        """J + cos as the sketches tell it of all pairs, −∞ within one passage; and J alone."""
        out, into = self._outgoing.texts[i], self._incoming.texts[j]
        overlap = np.zeros((len(i), len(j)), dtype=np.float32)
        row, column, shares = self.sharing(i, j)
        overlap[row, column] = shares
        twice = self._cosines(out, into) + overlap
        twice[self._outgoing.passages[i][:, None] == self._incoming.passages[j]] = -np.inf
        return twice, overlap

    def _cosines(self, out: Ints, into: Ints) -> Floats:
        """cos of all pairs of these texts, as their sketches tell it."""
        if len(out) < len(into):
            return self._sketches.products(into, out).T / np.float32(SCALE**2)
        return self._sketches.products(out, into) / np.float32(SCALE**2)

    def sharing(self, i: Ints, j: Ints) -> tuple[Ints, Ints, Floats]:
        """The places in ``i`` and ``j`` of the pairs that share a word, and their J."""
        out, into = (
            self._words.take(often.texts[of])
            for often, of in ((self._outgoing, i), (self._incoming, j))
        )
        if len(i) < len(j):
            column, row, shares = KeywordIndex.of(out).overlaps(into)
        else:
            row, column, shares = KeywordIndex.of(into).overlaps(out)
        return row, column, shares

    def likely(self, i: Ints, j: Ints) -> NDArray[np.bool_]:
        """Which of ``i`` share a word with any of ``j``; a few others as well."""
        words = self._words.take(self._incoming.texts[j]).codes
        likely: NDArray[np.bool_] = self._words.likely(words)[self._outgoing.texts[i]]
        return likely

    def apart(self, i: Ints, j: Ints) -> NDArray[np.bool_]:
        """Whether each pair (i, j) is of two passages."""
        apart: NDArray[np.bool_] = self._outgoing.passages[i] != self._incoming.passages[j]
        return apart

    def cosines(self, i: Ints, j: Ints) -> NDArray[np.float64]:
        """cos of the pairs (i, j)."""
        out, into = self._outgoing.texts[i], self._incoming.texts[j]
        texts = np.union1d(out, into)
        cosines = np.empty(len(i), dtype=np.float64)
        if len(i):
            vectors = self._vectors_of(texts)
            first, second = np.searchsorted(texts, out), np.searchsorted(texts, into)
            for own in _blocks(len(i), 1, _EXACT):
                cosines[own] = np.einsum("ij,ij->i", vectors[first[own]], vectors[second[own]])
        return cosines

    def overlaps(self, i: Ints, j: Ints) -> NDArray[np.float64]:
        """J of the pairs (i, j)."""
        out, into = self._outgoing.texts[i].tolist(), self._incoming.texts[j].tolist()
        sets = ((self._words[a], self._words[b]) for a, b in zip(out, into, strict=True))
        return np.array([len(a & b) / max(len(a | b), 1) for a, b in sets])


def _of_left(compared: _ComparedQuestions, left: Ints) -> tuple[Ints, Ints]:
    """The r⁺ in ``left`` with the best r⁻ of each."""
    found, most = [_NO_PAIRS], np.full((len(left), 1), -np.inf, dtype=np.float32)
    for block in _blocks(len(compared.incoming), len(left)):
        j = compared.incoming[block]
        twice, overlap = compared.near(left, j)
        most = np.maximum(most, twice.max(axis=1, keepdims=True))
        row, column = np.nonzero((twice >= most - _WIDE) & np.isfinite(twice))
        found.append((left[row], j[column], overlap[row, column]))
    row, column, shares = _in_order(found)
    i, j, _ = highest(row, column, shares + compared.cosines(row, column))
    return i, j


def _near_added(
    compared: _ComparedQuestions, best: Ints, twice: NDArray[np.float64], added: Ints
) -> tuple[Ints, Ints, NDArray[Any]]:
    """The pairs of an r⁺ and one of the ``added`` r⁻ that may be better than its ``best``; J."""
    found, known = [_NO_PAIRS], np.flatnonzero(best >= 0)
    for block in _blocks(len(known), len(added)):
        i = known[block]
        near, overlap = compared.near(i, added)
        row, column = np.nonzero(near >= twice[i][:, None] - _WIDE)
        found.append((i[row], added[column], overlap[row, column]))
    return _in_order(found)


def _sharing_added(
    compared: _ComparedQuestions, best: Ints, twice: NDArray[np.float64], added: Ints
) -> tuple[Ints, Ints, NDArray[Any]]:
    """The same of those that share a word, of each ``added`` r⁻ the likeliest."""
    known = np.flatnonzero(best >= 0)
    if not len(known) or not len(added):
        return _NO_PAIRS
    known = known[compared.likely(known, added)]
    row, column, shares = compared.sharing(known, added)
    gain = shares + 1 - twice[known[row]]  # cos is at most 1
    likely = np.flatnonzero((gain > 0) & compared.apart(known[row], added[column]))
    order = likely[np.lexsort((-gain[likely], column[likely]))]
    rank = np.arange(len(order)) - np.searchsorted(column[order], column[order])
    kept = order[rank < BUDGET]
    return _in_order([(known[row[kept]], added[column[kept]], shares[kept])])


def _better(
    compared: _ComparedQuestions,
    best: Ints,
    twice: NDArray[np.float64],
    row: Ints,
    column: Ints,
    shares: NDArray[Any],
) -> tuple[Ints, Ints]:
    """The r⁺ whose ``best`` is now another: an r⁻ of these pairs, which are in order."""
    scores = shares + compared.cosines(row, column)
    i, _, most = highest(row, column, scores)
    highest_of = np.zeros(len(best))
    highest_of[i] = np.maximum(most, twice[i])
    first = scores >= highest_of[row] - 2 * TIE
    i, at = np.unique(row[first], return_index=True)
    j = column[first][at]
    new = (twice[i] < highest_of[i] - 2 * TIE) | (j < best[i])
    return i[new], j[new]


_NO_PAIRS: tuple[Ints, Ints, NDArray[Any]] = (
    np.empty(0, np.int64),
    np.empty(0, np.int64),
    np.empty(0, np.float32),
)


def _in_order(found: list[tuple[Ints, Ints, NDArray[Any]]]) -> tuple[Ints, Ints, NDArray[Any]]:
    row, column, shares = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((column, row))
    return row[order], column[order], shares[order]


def _blocks(count: int, width: int, most: int = _BLOCK) -> Iterator[slice]:
    """Slices of so many numbers, each with at most so many pairs; none where there are no pairs."""
    size = max(1, most // max(width, 1))
    for start in range(0, count if width else 0, size):
        yield slice(start, start + size)
