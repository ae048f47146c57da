"""The text of an answer streams to the caller while the model writes it."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from fast_run import fast
from http_stub import Response
from langchain_core.messages import AIMessageChunk, message_chunk_to_message
from ragraphs.context import RouterContext
from ragraphs.graphs import graph_of
from ragraphs.graphs.router import graph as router
from scripted_model import FACT, MODEL, QUESTION
from stub_openai import chat, failure, mode_of, streamed

GIVEN = {"question": QUESTION}


def context_for(method: str, index: str, **chosen: Any) -> tuple[Any, Any]:
    """A method's graph, or the router, and its context."""
    settings = {"index": index, "model": MODEL, "max_retries": 0, **chosen}
    if method.startswith("router"):
        asked = method.partition("-")[2] or "basic"
        return router, RouterContext(**{"method": asked, **settings})
    graph, context_type = graph_of(method)
    return graph, context_type(**settings)


async def follow(graph: Any, context: Any, *modes: str, given: Any = GIVEN) -> dict[str, list[Any]]:
    """Parts that a run streams, by mode."""
    seen: dict[str, list[Any]] = {mode: [] for mode in modes}
    async for mode, part in graph.astream(given, context=context, stream_mode=list(modes)):
        seen[mode].append(part)
    return seen


def pieces_of(events: list[Any]) -> list[Any]:
    return [event for event in events if event["step"] == "answer" and "text" in event]


def added_up(events: list[Any]) -> str:
    """The text of the last answer that was streamed."""
    pieces = pieces_of(events)
    return "".join(piece["text"] for piece in pieces if piece["id"] == pieces[-1]["id"])


ALL = ["basic", "crag", "hoprag", "tog2", "deeprag", "graphrag", "router", "router-graphrag"]


@pytest.mark.parametrize("method", fast(ALL, "deeprag", "graphrag"))
async def test_pieces_arrive_in_order_and_add_up_to_the_answer(openai, script, full_index, method):
    if method == "deeprag":
        script.narrate()
    graph, context = context_for(method, full_index, stream_answer=True)
    seen = await follow(graph, context, "custom", "values")
    pieces, result = pieces_of(seen["custom"]), seen["values"][-1]
    assert len(pieces) > 3 and len({piece["id"] for piece in pieces}) == 1
    assert "".join(piece["text"] for piece in pieces) == result["answer"] != ""
    told = result["method"] if method.startswith("router") else None
    assert {piece.get("method") for piece in pieces} == {told}


@pytest.mark.parametrize("method", fast(ALL, "deeprag", "graphrag"))
async def test_the_mode_messages_streams_the_answer_and_no_json(script, full_index, method):
    if method == "deeprag":
        script.narrate()
    graph, context = context_for(method, full_index)
    seen = await follow(graph, context, "messages", "values")
    chunks = [message for message, _ in seen["messages"] if isinstance(message, AIMessageChunk)]
    said = [message.text for message, _ in seen["messages"] if message.type != "human"]
    result = seen["values"][-1]
    assert len(chunks) > 3 and len({chunk.id for chunk in chunks}) == 1
    assert result["answer"] == FACT and not any("{" in t or "quotes" in t for t in said)
    if method.startswith("router"):
        assert message_chunk_to_message(sum(chunks[1:], chunks[0])) == result["messages"][-1]
    else:
        assert "".join(said) == FACT


@pytest.mark.parametrize("method", ["basic", "router"])
async def test_the_first_pieces_are_there_before_the_model_has_ended(
    openai, script, full_index, method
):
    arrived, in_time = threading.Event(), []

    def hold_back(sent: list[str]) -> None:
        if "Forth" in "".join(sent):
            in_time.append(arrived.wait(5))

    openai.between = hold_back
    script.replies["Answer"] = {"answer": FACT, "quotes": [], "sufficient": True}
    graph, context = context_for(method, full_index, stream_answer=True)
    async for event in graph.astream(GIVEN, context=context, stream_mode="custom"):
        if "text" in event:
            arrived.set()
    assert in_time and all(in_time)


@pytest.mark.slow
def test_a_blocking_run_streams_too(script, full_index):
    graph, context = context_for("router", full_index)
    seen = list(graph.stream(GIVEN, context=context, stream_mode=["messages", "values"]))
    said = [part[0] for mode, part in seen if mode == "messages"]
    final = seen[-1][1]["messages"][-1].text
    assert "".join(one.text for one in said if one.type == "AIMessageChunk") == final
    assert seen[-1][1]["answer"] == FACT != final


async def test_nothing_is_streamed_that_nobody_follows(openai, script, full_index):
    graph, context = context_for("router", full_index)
    seen = await follow(graph, context, "custom", "values")
    assert pieces_of(seen["custom"]) == [] and seen["values"][-1]["answer"] == FACT


async def test_usage_is_counted_as_without_streaming(script, full_index):
    plain = await follow(*context_for("crag", full_index), "values")
    graph, context = context_for("crag", full_index, stream_answer=True, temperature=0.1)
    stream = await follow(graph, context, "values")
    assert plain["values"][-1]["usage"] == stream["values"][-1]["usage"]


