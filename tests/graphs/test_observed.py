"""The log and the trace of runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from ragraphs.context import BasicContext, IndexContext, RouterContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.router import graph as router
from ragraphs.settings import settings
from scripted_model import DOCUMENTS, FACT, MODEL, QUESTION, Script
from stub_openai import KEY, failure

Tree = dict[str, Any]


@pytest.fixture(scope="module")
def recorded() -> InMemorySpanExporter:
    """All spans of this process, since a provider is set once."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@pytest.fixture
def spans(recorded: InMemorySpanExporter) -> Iterator[InMemorySpanExporter]:
    recorded.clear()
    yield recorded
    recorded.clear()


@pytest.fixture
def index(tmp_path: Path, openai: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    settings.cache_clear()
    Script(openai)
    folder = str(tmp_path / "index")
    context = IndexContext(index=folder, embeddings="lexical", model="offline")
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    return folder


def tree_of(spans: InMemorySpanExporter) -> Tree:
    """The names of all spans, inside of those that they are a part of."""
    found = sorted(spans.get_finished_spans(), key=lambda one: one.start_time or 0)

    def inside(id: int | None) -> Tree:
        return {
            one.name: inside(one.context.span_id)
            for one in found
            if (one.parent.span_id if one.parent else None) == id
        }

    return inside(None)


def named(spans: InMemorySpanExporter, name: str) -> ReadableSpan:
    return next(one for one in spans.get_finished_spans() if one.name == name)


@pytest.mark.slow
def test_the_spans_of_an_index_run_are_its_nodes(spans, tmp_path):
    context = IndexContext(index=str(tmp_path / "index"), embeddings="lexical", model="offline")
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    nodes = tree_of(spans)["ragraphs index"]
    assert list(nodes) == ["scan", "update", "count"]
    assert {"split", "extract", "embed_passages", "forget"} <= set(nodes["update"])
    assert named(spans, "ragraphs index").attributes["ragraphs.added"] == len(DOCUMENTS)


@pytest.mark.slow
def test_a_layer_that_is_made_is_logged_once_with_its_figures(tmp_path, caplog):
    context = IndexContext(
        index=str(tmp_path / "index"),
        embeddings="lexical",
        model="offline",
        layers=["sentences", "communities"],
    )
    with caplog.at_level(logging.INFO, "ragraphs.index"):
        for _ in range(2):
            index_graph.invoke({"documents": DOCUMENTS}, context=context)
    told = [one.getMessage() for one in caplog.records if one.name == "ragraphs.index"]
    assert sorted(one.split(" is made")[0] for one in told) == [
        "the layer communities",
        "the layer entities",
        "the layer sentences",
    ]
    assert any(f": {len(DOCUMENTS)} passages" in one for one in told)


@pytest.mark.slow
@pytest.mark.parametrize("sync", [True, False])
async def test_a_request_is_a_part_of_its_node_and_the_run_a_part_of_the_callers(
    spans, index, sync
):
    spans.clear()
    context = BasicContext(index=index, model=MODEL)
    with trace.get_tracer("test").start_as_current_span("caller"):
        if sync:
            basic.invoke({"question": QUESTION}, context=context)
        else:
            await basic.ainvoke({"question": QUESTION}, context=context)
    run = {"begin": {}, "retrieve": {}, "answer": {"chat stub": {}}}
    assert tree_of(spans) == {"caller": {"ragraphs basic": run}}
    request = named(spans, "chat stub").attributes
    assert request["gen_ai.request.model"] == "stub" and request["gen_ai.provider.name"] == "openai"
    assert (request["gen_ai.usage.input_tokens"], request["gen_ai.usage.output_tokens"]) == (100, 7)
    assert named(spans, "ragraphs basic").attributes["ragraphs.stop_reason"] == "answered"


def test_a_method_of_the_router_is_a_run_inside_of_its_node(spans, index):
    spans.clear()
    context = RouterContext(index=index, model=MODEL, method="basic")
    router.invoke({"question": QUESTION}, context=context)
    nodes = tree_of(spans)["ragraphs router"]
    assert list(nodes) == ["read_question", "decide", "basic", "weigh", "conclude"]
    assert nodes["basic"] == {
        "ragraphs basic": {"begin": {}, "retrieve": {}, "answer": {"chat stub": {}}}
    }


@pytest.mark.slow
@pytest.mark.parametrize("traced", [False, True])
def test_texts_are_traced_only_where_the_operator_says_so(spans, index, traced, monkeypatch):
    spans.clear()
    monkeypatch.setenv("RAGRAPHS_TRACE_TEXTS", str(traced))
    settings.cache_clear()
    basic.invoke({"question": QUESTION}, context=BasicContext(index=index, model=MODEL))
    told = " ".join(one.to_json() for one in spans.get_finished_spans())
    assert (QUESTION in told, FACT in told) == (traced, traced)
    assert KEY not in told


def test_a_failed_request_is_marked_without_its_words(spans, index, openai):
    spans.clear()
    openai.answer = lambda body: failure(401, f"No such key; you asked {QUESTION}")
    context = BasicContext(index=index, model=MODEL, max_retries=0)
    result = basic.invoke({"question": QUESTION}, context=context)
    assert result["stop_reason"] == "model_failed"
    failed = named(spans, "chat stub")
    assert failed.status.status_code is trace.StatusCode.ERROR
    assert failed.attributes["error.type"] == "RequestError" and not failed.events
    assert not any(QUESTION in one.to_json() for one in spans.get_finished_spans())


def test_the_log_has_the_figures_of_a_run_and_no_texts_and_never_a_key(index, openai, caplog):
    context = BasicContext(index=index, model=MODEL, max_retries=0)
    with caplog.at_level(logging.DEBUG, "ragraphs"):
        basic.invoke({"question": QUESTION}, context=context)
        openai.answer = lambda body: failure(401, f"The key {KEY} is wrong: {QUESTION} {FACT}")
        basic.invoke({"question": f"{QUESTION} And when?"}, context=context)
    records = [one for one in caplog.records if one.name.startswith("ragraphs.")]
    assert KEY not in " ".join(one.getMessage() for one in records)
    above = [one for one in records if one.levelno > logging.DEBUG]
    told = " ".join(one.getMessage() for one in above)
    assert QUESTION not in told and FACT not in told and "Forth" not in told
    ends = [one.getMessage() for one in above if one.getMessage().startswith("basic ends")]
    assert "method basic, stop_reason answered, calls 1, tokens 107" in ends[0]
    assert "stop_reason model_failed" in ends[1]
    warned = {one.name for one in above if one.levelno == logging.WARNING}
    assert warned == {"ragraphs.models", "ragraphs.nodes"}
    asked = [one.getMessage() for one in records if "replied with" in one.getMessage()]
    assert len(asked) == 1 and "100 tokens sent, 7 received" in asked[0]


def test_a_run_that_fails_is_told_and_forgotten(spans, tmp_path, caplog):
    context = BasicContext(index=str(tmp_path / "none"), model="offline")
    with caplog.at_level(logging.INFO, "ragraphs"), pytest.raises(ValueError, match="none"):
        basic.invoke({"question": QUESTION}, context=context)
    assert [one.getMessage().split(" after")[0] for one in caplog.records] == [
        "basic begins",
        "basic fails",
    ]
    (watch,) = basic.config["callbacks"]
    assert named(spans, "ragraphs basic").status.status_code is trace.StatusCode.ERROR
    assert not watch._runs
