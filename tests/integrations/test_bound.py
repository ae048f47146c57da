"""Compiled graphs with settings bound to them."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import ragraphs
from langchain_core.documents import Document
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from scripted_model import QUESTION, Script

GRAPHS = ("router", "basic", "crag", "deeprag", "hoprag", "tog2", "graphrag", "agent", "index")


@pytest.mark.parametrize("name", GRAPHS)
def test_every_graph_can_be_bound_and_built_anew(name: Any, bridges: str) -> None:
    graph = ragraphs.build(name, index=bridges)
    assert graph.name == name
    assert graph.get_graph(xray=True).nodes.keys() == (
        getattr(ragraphs, f"{name}_graph").get_graph(xray=True).nodes.keys()
    )
    fresh = ragraphs.builder(name)
    assert fresh is not ragraphs.builder(name)
    assert fresh.compile().get_graph().nodes.keys() == graph.get_graph().nodes.keys()


def test_a_context_of_a_run_goes_over_what_is_bound(bridges: str, rivers: str) -> None:
    graph = ragraphs.build("basic", index=bridges, top_k=1)
    question = {"question": "Who designed the Elbe Tunnel?"}
    for context in (ragraphs.BasicContext(index=rivers), {"index": rivers}):
        found = graph.invoke(question, context=context)
        assert found["answer"] == "Ludwig Wendemuth"
    with pytest.raises(ragraphs.RagraphsError, match="did you mean 'index'"):
        graph.invoke(question, context={"indx": rivers})


@pytest.mark.slow
async def test_all_ways_to_run_a_graph_keep_what_is_bound(bridges: str) -> None:
    graph = ragraphs.build("basic", index=bridges).with_config(tags=["mine"]).copy()
    asked = {"question": QUESTION}
    assert (await graph.ainvoke(asked))["answer"] == "John Fowler"
    assert [*graph.stream(asked, stream_mode="values")][-1]["answer"] == "John Fowler"
    steps = [part async for part in graph.astream(asked, stream_mode="updates", subgraphs=True)]
    assert [next(iter(update)) for _, update in steps] == ["begin", "retrieve", "answer"]
    events = [event async for event in graph.astream_events(asked, version="v2")]
    assert events[-1]["data"]["output"]["answer"] == "John Fowler"
    assert graph.batch([asked])[0]["answer"] == "John Fowler"


@pytest.mark.slow
def test_a_bound_graph_remembers_a_conversation(bridges: str, llm: Any, script: Script) -> None:
    graph = ragraphs.build("router", index=bridges, llm=llm, checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke({"question": QUESTION}, thread)
    found = graph.invoke({"question": "Who designed it?"}, thread)
    assert found["asked"] == QUESTION
    assert len(graph.get_state(thread).values["messages"]) == 4


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
@pytest.mark.parametrize("version", ["v1", "v2", "v3"])
def test_a_bound_graph_waits_for_a_person(
    bridges: str, llm: Any, script: Script, version: Any
) -> None:
    script.replies["Grades"] = {"needed": [], "related": []}
    searched = []

    def search(query: str) -> list[Document]:
        searched.append(query)
        return [Document("The Forth Bridge was designed by John Fowler.", id="page")]

    wary = llm.model_copy(update={"model_name": f"waiting {version}"})
    graph = ragraphs.build(
        "crag", index=bridges, llm=wary, web=search, confirm_web=True, checkpointer=InMemorySaver()
    )
    thread: Any = {"configurable": {"thread_id": "1"}}

    def run(given: Any) -> tuple[Any, Any]:
        """The output, and what the run waits with."""
        if version == "v1":
            found = graph.invoke(given, thread)
            return found, found.get("__interrupt__", ())
        if version == "v2":
            whole: Any = graph.invoke(given, thread, version="v2")
            return whole.value, whole.interrupts
        stream: Any = graph.stream_events(given, thread, version="v3")
        return stream.output, stream.interrupts

    _, [waiting] = run({"question": QUESTION})
    assert waiting.value["queries"] == ["forth bridge designer"]
    assert searched == []
    script.replies["Grades"] = script._grades
    found, interrupts = run(Command(resume={waiting.id: True}))
    assert searched == ["forth bridge designer"] and not interrupts
    assert [text["found"] for text in found["evidence"]] == ["web"]


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        ("crag", {"indx": "notes"}, "There is no setting 'indx'; did you mean 'index'?"),
        ("crag", {"n_hop": 2}, "There is no setting 'n_hop'; there are: concurrency"),
        ("crag", {"top_k": 0}, "top_k: Input should be greater than or equal to 1"),
        ("grag", {}, "There is no graph 'grag'; there are: index, router"),
        ("basic", {"web": False}, "The graph basic has no use for web; leave it out."),
        ("crag", {"llm": "gpt-4o"}, "llm must be an object of LangChain's class BaseChatModel"),
        ("crag", {"prompts": "nowhere"}, "The folder 'nowhere' of prompts does not exist."),
        ("crag", {"web": 3}, "web must be a retriever of LangChain, a function"),
    ],
)
def test_what_cannot_be_bound_is_told_in_a_sentence(
    name: Any, settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ragraphs.RagraphsError) as caught:
        ragraphs.build(name, **settings)
    assert sentence in str(caught.value)


def test_only_graphs_of_ours_are_bound() -> None:
    foreign = StateGraph(dict).add_node("one", lambda state: state).add_edge(START, "one")
    with pytest.raises(ragraphs.RagraphsError, match=r"bind one that ragraphs\.builder made"):
        ragraphs.bind(foreign.compile())


def test_what_is_bound_later_goes_over_what_was_bound_before(bridges: str, rivers: str) -> None:
    first = ragraphs.build("basic", index=rivers, top_k=1)
    second = ragraphs.bind(first, index=bridges)
    assert (second.bound.index, second.bound.top_k) == (bridges, 1)  # type: ignore[attr-defined]
    assert first.bound.index == rivers


def test_one_node_of_crag_is_replaced(bridges: str, llm: Any, script: Script) -> None:
    def grade(state: Any) -> dict[str, Any]:
        """Trusts the first passage."""
        return {
            "verdict": "correct",
            "stop_reason": None,
            "retrieved": state["evidence"][:1],
            "evidence": [],
            "grades": [],
        }

    builder = ragraphs.builder("crag")
    builder.nodes.pop("grade")
    builder.add_node("grade", grade)
    graph = ragraphs.bind(builder.compile(name="crag"), index=bridges, llm=llm, strips_kept=5)
    found = graph.invoke({"question": QUESTION})
    assert found["verdict"] == "correct"
    assert {text["document"] for text in found["evidence"]} == {"Forth Bridge"}


def test_a_graph_of_ones_own_is_logged_like_ours_and_only_once(
    bridges: str, caplog: pytest.LogCaptureFixture
) -> None:
    graph: Any = ragraphs.builder("basic").compile(name="mine")
    bound = ragraphs.bind(ragraphs.bind(graph, index=bridges), top_k=3)
    with caplog.at_level(logging.INFO, "ragraphs.graphs"):
        bound.invoke({"question": QUESTION})
    told = [one.getMessage() for one in caplog.records if one.name == "ragraphs.graphs"]
    assert [one.split(" after")[0] for one in told] == ["mine begins", "mine ends"]


def test_a_graph_of_ones_own_that_runs_in_circles_ends(bridges: str) -> None:
    builder = ragraphs.builder("basic")
    builder.nodes.pop("answer")
    builder.add_node("answer", lambda state: Command(goto="answer"))
    circle = builder.compile()
    with pytest.raises(GraphRecursionError, match="limit of 10 "):
        ragraphs.bind(circle, index=bridges).invoke({"question": QUESTION})
    shorter = ragraphs.bind(circle.with_config(recursion_limit=5), index=bridges)
    with pytest.raises(GraphRecursionError, match="limit of 5 "):
        ragraphs.bind(shorter, top_k=3).invoke({"question": QUESTION})
