"""Doing several things at once, and ending them together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from itertools import takewhile
from threading import Event
from types import TracebackType
from typing import Any, Generic, TypeVar

from ..models.protocol import NoReplyError
from ..stores.queries import run_ended

T = TypeVar("T")
R = TypeVar("R")

# Python runs one thread at a time anyway; more of them delay the requests to a model, and each
# keeps the memory that its largest work took.
WORK_THREAD = ThreadPoolExecutor(1, thread_name_prefix="ragraphs-work")
_PATIENCE = 8
_BATCH = 64


async def in_parallel(
    items: Iterable[T], work: Callable[[T], Awaitable[R]], at_once: int
) -> list[R]:
    """Does ``work`` on every item, ``at_once`` at a time, and returns the results in order.

    Items are begun in order. The first failure ends what is under way, and is raised.
    """
    waiting = enumerate(items)
    results: dict[int, R] = {}

    async def worker() -> None:
        for place, item in waiting:  # the workers share it: each takes the next
            results[place] = await work(item)

    await _side_by_side(worker() for _ in range(at_once))
    return [results[place] for place in sorted(results)]


async def _side_by_side(parts: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Does all ``parts`` at once; the first failure ends the others, and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(part)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def to_its_end(
    work: Callable[..., T],
    *arguments: Any,
    threads: Executor | None = WORK_THREAD,
    whole: bool = False,
    stop: Callable[[], None] | None = None,
) -> T:
    """The result of blocking ``work``, done in one of ``threads``; None: the threads of asyncio.

    A caller that is cancelled, once or again, calls ``stop``, and waits for the work to end, so
    that nothing is written after a run has ended. Work that has not begun never does; other work
    ends before its next batch, unless it must be done as a ``whole``.
    """
    ended, context = Event(), copy_context()
    context.run(run_ended.set, None if whole else ended)
    thread = threads.submit(context.run, work, *arguments) if threads else None
    result = (
        asyncio.wrap_future(thread)
        if thread
        else asyncio.get_running_loop().run_in_executor(None, context.run, work, *arguments)
    )
    try:
        return await asyncio.shield(result)
    except asyncio.CancelledError:
        ended.set()
        if stop:
            stop()
        if thread:
            thread.cancel()
        while not result.done():
            with suppress(asyncio.CancelledError):  # as the loop cancels once more at its end
                await asyncio.wait([result])
        if not result.cancelled():
            result.exception()  # looked at, else asyncio tells of it on stderr
        raise


class Patience:
    """Gives a model up when it left too many requests in a row without any answer.

    It is asked at least as often as there are requests ``at_once``. Where the run may
    spend no more it is given up at once, and ``is_spent``.
    """

    def __init__(self, at_once: int = 0) -> None:
        self._most = max(_PATIENCE, at_once)
        self._silent = 0
        self.is_spent = False

    @property
    def is_lost(self) -> bool:
        """Whether the model is given up."""
        return self.is_spent or self._silent >= self._most

    def while_it_lasts(self, items: Iterable[T]) -> Iterator[T]:
        """The items, until the model is given up."""
        return takewhile(lambda _: not self.is_lost, items)

    def note(self, *errors: NoReplyError) -> None:
        """Takes note of one piece of work, and of the errors that came of it."""
        self.is_spent |= any(error.cause == "budget" for error in errors)
        silent = any(error.cause == "unreachable" for error in errors)
        self._silent = self._silent + silent if errors else 0


class Storing(Generic[T]):
    """Stores items by blocking ``store`` in batches as they come, and the rest at the end.

    async with Storing(index.readings.put) as storing:
        await storing.add(reading)
    """

    def __init__(self, store: Callable[[list[T]], None]) -> None:
        self._store = store
        self._items: list[T] = []

    async def add(self, *items: T) -> None:
        """Stores ``items``, now or with those that follow."""
        self._items += items
        if len(self._items) >= _BATCH:
            await self._flush()

    async def _flush(self) -> None:
        items, self._items = self._items, []
        if items:
            await asyncio.to_thread(self._store, items)

    async def __aenter__(self) -> Storing[T]:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._flush()
