"""However many methods the router tries, and however it is followed: one answer, one message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    message_chunk_to_message,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from ragraphs.context import RouterContext
from ragraphs.graphs.router import graph
from scripted_model import FACT, MODEL, NOT_FOUND, QUESTION, Script

MODES = ["values", "updates", "messages", "custom", "debug", "tasks", "checkpoints"]
NEXT = "Which bridges were designed by John Fowler?"
CANDIDATE = "Perhaps Benjamin Baker."
UNSETTLED = {
    "answer": CANDIDATE,
    "sufficient": False,
    "quotes": [{"id": "1", "quote": FACT}],
    "missing": [NEXT],
}
LOST = {**NOT_FOUND, "answer": "", "next": "", "source": "retrieve"}


def the_first_suffices(script: Script) -> None:
    """The cheapest method finds the answer."""


def the_second_suffices(script: Script) -> None:
    """The cheapest method names what is missing, and the next one finds it."""
    first = iter([UNSETTLED])
    script.replies["Answer"] = lambda human: next(first, None) or script._answer(human)


def none_suffices(script: Script) -> None:
    """Every method finds another candidate."""
    candidates = iter(range(99))

    def candidate(human: str) -> Any:
        return {**UNSETTLED, "answer": f"Candidate {next(candidates)}."}

    script.replies |= {
        "Answer": candidate,
        "StepReading": LOST,
        "Judgement": {"sufficient": False, "clue": "what is missing"},
    }


def the_first_is_kept(script: Script) -> None:
    """Only the cheapest method finds anything, which is not sufficient."""
    first = iter([UNSETTLED])
    script.replies["Answer"] = lambda human: next(first, LOST)
    script.replies["StepReading"] = LOST


CASES = [the_first_suffices, the_second_suffices, none_suffices, the_first_is_kept]


@pytest.fixture
def context(full_index: str) -> RouterContext:
    return RouterContext(index=full_index, model=MODEL, max_retries=0, top_k=1)


def ai_messages(found: Any) -> Iterator[AIMessage]:
    """All messages of an AI anywhere in ``found``."""
    if isinstance(found, AIMessage):
        yield found
    elif isinstance(found, dict):
        for value in found.values():
            yield from ai_messages(value)
    elif isinstance(found, list | tuple):
        for value in found:
            yield from ai_messages(value)


def assert_one(found: Any, final: AIMessage) -> None:
    """There are messages in ``found``, and all are ``final``, or pieces that add up to it."""
    said = list(ai_messages(found))
    pieces = [message for message in said if isinstance(message, AIMessageChunk)]
    assert {message.id for message in said} == {final.id}
    assert all(message == final for message in said if message not in pieces)
    if pieces:
        assert message_chunk_to_message(sum(pieces[1:], pieces[0])) == final


async def follow(context: Any, modes: list[str], subgraphs: bool = False) -> list[Any]:
    """The parts that a run streams, each with its mode."""
    stream = graph.copy({"checkpointer": InMemorySaver()}).astream(
        {"question": QUESTION},
        {"configurable": {"thread_id": "talk"}},
        context=context,
        stream_mode=modes,
        subgraphs=subgraphs,
    )
    return [part[-2:] async for part in stream]


@pytest.mark.parametrize("subgraphs", [False, True], ids=["outer", "subgraphs"])
@pytest.mark.parametrize("case", CASES)
async def test_every_mode_of_streaming_has_the_final_message_and_no_other(
    script, context, case, subgraphs
):
    case(script)
    seen = await follow(context, [*MODES], subgraphs)
    values = [part for mode, part in seen if mode == "values" and "messages" in part]
    final, path = values[-1]["messages"][-1], values[-1]["path"]
    assert (len(path) > 1) == (case is not the_first_suffices)
    assert final.text.startswith(values[-1]["answer"]) and "[1] “" in final.text
    assert final.additional_kwargs["citations"] == values[-1]["citations"]
    for mode in set(MODES) - {"custom"}:
        assert_one([part for of, part in seen if of == mode], final)
    assert values[-1]["answer"] == CANDIDATE or case is not the_first_is_kept


@pytest.mark.parametrize("subgraphs", [False, True], ids=["outer", "subgraphs"])
@pytest.mark.parametrize("mode", MODES)
async def test_each_mode_alone_has_the_one_message(script, context, mode, subgraphs):
    the_second_suffices(script)
    seen = await follow(context, [mode], subgraphs)
    said = list(ai_messages(seen))
    if mode == "custom":
        assert said == [] and not [part for _, part in seen if "text" in part]
    else:
        whole = [message for message in said if not isinstance(message, AIMessageChunk)]
        final = whole[-1] if whole else message_chunk_to_message(sum(said[1:], said[0]))
        assert final.text.startswith(FACT) and "[1] “" in final.text
        assert_one(seen, final)


@pytest.mark.parametrize("subgraphs", [False, True], ids=["outer", "subgraphs"])
@pytest.mark.parametrize("case", CASES)
async def test_pieces_of_the_answer_alone_are_events_under_the_id_of_the_message(
    script, context, case, subgraphs
):
    case(script)
    asked = context.model_copy(update={"stream_answer": True})
    seen = await follow(asked, ["custom", "values"], subgraphs)
    result = [part for mode, part in seen if mode == "values" and "messages" in part][-1]
    pieces = [part for mode, part in seen if mode == "custom" and "text" in part]
    assert "".join(piece["text"] for piece in pieces) == result["answer"] != ""
    assert {piece["id"] for piece in pieces} == {result["messages"][-1].id}
    assert {piece["method"] for piece in pieces} == {result["method"]}


async def test_a_failed_answer_is_one_message_that_says_so(openai, script, context):
    script.replies["Answer"] = "no JSON"
    seen = await follow(context, ["messages", "values"])
    final = seen[-1][1]["messages"][-1]
    assert seen[-1][1]["answer"] == "" and final.text.startswith("No answer was found (")
    assert FACT in final.text  # what the rules mark stands
    assert_one([part for mode, part in seen if mode == "messages"], final)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("modes", [["values"], ["messages"], MODES])
async def test_events_of_langchain_have_the_one_message_and_no_reply_of_the_model(
    script, context, case, modes
):
    case(script)
    stream = graph.astream_events(
        {"question": QUESTION}, context=context, stream_mode=modes, version="v2"
    )
    events = [event async for event in stream]
    ended = [e for e in events if e["name"] == "conclude" and e["event"] == "on_chain_end"]
    final = ended[-1]["data"]["output"]["messages"][-1]
    assert final.text and "basic" in {event["name"] for event in events}
    assert_one([event["data"] for event in events if event["name"] != "router"], final)
    assert_one([e["data"] for e in events if e["event"] == "on_chain_stream"], final)
    assert not [event for event in events if "chat_model" in event["event"]]


class Tracer(BaseCallbackHandler):
    """Counts the requests to chat models."""

    requests = 0

    def on_chat_model_start(self, *given: Any, **details: Any) -> None:
        self.requests += 1


async def test_a_tracer_sees_the_requests_which_are_no_messages_and_no_events(script, context):
    the_second_suffices(script)
    tracer = Tracer()
    stream = graph.astream_events(
        {"question": QUESTION},
        {"callbacks": [tracer]},
        context=context,
        stream_mode=["messages"],
        version="v2",
    )
    events = [event async for event in stream]
    assert tracer.requests == len(script.asked) > 1
    assert not [event for event in events if "chat_model" in event["event"]]
    ended = [e for e in events if e["name"] == "conclude" and e["event"] == "on_chain_end"]
    final = ended[-1]["data"]["output"]["messages"][-1]
    assert_one([e["data"] for e in events if e["event"] == "on_chain_stream"], final)


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
@pytest.mark.parametrize("case", CASES)
async def test_the_third_protocol_of_events_has_the_one_message_whole(script, context, case):
    case(script)
    run = await graph.astream_events({"question": QUESTION}, context=context, version="v3")
    said = [await message.text async for message in run.messages if message.node == "conclude"]
    assert said == [(await run.output())["messages"][-1].text]


@pytest.mark.parametrize("subgraphs", [False, True], ids=["outer", "subgraphs"])
@pytest.mark.parametrize("case", CASES)
async def test_inside_a_graph_of_somebody_else_there_is_one_message_a_turn(
    script, context, case, subgraphs
):
    case(script)
    outer = StateGraph(MessagesState, context_schema=RouterContext).add_node("ask", graph)
    talking = outer.add_edge(START, "ask").compile(checkpointer=InMemorySaver())
    for turn in range(2):
        stream = talking.astream(
            {"messages": [HumanMessage(QUESTION)]},
            {"configurable": {"thread_id": "talk"}},
            context=context,
            stream_mode=["messages", "values"],
            subgraphs=subgraphs,
        )
        seen = [part[-2:] async for part in stream]
        messages = [part for mode, part in seen if mode == "values"][-1]["messages"]
        assert [one.type for one in messages] == ["human", "ai"] * (turn + 1)
        assert_one([part for mode, part in seen if mode == "messages"], messages[-1])


@pytest.mark.slow
def test_a_blocking_run_has_the_one_message_too(script, context):
    the_second_suffices(script)
    given = {"question": QUESTION}
    seen = list(graph.stream(given, context=context, stream_mode=["messages", "values"]))
    final = seen[-1][1]["messages"][-1]
    assert_one([part for mode, part in seen if mode == "messages"], final)
