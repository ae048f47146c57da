"""How many requests a server answers at once, found while it is asked."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

_FIRST = 3  # requests at once to a server of which nothing is known
_GAIN = 0.2  # of what a larger limit brings at best, the part that it must bring
_IN_USE = 0.75  # the part of a limit that must be in use to judge it
_LATER = 0.05  # of the time until the first byte: what comes so much later is a stream
_PATIENCE, _LONGEST_PATIENCE = 8, 64


class ModelTurn:
    """A request under way. ``work`` is the size of its reply, once that is there."""

    def __init__(self, limit: AdaptiveLimit) -> None:
        self.limit, self.began, self.work = limit, time.monotonic(), 0.0
        self.streams = False
        self._first: float | None = None

    @property
    def waited(self) -> float:
        """The seconds until the first piece of the reply; 0 where it did not come in pieces."""
        return self._first - self.began if self._first is not None else 0.0

    def heard(self) -> None:
        """Notes a byte of the reply."""
        now = time.monotonic()
        if self._first is None:
            self._first = now
        elif not self.streams and now - self._first > _LATER * self.waited:
            self.streams = True
            self.limit.streams(1)


class AdaptiveLimit:
    """Lets run at once what a server answers the faster for it; other requests wait here, in order.

    ``slots`` are those that the server tells. Else it begins with three, of which one slot has two
    wait, and doubles while all that is under way comes in streams side by side. Of whole replies
    the first tells the rate of one slot. When as many replies came as it lets run, it grows if they
    came faster than under the limit before; else, or as soon as they can no longer do so, that one
    is back, and the next trial is further off each time. It is halved where the server had no time.
    It belongs to one event loop.

    >>> async with limit.turn(most=16) as turn:
    ...     turn.work = len(await reply())
    """

    def __init__(self, slots: int | None = None) -> None:
        self.now = slots or _FIRST
        self._most, self._slots = 1, slots or math.inf
        self._waiting: deque[tuple[asyncio.Future[None], int]] = deque()
        self._busy = self._streams = self._peak = self._count = 0
        self._work = self._used = 0.0
        self._good, self._rate, self._factor = slots or 1, 0.0, 8.0  # the limit that held, its rate
        self._patience, self._windows, self._leapt, self._halved = _PATIENCE, 0, False, 0.0
        self._begin()

    def tell(self, slots: int) -> None:
        """Takes the slots that the server tells."""
        if slots != self._slots:
            self._slots = self._good = self.now = slots
            self._rate = 0.0
            self._begin()
            self._change(0)

    @asynccontextmanager
    async def turn(self, most: int) -> AsyncIterator[ModelTurn]:
        """Waits for a turn, where ``most`` may run at once, and holds it."""
        self._most = max(self._most, most)
        if self._waiting or self._busy >= min(self.now, most):
            entry = asyncio.get_running_loop().create_future(), most
            self._waiting.append(entry)
            try:
                await entry[0]
            except asyncio.CancelledError:
                if entry in self._waiting:
                    self._waiting.remove(entry)
                elif not entry[0].cancelled():  # its turn had just come
                    self._change(-1)
                raise
        else:
            self._change(1)
        turn = ModelTurn(self)
        token = _turn.set(turn)
        try:
            yield turn
        finally:
            _turn.reset(token)
            self._end(turn)

    def streams(self, more: int) -> None:
        """Notes that a reply has begun to stream, or ended."""
        self._streams += more
        self._peak = max(self._peak, self._streams)
        all_stream = self._streams == self._busy == self.now and self._waiting
        if not self._rate and more > 0:
            self._leapt = True
            if all_stream and self.now < min(self._slots, self._most):
                self._set(2 * self.now)

    def slow_down(self, turn: ModelTurn) -> None:
        """Halves the limit once for all that was under way when the server had no time."""
        if turn.began >= self._halved:
            self._halved = time.monotonic()
            self._good, self._rate, self._factor = max(1, self.now // 2), 0.0, 1.25
            self._set(self._good)

    def _end(self, turn: ModelTurn) -> None:
        if turn.streams:
            self.streams(-1)
        self._change(-1)
        if turn.work:
            self._count, self._work = self._count + 1, self._work + turn.work
            self._judge()

    def _judge(self) -> None:
        elapsed = self._changed - self._began + 1e-9
        in_use = self._used / elapsed
        wanted = self._rate * elapsed * (1 + _GAIN * (in_use / self._good - 1))
        slow = self.now > self._good and self._work < wanted
        judged = self.now if self._rate or self._leapt else self._good
        # At the latest when it is too slow even if all that is under way ended now.
        at_best = self._work * (self._count + self._busy) / self._count
        if self._count < judged and not (slow and at_best < wanted):
            return
        if not slow and in_use < _IN_USE * judged:
            self._begin()
            return
        if slow:
            self._factor, self._windows = 1.25, self._patience
            self._patience = min(2 * self._patience, _LONGEST_PATIENCE)
        else:
            if self._leapt:  # more than streamed side by side waited at the server
                judged, self._windows = min(self.now, self._peak), self._patience
            self._good, self._rate, self._leapt = judged, self._work / elapsed, False
            self._windows -= 1
        larger = self._windows < 0
        self._set(max(self._good + 1, int(self._good * self._factor)) if larger else self._good)
        self._factor = min(self._factor, 2.0)

    def _set(self, limit: int) -> None:
        self.now = max(1, int(min(limit, self._slots, self._most)))
        self._begin()
        self._change(0)

    def _begin(self) -> None:
        self._count, self._work, self._used, self._peak = 0, 0.0, 0.0, self._streams
        self._began = self._changed = time.monotonic()

    def _change(self, more: int) -> None:
        """Begins or ends requests, and lets those that wait begin for which there is room."""
        now = time.monotonic()
        self._used += self._busy * (now - self._changed)
        if not self._busy:  # idle, as before the first request: no time of this trial
            self._began += now - self._changed
        self._changed = now
        self._busy += more
        while self._waiting and self._busy < min(self.now, self._waiting[0][1]):
            waiting, _ = self._waiting.popleft()
            if not waiting.done():
                self._busy += 1
                waiting.set_result(None)


_turn: ContextVar[ModelTurn | None] = ContextVar("ragraphs_model_turn", default=None)


def current_turn() -> ModelTurn | None:
    """The turn that the running request holds."""
    return _turn.get()