async def test_a_stored_or_an_offline_answer_comes_as_one_piece(script, full_index):
    for chosen in ({"model": MODEL}, {"model": "offline"}):
        graph, context = context_for("basic", full_index, **chosen)
        await graph.ainvoke(GIVEN, context=context)
        again = context.model_copy(update={"stream_answer": True})
        seen = await follow(graph, again, "custom", "values")
        assert [p["text"] for p in pieces_of(seen["custom"])] == [seen["values"][-1]["answer"]]


@pytest.mark.parametrize("modes", [{"function_calling"}, {"plain"}], ids=["tools", "plain"])
async def test_every_mode_of_structured_output_streams(openai, script, full_index, modes):
    openai.modes = modes
    openai.answer = lambda body: {"quotes": [], "sufficient": False, "answer": "세종대왕 🌉"}
    graph, context = context_for("basic", full_index, stream_answer=True)
    for question in (QUESTION, "Who else?"):
        seen = await follow(graph, context, "custom", "values", given={"question": question})
        assert added_up(seen["custom"]) == seen["values"][-1]["answer"] == "세종대왕 🌉"
    assert openai.chats[-1]["stream"] and mode_of(openai.chats[-1]) in modes


async def test_a_server_that_cannot_stream_is_asked_plainly_from_then_on(
    openai, script, full_index
):
    openai.streams = False
    graph, context = context_for("basic", full_index, stream_answer=True)
    for question, calls in ((QUESTION, 2), ("Who designed it?", 1)):
        seen = await follow(graph, context, "custom", "values", given={"question": question})
        result = seen["values"][-1]
        assert [p["text"] for p in pieces_of(seen["custom"])] == [result["answer"]] == [FACT]
        assert result["usage"]["models"][MODEL]["calls"] == calls and result["warnings"] == []


async def test_a_server_that_sends_all_at_once_is_asked_plainly(openai, script, full_index):
    openai.queue = [chat("{}")]
    graph, context = context_for("basic", full_index, stream_answer=True)
    seen = await follow(graph, context, "custom", "values")
    assert seen["values"][-1]["answer"] == added_up(seen["custom"]) == FACT
    assert [bool(body.get("stream")) for body in openai.chats] == [True, False]


async def test_a_stream_that_breaks_off_begins_anew_under_another_id(openai, script, full_index):
    text = json.dumps({"answer": "The Forth Bridge was painted", "quotes": [], "sufficient": True})

    def broken(path: str, body: Any) -> Response:
        events = list(streamed(body, text))
        return Response(events=events[:6], cut=True)

    openai.queue = [broken]
    graph, context = context_for("basic", full_index, stream_answer=True)
    seen = await follow(graph, context, "custom", "values")
    pieces = pieces_of(seen["custom"])
    assert len({piece["id"] for piece in pieces}) == 2
    assert added_up(seen["custom"]) == seen["values"][-1]["answer"] == FACT
    assert pieces[0]["text"] + pieces[1]["text"] in "The Forth Bridge was painted"


async def test_a_malformed_reply_is_asked_for_again_and_streams_anew(openai, script, full_index):
    replies = [{"answer": "Nobody", "sufficient": "perhaps", "quotes": []}, script._answer]
    script.replies["Answer"] = lambda human: (
        reply(human) if callable(reply := replies.pop(0)) else reply
    )
    graph, context = context_for("basic", full_index, stream_answer=True)
    seen = await follow(graph, context, "custom", "values")
    pieces = pieces_of(seen["custom"])
    assert len({piece["id"] for piece in pieces}) == 2
    assert added_up(seen["custom"]) == seen["values"][-1]["answer"] == FACT
    assert [bool(body.get("stream")) for body in openai.chats] == [True, True]


async def test_an_error_is_told_as_without_streaming(openai, script, full_index):
    script.replies["Answer"] = lambda human: failure(401, "No such key")
    graph, context = context_for("basic", full_index, stream_answer=True)
    seen = await follow(graph, context, "custom", "values")
    result = seen["values"][-1]
    assert result["stop_reason"] == "model_failed" and pieces_of(seen["custom"]) == []
    assert any("401: No such key" in warning for warning in result["warnings"])
    assert len(openai.chats) == 1


@pytest.mark.slow
async def test_a_stream_that_drips_is_given_up_in_time(openai, script, full_index):
    asked = threading.Event()
    openai.between = lambda sent: asked.wait(0.5) if len(sent) > 2 else None
    graph, context = context_for("basic", full_index, stream_answer=True, timeout=1.0)
    seen = await follow(graph, context, "custom", "values")
    asked.set()
    assert seen["values"][-1]["answer"] == FACT
    assert [bool(body.get("stream")) for body in openai.chats] == [True, False]


@pytest.mark.slow
async def test_ten_answers_at_once_do_not_mix(openai, script, full_index):
    script.replies["Answer"] = lambda human: {
        "quotes": [],
        "sufficient": True,
        "answer": f"It is {human.rpartition('Question: ')[2].split()[-1]}, and nothing else.",
    }
    graph, context = context_for("router", full_index, stream_answer=True)
    asked = [{"question": f"Which bridge is number {n}?"} for n in range(10)]
    runs = await asyncio.gather(
        *(follow(graph, context, "custom", "values", given=given) for given in asked)
    )
    for seen in runs:
        assert added_up(seen["custom"]) == seen["values"][-1]["answer"] != ""
    assert len({seen["values"][-1]["answer"] for seen in runs}) == 10
