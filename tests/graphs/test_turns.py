"""Runs that want to write while another one does wait their turn; small ones are made together."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import asynccontextmanager

import pytest
from ragraphs.graphs.index import graph
from ragraphs.index.opening import open_index
from ragraphs.nodes.index import update as module
from ragraphs.nodes.subgraph import events_of
from ragraphs.state.errors import RagraphsError


class Asked:
    """A run of the index graph in a task of its own, and the events that it has told."""

    def __init__(self, indexing, given, **context):
        self.events, self._waits = [], asyncio.Event()
        self._run = asyncio.create_task(self._follow(given, indexing.context(**context)))

    async def _follow(self, given, context):
        result = {}
        async for name, value in events_of(graph, given, context):
            if name == "answer":
                result = value
            else:
                self.events.append(value)
                self._waits.set()
        return result

    async def waits(self):
        await asyncio.wait_for(self._waits.wait(), 60)
        return self

    async def result(self):
        return await asyncio.wait_for(self._run, 120)

    def leave(self):
        self._run.cancel()


def document(id, text):
    return {"documents": [{"id": id, "text": text}]}


@pytest.fixture
def runs(monkeypatch):
    """The number of changes that each run made."""
    made, make = [], module._make

    async def counted(graph, turn, run):
        made.append(len(turn.changes))
        return await make(graph, turn, run)

    monkeypatch.setattr(module, "_make", counted)
    return made


@asynccontextmanager
async def writing(indexing):
    async with open_index(indexing.name).writing():
        yield


def counts(result):
    return tuple(result[key] for key in ("added", "updated", "unchanged", "removed"))


@pytest.mark.slow
async def test_small_changes_that_wait_are_made_in_one_run_each_with_its_own_outcome(
    indexing, runs
):
    await asyncio.to_thread(indexing.run, "docs")
    gone = indexing.folder / "docs" / "gone.txt"
    gone.write_text("It goes.")
    async with writing(indexing):
        first = await Asked(indexing, document("new", "The Tay Bridge fell.")).waits()
        others = [
            Asked(indexing, document("new", "The Tay Bridge fell in 1879.")),
            Asked(indexing, {"remove": ["sonata.md"]}),
            Asked(indexing, {"sources": [str(gone)]}),
            Asked(indexing, document("more", "Another one."), layers=["sentences"]),
        ]
        await others[-1].waits()
        await asyncio.sleep(1)
        gone.unlink()
    results = [await one.result() for one in (first, *others[:2], others[3])]
    with pytest.raises(RagraphsError, match="There is no file"):
        await others[2].result()
    assert [counts(one) for one in results] == [
        (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1), (1, 0, 0, 0)
    ]  # fmt: skip
    assert runs == [1, 4, 1]
    assert first.events[0] == {"step": "wait_for_turn", "done": 0, "total": 1}
    assert others[-1].events[0] == {"step": "wait_for_turn", "done": 0, "total": 2}
    assert {"embed_passages", "wait_for_turn"} <= {each["step"] for each in others[0].events}
    assert "The Tay Bridge fell in 1879." in indexing.texts()
    assert results[-1]["layers"] == ["passages", "sentences"]


@pytest.mark.slow
async def test_a_change_is_made_alone_where_the_run_that_took_it_along_ends_early(indexing, runs):
    await asyncio.to_thread(indexing.run, "docs")
    async with writing(indexing):
        first = await Asked(indexing, document("one", "The first.")).waits()
        second = Asked(indexing, document("two", "The second."))
        await asyncio.sleep(1)
        first.leave()
        await asyncio.sleep(0.5)
    assert counts(await second.result()) == (1, 0, 0, 0)
    assert "The second." in indexing.texts() and "The first." not in indexing.texts()


@pytest.mark.slow
async def test_a_client_that_leaves_takes_nothing_from_the_others(indexing, runs):
    await asyncio.to_thread(indexing.run, "docs")
    async with writing(indexing):
        first = await Asked(indexing, document("one", "The first.")).waits()
        second = Asked(indexing, document("two", "The second."))
        await asyncio.sleep(1)
        second.leave()
        await asyncio.sleep(0.3)
    assert counts(await first.result()) == (1, 0, 0, 0)
    assert runs == [1, 1] and "The second." not in indexing.texts()


async def test_a_run_that_waited_looks_for_files_again(indexing):
    await asyncio.to_thread(indexing.run, "docs")
    file = indexing.folder / "docs" / "forth.txt"
    file.unlink()
    async with writing(indexing):
        run = await Asked(indexing, {"sources": [str(indexing.folder / "docs")]}).waits()
        file.write_text("It is back.")
    assert counts(await run.result()) == (0, 1, 3, 0)
    assert "It is back." in indexing.texts()


@pytest.mark.slow
def test_a_second_writer_that_does_not_wait_is_refused_until_the_first_ends(indexing):
    indexing.run("docs")
    script = """
import asyncio, sys
from ragraphs.index.opening import open_index
async def hold():
    async with open_index(sys.argv[1]).writing():
        print("held", flush=True)
        sys.stdin.read()
asyncio.run(hold())
"""
    holder = subprocess.Popen(
        [sys.executable, "-c", script, indexing.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(RagraphsError, match="Another run is writing"):
            indexing.run("docs", wait=False)
    finally:
        holder.communicate()
    assert counts(indexing.run("docs")) == (0, 0, 4, 0)
