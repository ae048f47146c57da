"""Metrics of retrieval, as fractions of 1."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet


def recall_at(ranked: Sequence[str], supporting: AbstractSet[str], k: int) -> float:
    """The share of ``supporting`` (not empty) among the first ``k`` of ``ranked``."""
    return len(supporting & set(ranked[:k])) / len(supporting)


def all_support_at(ranked: Sequence[str], supporting: AbstractSet[str], k: int) -> float:
    """1 if all of ``supporting`` are among the first ``k`` of ``ranked``, else 0."""
    return float(supporting <= set(ranked[:k]))
