"""How many requests run at once: as many as a server answers the faster for it."""

from __future__ import annotations

import asyncio
import random

import pytest
from ragraphs.models.chat.limit import AdaptiveLimit
from ragraphs.models.chat.waiting import Waiting
from virtual_time import run_at_once

CLOCK = "ragraphs.models.chat.limit.time.monotonic"


class Server:
    """Answers ``slots`` requests at once, in ``seconds`` each; the rest wait in its queue."""

    def __init__(self, slots: int, seconds: float = 12.0, streams: bool = False) -> None:
        self.slots = asyncio.Semaphore(slots)
        self.seconds, self.streams = seconds, streams
        self.busy = self.most = 0

    async def ask(self, limit: AdaptiveLimit, most: int, size: float) -> None:
        async with limit.turn(most) as turn:
            self.busy += 1
            self.most = max(self.most, self.busy)
            async with self.slots:
                for _ in range(10):
                    await asyncio.sleep(self.seconds * size / 10)
                    if self.streams:
                        turn.heard()
            self.busy -= 1
            turn.work = size


async def seconds_for(
    server: Server, limit: AdaptiveLimit, count: int, most: int = 16, draw: int = 3
) -> float:
    dice, waiting = (
        random.Random(draw),
        asyncio.Semaphore(most),
    )  # as many as the package has at hand

    async def ask() -> None:
        async with waiting:
            await server.ask(limit, most, dice.uniform(0.5, 1.5))

    began = asyncio.get_running_loop().time()
    await asyncio.gather(*(ask() for _ in range(count)))
    return asyncio.get_running_loop().time() - began


@pytest.mark.parametrize(
    ("slots", "count", "streams"),
    [
        *((slots, count, how) for slots, count in ((1, 26), (2, 60), (8, 200)) for how in (0, 1)),
        *((8, count, how) for count in (26, 60) for how in (0, 1)),
    ],
)
@pytest.mark.parametrize("draw", (3, 4, 5))
def test_an_unknown_server_is_used_as_well_as_with_the_best_fixed_number(
    monkeypatch, slots, count, streams, draw
):
    async def compare() -> list[float]:
        return [
            await seconds_for(Server(slots, streams=streams), limit, count, draw=draw)
            for limit in (AdaptiveLimit(slots), AdaptiveLimit())
        ]

    best, found = run_at_once(compare(), monkeypatch, CLOCK)
    assert found <= best * (1.1 if slots == 1 else 1.2)


def test_time_in_which_nothing_is_asked_is_no_time_of_a_trial(monkeypatch):
    async def both() -> tuple[float, float]:
        at_once, later = AdaptiveLimit(), AdaptiveLimit()
        begun = await seconds_for(Server(8), at_once, 26)
        await asyncio.sleep(3600)
        return begun, await seconds_for(Server(8), later, 26)

    begun, later = run_at_once(both(), monkeypatch, CLOCK)
    assert later == pytest.approx(begun)


def test_one_slot_is_left_alone_once_it_is_known_to_be_one(monkeypatch):
    async def ask() -> tuple[int, int]:
        limit, server = AdaptiveLimit(), Server(1)
        await seconds_for(server, limit, 8)
        server.most = 0
        await seconds_for(server, limit, 4)
        return limit.now, server.most

    assert run_at_once(ask(), monkeypatch, CLOCK) == (1, 1)


def test_a_stream_tells_a_second_slot_before_the_first_reply_is_there(monkeypatch):
    async def ask() -> int:
        server, limit = Server(16, streams=True), AdaptiveLimit()
        work = asyncio.gather(*(server.ask(limit, 16, 1.0) for _ in range(16)))
        await asyncio.sleep(11)
        busy = server.busy
        await work
        return busy

    assert run_at_once(ask(), monkeypatch, CLOCK) >= 8


def test_slots_that_are_told_are_used_at_once_and_the_callers_limit_holds(monkeypatch):
    async def ask(most: int) -> int:
        limit, server = AdaptiveLimit(), Server(8)
        limit.tell(8)
        work = asyncio.create_task(seconds_for(server, limit, 40, most))
        await asyncio.sleep(1)  # no reply is there yet
        busy = server.busy
        await work
        return busy if busy == server.most else 0

    async def both() -> list[int]:
        return [await ask(16), await ask(3)]

    assert run_at_once(both(), monkeypatch, CLOCK) == [8, 3]


async def test_the_limit_is_halved_once_for_all_that_the_server_had_no_time_for():
    limit = AdaptiveLimit(8)
    async with limit.turn(8) as one, limit.turn(8) as other:
        limit.slow_down(one)
        limit.slow_down(other)
    assert limit.now == 4


async def test_a_turn_that_is_cancelled_while_it_waits_is_not_lost():
    limit = AdaptiveLimit(1)

    async def hold() -> None:
        async with limit.turn(1):
            await asyncio.sleep(0)

    async with limit.turn(1):
        tasks = [asyncio.create_task(hold()) for _ in range(3)]
        await asyncio.sleep(0)
        tasks[0].cancel()
    tasks[1].cancel()  # its turn has just come
    await asyncio.wait(tasks)
    async with asyncio.timeout(5), limit.turn(1):
        pass


def test_what_waits_behind_others_is_not_given_up_while_they_are_answered(monkeypatch):
    async def ask() -> list[str]:
        waiting, slot = Waiting(), asyncio.Semaphore(1)

        async def one() -> str:
            try:
                async with waiting.for_bytes(60) as heard, slot:
                    await asyncio.sleep(40)
                    heard()
                    return "answered"
            except TimeoutError:
                return "given up"

        return await asyncio.gather(*(one() for _ in range(8)))

    assert run_at_once(ask(), monkeypatch) == ["answered"] * 8


def test_what_nothing_comes_for_is_given_up_although_later_ones_are_answered(monkeypatch):
    async def ask() -> tuple[bool, float]:
        waiting, loop = Waiting(), asyncio.get_running_loop()

        async def others() -> None:
            for _ in range(20):
                async with waiting.for_bytes(60) as heard:
                    await asyncio.sleep(10)
                    heard()

        async with asyncio.TaskGroup() as group:
            with pytest.raises(TimeoutError):
                async with waiting.for_bytes(60):
                    group.create_task(others())
                    await asyncio.sleep(1000)
            return loop.time()

    assert run_at_once(ask(), monkeypatch) == 60


def test_a_slow_stream_is_not_cut(monkeypatch):
    async def ask() -> str:
        async with Waiting().for_bytes(60) as heard:
            for _ in range(100):
                await asyncio.sleep(50)
                heard()
        return "whole"

    assert run_at_once(ask(), monkeypatch) == "whole"
