"""Places among the best passages, shared out among the names in a question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .passage_graph import Floats, PassageGraph
from .question import QuestionParts

_TELLS = 0.5
_KEPT = 3
_SHARED = 20


def shared_out(scores: Floats, led: Sequence[Floats]) -> Floats:
    """``scores`` (P,), of which the fourth to the twentieth best are in another order.

    ``led`` has for each name how far it leads to each passage (P,). The next passage p is that of
    the largest √x(p) · Σ over names of s(p)/(2n + 1): s is the name's share in p, and n the sum of
    its shares in the passages before (Sainte-Laguë's seats, as in PM-2, Dang and Croft 2012). So
    a comparison is not answered by five passages on one of two things.

        shared_out(np.array([5, 4, 3, 2, 1], np.float32), [of_first_name, of_second_name])
    """
    if len(led) < 2:
        return scores
    best = np.argsort(-scores, kind="stable")[:_SHARED]
    shares = np.stack(led)[:, best] + np.float32(1e-9)  # of what no name leads to all have as much
    shares /= shares.sum(axis=0)
    worth = np.sqrt(scores[best])
    taken = shares[:, :_KEPT].sum(axis=1)
    order, left = [*range(len(best))][:_KEPT], [*range(len(best))][_KEPT:]
    while left:
        gains = worth[left] * (shares[:, left] / (2 * taken[:, None] + 1)).sum(axis=0)
        order.append(left.pop(int(gains.argmax())))
        taken += shares[:, order[-1]]
    shared = scores.copy()
    shared[best[order]] = scores[best]
    return shared


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
