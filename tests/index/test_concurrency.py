"""Large work is done by few threads, and to its end."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest
from ragraphs.index.concurrency import side_by_side, to_its_end
from ragraphs.state.errors import RagraphsError

who: ContextVar[str] = ContextVar("who", default="nobody")


class Counted:
    """Work that waits for ``go`` and counts how many do it at once."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.running = self.most = self.done = 0
        self._lock = threading.Lock()

    def __call__(self) -> None:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self.go.wait(10)
        with self._lock:
            self.running -= 1
            self.done += 1


async def started(work: Counted, count: int, **where: object) -> list[asyncio.Task[None]]:
    tasks = [asyncio.create_task(to_its_end(work, **where)) for _ in range(count)]
    await asyncio.sleep(0.05)
    return tasks


async def test_large_work_is_done_by_two_threads():
    work = Counted()
    tasks = await started(work, 5)
    work.go.set()
    await asyncio.gather(*tasks)
    assert (work.most, work.done) == (2, 5)


async def test_work_that_waits_for_another_machine_may_have_more_threads():
    work = Counted()
    with ThreadPoolExecutor(4) as threads:
        tasks = await started(work, 4, threads=threads)
        work.go.set()
        await asyncio.gather(*tasks)
    assert work.most == 4


async def test_who_is_cancelled_waits_for_the_work():
    work = Counted()
    (task,) = await started(work, 1)
    task.cancel()
    await asyncio.sleep(0.05)
    assert not task.done()
    work.go.set()
    await asyncio.wait([task])
    assert task.cancelled() and work.done == 1


async def test_work_sees_the_context_variables_of_its_caller():
    who.set("caller")
    assert await to_its_end(who.get) == "caller"


async def test_the_first_failure_ends_the_other_parts():
    ended = []

    async def failing():
        await asyncio.sleep(0.01)
        raise RagraphsError("No.")

    async def lasting():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("lasting")
            raise

    with pytest.raises(RagraphsError, match=r"^No\.$"):
        await side_by_side(lasting(), failing())
    assert ended == ["lasting"]
