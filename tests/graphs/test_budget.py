"""Runs that may spend only so many tokens, or so much money."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import ragraphs
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from ragraphs.context import BasicContext, CragContext, IndexContext, RouterContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.crag import graph as crag
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.router import graph as router
from ragraphs.index.opening import open_index
from ragraphs.language.analyser import count_tokens
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from ragraphs.state.usage import total_calls, total_tokens
from scripted_model import DOCUMENTS, MODEL, QUESTION, Script
from shared_stores import copy_of

A_REQUEST = 107  # tokens, as the server counts them
A_REPLY = 7


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("budget") / "index"
    context = IndexContext(index=str(folder), embeddings="lexical", model="offline")
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    return folder


@pytest.fixture
def index(made: Path, tmp_path: Path, openai: Any) -> str:
    """An index that nobody has asked anything yet."""
    return copy_of(made, tmp_path / "asked")


@pytest.fixture
def script(openai: Any) -> Script:
    return Script(openai)


@pytest.fixture
def priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, openai: Any) -> None:
    """A dollar for a token."""
    file = tmp_path / "prices.json"
    file.write_text(json.dumps({"prices": {MODEL: {"input": 1e6, "output": 1e6}}}))
    monkeypatch.setenv("RAGRAPHS_PRICES", str(file))
    settings.cache_clear()


def forget_replies(index: str) -> None:
    replies = open_index(index).replies
    replies.forget_unused([], used_too=True, others=True)


def test_a_question_that_spent_its_tokens_ends_and_says_so(script, index):
    context = CragContext(index=index, model=MODEL, max_tokens=20)
    result = crag.invoke({"question": QUESTION}, context=context)
    assert result["stop_reason"] == "budget" and not script.asked
    assert any("20 tokens a run (--max-tokens)" in one for one in result["warnings"])
    assert result["evidence"] and not result["answer"]


def largest(script: Script) -> int:
    """The tokens of the longest prompt so far, as they are counted before it is sent."""
    return max(count_tokens(one.system) + count_tokens(one.human) for one in script.asked)


@pytest.mark.parametrize("routed", [True, False])
def test_all_nodes_of_a_run_spend_from_one_budget(script, index, routed):
    kind = RouterContext if routed else CragContext
    graph: Any = router if routed else crag
    free = kind(index=index, model=MODEL, **({"method": "crag"} if routed else {}))
    graph.invoke({"question": QUESTION}, context=free)
    calls = len(script.asked)
    assert calls > 1
    forget_replies(index)
    bounded = free.model_copy(update={"max_tokens": largest(script) + A_REQUEST - 1})
    result = graph.invoke({"question": QUESTION}, context=bounded)
    assert 0 < total_calls(result["usage"]) == len(script.asked) - calls < calls
    assert any("(--max-tokens)" in one for one in result["warnings"])


async def test_the_next_question_has_a_budget_of_its_own(script, index):
    context = BasicContext(index=index, model=MODEL)
    await basic.ainvoke({"question": QUESTION}, context=context)
    bounded = context.model_copy(update={"max_tokens": largest(script) + A_REQUEST - 1})
    for _ in range(2):
        forget_replies(index)
        result = await basic.ainvoke({"question": QUESTION}, context=bounded)
        assert result["stop_reason"] == "answered"
        assert total_tokens(result["usage"]) == A_REQUEST


@pytest.mark.slow
async def test_the_next_question_on_a_thread_has_a_budget_of_its_own(script, index):
    context = BasicContext(index=index, model=MODEL, max_tokens=10_000)
    first = await basic.ainvoke({"question": QUESTION}, context=context)
    graph: Any = basic.copy({"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    bounded = context.model_copy(update={"max_tokens": largest(script) + A_REQUEST - 1})
    for _ in range(3):
        forget_replies(index)
        result = await graph.ainvoke({"question": QUESTION}, thread, context=bounded)
        assert result["answer"] == first["answer"] and not result["warnings"]


@pytest.mark.slow
def test_requests_side_by_side_do_not_overshoot_together(script, tmp_path):
    script.replies["PassageReading"] = script.replies["Facts"] = {"entities": [], "relations": []}
    documents = [{"id": str(n), "text": f"Bridge {n} was built by Ada."} for n in range(40)]
    context = IndexContext(
        index=str(tmp_path / "index"),
        embeddings="lexical",
        model=MODEL,
        layers=["entities"],
        max_tokens=2000,
        concurrency=16,
    )
    result = index_graph.invoke({"documents": documents}, context=context)
    sent = len(script.asked)
    assert 0 < sent < 40 and total_tokens(result["usage"]) <= 2000 + A_REPLY
    assert result["failures"] == [] and result["added"] == 40
    assert any("2,000 tokens a run (--max-tokens)" in one for one in result["warnings"])
    assert any("left for the next run of: ragraphs index" in one for one in result["warnings"])

    whole = context.model_copy(update={"max_tokens": None})
    rest = index_graph.invoke({"documents": documents}, context=whole)
    read = [asked.human for asked in script.asked if "Bridge" in asked.human]
    assert len(read) == len(set(read)) >= 40  # what was paid for is not asked for again
    assert not any("left for the next run" in one for one in rest["warnings"])


def test_without_a_price_of_ones_own_model_nothing_is_sent(
    script, index, openai, tmp_path, monkeypatch
):
    own = ChatOpenAI(model="mine", base_url=openai.base_url, api_key="none", max_retries=0)
    graph: Any = ragraphs.build("basic", index=index, llm=own, max_cost=1000)
    with pytest.raises(RagraphsError, match="price of own:ChatOpenAI:mine is not known"):
        graph.invoke({"question": QUESTION})
    assert not script.asked
    file = tmp_path / "prices.json"
    file.write_text(json.dumps({"prices": {"own:ChatOpenAI:mine": {"input": 1e6, "output": 1e6}}}))
    monkeypatch.setenv("RAGRAPHS_PRICES", str(file))
    settings.cache_clear()
    assert graph.invoke({"question": QUESTION})["usage"]["cost"] == A_REQUEST


def test_without_a_price_nothing_is_sent(script, index):
    context = BasicContext(index=index, model=MODEL, max_cost=1)
    with pytest.raises(RagraphsError, match=rf"price of {MODEL} is not known.*--prices FILE"):
        basic.invoke({"question": QUESTION}, context=context)
    assert not script.asked


def test_money_is_counted_and_limited(script, priced, index):
    context = BasicContext(index=index, model=MODEL, max_cost=1000)
    paid = basic.invoke({"question": QUESTION}, context=context)
    assert paid["usage"]["cost"] == A_REQUEST
    again = basic.invoke({"question": QUESTION}, context=context)
    assert again["usage"]["cost"] == 0 and again["answer"] == paid["answer"]
    forget_replies(index)
    poor = context.model_copy(update={"max_cost": 5})
    result = basic.invoke({"question": QUESTION}, context=poor)
    assert result["stop_reason"] == "budget" and total_calls(result["usage"]) == 0
    assert any("$5.00 a run (--max-cost)" in one for one in result["warnings"])


def test_without_a_price_there_are_tokens_and_no_cost(script, index):
    result = basic.invoke({"question": QUESTION}, context=BasicContext(index=index, model=MODEL))
    assert total_tokens(result["usage"]) == A_REQUEST and "cost" not in result["usage"]


@pytest.mark.slow
def test_embeddings_that_cost_are_counted_and_limited(openai, tmp_path):
    context = IndexContext(
        index=str(tmp_path / "index"), embeddings="openai:e", model="offline", max_tokens=20
    )
    with pytest.raises(RagraphsError, match=r"20 tokens a run \(--max-tokens\).*run again"):
        index_graph.invoke({"documents": DOCUMENTS}, context=context)
    assert not openai.requests
    enough = context.model_copy(update={"max_tokens": None})
    result = index_graph.invoke({"documents": DOCUMENTS}, context=enough)
    assert result["usage"]["embeddings"]["openai:e"] > 20 and "cost" not in result["usage"]


@pytest.mark.slow
def test_a_dry_run_tells_the_price(script, priced, tmp_path):
    context = IndexContext(
        index=str(tmp_path / "index"),
        embeddings="lexical",
        model=MODEL,
        layers=["entities"],
        dry_run=True,
    )
    plan = index_graph.invoke({"documents": DOCUMENTS}, context=context)["plan"]
    assert plan["cost"] == plan["reply_tokens"] > 0 and not script.asked
