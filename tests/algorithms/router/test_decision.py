"""The mask, the prior and the decision of the router."""

from __future__ import annotations

from typing import get_args

import pytest
from ragraphs.algorithms.router.decision import (
    DESCRIPTIONS,
    KINDS,
    NEEDS,
    PRIOR,
    Features,
    Prior,
    case_probabilities,
    feasible,
    kind_probabilities,
    method_of_label,
    route,
)
from ragraphs.algorithms.router.features import FEATURES, question_features
from ragraphs.context import MethodName
from ragraphs.models.router import KIND_CLASSIFIER
from ragraphs.state.errors import RagraphsError

SHIPPED = Prior(KIND_CLASSIFIER)
ALL = dict.fromkeys(NEEDS, "")


def told_by(**weights):
    """A classifier of one feature for each kind: its weight on that feature."""
    return {
        "features": list(FEATURES),
        "mean": [0.0] * len(FEATURES),
        "scale": [1.0] * len(FEATURES),
        "weights": {k: [weights.get(k, 0.0) * (f == "length") for f in FEATURES] for k in KINDS},
        "bias": dict.fromkeys(KINDS, 0.0),
        "margin": 0.1,
    }


def with_length(length):
    return {**dict.fromkeys(FEATURES, 0.0), "length": length}


def test_every_method_has_needs_a_description_and_a_place_in_every_row():
    assert set(get_args(MethodName)) - {"router"} <= set(NEEDS) == set(DESCRIPTIONS)
    assert set(PRIOR) == {*KINDS, "linked_bridge"}
    assert all(set(row) == set(NEEDS) for row in PRIOR.values())
    assert all(NEEDS[method].calls >= 1 for method in NEEDS)


def test_a_method_without_its_layer_or_budget_is_out_with_a_reason():
    found = feasible(["basic", "crag", "hoprag", "tog2"], {"passages", "hops"}, 10)
    assert (found["basic"], found["crag"], found["hoprag"]) == ("", "", "")
    assert "entities" in found["tog2"] and "--layers entities" in found["tog2"]
    poor = feasible(["basic", "crag"], {"passages"}, 2)
    assert poor["basic"] == ""
    assert poor["crag"] == "crag needs at least 3 calls of a model, and 2 are left."
    assert "--layers communities" in feasible(["graphrag"], {"entities"}, 9)["graphrag"]
    assert "--layers entities,communities" in feasible(["graphrag"], [], 9)["graphrag"]


def test_kinds_are_told_by_softmax_over_the_standardised_features():
    classifier = told_by(bridge=1.0)
    shares = kind_probabilities(with_length(0.0), classifier)
    assert shares == pytest.approx(dict.fromkeys(KINDS, 1 / 7))
    classifier["mean"][-1], classifier["scale"][-1] = 1.0, 2.0
    shares = kind_probabilities(with_length(5.0), classifier)
    assert shares["bridge"] == pytest.approx(7.389 / (7.389 + 6), abs=1e-3)
    assert sum(shares.values()) == pytest.approx(1)


def test_a_certain_kind_gives_halves_to_the_feasible_methods_of_its_row_in_order():
    prior = Prior(told_by(bridge=1.0))
    obstacles = {"hoprag": "no layer", "deeprag": "", "crag": "", "basic": ""}
    decided = route(Features(with_length(1000.0)), obstacles, prior)
    assert decided.scores == {"deeprag": 0.5, "crag": 0.25, "basic": 0.125}
    assert (decided.method, decided.kind, decided.abstained) == ("deeprag", "bridge", False)
    assert "a chain of facts (100%)" in decided.reason


def test_an_uncertain_kind_is_abstained_from_and_a_single_method_is_not():
    prior = Prior(told_by())
    two = {"single": ("basic", "crag"), **dict.fromkeys(list(KINDS)[1:], ("crag", "basic"))}
    even = {kind: two["single" if place % 2 else "fresh"] for place, kind in enumerate(KINDS)}
    decided = route(
        Features(with_length(1.0)), {"basic": "", "crag": ""}, prior._replace(methods=even)
    )
    assert decided.abstained and set(decided.scores) == {"basic", "crag"}
    assert not route(Features(with_length(1.0)), {"basic": ""}, prior).abstained


def test_a_bridge_goes_to_the_entities_where_the_index_knows_its_names():
    prior = Prior(told_by(bridge=1.0))
    asked = with_length(1000.0)
    assert route(Features(asked, True, 0.8), ALL, prior).method == "tog2"
    assert route(Features(asked, False, 0.8), ALL, prior).method == "hoprag"
    assert route(Features(asked), ALL, prior).method == "hoprag"


def test_what_the_index_does_not_seem_to_hold_goes_to_crag():
    prior = Prior(told_by(single=1.0), outside=0.0)
    asked = with_length(1000.0)
    assert route(Features(asked, False, 0.1), ALL, prior).method == "basic"
    outside = Features(asked, False, -0.1)
    assert case_probabilities(outside, prior)["fresh"] == pytest.approx(0.5)
    assert route(outside, {**ALL, "basic": "out"}, prior).method == "crag"
    whole = Prior(told_by(whole_corpus=1.0), outside=0.0)
    assert case_probabilities(outside, whole)["fresh"] < 0.1


def test_without_any_method_the_reasons_are_told():
    with pytest.raises(RagraphsError, match="No method can be used: basic needs"):
        route(Features(with_length(1.0)), feasible(["basic"], [], 0), SHIPPED)


@pytest.mark.parametrize(
    ("label", "obstacles", "settled", "why"),
    [
        (" HopRAG ", {"crag": "", "hoprag": ""}, "hoprag", ""),
        ("magic", {"basic": "", "crag": ""}, "crag", "'magic' is no method. crag was taken"),
        ("tog2", {"crag": "", "tog2": "It needs a layer."}, "crag", "It needs a layer. crag was"),
        ("", {"basic": "", "crag": "No calls."}, "basic", "'' is no method. basic was taken"),
    ],
)
def test_a_label_that_is_no_feasible_method_falls_back_to_crag(label, obstacles, settled, why):
    method, reason = method_of_label(label, obstacles)
    assert method == settled
    assert why in reason and bool(why) == bool(reason)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did the Titanic sink?", "single"),
        ("In what year was the composer of the opera Fidelio's teacher born?", "bridge"),
        ("Who is older, Serena Williams or Venus Williams?", "comparison"),
        ("If the licence ends early, which fees are returned, and how are they paid?", "several"),
        ("What are the main topics across the whole collection?", "whole_corpus"),
        ("Tell me about Captain Ahab.", "about"),
        ("What is the latest exchange rate of the yen right now?", "fresh"),
        ("타이타닉은 언제 침몰했습니까?", "single"),
        ("피델리오를 작곡한 사람의 스승은 어디에서 태어났습니까?", "bridge"),
        ("세리나와 비너스 중 누가 더 나이가 많습니까?", "comparison"),
        ("모든 문서의 전반적인 주제와 경향은 무엇입니까?", "whole_corpus"),
        ("에이해브 선장에 대해 알려 주세요.", "about"),
        ("지금 엔화의 최신 환율은 얼마입니까?", "fresh"),
    ],
)
def test_the_shipped_classifier_tells_clear_questions_in_english_and_korean(question, kind):
    assert route(Features(question_features(question)), ALL, SHIPPED).kind == kind
    assert KIND_CLASSIFIER["features"] == list(FEATURES)
