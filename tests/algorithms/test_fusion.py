"""Fusing ranked lists by their scores."""

from __future__ import annotations

from ragraphs.algorithms.fusion import score_fusion


def test_a_list_that_hardly_tells_its_passages_apart_moves_no_clear_first():
    words = [("harbour", 9.0), ("bridge", 3.0)]
    vectors = [("bridge", 0.31), ("harbour", 0.3), ("tower", 0.0)]
    found = score_fusion([words, vectors], [1.0, 0.9])
    assert [id for id, _ in found] == ["harbour", "bridge", "tower"]


def test_a_clear_first_moves_a_list_that_is_in_doubt():
    words = [("harbour", 3.1), ("bridge", 3.0)]
    vectors = [("bridge", 0.6), ("harbour", 0.1), ("tower", 0.0)]
    assert score_fusion([words, vectors], [1.0, 0.5])[0][0] == "bridge"


def test_a_list_that_is_empty_leaves_the_others_order():
    words = [("harbour", 3.0), ("bridge", 1.5)]
    found = score_fusion([words, []], [1.0, 1.0])
    assert found == [("harbour", 1.0), ("bridge", (1 / 2 + 6 / 7) / 2)]
    assert score_fusion([[]], [1.0]) == []


def test_ranks_hold_against_an_outlier():
    words = [("harbour", 30.0), ("bridge", 3.0), ("tower", 2.0)]
    vectors = [("bridge", 0.6), ("tower", 0.5), ("harbour", 0.0)]
    by_scores = {"harbour": 1.0, "bridge": 1.1}
    found = dict(score_fusion([words, vectors], [1.0, 1.0]))
    assert found["bridge"] - found["harbour"] > by_scores["bridge"] - by_scores["harbour"]
