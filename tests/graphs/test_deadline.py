"""Questions that must end by a deadline, whatever they wait for."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fast_run import fast
from http_stub import Response
from ragraphs.context import (
    BasicContext,
    CragContext,
    DeepragContext,
    GraphragContext,
    HopragContext,
    IndexContext,
    QuestionContext,
    RouterContext,
    Tog2Context,
)
from ragraphs.graphs import graph_of
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.crag import graph as crag
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.router import graph as router
from ragraphs.settings import settings
from ragraphs.stores.catalogue import Catalogue
from scripted_model import DOCUMENTS, MODEL, QUESTION, Script
from shared_stores import copy_of
from stub_openai import OpenAIStub, failure, serving_openai

SECONDS = 0.3
HANGS = 20.0  # much longer than any run here may take
WAYS: dict[str, QuestionContext] = {
    "basic": BasicContext(),
    "crag": CragContext(),
    "hoprag": HopragContext(),
    "tog2": Tog2Context(),
    "narrative": DeepragContext(),
    "tree": DeepragContext(mode="tree"),
    "global": GraphragContext(search="dynamic"),
    "local": GraphragContext(search="local"),
    "drift": GraphragContext(search="drift"),
    "text": GraphragContext(search="text"),
    "router": RouterContext(),
}
_GRAPHS = {name: name for name in WAYS} | {"narrative": "deeprag", "tree": "deeprag"}
_GRAPHS |= dict.fromkeys(("global", "local", "drift", "text"), "graphrag")


def graph_for(way: str) -> Any:
    return router if way == "router" else graph_of(_GRAPHS[way])[0]


def ask(graph: Any, context: QuestionContext, **chosen: Any) -> Any:
    """The output of a run, which must not take as long as the servers hang."""
    bounded = context.model_copy(update={"max_seconds": SECONDS, "model": MODEL, **chosen})
    began = time.monotonic()
    result = graph.invoke({"question": QUESTION}, context=bounded)
    assert time.monotonic() - began < HANGS / 2
    return result


def assert_out_of_time(result: Any, seconds: float = SECONDS) -> None:
    assert result["stop_reason"] == "time" and result["sufficient"] is False
    sentence = f"The limit of {seconds} s a question (--max-seconds) is reached."
    assert any(sentence in one for one in result["warnings"])
    assert result["evidence"]


def hangs_from(openai: OpenAIStub, script: Script, call: int) -> None:
    """The model answers so many requests, and then no more."""
    openai.answer = lambda body: (
        script(body) if len(script.asked) < call else Response(None, seconds=HANGS)
    )


@pytest.mark.slow
@pytest.mark.parametrize("way", fast(WAYS, "basic", "narrative", "global"))
def test_a_model_that_hangs_leaves_the_passages(way, openai, script, full_index):
    hangs_from(openai, script, 0)
    result = ask(graph_for(way), WAYS[way], index=full_index)
    assert_out_of_time(result)


@pytest.mark.slow
@pytest.mark.parametrize("answered", [1, 2, 3])
@pytest.mark.parametrize("way", WAYS)
def test_a_model_that_stops_answering_leaves_what_was_found(
    way, answered, openai, script, full_index
):
    script.narrate()
    hangs_from(openai, script, answered)
    result = ask(graph_for(way), WAYS[way], index=full_index, max_seconds=1)
    if openai._in_flight:  # else the run needed no further request
        assert_out_of_time(result, seconds=1)


@pytest.fixture(scope="module")
def embedded_by_server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index whose embeddings are asked for over the network."""
    folder = tmp_path_factory.mktemp("embedded") / "index"
    layers = ["sentences", "hops", "entities", "communities"]
    with serving_openai() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        settings.cache_clear()
        context = IndexContext(index=str(folder), embeddings="openai:e", layers=layers)
        index_graph.invoke({"documents": DOCUMENTS}, context=context)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("way", fast(WAYS, "basic", "narrative", "global"))
def test_embeddings_that_hang_leave_what_the_words_find(
    way, openai, script, embedded_by_server, tmp_path
):
    index = copy_of(embedded_by_server, tmp_path / "index")
    answer = openai.otherwise
    openai.otherwise = lambda path, body: (
        Response(None, seconds=HANGS) if path.endswith("/embeddings") else answer(path, body)
    )
    result = ask(graph_for(way), WAYS[way], index=index, max_seconds=1.2)
    if way not in ("global", "text"):  # which embed nothing
        assert_out_of_time(result, 1.2)


