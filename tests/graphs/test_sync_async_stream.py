"""The graphs give the same however they are run, and begin anew on a thread."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from fast_run import fast
from langgraph.checkpoint.memory import InMemorySaver
from ragraphs.context import (
    BasicContext,
    CragContext,
    DeepragContext,
    GraphragContext,
    HopragContext,
    Tog2Context,
)
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.crag import graph as crag
from ragraphs.graphs.deeprag import graph as deeprag
from ragraphs.graphs.graphrag import graph as graphrag
from ragraphs.graphs.hoprag import graph as hoprag
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.tog2 import graph as tog2
from ragraphs.state.errors import IndexNotFoundError, RagraphsError

METHODS = [
    (basic, BasicContext),
    (crag, CragContext),
    (hoprag, HopragContext),
    (tog2, Tog2Context),
    (deeprag, DeepragContext),
    (deeprag, partial(DeepragContext, mode="tree")),
    (graphrag, GraphragContext),
    (graphrag, partial(GraphragContext, search="drift")),
]
NAMES = ["basic", "crag", "hoprag", "tog2", "deeprag", "deeprag-tree", "graphrag", "graphrag-drift"]
QUESTION = {"question": "Who designed the Forth Bridge?"}


@pytest.fixture(params=fast(NAMES, "basic", "deeprag-tree"))
def method(request, indexing, snapshots) -> tuple[Any, Any]:
    """A graph and a context that names a filled index."""
    layers = {"layers": ["hops", "communities"]}
    snapshots.fill(indexing.name, lambda: indexing.run("docs", context=layers))
    graph, context_type = METHODS[NAMES.index(request.param)]
    return graph, context_type(index=indexing.name)


def is_settled(result: Any) -> bool:
    """Whether a run found the answer, or communities, which answer nothing without a model."""
    if result["stop_reason"] == "no_model":
        return result["method"] == "graphrag" and not result["answer"]
    return bool(result["answer"]) and result["sufficient"]


@pytest.mark.slow
async def test_invoke_ainvoke_and_streams_give_the_same(method):
    graph, context = method
    invoked = await asyncio.to_thread(graph.invoke, QUESTION, context=context)
    streaming = {"stream_mode": "values", "output_keys": graph.output_channels, "context": context}
    streamed = await asyncio.to_thread(lambda: list(graph.stream(QUESTION, **streaming))[-1])
    astreamed = [values async for values in graph.astream(QUESTION, **streaming)]
    assert invoked["citations"] and is_settled(invoked)
    assert invoked == streamed == astreamed[-1] == await graph.ainvoke(QUESTION, context=context)


@pytest.mark.slow
def test_invoke_works_where_a_loop_already_runs(method):
    graph, context = method

    async def call() -> Any:
        return graph.invoke(QUESTION, context=context)

    assert is_settled(asyncio.run(call()))


@pytest.mark.slow
async def test_twenty_questions_at_once_get_the_answers_they_get_alone(method):
    graph, context = method
    questions = [
        {"question": f"{words} ({n})?"}
        for n in range(10)
        for words in ("Who designed the Forth Bridge", "What is a sonata")
    ]
    alone = [await graph.ainvoke(question, context=context) for question in questions[:2]]
    together = await asyncio.gather(*(graph.ainvoke(q, context=context) for q in questions))
    for n, result in enumerate(together):
        assert result["answer"] == alone[n % 2]["answer"]
        assert result["usage"] == alone[n % 2]["usage"]


@pytest.mark.slow
async def test_the_loop_stays_free_while_questions_are_answered(method):
    graph, context = method
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    await graph.ainvoke(QUESTION, context=context)
    ticking = asyncio.create_task(tick())
    await asyncio.gather(*(graph.ainvoke(QUESTION, context=context) for _ in range(5)))
    ticking.cancel()
    assert ticks > 5


def test_a_question_on_a_thread_finds_nothing_of_the_one_before(method):
    graph, context = method
    kept = graph.builder.compile(checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    kept.invoke(QUESTION, thread, context=context)
    other = {"question": "Zyzzyva quokka?"}
    second = kept.invoke(other, thread, context=context)
    assert second == graph.invoke(other, context=context)
    assert kept.invoke(QUESTION, thread, context=context) == graph.invoke(QUESTION, context=context)


@pytest.mark.parametrize(("graph", "context_type"), METHODS, ids=NAMES)
def test_a_missing_index_is_told_in_a_sentence(graph, context_type, tmp_path):
    with pytest.raises(IndexNotFoundError, match="There is no index"):
        graph.invoke(QUESTION, context=context_type(index=str(tmp_path / "none")))


def test_a_question_that_is_none_or_too_long_is_refused(method):
    graph, context = method
    for question in ("", " \n", None, "word " * 10_000):
        with pytest.raises(RagraphsError, match="The question"):
            graph.invoke({"question": question}, context=context)


def test_a_question_without_words_to_look_for_is_answered_by_nothing(method):
    graph, context = method
    for question in ("???", "of the", '"', "NEAR(", "' OR 1=1 --", "\0"):
        result = graph.invoke({"question": question}, context=context)
        assert not result["sufficient"] and not result["answer"], question


@pytest.mark.slow
def test_progress_within_a_large_file_is_told_in_fractions_of_it(indexing):
    large = indexing.folder / "large.txt"
    large.write_text("The old mill stands by the river. Its wheel has not turned.\n\n" * 50_000)
    given = {"sources": [str(large), str(indexing.folder / "docs")]}
    events = index_graph.stream(given, context=indexing.context(dry_run=True), stream_mode="custom")
    done = [event["done"] for event in events if event["step"] == "plan"]
    within = [share for share in done if share % 1]
    assert done == sorted(done) and done[-1] == 4
    assert len(within) >= 2 and len({int(share) for share in within}) == 1


@pytest.mark.slow
def test_progress_of_indexing_reaches_the_stream(indexing):
    context = indexing.context()
    given = {"sources": [str(indexing.folder / "docs")]}
    events = list(index_graph.stream(given, context=context, stream_mode="custom"))
    assert [e for e in events if e["step"] == "split"] == [
        {"step": "split", "done": done, "total": 3} for done in (1, 2, 3)
    ]
    assert events[-1] == {"step": "embed_passages", "done": 4, "total": 4}


@pytest.mark.slow
async def test_indexing_by_ainvoke_gives_the_same(indexing):
    result = await index_graph.ainvoke(
        {"sources": [str(indexing.folder / "docs")]}, context=indexing.context()
    )
    assert (result["added"], result["passage_count"]) == (4, 4)
    indexing.assert_whole()


@pytest.mark.slow
async def test_a_cancelled_run_stops_and_the_next_one_completes(indexing):
    rows = "".join(f'{{"id": "{n}", "text": "Row {n}. {"words " * 200}"}}\n' for n in range(20_000))
    (indexing.folder / "docs" / "many.jsonl").write_text(rows)
    given = {"sources": [str(indexing.folder / "docs" / "many.jsonl")]}
    run = asyncio.create_task(index_graph.ainvoke(given, context=indexing.context()))
    while not run.done() and not _started(indexing):
        await asyncio.sleep(0.02)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert 0 < await asyncio.to_thread(indexing.index.catalogue.count_documents) < 20_000
    assert indexing.run("docs/forth.txt")["added"] == 1
    indexing.assert_whole()


def _started(indexing) -> bool:
    try:
        return indexing.index.catalogue.count_documents() > 0
    except IndexNotFoundError:
        return False
