"""The verdict over the grades of passages (CRAG §4.3)."""

from __future__ import annotations

import pytest
from ragraphs.algorithms.crag.strips import verdict


@pytest.mark.parametrize(
    ("scores", "drawn"),
    [
        ([0.59, -1.0], "correct"),
        ([0.58, -1.0], "ambiguous"),
        ([-1.0, -0.995], "incorrect"),
        ([], "incorrect"),
    ],
)
def test_the_best_score_against_two_thresholds_decides(scores, drawn):
    assert verdict(scores, 0.59, -0.99) == drawn
