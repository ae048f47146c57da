"""Blocking work for many who wait at once, done together."""

from __future__ import annotations

import asyncio
import threading

import pytest
from ragraphs.models.chat.gathering import Gathered


class Slow:
    """Doubles numbers; the first call waits until ``go`` is set."""

    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.go = threading.Event()

    def __call__(self, numbers: list[int]) -> list[int]:
        self.calls.append(numbers)
        assert self.go.wait(10)
        if -1 in numbers:
            raise ValueError("minus one")
        return [2 * number for number in numbers]


async def started(gathered: Gathered[int, int], *numbers: int) -> list[asyncio.Task[int]]:
    tasks = [asyncio.create_task(gathered(number)) for number in numbers]
    await asyncio.sleep(0.05)
    return tasks


async def test_what_comes_while_work_is_done_is_done_next_together():
    slow = Slow()
    gathered = Gathered(slow)
    first = await started(gathered, 1)
    others = await started(gathered, 2, 3, 4)
    slow.go.set()
    assert await asyncio.gather(*first, *others) == [2, 4, 6, 8]
    assert slow.calls == [[1], [2, 3, 4]]


async def test_a_failure_reaches_all_that_it_concerns_and_no_others():
    slow = Slow()
    gathered = Gathered(slow)
    good = await started(gathered, 1)
    bad = await started(gathered, 2, -1)
    slow.go.set()
    assert await good[0] == 2
    for task in bad:
        with pytest.raises(ValueError, match="minus one"):
            await task
    assert await gathered(5) == 10


async def test_who_gives_up_does_not_disturb_the_others():
    slow = Slow()
    gathered = Gathered(slow)
    await started(gathered, 1)
    left, stayed = await started(gathered, 2, 3)
    left.cancel()
    slow.go.set()
    assert await stayed == 6
    assert left.cancelled()
