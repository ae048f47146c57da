"""Our graphs as tools of agents and supervisors."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest
import ragraphs
from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from scripted_model import FACT, QUESTION

ANSWER = f"John Fowler\n\n[1] “{FACT}” — Forth Bridge (Forth Bridge, characters 0–45)"


class State(TypedDict, total=False):
    question: str
    answer: str


class Caller(FakeMessagesListChatModel):
    """An agent's model that calls the tools that its script says."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


def calling(name: str, **arguments: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": "1"}])


async def test_a_tool_gives_a_short_cited_answer(bridges: str) -> None:
    tool = ragraphs.build("router", index=bridges).as_tool()
    assert tool.name == "answer_question"
    assert list(tool.args) == ["query"]
    assert f"from the documents of the index {bridges!r}" in tool.description
    assert tool.invoke({"query": QUESTION}).startswith(ANSWER)
    assert (await tool.ainvoke({"query": QUESTION})).startswith(ANSWER)


def test_a_tool_says_what_is_missing(bridges: str, llm: Any, script: Any) -> None:
    script.replies["Answer"] = {
        "quotes": [],
        "sufficient": False,
        "answer": "",
        "missing": ["Who designed the Severn Bridge?"],
    }
    tool = ragraphs.build("basic", index=bridges, llm=llm).as_tool()
    assert tool.invoke({"query": "Who designed the Severn Bridge?"}) == (
        "The documents give no answer.\n\n"
        "The documents do not say:\n- Who designed the Severn Bridge?"
    )


@pytest.mark.parametrize("question", ["", "x" * 9000])
async def test_an_error_comes_back_as_a_sentence(bridges: str, question: str) -> None:
    tool = ragraphs.build("basic", index=bridges).as_tool()
    call = {"type": "tool_call", "name": tool.name, "args": {"query": question}, "id": "1"}
    for message in (tool.invoke(call), await tool.ainvoke(call)):
        assert (message.status, message.content[:13]) == ("error", "The question ")


def test_a_graph_that_answers_nothing_is_no_tool() -> None:
    with pytest.raises(ragraphs.RagraphsError, match="The graph index answers no questions"):
        ragraphs.build("index").as_tool()


def test_an_agent_asks_our_documents(bridges: str) -> None:
    model = Caller(responses=[calling("answer_question", query=QUESTION), AIMessage("Fowler.")])
    tool = ragraphs.build("router", index=bridges).as_tool()
    agent = create_agent(model, tools=[tool])
    messages = agent.invoke({"messages": [HumanMessage("Who was it?")]})["messages"]
    (told,) = (message for message in messages if isinstance(message, ToolMessage))
    assert told.content.startswith(ANSWER)
    assert told.artifact["method"] == "basic"
    assert told.artifact["evidence"]
    assert messages[-1].content == "Fowler."


def test_the_answer_of_a_tool_is_no_message_of_the_agent(bridges: str) -> None:
    model = Caller(responses=[calling("answer_question", query=QUESTION), AIMessage("Fowler.")])
    agent = create_agent(model, tools=[ragraphs.build("router", index=bridges).as_tool()])
    asked = {"messages": [HumanMessage("Who was it?")]}
    parts = [part for part, _ in agent.stream(asked, stream_mode="messages")]
    assert [part.text for part in parts if isinstance(part, AIMessage)] == ["", "Fowler."]


async def test_a_supervisor_sends_questions_to_two_indexes(bridges: str, rivers: str) -> None:
    def choose(state: State) -> str:
        return "tunnels" if "Tunnel" in state["question"] else "bridges"

    supervisor = (
        StateGraph(State)
        .add_node("bridges", ragraphs.build("crag", index=bridges))
        .add_node("tunnels", ragraphs.build("crag", index=rivers))
        .add_conditional_edges(START, choose, ["bridges", "tunnels"])
        .add_edge("bridges", END)
        .add_edge("tunnels", END)
        .compile()
    )
    assert supervisor.invoke({"question": QUESTION})["answer"] == "John Fowler"
    found = await supervisor.ainvoke({"question": "Who designed the Elbe Tunnel?"})
    assert found["answer"] == "Ludwig Wendemuth"
