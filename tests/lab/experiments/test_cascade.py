"""The cascade from scratch: the router's decisions over outcomes of single methods."""

from __future__ import annotations

import pytest

from lab.experiments.cascade import CascadeLimits, course_alone

QUESTION = "Who designed the Forth Bridge?"
PLENTY = CascadeLimits(max_calls=24, escalations=2, web=False)
CITATION = {"passage": "p", "document": "d", "title": "", "start": 0, "end": 4, "quote": "Text"}


def outcome(method, sufficient=False, cited=True, calls=1, missing="Who designed it?"):
    return {
        "answer": "John Fowler" if cited else "",
        "missing": [] if sufficient else [missing],
        "citations": [CITATION] if cited else [],
        "looked_up": [],
        "documents": [],
        "evidence": [],
        "tried": [method],
        "sufficient": sufficient,
        "stop_reason": "answered",
        "calls": calls,
        "reused": 0,
        "tokens": 0,
        "seconds": 0.0,
        "error": "",
    }


def outcomes(**changed):
    methods = ("basic", "crag", "deeprag", "hoprag")
    return {method: changed.get(method) or outcome(method) for method in methods}


def test_where_the_first_method_suffices_no_other_is_tried():
    found = course_alone(QUESTION, outcomes(basic=outcome("basic", sufficient=True)), PLENTY)
    assert found == (["basic"], "basic")


def test_the_next_method_follows_where_something_is_missing_until_one_suffices():
    found = course_alone(QUESTION, outcomes(deeprag=outcome("deeprag", sufficient=True)), PLENTY)
    assert found == (["basic", "deeprag"], "deeprag")
    step = outcome("deeprag", missing="Who built it?")
    after = outcomes(deeprag=step, hoprag=outcome("hoprag", sufficient=True))
    assert course_alone(QUESTION, after, PLENTY) == (["basic", "deeprag", "hoprag"], "hoprag")


def test_no_walk_is_paid_for_where_a_look_up_left_the_same_missing():
    after = outcomes(hoprag=outcome("hoprag", sufficient=True))
    assert course_alone(QUESTION, after, PLENTY) == (["basic", "deeprag"], "deeprag")


def test_where_none_suffices_the_last_answer_with_citations_is_kept():
    assert course_alone(QUESTION, outcomes(), PLENTY).kept == "deeprag"
    nothing = outcome("deeprag", cited=False, missing="Who built it?")
    empty = outcomes(deeprag=nothing, hoprag=outcome("hoprag", cited=False))
    assert course_alone(QUESTION, empty, PLENTY) == (["basic", "deeprag", "hoprag"], "basic")


@pytest.mark.parametrize(
    "limits", [PLENTY._replace(escalations=0), PLENTY._replace(max_calls=1)], ids=str
)
def test_the_limits_of_the_router_hold(limits):
    assert course_alone(QUESTION, outcomes(), limits).tried == ["basic"]


def test_only_methods_with_an_outcome_are_tried():
    part = {name: outcome(name) for name in ("basic", "hoprag")}
    assert course_alone(QUESTION, part, PLENTY).tried == ["basic", "hoprag"]
    assert course_alone(QUESTION, {"crag": outcome("crag")}, PLENTY).tried == ["crag"]


def test_the_web_is_tried_where_there_is_one_and_the_index_has_nothing():
    nothing = {name: outcome(name, cited=False) for name in ("basic", "crag", "hoprag")}
    assert course_alone(QUESTION, nothing, PLENTY).tried == ["basic"]
    assert course_alone(QUESTION, nothing, PLENTY._replace(web=True)).tried == ["basic", "crag"]
