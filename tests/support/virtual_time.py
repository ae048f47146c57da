"""An event loop whose clock jumps to the next timer, so that hours of waiting take no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.now += timeout or 0
        return super().select(0)


def run_at_once(work: Coroutine[Any, Any, T], monkeypatch: Any, *clocks: str) -> T:
    """The result of ``work``; ``clocks`` are the functions that it reads the time by."""
    selector = _Selector()
    loop = asyncio.SelectorEventLoop(selector)
    for clock in ("time", *clocks):
        target = loop if clock == "time" else clock
        args = (
            (target, "time", lambda: selector.now)
            if target is loop
            else (target, lambda: selector.now)
        )
        monkeypatch.setattr(*args)
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()
