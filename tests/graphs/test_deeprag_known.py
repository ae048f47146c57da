"""The deeprag graph under the policy ``model``: steps answered from the model's own knowledge."""

from __future__ import annotations

from functools import partial

import pytest
from deeprag_support import CHAIN, DOCUMENTS, OLDER, Script, ask
from ragraphs.nodes.router.handing import looked_up

KNOWN = {question: answer for question, answer, _ in CHAIN}
FACT = "Who founded Penguin Books?"


@pytest.fixture
def model(openai):
    return Script(openai)


@pytest.fixture
def narrate(indexing, model, snapshots):
    snapshots.fill(indexing.name, lambda: indexing.run(documents=DOCUMENTS))
    return partial(ask, indexing, policy="model")


def sources(result):
    return [step["source"] for step in result["steps"]]


@pytest.mark.slow
def test_what_the_model_is_sure_of_is_not_looked_up_and_the_rest_is(narrate, model):
    question, answer, _ = CHAIN[1]
    model.known = {question: answer}
    result = narrate()
    assert sources(result) == ["retrieve", "known", "retrieve", "retrieve"]
    known = result["steps"][1]
    assert (known["answer"], known["citations"], known["passages"]) == (answer, [], [])
    assert result["answer"] == "the Forth Bridge" and result["usage"]["retrievals"] == 3
    assert (result["sufficient"], result["stop_reason"]) == (False, "insufficient")
    assert any("knows itself, without documents" in warning for warning in result["warnings"])
    assert question not in [one["question"] for one in looked_up(result)]


def test_a_question_that_is_known_whole_is_answered_without_a_search(narrate, model):
    model.known = KNOWN
    result = narrate()
    assert sources(result) == ["known"] * 4
    assert (result["answer"], result["evidence"], result["citations"]) == (
        "the Forth Bridge",
        [],
        [],
    )
    assert result["usage"]["retrievals"] == 0 and not result["sufficient"]
    assert model.prompts["Synthesize"] == model.prompts["StepAnswer"] == []


def test_known_steps_that_nothing_computes_are_put_together_by_the_model(narrate, model):
    model.steps, model.known = ["Who led it first?"], {"Who led it first?": "Allen Lane"}
    result = narrate(question=FACT)
    assert (result["answer"], result["usage"]["retrievals"]) == ("from the steps", 0)
    assert not result["sufficient"] and len(model.prompts["StepAnswer"]) == 1


def test_a_known_answer_to_the_question_itself_is_not_sufficient(narrate, model):
    model.steps, model.known = [FACT], {FACT: "Allen Lane"}
    result = narrate(question=FACT)
    assert (result["answer"], result["sufficient"]) == ("Allen Lane", False)


@pytest.mark.slow
def test_the_word_of_a_trained_model_is_followed(narrate, model):
    first, *others = model.steps
    told = {"finish": False, "reason": "I learnt it", "question": first}
    model.steps = [{**told, "source": "parametric"}, *others]
    result = narrate(policy="trained")
    assert sources(result) == ["known", "retrieve", "retrieve", "retrieve"]
    known = result["steps"][0]
    assert (known["answer"], known["reason"]) == ("perhaps", "I learnt it")
    assert (known["citations"], result["sufficient"]) == ([], False)
    assert len(model.prompts["ClosedBookAnswer"]) == 1 and model.prompts["Read"] == []


@pytest.mark.parametrize("policy", ["biased", "retrieve_always"])
def test_the_word_for_own_knowledge_is_not_followed_otherwise(narrate, model, policy):
    told = {"finish": False, "source": "known", "reason": "I learnt it"}
    model.steps[0] = {**told, "question": CHAIN[0][0]}
    result = narrate(policy=policy)
    assert set(sources(result)) == {"retrieve"} and result["sufficient"]
    assert model.prompts["ClosedBookAnswer"] == []


@pytest.mark.slow
def test_a_guess_is_looked_up(narrate, model):
    result = narrate()
    assert sources(result) == ["retrieve"] * 4 and result["sufficient"]
    assert len(model.prompts["ClosedBookAnswer"]) == 4 and model.prompts["Read"] == []


@pytest.mark.slow
def test_a_model_that_does_not_say_what_it_knows_is_followed_by_a_search(
    narrate, model, monkeypatch
):
    monkeypatch.setattr(model, "closedbookanswer", lambda *_: "no JSON")
    result = narrate()
    assert sources(result) == ["retrieve"] * 4
    assert any("The sub-question is looked up." in warning for warning in result["warnings"])


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["biased", "retrieve_always"])
def test_no_other_policy_asks_what_the_model_knows(narrate, model, policy):
    model.known = KNOWN
    result = narrate(policy=policy)
    assert "known" not in sources(result) and model.prompts["ClosedBookAnswer"] == []


@pytest.mark.parametrize("most", [2, 3, 5, 8])
def test_calls_are_kept_for_the_answer(narrate, model, most):
    model.known = KNOWN
    result = narrate(max_calls=most)
    assert model.calls <= most and result["stop_reason"] in ("budget", "insufficient")


def test_without_a_model_nothing_is_known(narrate):
    result = narrate(model="offline", question=OLDER)
    assert "known" not in sources(result)
