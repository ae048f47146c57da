"""Edge merging (HopRAG) by candidates: its cost follows the number of questions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .edges import Pairs, highest
from .keyword_index import Floats, Ints, KeywordIndex, Keywords
from .neighbours import Neighbours

BUDGET = 512  # entries of keyword lists that are read for a question


@dataclass(frozen=True)
class AskedOften:
    """Questions of one direction, of which passages may ask the same one.

    ``passages`` (m,) is the vertex of each question, ascending, ``texts`` (m,) the number of its
    text among the ``count`` distinct ones.
    """

    passages: Ints
    texts: Ints
    count: int


class Candidates:
    """The in-coming questions that an out-coming one may lead to, found without reading all.

    ``keywords`` and ``neighbours`` are of the distinct texts of ``incoming``.

    >>> candidates = Candidates(incoming, keywords, neighbours)
    >>> pairs = candidates.best(outgoing, batches)
    """

    def __init__(
        self, incoming: AskedOften, keywords: KeywordIndex, neighbours: Neighbours
    ) -> None:
        self._passages = incoming.passages
        self._keywords = keywords
        self._neighbours = neighbours
        self._first, self._second = _first_two(incoming)

    def best(self, outgoing: AskedOften, batches: Iterable[tuple[Floats, Keywords]]) -> Pairs:
        """The edge s → t* of each out-coming question r⁺ (HopRAG eq. 1), where it has one.

        ``batches`` are the vectors (any, d) and keywords of the distinct texts of ``outgoing``, in
        their order. Compared are the questions that share its rarest keywords and those nearest by
        their vectors; of these the best is taken as ``best_incoming`` says.
        """
        found = [self._two_best(*batch) for batch in batches] if len(self._first) else []
        if not found:
            none = np.empty(0, np.int64)
            return Pairs(none, none, np.empty(0, np.float32))
        best = np.concatenate([numbers for numbers, _ in found], axis=1)
        twice = np.concatenate([scores for _, scores in found], axis=1)
        own = self._passages[best[0, outgoing.texts]] == outgoing.passages
        row = np.where(own & (best[0, outgoing.texts] >= 0), 1, 0)
        incoming = best[row, outgoing.texts]
        outs = np.flatnonzero(incoming >= 0)
        similarity = (twice[row, outgoing.texts][outs] / 2).astype(np.float32)
        return Pairs(outs, incoming[outs], similarity)

    def _two_best(self, vectors: Floats, keywords: Keywords) -> tuple[Ints, Floats]:
        """The best in-coming question of each, and the best of another passage than that one.

        Returns their numbers, −1 where there is none, and J + cos; each of shape (2, questions).
        """
        sharing, sharers, _ = self._keywords.overlaps(keywords, BUDGET)
        near, neighbours = self._neighbours.nearest(vectors)
        count = len(self._first)
        pairs = np.unique(np.concatenate([sharing * count + sharers, near * count + neighbours]))
        places, texts = np.divmod(pairs, max(count, 1))
        cosines = np.clip(self._neighbours.cosines(vectors, places, texts), -1, 1)
        twice = self._keywords.jaccards(keywords, places, texts) + cosines
        places, twice = np.repeat(places, 2), np.repeat(twice, 2)
        numbers = np.stack([self._first[texts], self._second[texts]], axis=1).ravel()
        best = np.full((2, len(vectors)), -1, dtype=np.int64)
        scores = np.zeros((2, len(vectors)), dtype=np.float32)
        passages = np.full(len(vectors), -1, dtype=np.int64)
        for row in range(2):
            allowed = numbers >= 0
            allowed[allowed] &= self._passages[numbers[allowed]] != passages[places[allowed]]
            i, j, _ = highest(places[allowed], numbers[allowed], twice[allowed])
            best[row, i] = j
            scores[row, i] = _scores_of(i, j, places, numbers, twice)
            passages[i] = self._passages[j]
        return best, scores


def _scores_of(i: Ints, j: Ints, places: Ints, numbers: Ints, scores: NDArray[Any]) -> NDArray[Any]:
    """The score of each pair (i, j), which is among (places, numbers)."""
    chosen = np.full(int(places.max(initial=0)) + 1, -1, dtype=np.int64)
    chosen[i] = j
    at = np.flatnonzero((numbers == chosen[places]) & (numbers >= 0))
    return scores[at]


def _first_two(asked: AskedOften) -> tuple[Ints, Ints]:
    """The lowest question of each text, and its lowest one of another passage, −1 without one."""
    numbers = np.arange(len(asked.texts))
    first = np.full(asked.count, -1, dtype=np.int64)
    first[asked.texts[::-1]] = numbers[::-1]
    others = asked.passages != asked.passages[first[asked.texts]]
    second = np.full(asked.count, -1, dtype=np.int64)
    second[asked.texts[others][::-1]] = numbers[others][::-1]
    return first, second
