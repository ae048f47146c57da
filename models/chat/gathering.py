"""Blocking work for many tasks that wait at once, done together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")


class Gathered(Generic[A, B]):
    """Calls ``work`` in a thread with all items that wait; items that come meanwhile are next.

    ``work`` gives one result for each item, in order. One instance belongs to one event loop.

    >>> stored = Gathered(replies.find)
    >>> one, other = await asyncio.gather(stored("key 1"), stored("key 2"))
    """

    def __init__(self, work: Callable[[list[A]], Sequence[B]]) -> None:
        self._work = work
        self._waiting: list[tuple[A, asyncio.Future[B]]] = []
        self._working: asyncio.Task[None] | None = None

    async def __call__(self, item: A) -> B:
        """The result for ``item``. Raises every error of ``work``."""
        result: asyncio.Future[B] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, result))
        if self._working is None:
            self._working = asyncio.create_task(self._work_off())
        return await result

    async def _work_off(self) -> None:
        try:
            while self._waiting:
                at_hand, self._waiting = self._waiting, []
                await self._work_on(at_hand)
        finally:
            self._working = None

    async def _work_on(self, at_hand: list[tuple[A, asyncio.Future[B]]]) -> None:
        try:
            results = await asyncio.to_thread(self._work, [item for item, _ in at_hand])
        except Exception as error:
            for _, waiting in at_hand:
                if not waiting.done():
                    waiting.set_exception(error)
            return
        for (_, waiting), result in zip(at_hand, results, strict=True):
            if not waiting.done():
                waiting.set_result(result)
