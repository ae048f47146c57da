"""Similarity of two texts by keywords and vectors."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Number = TypeVar("Number", float, "NDArray[np.floating[Any]]")


def jaccard(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """J(a, b) = |a ∩ b| / |a ∪ b| in [0, 1], with J(∅, ∅) = 0."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def hybrid_similarity(overlap: Number, cosine: Number) -> Number:
    """SIM(a, b) = (J(k_a, k_b) + cos(v_a, v_b)) / 2 in [−0.5, 1] (HopRAG eq. 1).

    ``overlap`` is J of the keyword sets in [0, 1], ``cosine`` the cosine of the embeddings in [−1,
    1]: two numbers, or two arrays with a value for each pair.
    """
    return (overlap + cosine) / 2
