"""When a request is given up: a server that answers others first has not forgotten it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import dropwhile, takewhile


class Waiting:
    """Requests that wait for one server, in the order in which they were sent.

    >>> async with waiting.for_bytes(60) as heard:
    ...     async for part in response.content.iter_any():
    ...         heard()
    """

    def __init__(self) -> None:
        self._heard: dict[object, float] = {}

    @asynccontextmanager
    async def for_bytes(self, seconds: float) -> AsyncIterator[Callable[[], None]]:
        """Ends what is inside by TimeoutError, where for ``seconds`` nothing was heard.

        Heard is what came to this request, or to one that was sent before it.
        """
        loop, own = asyncio.get_running_loop(), object()
        heard = self._heard
        heard[own] = loop.time()

        def watch() -> None:
            nonlocal timer
            earlier = takewhile(lambda one: one[0] is not own, heard.items())
            left = max(heard[own], *(at for _, at in earlier), 0) + seconds - loop.time()
            if left <= 0:
                limit.reschedule(loop.time())
            else:
                timer = loop.call_later(left, watch)

        timer = loop.call_later(seconds, watch)
        try:
            async with asyncio.timeout(None) as limit:
                yield lambda: heard.__setitem__(own, loop.time())
        finally:
            timer.cancel()
            later, last = dropwhile(lambda one: one is not own, heard), heard[own]
            heard.update({one: max(heard[one], last) for one in later})
            del heard[own]
