"""The run, as its nodes may use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from ragraphs.context import BasicContext, IndexContext, RouterContext
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.router import graph as router
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.models.protocol import NoReplyError
from ragraphs.nodes.node import node
from ragraphs.nodes.run import Run, Update
from ragraphs.prompts.library import ANSWER, REWRITE_QUERY
from ragraphs.settings import settings
from ragraphs.state.answering import QuestionState
from ragraphs.state.errors import IndexNotFoundError
from scripted_model import DOCUMENTS, MODEL, QUESTION
from snapshots import Snapshots
from stub_openai import failure


@pytest.fixture
def index(tmp_path: Path, snapshots: Snapshots) -> str:
    folder = str(tmp_path / "index")
    layers = ["sentences", "hops", "entities"]
    context = IndexContext(index=folder, embeddings="lexical", model="offline", layers=layers)
    given = {"documents": DOCUMENTS}
    snapshots.fill(folder, lambda: index_graph.invoke(given, context=context))
    return folder


def run_node(function: Any, index: str, **options: Any) -> dict[str, Any]:
    """The state after a graph that is one node."""
    graph = (
        StateGraph(QuestionState, context_schema=BasicContext)
        .add_node("it", node(**options)(function))
        .add_edge(START, "it")
        .add_edge("it", END)
        .compile()
    )
    context = BasicContext(index=index, model=MODEL, max_retries=0)
    return graph.invoke({"question": QUESTION, "usage": {}, "warnings": []}, context=context)


async def rewriting(state: QuestionState, run: Run[BasicContext]) -> Update:
    reply = await run.ask(REWRITE_QUERY, otherwise="Nothing else.", question=state["question"])
    return {"answer": "none" if reply is None else reply.queries[0]}


async def answering(state: QuestionState, run: Run[BasicContext]) -> Update:
    reply = await run.ask(ANSWER, question=state["question"], texts=[])
    return {"answer": reply.answer}


def test_a_reply_is_given_and_counted(openai, index):
    result = run_node(rewriting, index)
    assert result["answer"] == "one" and result["warnings"] == []
    assert result["usage"]["models"][MODEL]["calls"] == 1


def test_without_a_reply_the_node_goes_on_and_says_how(openai, index):
    openai.answer = lambda body: failure(402, "No such key.")
    result = run_node(rewriting, index)
    (warning,) = result["warnings"]
    assert result["answer"] == "none"
    assert "No such key" in warning and warning.endswith(" Nothing else.")


def test_a_node_that_cannot_go_on_without_a_reply_fails(openai, index):
    openai.answer = lambda body: failure(402, "No such key.")
    with pytest.raises(NoReplyError, match="No such key"):
        run_node(answering, index)


def test_where_it_answers_the_question_the_run_ends_with_the_reason(openai, index):
    openai.answer = lambda body: failure(402, "No such key.")
    result = run_node(answering, index, answers=True)
    (warning,) = result["warnings"]
    assert result["stop_reason"] == "model_failed" and "No such key" in warning


def test_every_search_is_counted(openai, index):
    async def searching(state: QuestionState, run: Run[BasicContext]) -> Update:
        found = await run.search(state["question"], 2)
        await run.search("Who built it?", 1)
        return {"evidence": found}

    result = run_node(searching, index)
    assert len(result["evidence"]) == 2
    assert result["usage"]["retrievals"] == 2


def test_a_run_without_its_index_says_so(tmp_path, openai):
    with pytest.raises(IndexNotFoundError, match="ragraphs index"):
        run_node(rewriting, str(tmp_path / "none"))


def test_an_index_that_is_not_there_is_told_as_such_without_the_root(tmp_path, openai, monkeypatch):
    monkeypatch.setenv("RAGRAPHS_ROOT", str(tmp_path))
    settings.cache_clear()
    with pytest.raises(IndexNotFoundError, match="index at none;"):
        run_node(rewriting, "none")


@pytest.mark.parametrize("method", ["auto", "hoprag", "tog2", "crag"])
def test_a_routed_run_embeds_its_question_once(index, monkeypatch, method):
    embedded: list[str] = []
    embed = LexicalEmbedder.embed

    def spy(self: LexicalEmbedder, texts: Any) -> Any:
        embedded.extend(texts)
        return embed(self, texts)

    monkeypatch.setattr(LexicalEmbedder, "embed", spy)
    question = "Which engineer designed the Forth Bridge?"
    context = RouterContext(index=index, model="offline", method=method)
    router.invoke({"question": question}, context=context)
    assert embedded.count(question) == 1
