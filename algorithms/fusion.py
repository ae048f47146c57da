"""Fusing ranked lists."""

from __future__ import annotations

from collections.abc import Sequence

RANK_CONSTANT = 5
# The weight of what edges lead to, against 1 for a retriever that is good by itself.
WALK_WEIGHT = 0.3


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], weights: Sequence[float], k: float = RANK_CONSTANT
) -> list[tuple[str, float]]:
    """Ids with their fused scores Σ_i w_i / (k + rank_i), best first, ties by id.

    ``rankings`` are lists of ids, best first. Cormack, Clarke and Büttcher 2009 use k = 60, which
    flattens the top of the lists: with two retrievers of unlike quality the fusion then falls below
    the better one. The smaller constant keeps it at or above both (docs/retrieval.md).
    """
    scores: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, id in enumerate(ranking, start=1):
            scores[id] = scores.get(id, 0.0) + weight / (k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def score_fusion(
    rankings: Sequence[Sequence[tuple[str, float]]], weights: Sequence[float]
) -> list[tuple[str, float]]:
    """Ids with Σ_i w_i·½(s_i/best_i + (k + 1)/(k + rank_i)), best first, ties by id, k = 5.

    ``rankings`` have scores s ≥ 0. Ranks alone do not tell by how much the first is ahead, nor that
    a list hardly tells its passages apart; scores alone (a convex combination, Bruch, Gai and
    Ingber 2023, arXiv 2210.11934) let one list outweigh the other where it has an outlier.
    """
    scores: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        best = max((score for _, score in ranking), default=0.0) or 1.0
        for rank, (id, score) in enumerate(ranking, start=1):
            told = (score / best + (RANK_CONSTANT + 1) / (RANK_CONSTANT + rank)) / 2
            scores[id] = scores.get(id, 0.0) + weight * told
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def fuse_behind(
    lead: Sequence[str], rankings: Sequence[Sequence[str]], weights: Sequence[float]
) -> list[str]:
    """The ids of ``lead`` in their order, then the other ids by ``reciprocal_rank_fusion``."""
    fused = reciprocal_rank_fusion(rankings, weights)
    return [*lead, *(id for id, _ in fused if id not in lead)]
