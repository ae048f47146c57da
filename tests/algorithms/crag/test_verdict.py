"""The verdict over the grades of passages (CRAG §4.3), and without one of its actions (§5.4)."""

from __future__ import annotations

import pytest
from ragraphs.algorithms.crag.strips import verdict
from ragraphs.context import CragContext

UPPER, LOWER = 0.59, -0.99
CORRECT, BETWEEN, INCORRECT = [0.59, -1.0], [0.58, -1.0], [-1.0, -0.995]


@pytest.mark.parametrize(
    ("without", "drawn"),
    [
        ([], ["correct", "ambiguous", "incorrect", "incorrect"]),
        (["correct"], ["ambiguous", "ambiguous", "incorrect", "incorrect"]),
        (["incorrect"], ["correct", "ambiguous", "ambiguous", "ambiguous"]),
        (["correct", "incorrect"], ["ambiguous"] * 4),
        (["refine", "rewrite", "select"], ["correct", "ambiguous", "incorrect", "incorrect"]),
        (["ambiguous"], ["correct", "correct", "incorrect", "incorrect"]),
    ],
)
def test_a_verdict_that_is_left_out_is_never_drawn(without, drawn):
    scores = [CORRECT, BETWEEN, INCORRECT, []]
    assert [verdict(one, UPPER, LOWER, without) for one in scores] == drawn


@pytest.mark.parametrize(("score", "drawn"), [(-0.2, "correct"), (-0.21, "incorrect")])
def test_without_ambiguous_the_one_threshold_lies_midway(score, drawn):
    assert verdict([score, -1.0], UPPER, LOWER, ["ambiguous"]) == drawn


@pytest.mark.parametrize("also", ["correct", "incorrect"])
def test_ambiguous_cannot_be_left_out_with_another_verdict(also):
    with pytest.raises(ValueError, match="without must leave two verdicts, or ambiguous"):
        CragContext(without=f"ambiguous, {also}")
