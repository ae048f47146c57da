"""The moment by which a question is to be finished, whatever it waits for."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from contextvars import copy_context
from typing import Any, TypeVar

from .protocol import NoReplyError

T = TypeVar("T")


def begun(work: Callable[[], T]) -> Future[T]:
    """Result to come of ``work`` that blocks, in a thread that no end of a process waits for."""
    result: Future[T] = Future()

    def do() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=copy_context().run, args=(do,), daemon=True).start()
    return result


class Deadline:
    """The end of the ``seconds`` that a question may take from the time ``began``.

    All nodes of a run share it. It ``was_reached`` where something was given up for it; ``index``
    is the run's as it was opened last, for nodes that have no time to open it.

    >>> deadline = Deadline(5, time.monotonic())
    >>> async with deadline.kept():
    ...     reply = await ask()
    """

    def __init__(self, seconds: float, began: float) -> None:
        self.ends = began + seconds
        self.was_reached = False
        self.index: Any = None
        self._seconds = seconds

    @property
    def left(self) -> float:
        return max(0.0, self.ends - time.monotonic())

    @asynccontextmanager
    async def kept(self, grace: float = 0.0) -> AsyncIterator[None]:
        """Ends what is awaited inside ``grace`` seconds after the deadline, by NoReplyError."""
        most = max(0.0, self.ends + grace - time.monotonic())
        try:
            async with asyncio.timeout(most) as limit:
                yield
        except TimeoutError as error:
            if limit.expired():
                raise self._over() from error
            raise

    def result_of(self, work: Callable[[], T]) -> T:
        """The result of ``work`` that blocks. Raises NoReplyError where it takes too long.

        The thread is not waited for then, not even at the end of the process.
        """
        result = begun(work) if self.left else Future[T]()
        try:
            return result.result(self.left)
        except TimeoutError as error:
            if result.done():
                raise
            raise self._over() from error

    def _over(self) -> NoReplyError:
        self.was_reached = True
        return NoReplyError(
            "time", f"The limit of {self._seconds:g} s a question (--max-seconds) is reached."
        )
