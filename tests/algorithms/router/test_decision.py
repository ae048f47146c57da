"""Methods that begin, methods that go on, and methods that cannot be used."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.router.decision import (
    KINDS,
    LACKS,
    answers_alone,
    feasible,
    first_method,
    kind_probabilities,
    likely_kind,
    next_method,
)
from ragraphs.context import RouterContext
from ragraphs.graphs.methods import METHODS
from ragraphs.state.errors import RagraphsError
from ragraphs.state.found import NOTHING

ALL = dict.fromkeys(METHODS, "")
FACT = {"fact": 1.0, "whole": 0.0, "about": 0.0, "fresh": 0.0}
CITED = {**NOTHING, "citations": [{"passage": "p1"}]}
MISSING = {**CITED, "missing": ["Where was Ann Lee born?"]}
IN_VAIN = {**MISSING, "answers": [{"question": "Where?", "answer": "", "citations": []}]}

shares = st.lists(st.floats(0.01, 1), min_size=len(KINDS), max_size=len(KINDS))
all_kinds = shares.map(
    lambda found: dict(zip(KINDS, [share / sum(found) for share in found], strict=True))
)
all_obstacles = st.fixed_dictionaries(
    {}, optional={method: st.sampled_from(["", "It is out."]) for method in METHODS}
)
all_found = st.sampled_from([NOTHING, CITED, MISSING, IN_VAIN, {**MISSING, "citations": []}])


def taken_for(**kinds):
    rest = (1 - sum(kinds.values())) / (len(KINDS) - len(kinds))
    return {kind: kinds.get(kind, rest) for kind in KINDS}


def methods_tried(kinds, found, obstacles=ALL, web=True, lack="fact"):
    tried = ["basic"]
    while following := next_method(kinds, found, tried, obstacles, web, lack):
        tried.append(following.method)
    return tried[1:]


def needs_of(*names):
    return {name: METHODS[name] for name in names}


def begin_with(kinds, obstacles, web):
    return first_method(kinds, METHODS, obstacles, web)


def test_no_method_needs_more_calls_to_go_on_than_to_begin():
    assert all(1 <= needs.further <= needs.calls for needs in METHODS.values())


def test_a_method_without_its_layer_or_budget_is_out_with_a_reason():
    found = feasible(needs_of("basic", "crag", "hoprag", "tog2"), {"passages", "hops"}, 10)
    assert (found["basic"], found["crag"], found["hoprag"]) == ("", "", "")
    assert "entities" in found["tog2"] and "--layers entities" in found["tog2"]
    poor = feasible(needs_of("basic", "crag"), {"passages"}, 2)
    assert poor["basic"] == ""
    assert poor["crag"] == "crag needs at least 3 calls of a model, and 2 are left."
    assert "--layers communities" in feasible(needs_of("graphrag"), {"entities"}, 9)["graphrag"]
    assert "--layers entities,communities" in feasible(needs_of("graphrag"), [], 9)["graphrag"]


def test_a_method_that_goes_on_from_what_was_found_needs_fewer_calls():
    assert feasible(needs_of("deeprag", "crag"), [], 2, further=True) == {"deeprag": "", "crag": ""}
    assert feasible(needs_of("deeprag"), [], 0, further=True)["deeprag"] == (
        "deeprag needs at least 1 calls of a model, and 0 are left."
    )


def test_kinds_are_told_by_softmax_over_the_standardised_features():
    classifier = {
        "features": ["length"],
        "mean": [1.0],
        "scale": [2.0],
        "weights": {kind: [float(kind == "whole")] for kind in KINDS},
        "bias": dict.fromkeys(KINDS, 0.0),
        "wording": {"=gist": [0.0, 2.0, 0.0, 0.0]},
    }
    assert kind_probabilities({"length": 1.0}, classifier) == pytest.approx(
        dict.fromkeys(KINDS, 1 / 4)
    )
    told = kind_probabilities({"length": 5.0}, classifier)
    assert told["whole"] == pytest.approx(7.389 / (7.389 + 3), abs=1e-3)
    assert sum(told.values()) == pytest.approx(1)
    assert kind_probabilities({"length": 1.0, "=gist": 1.0, "=of": 1.0}, classifier) == told


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [
        (taken_for(whole=0.9), "whole"),
        (taken_for(whole=0.35, about=0.45), "about"),
        (taken_for(fresh=0.9), "fresh"),
        (taken_for(fact=0.3, whole=0.4), "fact"),
        (taken_for(fact=0.2, fresh=0.5), "fact"),
    ],
)
def test_a_question_is_one_of_facts_unless_another_kind_is_likely(kinds, kind):
    assert likely_kind(kinds) == kind


@pytest.mark.parametrize(
    ("kind", "web", "method"),
    [
        ("fact", True, "basic"),
        ("whole", False, "graphrag"),
        ("about", False, "graphrag"),
        ("fresh", True, "crag"),
        ("fresh", False, "basic"),
    ],
)
def test_only_what_passages_cannot_answer_begins_with_more_than_one_call(kind, web, method):
    assert begin_with(taken_for(**{kind: 0.9}), ALL, web).method == method


@pytest.mark.parametrize(
    ("kinds", "follow", "method"),
    [
        (taken_for(whole=0.8), True, "basic"),
        (taken_for(whole=0.4, about=0.4), True, "basic"),
        (taken_for(whole=0.8), False, "graphrag"),
        (taken_for(whole=0.95), True, "graphrag"),
    ],
)
def test_a_search_comes_first_unless_the_question_is_nearly_certain_to_be_broad(
    kinds, follow, method
):
    choice = first_method(kinds, METHODS, ALL, False, follow)
    assert choice.method == method
    assert choice.reason.endswith("one text may answer.") == (method == "basic")


def test_texts_of_several_documents_do_not_end_a_broad_question():
    one, two = [{"document": "a"}] * 2, [{"document": "a"}, {"document": "b"}]
    assert answers_alone(taken_for(whole=0.8), one)
    assert not answers_alone(taken_for(whole=0.8), two)
    assert answers_alone(FACT, two)


def test_what_cannot_be_used_gives_way_to_the_cheapest():
    whole = taken_for(whole=0.9)
    choice = begin_with(whole, {**ALL, "graphrag": "It needs a layer."}, True)
    assert choice.method == "basic"
    assert choice.reason == "Taken for a question about the whole of the documents."
    assert begin_with(FACT, {"deeprag": "", "hoprag": ""}, True).method == "hoprag"
    with pytest.raises(RagraphsError, match="No method can be used: basic needs"):
        begin_with(FACT, feasible(needs_of("basic"), [], 0), True)


def test_what_is_missing_is_looked_up_before_a_walk_and_the_web():
    assert methods_tried(FACT, MISSING) == ["deeprag", "hoprag", "tog2", "crag"]
    assert methods_tried(FACT, MISSING, web=False) == ["deeprag", "hoprag", "tog2"]
    assert next_method(FACT, MISSING, ["basic"], ALL, True).reason == (
        "Still missing: Where was Ann Lee born?"
    )


def test_no_walk_follows_a_look_up_after_which_the_same_is_missing():
    tried, given = ["basic", "deeprag"], (ALL, False, "fact")
    assert next_method(FACT, MISSING, tried, *given, True).method == "hoprag"
    assert next_method(FACT, MISSING, tried, *given, False) is None
    assert next_method(FACT, MISSING, ["basic", "hoprag"], *given, False).method == "deeprag"
    assert next_method(FACT, MISSING, tried, ALL, True, "fact", False).method == "crag"


@pytest.mark.parametrize(
    ("lack", "tried"),
    [
        ("parts", ["deeprag", "hoprag", "tog2"]),
        ("fact", ["deeprag", "hoprag", "tog2"]),
        ("relation", ["tog2", "deeprag", "hoprag"]),
        ("bridge", ["hoprag", "deeprag", "tog2"]),
    ],
)
def test_what_is_missing_decides_which_method_goes_on_first(lack, tried):
    assert methods_tried(FACT, MISSING, web=False, lack=lack) == tried


@pytest.mark.parametrize("lack", ["relation", "bridge"])
@pytest.mark.parametrize(("only", "other"), [("hoprag", "tog2"), ("tog2", "hoprag")])
def test_one_walk_takes_the_place_of_the_other_whose_layer_is_missing(lack, only, other):
    obstacles = {**ALL, other: "It needs a layer."}
    assert methods_tried(FACT, MISSING, obstacles, False, lack) == [only, "deeprag"]


def test_the_agent_is_the_last_way_where_more_is_to_be_tried_than_usual():
    obstacles = dict.fromkeys(METHODS, "")
    tried = ["basic", "deeprag", "hoprag", "tog2"]
    kinds = taken_for(fact=0.97)
    assert next_method(kinds, MISSING, tried, obstacles, False) is None
    further = next_method(kinds, MISSING, tried, obstacles, False, at_length=True)
    assert further is not None and further.method == "agent"


@pytest.mark.parametrize("method", [name for name in METHODS if name != "agent"])
def test_every_method_is_reached_by_default_where_its_layers_are_there(method):
    settings = RouterContext()
    layers = METHODS[method].layers
    reached = set()
    for kind, lack, found in product(KINDS, LACKS, (MISSING, {**MISSING, "citations": []})):
        kinds = taken_for(**{kind: 0.97})
        obstacles = feasible(METHODS, layers, settings.max_calls)
        tried = [first_method(kinds, METHODS, obstacles, True).method]
        further = feasible(METHODS, layers, settings.max_calls - 1, further=True)
        for _ in range(settings.escalations):
            following = next_method(kinds, found, tried, further, True, lack)
            tried += [following.method] if following else []
        reached |= set(tried)
    assert method in reached


def test_what_was_looked_up_in_vain_is_looked_for_on_the_web_before_a_walk():
    tried = ["basic", "deeprag"]
    assert next_method(FACT, IN_VAIN, tried, ALL, True).method == "crag"
    assert next_method(FACT, IN_VAIN, tried, ALL, False).method == "hoprag"


def test_without_passages_to_start_from_there_is_no_walk():
    assert methods_tried(FACT, NOTHING, web=False) == []
    assert methods_tried(FACT, NOTHING) == ["crag"]


def test_a_question_that_may_be_broad_or_fresh_goes_to_its_method_after_all():
    assert methods_tried(taken_for(whole=0.5), MISSING) == ["graphrag"]
    assert methods_tried(taken_for(fresh=0.5), MISSING)[0] == "crag"


@given(all_kinds, all_obstacles, st.booleans())
def test_a_method_with_an_obstacle_never_begins(kinds, obstacles, web):
    usable = [method for method, obstacle in obstacles.items() if not obstacle]
    if not usable:
        with pytest.raises(RagraphsError):
            begin_with(kinds, obstacles, web)
        return
    method = begin_with(kinds, obstacles, web).method
    assert method in usable
    if likely_kind(kinds) == "fact" or (likely_kind(kinds) == "fresh" and not web):
        assert METHODS[method].calls == min(METHODS[one].calls for one in usable)


@given(
    all_kinds,
    all_found,
    st.sets(st.sampled_from([*METHODS])),
    all_obstacles,
    st.booleans(),
    st.sampled_from(LACKS),
)
def test_what_goes_on_has_no_obstacle_was_not_tried_and_never_follows_graphrag(
    kinds, found, tried, obstacles, web, lack
):
    following = next_method(kinds, found, tried, obstacles, web, lack)
    if "graphrag" in tried:
        assert following is None
    elif following is not None:
        assert following.method not in tried and obstacles[following.method] == ""
        assert web or following.method != "crag"
        assert following.reason
