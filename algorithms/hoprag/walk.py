"""Retrieve, reason, prune: the walk from passage to passage along edges (HopRAG).

SIM (eq. 1) is ``EdgeIndex.similarity``, IMP is ``importance`` and H is ``helpfulness``.

The walk's state is plain: ``counts``, the arrivals at each passage by its id, and ``frontier``, the
ids of the passages found in the last round, in the order they were found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ..fusion import RANK_CONSTANT

Label = Literal["necessary", "indirect", "irrelevant"]

_RANK: dict[Label, int] = {"necessary": 2, "indirect": 1, "irrelevant": 0}


def start(targets: Sequence[str]) -> tuple[dict[str, float], list[str]]:
    """Counts and frontier at first: ``targets`` are the ends of the top_k edges, best edge first.

    Every edge is an arrival, so a passage that two of them lead to has count 2.
    """
    counts: dict[str, float] = {}
    for target in targets:
        counts[target] = counts.get(target, 0) + 1
    return counts, list(counts)


def choose(labels: Mapping[int, Label], similarities: Mapping[int, float]) -> int | None:
    """The edge to follow from a passage, or None.

    ``similarities`` are SIM(edge, q) of its out-edges by their numbers. *Relevant and necessary*
    edges ("necessary") go before *indirectly relevant* ones ("indirect"), *completely irrelevant*
    ones and those without a label are not followed; ties go by SIM, then by the lowest number.
    """
    ranks = {edge: _RANK[labels.get(edge, "irrelevant")] for edge in similarities}
    worthy = [edge for edge, rank in ranks.items() if rank]
    return min(worthy, key=lambda edge: (-ranks[edge], -similarities[edge], edge), default=None)


def choose_by_similarity(similarities: Mapping[int, float]) -> int | None:
    """The out-edge with the highest SIM(edge, q), ties by number: HopRAG without a model."""
    return min(similarities, key=lambda edge: (-similarities[edge], edge), default=None)


def advance(
    counts: Mapping[str, float],
    frontier: Sequence[str],
    chosen: Mapping[str, str | None],
    limit: int,
    worths: Mapping[str, float] | None = None,
) -> tuple[dict[str, float], list[str]]:
    """Counts and frontier after a round in which each frontier passage hops to ``chosen``.

    A new passage enters with count 1 and joins the next frontier, unless there are ``limit``
    passages, which is (n_hop + 1)·top_k; a known one gets +1 and is not expanded again. The
    hop of a passage counts its worth, if ``worths`` are given. The frontier keeps its order; a
    passage without a choice hops nowhere.
    """
    counts = dict(counts)
    found: list[str] = []
    for passage in frontier:
        target = chosen.get(passage)
        if target is None or (target not in counts and len(counts) >= limit):
            continue
        if target not in counts:
            counts[target] = 0
            found.append(target)
        counts[target] += 1 if worths is None else worths[passage]
    return counts, found


def entry_worths(passages: Sequence[str]) -> dict[str, float]:
    """Worth of each first passage by its rank, (k + 1) / (k + rank) in (0, 1]; not in the paper."""
    k = RANK_CONSTANT
    return {passage: (k + 1) / (k + rank) for rank, passage in enumerate(passages, start=1)}


def importance(counts: Mapping[str, float]) -> dict[str, float]:
    """IMP_i = count_i / Σ_j count_j in (0, 1] (HopRAG)."""
    whole = sum(counts.values())
    return {passage: count / whole for passage, count in counts.items()}


def helpfulness(
    similarities: Mapping[str, float], importances: Mapping[str, float]
) -> dict[str, float]:
    """H_i = (SIM(v_i, q) + IMP_i) / 2 in [−0.25, 1] of every passage that was reached (HopRAG)."""
    return {passage: (similarities[passage] + share) / 2 for passage, share in importances.items()}


def prune(scores: Mapping[str, float], top_k: int) -> list[tuple[str, float]]:
    """The ``top_k`` passages with the highest H and their H, best first, ties by id."""
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:top_k]
