"""Waiting for one's turn to write to an index."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from ...state.errors import IndexBusyError

_SECONDS = 20.0
_PAUSE = 1.0

Parts = AsyncIterator[Any]


async def in_turn(
    run: Callable[[], Parts], *, seconds: float = _SECONDS, pause: float = _PAUSE
) -> Parts:
    """The parts of ``run()``, which is begun again while another run writes to the index.

        async for mode, part in in_turn(lambda: graph.astream(given, stream_mode=modes)):
            ...

    A step tells how long it has waited. Raises IndexBusyError where its turn does not come in
    ``seconds``.
    """
    began = time.monotonic()
    while True:
        try:
            async for part in run():
                yield part
            return
        except IndexBusyError:
            if (waited := time.monotonic() - began) >= seconds:
                raise
        yield "custom", {"step": "wait_for_turn", "done": int(waited), "total": int(seconds)}
        await asyncio.sleep(pause)
