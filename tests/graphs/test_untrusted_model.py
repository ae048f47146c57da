"""A model that is not trusted gives no less than none: rules read the passages as without it."""

from __future__ import annotations

from typing import Any

import pytest
from fast_run import fast
from http_stub import Response
from ragraphs.graphs import graph_of
from scripted_model import FACT, MODEL, NOT_FOUND, QUESTION
from stub_openai import chat

OPEN = "Why was the Forth Bridge designed?"
METHODS = ["basic", "crag", "deeprag", "hoprag", "tog2", "graphrag", "agent", "router"]
TAY = "The Tay Bridge was designed by Thomas Bouch."


@pytest.fixture
def tiny(openai, script):
    """A model of few parameters, whose word on what is sufficient does not count."""
    row = {"id": "tiny.gguf", "meta": {"n_params": 134_515_008}}
    openai.documents["/v1/models"] = Response({"data": [row]})
    return script


async def asked(index: str, question: str, method: str = "basic", **chosen: Any) -> Any:
    graph, context_type = graph_of(method)
    context = context_type(**{"index": index, "model": MODEL, "max_retries": 0, **chosen})
    return await graph.ainvoke({"question": question}, context=context)


def marks(result: Any) -> list[str]:
    return [citation["quote"] for citation in result["citations"]]


def told(result: Any) -> bool:
    return any("found by rules" in warning for warning in result["warnings"])


@pytest.mark.parametrize("method", fast(METHODS, "basic", "crag", "router"))
async def test_an_answer_that_rules_are_certain_of_stands_where_the_model_finds_none(
    tiny, full_index, method
):
    tiny.replies["Answer"] = {**NOT_FOUND, "quotes": [{"id": "", "quote": TAY}]}
    tiny.replies["Grades"] = {"related": []}  # all is discarded
    result = await asked(full_index, QUESTION, method)
    without = await asked(full_index, QUESTION, model="offline")
    assert without["sufficient"] and without["answer"] == "John Fowler"
    for key in ("answer", "citations", "sufficient", "stop_reason"):
        assert result[key] == without[key], key
    assert told(result) and not told(without)


async def test_it_stands_in_the_place_of_another_answer_and_costs_no_request(tiny, full_index):
    tiny.replies["Answer"] = lambda human: {**tiny.quoting(human, TAY), "answer": "Thomas Bouch"}
    result = await asked(full_index, QUESTION)
    assert result["answer"] == "John Fowler" and marks(result) == [FACT]
    assert tiny.kinds == ["Answer"]
    assert result["usage"]["models"][MODEL]["calls"] == 1


async def test_it_stands_where_the_model_writes_nothing_of_use(openai, tiny, full_index):
    openai.answer = lambda body: chat("Well …")
    result = await asked(full_index, QUESTION)
    assert (result["answer"], result["stop_reason"]) == ("John Fowler", "answered")


async def test_without_certainty_the_marks_are_those_of_rules_and_what_it_said_is_a_guess(
    tiny, full_index
):
    tiny.replies["Answer"] = lambda human: {**tiny.quoting(human, TAY), "answer": "Thomas Bouch"}
    result = await asked(full_index, OPEN)
    without = await asked(full_index, OPEN, model="offline")
    assert not without["sufficient"] and marks(without)[0] == FACT
    assert marks(result) == marks(without) and result["missing"]
    assert (result["answer"], result["sufficient"]) == ("Thomas Bouch", False)
    assert result["stop_reason"] == "insufficient" and not told(result)


async def test_what_no_passage_speaks_of_is_told_as_without_a_model(tiny, full_index):
    tiny.replies["Answer"] = lambda human: {**tiny.quoting(human, TAY), "answer": "Thomas Bouch"}
    result = await asked(full_index, "Who designed the Golden Gate Bridge?")
    without = await asked(full_index, "Who designed the Golden Gate Bridge?", model="offline")
    assert without["missing"] and result["missing"] == without["missing"]
    assert (result["answer"], result["sufficient"]) == ("", False)


async def test_a_model_that_is_trusted_is_left_as_it_is(script, full_index):
    script.replies["Answer"] = {**NOT_FOUND, "quotes": [{"id": "", "quote": TAY}]}
    result = await asked(full_index, QUESTION)
    assert (result["answer"], result["sufficient"]) == (NOT_FOUND["answer"], False)
    assert marks(result) == [TAY] and not told(result)


async def test_the_text_that_streams_ends_with_the_answer_of_rules(tiny, full_index):
    tiny.replies["Answer"] = lambda human: {**tiny.quoting(human, TAY), "answer": "Thomas Bouch"}
    graph, context_type = graph_of("basic")
    context = context_type(index=full_index, model=MODEL, stream_answer=True)
    given, pieces = {"question": QUESTION}, dict[str, str]()
    async for event in graph.astream(given, context=context, stream_mode="custom"):
        if "text" in event:
            pieces[event["id"]] = pieces.get(event["id"], "") + event["text"]
    assert list(pieces.values()) == ["Thomas Bouch", "John Fowler"]
