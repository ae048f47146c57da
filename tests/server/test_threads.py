"""Blocking work of indexing and of questions, each in threads of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest
from ragraphs.models.meter import start_meter
from ragraphs.server.admission import BusyError, Slots
from ragraphs.server.alone import app
from ragraphs.server.app import lifespan


@pytest.fixture
async def go() -> AsyncIterator[threading.Event]:
    """An event of a loop in which the application runs, set at the end."""
    go = threading.Event()
    try:
        async with lifespan(app):
            yield go
    finally:
        go.set()


async def hang(go: threading.Event, *, indexing: bool) -> None:
    start_meter(None, indexing=indexing)
    await asyncio.to_thread(go.wait, 30)


@pytest.mark.parametrize("indexing", [True, False])
async def test_work_that_hangs_takes_no_thread_of_the_other_kind(go, indexing):
    hanging = [asyncio.create_task(hang(go, indexing=indexing)) for _ in range(50)]
    await asyncio.sleep(0)
    start_meter(None, indexing=not indexing)
    assert await asyncio.wait_for(asyncio.to_thread(lambda: "done"), 5) == "done"
    go.set()
    await asyncio.gather(*hanging)


async def test_places_are_given_in_order_and_who_leaves_the_queue_takes_none():
    places = Slots(2, 5, "questions")
    first, _ = await places.take(), await places.take()
    leaving, next_one = (asyncio.create_task(places.take()) for _ in range(2))
    with pytest.raises(BusyError, match="as many questions"):
        await asyncio.sleep(0)
        await places.take()
    leaving.cancel()
    await asyncio.wait([leaving])
    first.free()
    first.free()  # which gives nobody a second place
    second = await next_one
    waiting = asyncio.create_task(places.take())
    await asyncio.sleep(0.05)
    assert not waiting.done()
    second.free()
    await waiting


async def test_a_turn_that_does_not_come_in_time_is_refused():
    places = Slots(1, 0.05, "runs of indexing")
    async with places.taken():
        with pytest.raises(BusyError, match="runs of indexing"):
            await places.take()
    async with places.taken():
        pass
