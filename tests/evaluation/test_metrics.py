"""EM, F1 and containment by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.evaluation.intervals import mean_of, share_of
from ragraphs.evaluation.metrics import (
    answer_f1,
    containment,
    exact_match,
    f1_at,
    normalised,
    precision_at,
    recall_at,
)


@pytest.mark.parametrize(
    ("answer", "gold", "em", "f1", "contained"),
    [
        ("The U.S.A.", "usa", 1, 1, 1),
        ("John Fowler", "Sir John Fowler", 0, 0.8, 0),
        ("It was designed by John Fowler.", "John Fowler", 0, 0.5, 1),
        ("1890–1895", "1890-1895", 1, 1, 1),
        ("Ｆｏｒｔｈ", "forth", 1, 1, 1),
        ("The The", "the the", 1, 1, 1),
        ("another", "other", 0, 0, 0),
        ("세종대왕이 1446년에 반포하였다.", "1446년", 0, 0, 1),
        ("“세종대왕”", "세종대왕", 1, 1, 1),
        ("대세종대왕", "세종대왕", 0, 0, 0),
        ("東京都です", "東京", 0, pytest.approx(4 / 7), 1),
        ("", "yes", 0, 0, 0),
        ("", "", 0, 0, 0),
    ],
)
def test_an_answer_is_compared_without_case_punctuation_and_articles(
    answer, gold, em, f1, contained
):
    golds = ["something else", gold]
    assert exact_match(answer, golds) == em
    assert answer_f1(answer, golds) == pytest.approx(f1)
    assert containment(answer, golds) == contained


def test_the_best_of_the_golds_counts_and_repeated_words_count_once_each():
    assert answer_f1("to be or not", ["to be", "to be or not to be"]) == pytest.approx(0.8)
    assert answer_f1("New York New York", ["New York"]) == pytest.approx(2 / 3)
    assert (exact_match("x", []), answer_f1("x", []), containment("x", [])) == (0, 0, 0)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=20), st.text(max_size=20))
def test_measures_are_shares_and_a_match_is_the_best_of_all(answer, gold):
    em, f1 = exact_match(answer, [gold]), answer_f1(answer, [gold])
    assert 0 <= em <= f1 <= 1
    assert f1 == pytest.approx(answer_f1(gold, [answer]))
    assert containment(answer, [gold]) >= em
    assert (em == 1) == (normalised(answer) == normalised(gold) != ())


@pytest.mark.parametrize(
    ("ranked", "k", "recall", "precision", "f1"),
    [
        (["a", "x", "b", "y"], 1, 0.5, 1.0, 2 / 3),
        (["a", "x", "b", "y"], 4, 1.0, 0.5, 2 / 3),
        (["x", "y"], 2, 0.0, 0.0, 0.0),
        (["a", "b"], 10, 1.0, 1.0, 1.0),
        ([], 5, 0.0, 0.0, 0.0),
    ],
)
def test_precision_is_of_what_was_found_and_recall_of_what_supports(
    ranked, k, recall, precision, f1
):
    measured = [metric(ranked, frozenset("ab"), k) for metric in (recall_at, precision_at, f1_at)]
    assert measured == pytest.approx([recall, precision, f1])


def test_a_share_has_its_number_and_an_interval_within_bounds():
    assert share_of([]) == mean_of([]) == {"value": None, "n": 0, "low": None, "high": None}
    assert share_of([True, True, True, True]) == {"value": 1.0, "n": 4, "low": 0.5101, "high": 1.0}
    half = mean_of([0.0, 1.0] * 50)
    assert (half["value"], half["n"]) == (0.5, 100)
    assert 0.35 < half["low"] < 0.45 and 0.55 < half["high"] < 0.65
    assert mean_of([0.0, 1.0] * 50) == half
