"""The narrative of the deeprag graph: one sub-question after another, given earlier answers."""

from __future__ import annotations

from functools import partial

import pytest
from deeprag_support import CHAIN, DOCUMENTS, MODEL, OLDER, Script, answered, ask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ragraphs.context import DeepragContext
from ragraphs.state.usage import total_calls

QUOTES = [{"id": "1", "quote": "The Atomium was designed by André Waterkeyn."}]
TITLES = {"Atomium", "André Waterkeyn", "Forth Bridge", "John Fowler"}


@pytest.fixture
def model(openai):
    return Script(openai)


@pytest.fixture
def narrate(indexing, model, snapshots):
    snapshots.fill(indexing.name, lambda: indexing.run(documents=DOCUMENTS))
    return partial(ask, indexing, mode="narrative")


@pytest.mark.slow
def test_every_step_is_recorded_with_its_decision_and_what_came_of_it(narrate):
    result = narrate()
    opening, *steps = result["steps"]
    assert (opening["number"], opening["question"], opening["found"]) == (0, OLDER, False)
    assert [(step["question"], step["answer"]) for step in steps] == [c[:2] for c in CHAIN]
    assert [step["number"] for step in steps] == [1, 2, 3, 4]
    evidence = {passage["id"]: passage for passage in result["evidence"]}
    for step in steps:
        assert (step["source"], step["found"]) == ("retrieve", True)
        assert "not known" in step["reason"]
        assert 0 < len(step["passages"]) <= 3 and set(step["passages"]) <= set(evidence)
    assert {passage["found"] for passage in evidence.values()} <= {
        f"sub-question {number}" for number in range(1, 5)
    }
    assert (result["mode"], result["tree"], result["method"]) == ("narrative", [], "deeprag")


@pytest.mark.slow
def test_the_comparison_is_computed_shown_to_the_model_and_cites_every_fact(narrate, model):
    result = narrate()
    assert result["answer"] == "the Forth Bridge"
    assert (result["sufficient"], result["stop_reason"]) == (True, "answered")
    assert {citation["title"] for citation in result["citations"]} == TITLES
    assert "computed" in model.prompts["Synthesize"][0]


@pytest.mark.slow
def test_the_next_sub_question_is_written_given_the_earlier_answers(narrate, model):
    narrate()
    assert OLDER in model.prompts["NextStep"][0]
    assert "André Waterkeyn\n</text>" in model.prompts["StepReading"][1]


def test_the_limit_of_steps_gives_an_answer_from_what_was_found_and_says_so(narrate):
    result = narrate(max_steps=2)
    assert len(result["steps"]) == 3
    assert result["answer"] == "what was found"
    assert result["stop_reason"] == "steps"
    assert any("limit of 2 steps" in warning for warning in result["warnings"])


def test_biased_answers_composition_over_earlier_answers_without_retrieval(narrate, model):
    last = {"finish": False, "source": "parametric", "reason": "compare"}
    model.steps.append({**last, "question": "Who is older, André Waterkeyn or John Fowler?"})
    step = narrate()["steps"][-1]
    assert (step["source"], step["answer"], step["passages"]) == ("earlier", "John Fowler", [])
    assert {citation["title"] for citation in step["citations"]} >= {"John Fowler"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "source"),
    [("biased", "retrieve"), ("retrieve_always", "retrieve"), ("model", "earlier")],
)
def test_a_dated_fact_comes_from_earlier_answers_only_if_the_model_may_say_so(
    narrate, model, policy, source
):
    told = {"finish": False, "source": "earlier", "reason": "I know it"}
    model.steps[1] = {**told, "question": CHAIN[1][0]}
    steps = {step["number"]: step for step in narrate(policy=policy)["steps"]}
    step = steps[2]
    assert step["source"] == source
    assert step["answer"] == ("1917" if source == "retrieve" else "from the steps")
    assert step["reason"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "source", "answer"), [("3 May 1901", "retrieve", ""), ("1817", "earlier", "1817")]
)
def test_biased_looks_up_what_is_neither_computed_nor_part_of_an_earlier_answer(
    narrate, model, monkeypatch, said, source, answer
):
    told = {"finish": False, "source": "earlier", "reason": "I know it"}
    model.steps.append({**told, "question": "When did the older of the two designers die?"})
    monkeypatch.setattr(model, "stepanswer", lambda *_: {"found": True, "answer": said})
    step = narrate()["steps"][-1]
    assert (step["source"], step["answer"]) == (source, answer)
    assert bool(step["passages"]) == (source == "retrieve")


