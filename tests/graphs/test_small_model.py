"""A small model reads, chooses and rewrites; the model itself answers."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from ragraphs.context import RouterContext
from ragraphs.graphs.router import graph
from ragraphs.state.errors import RagraphsError
from scripted_model import FACT, MODEL, QUESTION

SMALL = "openai:small"


@pytest.fixture
def ask(full_index, script):
    def ask_it(*messages: Any, **chosen: Any) -> Any:
        settings = {"index": full_index, "model": MODEL, "small_model": SMALL, **chosen}
        given = {"messages": [*messages, HumanMessage(QUESTION)]}
        return graph.invoke(given, context=RouterContext(**settings))

    return ask_it


@pytest.mark.parametrize(
    ("chosen", "small", "large"),
    [
        ({"method": "basic"}, set(), {"Answer"}),
        ({"method": "crag"}, {"Grades", "Queries"}, {"Answer"}),
        ({"method": "hoprag"}, {"HopLabels"}, {"Answer"}),
        ({"method": "tog2"}, {"RelationScores"}, {"Judgement", "Answer"}),
        ({"method": "deeprag"}, set(), {"NextStep", "StepReading", "Answer"}),
        ({"method": "graphrag", "search": "local"}, set(), {"Answer"}),
        ({"method": "graphrag", "search": "dynamic"}, {"KeptTexts"}, {"Points", "CombinedAnswer"}),
    ],
    ids=["basic", "crag", "hoprag", "tog2", "deeprag", "local", "global"],
)
def test_grading_rewriting_and_traversal_go_to_the_small_model(
    ask, script, tavily, chosen, small, large
):
    words = iter(["related", "needed", "needed", "needed"])
    tavily.pages = [("https://x.example", "Bridges", FACT)]
    script.replies["Judgement"] = {"sufficient": False, "clue": "more"}
    script.replies["Grades"] = lambda human: {next(words): list(range(1, 9))}
    if chosen["method"] == "deeprag":
        script.narrate()
    result = ask(**chosen)
    asked = {kind: script.models(kind) for kind in script.kinds}
    assert {kind for kind, models in asked.items() if models == {"small"}} == small
    assert {kind for kind, models in asked.items() if models == {"stub"}} == large
    used = result["usage"]["models"]
    assert {name.partition(":")[2]: used[name]["calls"] for name in used} == {
        model: sum(one.model == model for one in script.asked)
        for model in set().union(*asked.values())
    }


@pytest.mark.slow
def test_standing_alone_goes_to_the_small_model(ask, script):
    result = ask(HumanMessage("What is the Tay Bridge?"), AIMessage("A bridge."))
    assert script.models("StandAloneQuestion") == {"small"}
    assert script.models("Answer") == {"stub"}
    used = result["usage"]["models"]
    assert (used[SMALL]["calls"], used[MODEL]["calls"]) == (1, 1)
    assert (used[SMALL]["input_tokens"], used[MODEL]["input_tokens"]) == (100, 100)


def test_the_traversal_goes_to_the_small_model(ask, script):
    ask(method="hoprag")
    assert script.models("HopLabels") == {"small"} and script.models("Answer") == {"stub"}


def test_without_a_small_model_the_model_does_all(ask, script):
    result = ask(method="crag", small_model=None)
    assert {asked.model for asked in script.asked} == {"stub"}
    assert set(result["usage"]["models"]) == {MODEL}


def test_a_small_model_that_the_operator_does_not_allow_is_refused(ask, script, monkeypatch):
    from ragraphs.settings import settings

    monkeypatch.setenv("RAGRAPHS_MODELS", f"{MODEL},openai:other")
    settings.cache_clear()
    with pytest.raises(RagraphsError, match="'openai:small' is not allowed here"):
        ask(method="crag")
    assert script.asked == []


def test_the_offline_reader_may_be_the_small_model(ask, script):
    result = ask(method="crag", small_model="offline")
    assert script.kinds == ["Answer"]
    assert set(result["usage"]["models"]) == {MODEL} and result["sufficient"]
