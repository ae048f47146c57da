"""The narrative of the deeprag graph: one sub-question after another, given earlier answers."""

from __future__ import annotations

from functools import partial

import pytest
from deeprag_support import CHAIN, DOCUMENTS, MODEL, Script, ask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ragraphs.context import DeepragContext
from ragraphs.state.usage import total_calls

TITLES = {"Atomium", "André Waterkeyn", "Forth Bridge", "John Fowler"}


@pytest.fixture
def model(openai):
    return Script(openai)


@pytest.fixture
def narrate(indexing, model):
    indexing.run(documents=DOCUMENTS)
    return partial(ask, indexing, mode="narrative")


def test_every_step_is_recorded_with_its_decision_and_what_came_of_it(narrate):
    result = narrate()
    steps = result["steps"]
    assert [(step["question"], step["answer"]) for step in steps] == [c[:2] for c in CHAIN]
    assert [step["number"] for step in steps] == [1, 2, 3, 4]
    evidence = {passage["id"]: passage for passage in result["evidence"]}
    for step in steps:
        assert (step["source"], step["reason"], step["found"]) == (
            "retrieve",
            "not known yet",
            True,
        )
        assert 0 < len(step["passages"]) <= 3 and set(step["passages"]) <= set(evidence)
    assert {passage["found"] for passage in evidence.values()} <= {
        f"sub-question {number}" for number in range(1, 5)
    }
    assert (result["mode"], result["tree"], result["method"]) == ("narrative", [], "deeprag")


def test_the_comparison_is_computed_shown_to_the_model_and_cites_every_fact(narrate, model):
    result = narrate()
    assert result["answer"] == "the Forth Bridge"
    assert (result["sufficient"], result["stop_reason"]) == (True, "answered")
    assert {citation["title"] for citation in result["citations"]} == TITLES
    assert "computed" in model.prompts["Synthesize"][0]


def test_the_next_sub_question_is_written_given_the_earlier_answers(narrate, model):
    narrate()
    assert "None yet." in model.prompts["NextStep"][0]
    assert "André Waterkeyn\n</text>" in model.prompts["NextStep"][1]


def test_the_limit_of_steps_gives_an_answer_from_what_was_found_and_says_so(narrate):
    result = narrate(max_steps=2)
    assert len(result["steps"]) == 2
    assert result["answer"] == "what was found"
    assert result["stop_reason"] == "steps"
    assert any("limit of 2 steps" in warning for warning in result["warnings"])


def test_biased_answers_composition_over_earlier_answers_without_retrieval(narrate, model):
    last = {"finish": False, "source": "parametric", "reason": "compare"}
    model.steps.append({**last, "question": "Who is older, André Waterkeyn or John Fowler?"})
    step = narrate()["steps"][-1]
    assert (step["source"], step["answer"], step["passages"]) == ("earlier", "John Fowler", [])
    assert {citation["title"] for citation in step["citations"]} >= {"John Fowler"}


@pytest.mark.parametrize(
    ("policy", "source"),
    [("biased", "retrieve"), ("retrieve_always", "retrieve"), ("model", "earlier")],
)
def test_a_dated_fact_comes_from_earlier_answers_only_if_the_model_may_say_so(
    narrate, model, policy, source
):
    told = {"finish": False, "source": "earlier", "reason": "I know it"}
    model.steps[1] = {**told, "question": CHAIN[1][0]}
    step = narrate(policy=policy)["steps"][1]
    assert step["source"] == source
    assert step["answer"] == ("1917" if source == "retrieve" else "from the steps")
    assert step["reason"]


def test_a_sub_question_that_was_asked_before_ends_the_narrative(narrate, model):
    model.steps = ["Who designed the Atomium?", "who designed the atomium"]
    assert len(narrate()["steps"]) == 1


def test_a_step_that_fails_is_reported_and_the_others_still_answer(narrate, model):
    model.broken.add(CHAIN[1][0])
    result = narrate()
    assert [step["found"] for step in result["steps"]] == [True, False, True, True]
    assert result["answer"] == "what was found"
    assert any(CHAIN[1][0] in warning for warning in result["warnings"])


@pytest.mark.parametrize("most", range(1, 12))
def test_within_any_budget_there_is_still_a_final_answer(narrate, model, most):
    result = narrate(max_calls=most)
    assert total_calls(result["usage"]) <= most
    assert model.prompts["Synthesize"] and result["answer"]
    assert result["stop_reason"] == ("budget" if most < 11 else "answered")


def test_without_any_step_the_question_itself_is_looked_up(narrate, model):
    model.steps = []
    result = narrate()
    assert result["steps"] == []
    assert {passage["found"] for passage in result["evidence"]} == {"retrieved"}


def test_nothing_in_the_index_is_no_evidence(narrate, model):
    model.steps = ["Zyzzyva?"]
    result = narrate(question="Zyzzyva quokka?", retriever="lexical")
    assert (result["answer"], result["stop_reason"]) == ("", "no_evidence")


REPLIES = st.fixed_dictionaries(
    {"finish": st.booleans() | st.none(), "question": st.text(max_size=20) | st.none()},
    optional={
        "source": st.sampled_from(["retrieve", "earlier", "", "parametric"]) | st.integers(),
        "reason": st.text(max_size=9) | st.none(),
    },
)


@given(replies=st.lists(REPLIES, max_size=12), policy=st.sampled_from(["biased", "model"]))
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_the_model_replies_the_narrative_ends(narrate, model, replies, policy):
    model.steps = replies
    result = narrate(policy=policy, max_steps=3)
    assert len(result["steps"]) <= 3
    assert result["stop_reason"] is not None


def test_offline_a_question_is_narrated_by_its_grammar(narrate):
    asked = "Who was born first, the designer of the Atomium or the designer of the Forth Bridge?"
    result = narrate(question=asked, model="offline")
    assert [step["answer"] for step in result["steps"]] == [
        "André Waterkeyn",
        "1917",
        "John Fowler",
        "1817",
    ]
    assert result["answer"] == "the designer of the Forth Bridge"
    assert MODEL not in result["usage"]["models"]


def test_settings_have_bounds():
    with pytest.raises(ValueError, match="max_steps"):
        DeepragContext(max_steps=11)
    assert DeepragContext().max_steps == 6
