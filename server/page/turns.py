"""Waiting for one's turn to write to an index."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from ...nodes.subgraph import Events
from ...state.errors import IndexBusyError

_SECONDS = 20.0
_PAUSE = 1.0


async def in_turn(
    run: Callable[[], Events], *, seconds: float = _SECONDS, pause: float = _PAUSE
) -> Events:
    """The events of ``run()``, which is begun again while another run writes to the index.

        async for name, value in in_turn(lambda: events_of(graph, given, context)):
            ...

    A step tells how long it has waited. Raises IndexBusyError where its turn does not come in
    ``seconds``.
    """
    began = time.monotonic()
    while True:
        try:
            async for event in run():
                yield event
            return
        except IndexBusyError:
            if (waited := time.monotonic() - began) >= seconds:
                raise
        yield "step", {"step": "wait_for_turn", "done": int(waited), "total": int(seconds)}
        await asyncio.sleep(pause)
