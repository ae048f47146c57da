"""Large work is done one after the other, and to its end."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest
from ragraphs.index.concurrency import Patience, Storing, in_parallel, to_its_end
from ragraphs.models.protocol import NoReplyError
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.queries import batches

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


async def test_large_work_is_done_one_after_the_other():
    work = Counted()
    tasks = await started(work, 5)
    work.go.set()
    await asyncio.gather(*tasks)
    assert (work.most, work.done) == (1, 5)


async def test_work_that_waits_for_another_machine_may_have_more_threads():
    work = Counted()
    with ThreadPoolExecutor(4) as threads:
        tasks = await started(work, 4, threads=threads)
        work.go.set()
        await asyncio.gather(*tasks)
    assert work.most == 4


@pytest.mark.parametrize("times", [1, 2])
async def test_who_is_cancelled_once_or_again_waits_for_the_work(times):
    work = Counted()
    [task] = await started(work, 1)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0.05)
    assert not task.done()
    work.go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert work.done == 1


async def test_work_sees_the_context_variables_of_its_caller():
    who.set("caller")
    assert await to_its_end(who.get) == "caller"


async def test_the_first_failure_ends_what_is_under_way_and_no_more_is_begun():
    begun, ended = [], []

    async def work(item):
        begun.append(item)
        if item == 2:
            raise RagraphsError("No.")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append(item)
            raise

    with pytest.raises(RagraphsError, match=r"^No\.$"):
        await in_parallel(range(9), work, 3)
    assert (begun, sorted(ended)) == ([0, 1, 2], [0, 1])


async def test_results_are_in_the_order_of_the_items_and_no_more_run_than_may():
    running, most = set(), 0

    async def work(item):
        nonlocal most
        running.add(item)
        most = max(most, len(running))
        await asyncio.sleep(0.001 * (9 - item))
        running.remove(item)
        return item * item

    assert await in_parallel(range(9), work, 4) == [item * item for item in range(9)]
    assert most == 4


def unreachable() -> NoReplyError:
    return NoReplyError("unreachable", "No answer.")


def test_a_model_is_given_up_after_eight_requests_in_a_row_without_an_answer():
    patience, begun = Patience(), []
    for item in patience.while_it_lasts(range(100)):
        begun.append(item)
        patience.note(unreachable())
    assert begun == list(range(8))


def test_an_answer_restores_patience_and_a_malformed_one_does_not_wear_it():
    patience = Patience()
    for _ in range(7):
        patience.note(unreachable())
    patience.note()
    for _ in range(7):
        patience.note(unreachable())
        patience.note(NoReplyError("malformed", "No JSON."))
    assert not patience.is_lost


async def test_items_are_stored_in_batches_and_the_rest_even_after_a_failure():
    stored: list[list[int]] = []
    with pytest.raises(RagraphsError):
        async with Storing(stored.append) as storing:
            for item in range(70):
                await storing.add(item)
            raise RagraphsError("No.")
    assert [len(batch) for batch in stored] == [64, 6]
    assert [item for batch in stored for item in batch] == list(range(70))


def in_batches(done: list[int], seconds: float = 3) -> None:
    """Works on one batch after another for some seconds."""
    latest = time.monotonic() + seconds
    for (item,) in batches(iter(int, 1), 1):
        done.append(item)
        time.sleep(0.01)
        if time.monotonic() > latest:
            return


async def cancelled(task: asyncio.Task[None]) -> float:
    """The seconds until ``task``, which has begun, has ended after it was cancelled."""
    await asyncio.sleep(0.1)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return time.monotonic() - began


async def test_work_in_batches_ends_before_the_next_when_it_is_cancelled():
    done: list[int] = []
    assert await cancelled(asyncio.create_task(to_its_end(in_batches, done))) < 2
    count = len(done)
    await asyncio.sleep(0.1)
    assert len(done) == count > 0


@pytest.mark.slow
async def test_work_that_must_be_done_as_a_whole_is():
    done: list[int] = []
    work = to_its_end(in_batches, done, 0.5, whole=True)
    assert await cancelled(asyncio.create_task(work)) > 0.2


async def test_work_that_is_not_begun_never_is_when_it_is_cancelled():
    first, second = Counted(), Counted()
    at_work = asyncio.create_task(to_its_end(first))
    assert await cancelled(asyncio.create_task(to_its_end(second))) < 2
    first.go.set()
    await at_work
    assert (first.done, second.done) == (1, 0)
