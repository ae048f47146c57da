"""Routing as a decision problem, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.experiments.routing_matrix import (
    Cell,
    always,
    best_single,
    difference,
    handing_over,
    measured,
    oracle,
    random_choice,
    summed,
)


def cell(f1, calls, sufficient=True, misleading=0):
    return Cell(float(f1 == 1), f1, None, calls, 10 * calls, 0.5, float(sufficient), misleading)


MATRIX = [
    {"basic": cell(1.0, 1), "tog2": cell(1.0, 5)},
    {"basic": cell(0.0, 1, False), "tog2": cell(0.8, 5)},
    {"basic": cell(0.2, 1, False), "tog2": cell(0.0, 5, False)},
]


def test_the_oracle_takes_the_best_and_of_equals_the_cheapest():
    best = oracle(MATRIX)
    assert best.chosen == ["basic", "tog2", "basic"]
    found = measured(best, MATRIX)
    assert (found["f1"], found["regret"], found["gap_closed"]) == (0.6667, 0.0, 1.0)
    assert (found["calls"], found["tokens"]) == (pytest.approx(7 / 3, abs=1e-4), 23.3333)
    assert found["chosen"] == {"basic": 2, "tog2": 1}


def test_the_best_single_method_is_the_one_with_the_best_mean_within_the_calls():
    assert best_single(MATRIX).chosen[0] == "tog2"
    assert best_single(MATRIX, 3.0).chosen[0] == "basic"
    assert best_single(MATRIX, 0.5).chosen[0] == "tog2"
    assert measured(always(MATRIX, "tog2"), MATRIX)["gap_closed"] == 0.0
    assert measured(always(MATRIX, "basic"), MATRIX)["gap_closed"] == -3.0
    same = [{"basic": cell(0.5, 1)}]
    assert measured(always(same, "basic"), same)["gap_closed"] is None


def test_random_is_the_mean_over_the_methods():
    found = measured(random_choice(MATRIX), MATRIX)
    assert found["f1"] == 0.5
    assert (found["calls"], found["support_recall"], found["chosen"]) == (3.0, None, {})


def test_answers_of_a_way_that_hands_over_stand_at_the_cost_of_all_it_tried():
    row = MATRIX[1]
    kept = summed(row, ["basic", "tog2"], "basic")
    assert (kept.f1, kept.calls, kept.tokens, kept.seconds) == (0.0, 6, 60, 1.0)
    way = handing_over("cascade", [kept], [["basic", "tog2"]])
    assert (way.name, way.cells, way.chosen) == ("cascade", [kept], ["basic → tog2"])


def test_wrong_answers_that_were_called_sufficient_are_a_share_of_all_and_of_those_called_so():
    row = {"basic": cell(0.0, 1, misleading=1), "tog2": cell(1.0, 5)}
    matrix = [*MATRIX, row]
    found = measured(always(matrix, "basic"), matrix)
    assert (found["sufficient"], found["misleading"]) == (0.5, 0.25)
    assert found["misleading_of_sufficient"] == 0.5
    chance = measured(random_choice(matrix), matrix)
    assert (chance["misleading"], chance["misleading_of_sufficient"]) == (0.125, 0.2)
    none = [{"basic": cell(0.0, 1, False)}]
    assert measured(always(none, "basic"), none)["misleading_of_sufficient"] is None


def test_a_difference_comes_with_an_interval_over_the_questions():
    same = always(MATRIX, "basic")
    assert difference(same, same, 0) == {"f1": 0.0, "low": 0.0, "high": 0.0}
    gain = difference(always(MATRIX, "tog2"), same, 0)
    assert gain["f1"] == 0.2 and gain["low"] < 0 < gain["high"]
    assert gain == difference(always(MATRIX, "tog2"), same, 0)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_no_choice_is_better_than_the_oracle(rows):
    matrix = [{"basic": cell(a, 1), "tog2": cell(b, 5)} for a, b in rows]
    for strategy in (always(matrix, "basic"), random_choice(matrix), best_single(matrix)):
        assert measured(strategy, matrix)["regret"] >= 0
    assert measured(oracle(matrix), matrix)["regret"] == 0
