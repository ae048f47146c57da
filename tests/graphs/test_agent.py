"""The agent: it reads in turns, looks for what is missing, and keeps to its budgets."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from ragraphs import AgentContext, RouterContext, agent_graph, basic_graph, router_graph
from ragraphs.index.tools import TOOLS
from ragraphs.prompts.agent_replies import TOOL_NAMES
from ragraphs.state.found import NOTHING
from scripted_model import FACT, MODEL, QUESTION, TEXTS, Script

BORN = "John Fowler was born in Sheffield in 1817."
CHAIN = "Where was the designer of the Forth Bridge born?"
NOTHING_FOUND = {"from": [], "sufficient": False, "answer": "", "missing": [CHAIN]}
NUMBERED = re.compile(r"^(\d+\.\d+) (.*)$", re.MULTILINE)


def context(index: str, **settings: Any) -> AgentContext:
    return AgentContext(**{"index": index, "model": MODEL, "top_k": 1, **settings})


def number_of(human: str, sentence: str) -> str:
    """The number of a sentence in a prompt."""
    return next(number for number, text in NUMBERED.findall(human) if text.strip() == sentence)


def turns(script: Script, *replies: Any) -> None:
    """The replies of the turns, the last one for all that follow."""
    waiting = list(replies)

    def reply(human: str) -> Any:
        turn = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return turn(human) if callable(turn) else turn

    script.replies["AgentTurn"] = reply


def looks(*uses: tuple[str, str], keep: str = "") -> Any:
    """A turn that keeps a sentence, if any, and uses tools."""
    return lambda human: {
        **NOTHING_FOUND,
        "from": [number_of(human, keep)] if keep else [],
        "next": [{"tool": tool, "query": query} for tool, query in uses],
    }


def concludes(answer: str, *sentences: str) -> Any:
    return lambda human: {
        "from": [number_of(human, one) for one in sentences],
        "sufficient": True,
        "answer": answer,
    }


def test_the_tools_of_the_prompt_are_those_of_an_index() -> None:
    assert set(TOOL_NAMES) == set(TOOLS)


def test_the_first_texts_may_suffice(full_index: str, script: Script) -> None:
    turns(script, concludes("John Fowler", FACT))
    found = agent_graph.invoke({"question": QUESTION}, context=context(full_index))
    assert (found["answer"], found["sufficient"], found["stop_reason"]) == (
        "John Fowler",
        True,
        "answered",
    )
    assert [one["quote"] for one in found["citations"]] == [FACT]
    assert script.kinds == ["AgentTurn"] and found["actions"] == []


def test_what_is_missing_is_looked_for_and_no_text_is_read_twice(
    full_index: str, script: Script
) -> None:
    turns(
        script,
        looks(("search_words", "Fowler"), ("look_up", "John Fowler"), keep=FACT),
        looks(("search_meaning", "bridge storm"), ("walk", "1"), keep=BORN),
        concludes("Sheffield", FACT, BORN),
    )
    found = agent_graph.invoke({"question": CHAIN}, context=context(full_index))
    assert (found["answer"], found["sufficient"]) == ("Sheffield", True)
    assert {one["quote"] for one in found["citations"]} == {FACT, BORN}
    used = [(one["turn"], one["tool"], one["new"]) for one in found["actions"]]
    assert used[:2] == [(1, "search_words", 1), (1, "look_up", 0)]
    prompts = script.prompts("AgentTurn")
    assert len(prompts) == 3
    shown = Counter(text for prompt in prompts for _, text in NUMBERED.findall(prompt))
    second = {title: text.split(". ")[1] for title, text in TEXTS.items()}
    assert all(shown[text] <= 1 for text in second.values())
    assert shown[FACT] == 3 and shown[BORN] == 2  # they were kept
    assert "John Fowler was born" in prompts[1].partition("look_up: John Fowler")[2]
    assert found["usage"]["retrievals"] >= 5


@pytest.mark.parametrize(
    ("limits", "calls", "reason"), [({"max_steps": 4}, 4, "steps"), ({"max_calls": 5}, 3, "budget")]
)
def test_the_turns_end_within_their_budget(full_index, script, limits, calls, reason):
    number = iter(range(100))
    turns(script, lambda human: looks(("search_words", f"Sheffield {next(number)}"))(human))
    script.replies["AgentTurn"] = lambda human: {
        **NOTHING_FOUND,
        "next": [{"tool": "read", "query": "1"}, {"tool": "search_words", "query": next(words)}],
    }
    words = iter(["Fowler", "Tay", "훈민정음", *map(str, range(50))])
    found = agent_graph.invoke({"question": CHAIN}, context=context(full_index, **limits))
    assert script.kinds == ["AgentTurn"] * calls
    assert (found["sufficient"], found["stop_reason"]) == (False, reason)
    assert found["missing"] == [CHAIN] and found["evidence"]


def test_turns_that_find_nothing_new_end_the_reading(full_index: str, script: Script) -> None:
    words = (str(number) for number in range(100))
    script.replies["AgentTurn"] = lambda human: {
        **NOTHING_FOUND,
        "next": [{"tool": "search_words", "query": f"nowhere{next(words)}"}],
    }
    found = agent_graph.invoke({"question": CHAIN}, context=context(full_index))
    assert len(script.kinds) == 3
    assert found["stop_reason"] == "insufficient"
    assert "“nowhere0” 0" in found["actions"][0]["told"]


def test_what_a_use_gets_wrong_is_told(full_index: str, script: Script) -> None:
    turns(
        script, looks(("read", "the last one"), ("walk", "99"), ("magic", "Fowler")), NOTHING_FOUND
    )
    found = agent_graph.invoke({"question": CHAIN}, context=context(full_index))
    told = [one["told"] for one in found["actions"]]
    assert "There is no text 'the last one'" in told[0] and "There is no text '99'" in told[1]
    assert found["actions"][2]["tool"] == "search_meaning"


def test_an_answer_that_its_sentences_do_not_support_is_not_sufficient(full_index, script):
    turns(script, concludes("Thomas Bouch", FACT))
    script.replies["Answer"] = {"from": [], "sufficient": False, "answer": "", "missing": []}
    found = agent_graph.invoke({"question": QUESTION}, context=context(full_index))
    assert not found["sufficient"] and found["missing"]


def test_it_goes_on_from_what_was_found_before(full_index: str, script: Script) -> None:
    first = basic_graph.invoke(
        {"question": QUESTION}, context={"index": full_index, "model": MODEL, "top_k": 2}
    )
    held = {
        **NOTHING,
        "evidence": first["evidence"],
        "citations": first["citations"],
        "answers": [{"question": QUESTION, "answer": "John Fowler", "citations": []}],
    }
    turns(script, looks(("search_words", "Sheffield")), concludes("Sheffield", BORN))
    given = context(full_index).starting_from(held)
    found = agent_graph.invoke({"question": CHAIN}, context=given)
    assert found["answer"] == "Sheffield"
    prompt = script.prompts("AgentTurn")[0]
    assert f'title="{QUESTION}"' in prompt and FACT in prompt and "Tay" not in prompt


def test_without_a_model_it_answers_as_basic_does(full_index: str) -> None:
    agent, basic = (
        graph.invoke({"question": QUESTION}, context={"index": full_index, "model": "offline"})
        for graph in (agent_graph, basic_graph)
    )
    for key in ("answer", "citations", "sufficient", "stop_reason", "missing"):
        assert agent[key] == basic[key]


def test_the_router_hands_on_to_it_where_that_is_asked_for(full_index, script):
    script.replies["Answer"] = script.replies["StepReading"] = {
        "from": [], "sufficient": False, "answer": "", "missing": ["Who was his father?"],
    }  # fmt: skip
    turns(script, concludes("John Fowler", FACT))
    paths = []
    for settings in ({}, {"escalations": 3}):
        given = RouterContext(index=full_index, model=MODEL, **settings)
        found = router_graph.invoke({"question": QUESTION}, context=given)
        paths.append([one["method"] for one in found["path"]])
    assert "agent" not in paths[0] and paths[1][-1] == "agent"
    chosen = RouterContext(index=full_index, model=MODEL, method="agent")
    found = router_graph.invoke({"question": QUESTION}, context=chosen)
    assert found["method"] == "agent" and found["details"]["actions"] == []