def test_a_question_that_its_own_passages_answer_takes_one_call(narrate, model):
    result = narrate(question=CHAIN[0][0])
    assert (result["answer"], result["sufficient"]) == (CHAIN[0][1], True)
    assert [(step["number"], step["found"]) for step in result["steps"]] == [(0, True)]
    assert model.calls == 1


@pytest.mark.slow
def test_an_answer_to_the_question_itself_that_nothing_supports_is_looked_into(
    narrate, model, monkeypatch
):
    invented = answered("Queen Victoria", [{"id": "1", "quote": "The"}])
    monkeypatch.setattr(model, "read", lambda *_: invented)
    refused = {"unsupported": ["Queen Victoria"], "sufficient": False}
    monkeypatch.setattr(model, "answercheck", lambda *_: refused)
    result = narrate()
    assert result["steps"][0]["found"] is False and len(result["steps"]) == 5


@pytest.mark.slow
def test_a_search_that_finds_nothing_new_is_told_and_the_second_one_is_the_last(narrate, model):
    model.steps = [f"Who painted the {thing} bridge?" for thing in ("Forth", "red", "old", "tall")]
    result = narrate(step_passages=5, retriever="vector")
    assert [step["found"] for step in result["steps"]] == [False] * 4
    assert (result["answer"], model.prompts["Synthesize"]) == ("what was read", [])
    told = "found only texts that were read before"
    assert [told in shown for shown in model.prompts["StepReading"]] == [False, True, True]


@pytest.mark.slow
def test_a_synthesis_without_a_quote_is_not_sufficient(narrate, model, monkeypatch):
    monkeypatch.setattr(model, "synthesize", lambda *_: answered("John Fowler", []))
    result = narrate()
    assert (result["sufficient"], result["stop_reason"]) == (False, "insufficient")
    assert {citation["title"] for citation in result["citations"]} == TITLES


@pytest.mark.slow
def test_a_synthesis_that_no_quote_supports_is_not_sufficient(narrate, model, monkeypatch):
    monkeypatch.setattr(model, "synthesize", lambda *_: answered("Anna Berg", QUOTES))
    result = narrate()
    assert not result["sufficient"] and "Anna Berg" in result["missing"][0]


@pytest.mark.slow
def test_a_step_that_rules_refuse_is_told_as_not_certain(narrate, model, monkeypatch):
    def read(asked, human):
        found = Script.read(model, asked, human)
        return {**found, "answer": "Joseph Strauss"} if asked == CHAIN[0][0] else found

    monkeypatch.setattr(model, "read", read)
    step = narrate()["steps"][1]
    assert (step["answer"], step["doubted"], step["found"]) == ("", "Joseph Strauss", False)
    assert "\n(not certain) Joseph Strauss The texts say: “" in model.prompts["StepReading"][1]


def test_a_sub_question_that_was_asked_before_ends_the_narrative(narrate, model):
    model.steps = ["Who designed the Atomium?", "who designed the atomium"]
    assert len(narrate("When was the designer of the Atomium born?")["steps"]) == 2


@pytest.mark.slow
def test_a_step_that_fails_is_reported_and_the_others_still_answer(narrate, model):
    model.broken.add(CHAIN[1][0])
    result = narrate()
    assert [step["found"] for step in result["steps"][1:]] == [True, False, True, True]
    assert result["answer"] == "what was found"
    assert any(CHAIN[1][0] in warning for warning in result["warnings"])


@pytest.mark.parametrize("most", range(1, 12))
def test_within_any_budget_there_is_still_a_final_answer(narrate, model, most):
    result = narrate(max_calls=most)
    assert total_calls(result["usage"]) <= most
    assert result["answer"] in {"what was read", "what was found", "the Forth Bridge"}
    assert result["stop_reason"] == ("budget" if most < 7 else "answered")


def test_without_any_step_the_question_itself_is_looked_up(narrate, model):
    model.steps = []
    result = narrate()
    assert [step["number"] for step in result["steps"]] == [0]
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


@pytest.mark.slow
@given(replies=st.lists(REPLIES, max_size=12), policy=st.sampled_from(["biased", "model"]))
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_the_model_replies_the_narrative_ends(narrate, model, replies, policy):
    model.steps = replies
    result = narrate(policy=policy, max_steps=3)
    assert len(result["steps"]) <= 4
    assert result["stop_reason"] is not None


@pytest.mark.slow
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
        DeepragContext(max_steps=25)
    assert DeepragContext().max_steps == 10
