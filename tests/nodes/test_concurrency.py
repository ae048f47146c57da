"""Large work is done by few threads, and to its end."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

from ragraphs.nodes.concurrency import to_its_end

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


async def test_work_that_waits_for_another_machine_has_the_threads_of_the_loop():
    work = Counted()
    tasks = await started(work, 4, threads=None)
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
