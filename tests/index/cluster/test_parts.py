"""Batches that are handed out: what comes back, and what a run's limits leave of them."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from ragraphs.context import Context, IndexContext
from ragraphs.graphs.index import graph
from ragraphs.index.cluster.parts import handing_out, in_parts
from ragraphs.index.cluster.ray_cluster import _connect
from ragraphs.index.cluster.worker import BatchOutcome, Job, work_on
from ragraphs.index.opening import Index, open_index
from ragraphs.index.progress import Progress
from ragraphs.settings import Settings
from ragraphs.state.errors import RagraphsError
from ragraphs.views.status import export_lines
from stub_openai import OpenAIStub

from lab.benchmarks.stub_replies import stub_reply
from lab.benchmarks.synthetic import made_up


class Threads:
    """Workers that are threads of this process; what is handed to them has been pickled."""

    def __init__(self, workers: int, askers: int, context: Context) -> None:
        self.workers, self.askers = workers, askers
        self.under_way: Counter[str] = Counter()
        self.batches: list[Sequence[Any]] = []
        chosen = {name: getattr(context, name) for name in context.model_fields_set}
        self._job = Job(_version(), {**chosen, "concurrency": 1}, {})

    async def begin(self, work: Any, items: Any, spent: Any) -> BatchOutcome[Any]:
        self.batches.append(items)
        handed = pickle.loads(pickle.dumps((self._job, work, items, spent)))
        done: asyncio.Future[BatchOutcome[Any]] = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()

        def run() -> None:
            outcome = work_on(*handed)
            loop.call_soon_threadsafe(done.set_result, pickle.loads(pickle.dumps(outcome)))

        threading.Thread(target=run).start()  # with no context of the run, as in another process
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            await done
            raise


def _version() -> str:
    from importlib.metadata import version

    return version("ragraphs")


async def squares(
    index: Index, context: Context, items: Sequence[int], report: Progress
) -> list[int]:
    for done in range(len(items)):
        report(done + 1, len(items))
    if 13 in items:
        raise RagraphsError("Thirteen cannot be squared; leave it out.")
    return [item * item for item in items]


def answered(openai: OpenAIStub) -> None:
    def answer(body: Any) -> Any:
        kind = body["response_format"]["json_schema"]["name"]
        return stub_reply(kind, body["messages"][-1]["content"])

    openai.answer = answer


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return open_index(str(tmp_path / "index"), create=True)


async def test_results_come_in_order_and_progress_adds_up(index):
    told: list[tuple[int, int]] = []
    context = IndexContext(index=index.name)
    with handing_out(Threads(2, 2, context)):
        parts = await in_parts(
            index, context, squares, range(10), lambda *at: told.append(at), most=3, asks=False
        )
    assert [item for part in parts for item in part] == [n * n for n in range(10)]
    assert len(parts) > 3
    assert told[-1] == (10, 10)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


async def test_a_sentence_of_a_worker_reaches_the_caller(index):
    context = IndexContext(index=index.name)
    with handing_out(Threads(2, 2, context)), pytest.raises(RagraphsError, match="Thirteen"):
        await in_parts(index, context, squares, range(20), lambda *at: None, most=3, asks=False)


async def test_no_batch_is_begun_after_one_with_which_nothing_goes_on(index):
    context = IndexContext(index=index.name)
    cluster = Threads(1, 1, context)
    with handing_out(cluster):
        await in_parts(
            index, context, squares, range(9), lambda *at: None, most=2, asks=False,
            goes_on=lambda part: 16 not in part,
        )  # fmt: skip
    assert cluster.batches == [range(0, 2), range(2, 4), range(4, 6)]


async def test_worker_of_another_version_says_so(index):
    outcome = await asyncio.to_thread(work_on, Job("0.0", {}, {}), squares, [1], None)
    assert "0.0" in outcome.problem and "same version" in outcome.problem


@pytest.mark.slow
def test_a_head_whose_process_for_the_client_dies_is_asked_again(monkeypatch):
    ray = pytest.importorskip("ray")
    answers: list[RuntimeError | None] = []
    monkeypatch.setattr(ray, "init", lambda **options: _next(answers))
    dead = RuntimeError("Starting Ray client server failed. See ray_client_server_23000.err")
    operator = Settings(cluster="ray://127.0.0.1:1")
    answers[:] = [dead, dead, None]
    _connect(ray, operator)
    assert not answers
    answers[:] = [dead, dead, dead, None]
    with pytest.raises(RagraphsError, match="Starting Ray client server failed"):
        _connect(ray, operator)
    answers[:] = [RuntimeError("Failed to connect"), None]
    with pytest.raises(RagraphsError, match="Failed to connect"):
        _connect(ray, operator)


def _next(answers: list[RuntimeError | None]) -> None:
    if answer := answers.pop(0):
        raise answer


LAYERS = ["hops", "entities", "communities"]


@pytest.mark.slow
async def test_handed_out_indexing_asks_and_exports_the_same(openai, tmp_path):
    answered(openai)
    documents = list(made_up(12))
    exports, asked, usages = [], [], []
    for name in ("alone", "shared"):
        context = IndexContext(index=str(tmp_path / name), model="openai:stub", layers=LAYERS)
        openai.requests.clear()
        if name == "alone":
            result = await graph.ainvoke({"documents": documents}, context=context)
        else:
            with handing_out(Threads(2, 2, context)):
                result = await graph.ainvoke({"documents": documents}, context=context)
        exports.append(list(export_lines(open_index(context.index))))
        asked.append(Counter(str(body["messages"]) for body in openai.chats))
        usages.append(result["usage"])
    assert exports[0] == exports[1]
    assert asked[0] == asked[1]
    assert set(asked[1].values()) == {1}
    assert usages[0]["models"] == usages[1]["models"]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [700, 1500])
async def test_the_limit_of_a_run_holds_for_all_workers_together(limit, openai, tmp_path):
    answered(openai)
    documents = list(made_up(24))
    context = IndexContext(
        index=str(tmp_path / "index"), model="openai:stub", layers=["hops"], max_tokens=limit
    )
    with handing_out(Threads(3, 3, context)):
        result = await graph.ainvoke({"documents": documents}, context=context)
    [used] = [one for name, one in result["usage"]["models"].items() if name == "openai:stub"]
    count = result["passage_count"]
    spent = used["input_tokens"] + used["output_tokens"]
    assert spent <= limit + 107
    assert spent > limit - 2 * 400  # a prompt is shorter, and one reply is held back
    read = open_index(context.index).readings.count("questions")
    assert read == used["calls"] == len(openai.chats)
    [told] = [one for one in result["warnings"] if "passages are left" in one]
    assert told.startswith(f"The budget is spent; {count - read} passages")
    assert sum(f"{limit:,} tokens" in one for one in result["warnings"]) == 1

    openai.requests.clear()
    complete = context.model_copy(update={"max_tokens": None})
    await graph.ainvoke({}, context=complete)
    assert len(openai.chats) == count - read