@pytest.mark.slow
@pytest.mark.parametrize("looks", [0, 1, 2, 5])
@pytest.mark.parametrize("way", WAYS)
def test_a_store_that_hangs_is_not_waited_for(way, looks, script, full_index, monkeypatch):
    """From so many looks at the passages on, each blocks a thread until the test has ended."""
    script.narrate()
    left, ended, look = iter(range(looks)), threading.Event(), Catalogue.passages

    def hanging(self: Catalogue, ids: Any) -> Any:
        if next(left, None) is None:
            ended.wait(HANGS)
        return look(self, ids)

    monkeypatch.setattr(Catalogue, "passages", hanging)
    try:
        result = ask(graph_for(way), WAYS[way], index=full_index)
    finally:
        ended.set()
    assert result["sufficient"] or result["stop_reason"] in ("time", "insufficient", "no_evidence")


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(failure(429, "Slow down.", retry_after="60"), id="429 with Retry-After"),
        pytest.param(failure(503, "Overloaded."), id="503"),
        pytest.param(Response({"choices": []}, drip=0.2), id="drips"),
    ],
)
@pytest.mark.parametrize("streams", [False, True])
def test_a_server_that_keeps_one_waiting(reply, streams, openai, full_index):
    openai.otherwise = lambda path, body: reply
    settings = {"max_retries": 10, "timeout": 60, "stream_answer": streams}
    result = ask(basic, BasicContext(), index=full_index, **settings)
    assert result["stop_reason"] in ("time", "model_failed") and not result["sufficient"]
    assert result["evidence"] and result["warnings"]


@pytest.mark.parametrize("streams", [False, True])
def test_a_pause_longer_than_the_time_left_ends_the_retries_at_once(streams, openai, full_index):
    openai.otherwise = lambda path, body: failure(429, "Slow down.", retry_after="60")
    settings = {"max_retries": 10, "max_seconds": 30, "stream_answer": streams}
    result = ask(basic, BasicContext(), index=full_index, **settings)
    assert result["stop_reason"] == "model_failed" and "429" in result["warnings"][0]
    assert len(openai.requests) == 1


def test_a_pause_that_fits_is_kept(openai, script, full_index):
    openai.queue.append(failure(429, "Slow down.", retry_after="0.01"))
    result = ask(basic, BasicContext(), index=full_index, max_seconds=30)
    assert result["stop_reason"] == "answered" and len(openai.requests) == 2


@pytest.mark.slow
def test_a_web_search_that_hangs_is_given_up(openai, script, tavily, full_index):
    script.replies["Grades"] = {"needed": [], "related": []}
    tavily.queue += [Response(None, seconds=HANGS)] * 5
    result = ask(crag, CragContext(), index=full_index, max_seconds=1.5)
    assert result["stop_reason"] == "time" and result["usage"]["web_searches"]


@pytest.mark.slow
def test_all_methods_of_the_router_share_one_deadline(openai, script, full_index):
    script.replies["Answer"] = {"quotes": [], "sufficient": False, "answer": ""}
    hangs_from(openai, script, 1)
    result = ask(router, RouterContext(escalations=3), index=full_index, max_seconds=1)
    assert_out_of_time(result, seconds=1)
    assert [one["stop_reason"] for one in result["path"]][-1] == "time"


@pytest.mark.slow
async def test_waiting_for_a_turn_counts(openai, script, full_index):
    """One slot, which a question without a deadline holds for long."""
    openai.queue.append(Response(None, seconds=1))
    shared = {"index": full_index, "model": MODEL, "concurrency": 1, "max_retries": 0}
    first = asyncio.create_task(
        basic.ainvoke({"question": "Who fell?"}, context=BasicContext(**shared))
    )
    while not openai._in_flight:
        await asyncio.sleep(0.01)
    result = await basic.ainvoke(
        {"question": QUESTION}, context=BasicContext(**shared, max_seconds=SECONDS)
    )
    assert not first.done()
    assert_out_of_time(result)
    await first


def test_the_next_question_has_a_deadline_of_its_own(openai, script, full_index):
    for _ in range(2):
        result = ask(basic, BasicContext(), index=full_index, max_seconds=10)
        assert result["stop_reason"] == "answered" and not result["warnings"]


@pytest.mark.slow
def test_the_operator_sets_a_deadline_for_all(openai, script, full_index, monkeypatch):
    monkeypatch.setenv("RAGRAPHS_MAX_SECONDS", str(SECONDS))
    settings.cache_clear()
    hangs_from(openai, script, 0)
    for wanted in (None, 600):
        result = ask(basic, BasicContext(), index=full_index, max_seconds=wanted)
        assert_out_of_time(result)
    assert any("max_seconds was lowered from 600 to 0.3" in one for one in result["warnings"])


@pytest.mark.slow
def test_the_command_line_ends_in_time(run, openai, script, full_index):
    hangs_from(openai, script, 0)
    done = run("ask", QUESTION, "--index", full_index, "--model", MODEL, "--method", "basic",
               "--max-seconds", "0.3", "--json")  # fmt: skip
    assert json.loads(done.out)["stop_reason"] == "time"
