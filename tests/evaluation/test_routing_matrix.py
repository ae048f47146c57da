"""Routing as a decision problem, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.router.decision import PRIOR
from ragraphs.evaluation.routing_matrix import (
    Cell,
    always,
    best_single,
    chosen_by,
    difference,
    escalating,
    fitted_prior,
    halves,
    held_out,
    measured,
    oracle,
    random_choice,
    with_cost,
)


def cell(f1, calls, sufficient=True):
    return Cell(float(f1 == 1), f1, None, calls, 10 * calls, 0.5, sufficient)


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


def test_escalation_adds_costs_until_the_evidence_suffices():
    order = [["basic", "tog2"]] * 3
    found = escalating("escalating", MATRIX, order, 2)
    assert [c.f1 for c in found.cells] == [1.0, 0.8, 0.2]
    assert [c.calls for c in found.cells] == [1, 6, 6]
    assert found.chosen == ["basic", "tog2", "basic"]
    assert [c.calls for c in escalating("none", MATRIX, order, 0).cells] == [1, 1, 1]


def test_what_choosing_costs_is_added():
    chosen = with_cost(chosen_by("router", MATRIX, ["basic"] * 3), [1, 0, 0], [90, 0, 0])
    assert [(c.calls, c.tokens) for c in chosen.cells] == [(2, 100), (1, 10), (1, 10)]


def test_a_difference_comes_with_an_interval_over_the_questions():
    same = always(MATRIX, "basic")
    assert difference(same, same, 0) == {"f1": 0.0, "low": 0.0, "high": 0.0}
    gain = difference(always(MATRIX, "tog2"), same, 0)
    assert gain["f1"] == 0.2 and gain["low"] < 0 < gain["high"]
    assert gain == difference(always(MATRIX, "tog2"), same, 0)


def test_a_fitted_prior_ranks_methods_by_what_they_did_for_a_case():
    cases = [{"single": 1.0}, {"bridge": 1.0}, {"single": 0.5, "bridge": 0.5}]
    prior = fitted_prior(MATRIX, cases)
    assert set(prior) == set(PRIOR)
    assert prior["bridge"] == ("tog2", "basic")
    many = fitted_prior(
        [MATRIX[2]] * 20 + [MATRIX[1]] * 20, [{"single": 1.0}] * 20 + [{"bridge": 1.0}] * 20
    )
    assert (many["single"][0], many["bridge"][0]) == ("basic", "tog2")
    assert many["about"][0] == "tog2"


def test_a_held_out_half_is_answered_by_what_the_other_half_taught():
    matrix = [MATRIX[2], MATRIX[1]] * 30
    cases = [{"single": 1.0}, {"bridge": 1.0}] * 30
    seen = []

    def choose(place, prior):
        seen.append((place, prior))
        return prior[next(iter(cases[place]))][0]

    routed, single = held_out(matrix, cases, choose, 0)
    assert sorted(place for place, _ in seen) == list(range(60))
    one, other = halves(60, 0)
    assert sorted(one + other) == list(range(60)) and len(one) == 30
    priors = {place: prior for place, prior in seen}
    assert priors[other[0]] == fitted_prior([matrix[p] for p in one], [cases[p] for p in one])
    assert measured(routed, matrix)["gap_closed"] == 1.0
    assert set(single.chosen) == {"tog2"}


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_no_choice_is_better_than_the_oracle(rows):
    matrix = [{"basic": cell(a, 1), "tog2": cell(b, 5)} for a, b in rows]
    for strategy in (always(matrix, "basic"), random_choice(matrix), best_single(matrix)):
        assert measured(strategy, matrix)["regret"] >= 0
    assert measured(oracle(matrix), matrix)["regret"] == 0
