"""With ``confirm_plan`` a person sees DeepRAG's sub-questions before they are looked up."""

from __future__ import annotations

from typing import Any

import pytest
from deeprag_support import CHAIN, DOCUMENTS, MODEL, OLDER, Script
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.deeprag.sub_questions import references
from ragraphs.context import DeepragContext, RouterContext
from ragraphs.graphs.deeprag import graph as deeprag
from ragraphs.graphs.router import graph as router
from ragraphs.nodes.deeprag.confirm import confirmed_plan
from resumed_runs import Asking

PARTS = [CHAIN[0][0], "When was #1 born?", CHAIN[2][0], "When was #3 born?"]


@pytest.fixture
def model(openai):
    script = Script(openai)
    script.splits[OLDER] = PARTS
    return script


@pytest.fixture(params=["deeprag", "router"])
def asking(request, indexing, model, snapshots):
    """The deeprag graph alone, or inside the router."""
    snapshots.fill(indexing.name, lambda: indexing.run(documents=DOCUMENTS))

    def open_it(mode: str, **chosen: Any) -> Asking:
        settings = {"index": indexing.name, "model": MODEL, "mode": mode, "confirm_plan": True}
        if request.param == "deeprag":
            return Asking(deeprag, DeepragContext(**settings, **chosen), OLDER)
        return Asking(router, RouterContext(**settings, **chosen, method="deeprag"), OLDER)

    return open_it


def shown(stopped: Any) -> list[str]:
    """The sub-questions that a run stopped with."""
    [one] = stopped["__interrupt__"]
    return list(one.value["questions"])


def of(result: Any, key: str) -> Any:
    """A key of deeprag's output, which the router has among the details."""
    return result["details"][key] if "details" in result else result[key]


def asked(result: Any) -> list[str]:
    """The sub-questions that were looked up, or answered from earlier ones."""
    steps = [step["question"] for step in of(result, "steps") if step["number"]]
    return steps or [one["question"] for one in of(result, "tree") if one["parent"]]


def test_the_parts_are_shown_before_any_is_looked_up(asking, model):
    stopped = asking("tree").begin()
    assert shown(stopped) == PARTS
    assert stopped["__interrupt__"][0].value["message"] == "Look up these sub-questions?"
    assert not model.prompts["Read"]


@pytest.mark.slow
def test_a_yes_looks_them_up_and_nobody_is_asked_again(asking, model):
    run = asking("tree")
    run.begin()
    result = run.resume(True)
    assert "__interrupt__" not in result and result["answer"] == "the Forth Bridge"
    assert asked(result) == [question for question, _, _ in CHAIN]
    assert len(model.prompts["SubQuestions"]) == 1


@pytest.mark.slow
def test_a_person_may_edit_remove_and_add_parts(asking):
    run = asking("tree")
    run.begin()
    result = run.resume(["When was #2 born?", CHAIN[2][0], "How many live in Brussels?"])
    assert asked(result) == [CHAIN[2][0], CHAIN[3][0], "How many live in Brussels?"]
    assert {one["status"] for one in of(result, "tree") if one["parent"]} <= {
        "answered",
        "not_found",
    }


@pytest.mark.slow
def test_one_part_is_enough(asking):
    run = asking("tree")
    run.begin()
    assert asked(run.resume([CHAIN[0][0]])) == [CHAIN[0][0]]


@pytest.mark.parametrize("said", [False, "아니요", []])
def test_without_a_yes_the_question_is_looked_up_as_it_stands(asking, model, said):
    run = asking("tree")
    run.begin()
    result = run.resume(said)
    assert asked(result) == [] and "not confirmed" in " ".join(result["warnings"])
    assert any(OLDER in prompt for prompt in model.prompts["Read"])


@pytest.mark.parametrize(
    "said", ["perhaps", 3, {"yes": 1}, ["When was #7 born?"], [PARTS[0], PARTS[0]], [OLDER], [" "]]
)
def test_an_unclear_reply_is_no_consent(asking, said):
    run = asking("tree")
    run.begin()
    result = run.resume(said)
    assert asked(result) == [] and "unclear" in " ".join(result["warnings"])


@pytest.mark.slow
def test_each_step_is_shown_before_it_is_looked_up(asking, model):
    run = asking("narrative")
    stopped = run.begin()
    for question, _, _ in CHAIN:
        assert shown(stopped) == [question]
        assert question not in "".join(model.prompts["StepReading"])
        stopped = run.resume("yes")
    assert "__interrupt__" not in stopped and stopped["answer"] == "the Forth Bridge"
    assert asked(stopped) == [question for question, _, _ in CHAIN]


@pytest.mark.slow
def test_a_person_may_write_another_step(asking):
    run = asking("narrative")
    run.begin()
    stopped = run.resume([f" {CHAIN[2][0]} "])
    while "__interrupt__" in stopped:
        stopped = run.resume(True)
    assert asked(stopped)[0] == CHAIN[2][0]


@pytest.mark.slow
@pytest.mark.parametrize(("said", "why"), [("n", "not confirmed"), (["a", "b"], "unclear")])
def test_without_a_yes_the_narrative_ends_with_what_is_known(asking, said, why):
    run = asking("narrative")
    run.begin()
    run.resume(True)
    result = run.resume(said)
    assert asked(result) == [CHAIN[0][0]] and why in " ".join(result["warnings"])


def test_a_question_that_is_not_split_is_not_shown(asking, model):
    model.splits.clear()
    assert "__interrupt__" not in asking("tree").begin()


TEXTS = st.sampled_from([*PARTS, OLDER, "", " ", "When was #2 born?", "Is #9 tall?", "Why #1 #2?"])


@given(st.none() | st.booleans() | st.integers() | TEXTS | st.lists(TEXTS | st.none(), max_size=7))
def test_a_plan_that_is_allowed_refers_only_to_what_stands_before(said):
    plan = confirmed_plan(said, PARTS, OLDER, 5)
    assert plan is None or len(plan) <= 5
    for place, part in enumerate(plan or ()):
        assert all(number <= place for number in references(part.text)) and part.text != OLDER
    if isinstance(said, list) and plan is not None:
        assert len(plan) == len(said)
