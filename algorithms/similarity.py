"""Similarity of two texts by keywords and vectors."""

from __future__ import annotations

from collections.abc import Set as AbstractSet


def jaccard(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """J(a, b) = |a ∩ b| / |a ∪ b| in [0, 1], with J(∅, ∅) = 0."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def hybrid_similarity(k_a: AbstractSet[str], k_b: AbstractSet[str], cosine: float) -> float:
    """SIM(a, b) = (J(k_a, k_b) + cos(v_a, v_b)) / 2, HopRAG eq. 1."""
    return (jaccard(k_a, k_b) + cosine) / 2
