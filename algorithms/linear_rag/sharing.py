"""Places among the best passages, shared out among the names and words of a question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from .passage_graph import Floats, PassageGraph, term_shares
from .question import QuestionParts

_TELLS = 0.5
_KEPT = 3
_SHARED = 20
_NEW = np.float32(0.5)  # 0.2 to 0.7 find the same; from 1 on, names count too little


def shared_out(scores: Floats, led: Sequence[Floats], words: Sequence[Floats] = ()) -> Floats:
    """``scores`` (P,), of which the fourth to the twentieth best are in another order.

    ``led`` has for each name how far it leads to each passage (P,), ``words`` the share of each
    word in the question where a passage has it, else 0. The next passage p is that of the largest
    √x(p) · (1 + ½·new(p)) · Σ over names of s(p)/(2n + 1): s is the name's share in p, n the sum
    of its shares in the passages before (Sainte-Laguë's seats, as in PM-2, Dang and Croft 2012),
    and new the share of the words that p has and none before. So a comparison is not answered by
    five passages on one of two things, nor a question of two parts by five on one of them.

        shared_out(np.array([5, 4, 3, 2, 1], np.float32), [of_first_name, of_second_name])
    """
    names = led if len(led) > 1 else ()
    if not len(names) and not len(words):
        return scores
    best = np.argsort(-scores, kind="stable")[:_SHARED]
    shares = np.stack(names or [np.ones_like(scores)])[:, best]
    shares += np.float32(1e-9)  # of what no name leads to all have as much
    shares /= shares.sum(axis=0)
    of_words = np.stack(words or [np.zeros_like(scores)])[:, best]
    worth = np.sqrt(scores[best])
    order, left = [*range(len(best))][:_KEPT], [*range(len(best))][_KEPT:]
    while left:
        taken = shares[:, order].sum(axis=1, keepdims=True) if len(names) else np.float32(0)
        new = of_words[of_words[:, order].max(axis=1) == 0][:, left].sum(axis=0)
        seats = (shares[:, left] / (2 * taken + 1)).sum(axis=0)
        order.append(left.pop(int((worth[left] * (1 + _NEW * new) * seats).argmax())))
    shared = scores.copy()
    shared[best[order]] = scores[best]
    return shared


def words_of(graph: PassageGraph, words: Iterable[str]) -> list[Floats]:
    """Each word's share of the idf of all ``words`` where a passage has it, else 0: (P,)."""
    found = []
    for where, share in term_shares(graph, words):
        found.append(np.zeros(graph.passages, dtype=np.float32))
        found[-1][graph.sentence_passage[where]] = share
    return found


def names_of(graph: PassageGraph, question: QuestionParts) -> tuple[list[Floats], Floats]:
    """Weight · rarity of the entities (E,) of each name in ``question`` that tells, and the rest.

    A name tells where that is at least a half. Where less than two do, all are the rest.
    """
    names = dict[tuple[int, int], Floats]()
    for seed in question.seeds:
        place = seed.start, seed.end
        of_name = names.setdefault(place, np.zeros(graph.entities, dtype=np.float32))
        of_name[seed.entity] += seed.weight * graph.rarity[seed.entity]
    telling = [name for name in names.values() if name.max() >= _TELLS]
    telling = telling if len(telling) > 1 else []
    others = np.zeros(graph.entities, dtype=np.float32)
    for name in names.values():
        if not any(name is each for each in telling):
            others += name
    return telling, others
