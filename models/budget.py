"""Budget of a run: tokens, and US dollars."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from threading import Lock

from ..state.records import Usage
from ..state.usage import dollars, total_tokens
from .prices import Prices
from .protocol import NoReplyError

LIKELY_REPLY = 2000  # tokens, as long as no longer reply has come


class Budget:
    """The tokens and the US dollars that are left of a run's limits; None: any number.

    All nodes of a run share it, also those side by side. ``spent`` is what the run has used
    before, in another process perhaps; ``taken`` are tokens and dollars that besides count as used.
    It ``was_reached`` where it refused a request.

    >>> budget = Budget(10_000, None, {}, prices)
    >>> async with budget.turn("openai:gpt-4o-mini", 900):
    ...     budget.spend("openai:gpt-4o-mini", sent=912, received=40)
    """

    def __init__(
        self,
        max_tokens: int | None,
        max_cost: float | None,
        spent: Usage,
        prices: Prices,
        *,
        taken: tuple[int, float] = (0, 0.0),
    ) -> None:
        self.max_cost = max_cost
        self.prices = prices
        self.was_reached = False
        self._max_tokens = max_tokens
        self._tokens = total_tokens(spent) + taken[0]
        self._cost = (prices.cost_of(spent) or 0.0) + taken[1]
        self._lock = Lock()
        self._lent = 0  # shares, to other processes
        self._replies = 0  # on their way
        self._longest = LIKELY_REPLY
        self._waiting: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def turn(self, model: str, tokens: int) -> AsyncIterator[None]:
        """Holds the ``tokens`` of a prompt as ``reserved`` does; near a limit it waits first.

        Nobody knows the length of a reply before it has come. Where those on their way may reach
        the limit, requests go one after another: a run goes over it by one reply at most.
        """
        while (freed := self._queued(model, tokens)) is not None:
            await freed
        try:
            with self.reserved(model, tokens):
                yield
        finally:
            self._leave()

    def _queued(self, model: str, tokens: int) -> asyncio.Future[None] | None:
        """A future to wait for before the request; None where it has begun to count."""
        with self._lock:
            replies = (self._replies + 1) * self._longest
            cost = self.prices.cost(model, sent=tokens, received=replies) or 0.0
            if self._replies and (self._over_tokens(tokens + replies) or self._over_cost(cost)):
                freed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiting.append(freed)
                return freed
            self._replies += 1
            return None

    @contextmanager
    def lent(self, parts: int) -> Iterator[tuple[int, float]]:
        """Sets one of ``parts`` shares of what is left apart for the budget of another process.

        Yields the tokens and dollars that count as used there (``taken``).
        """
        with self._lock:
            tokens = max(0, (self._max_tokens or 0) - self._tokens) // parts
            cost = max(0.0, (self.max_cost or 0.0) - self._cost) / parts
            taken = (self._max_tokens or 0) - tokens, (self.max_cost or 0.0) - cost
            self._add(tokens, cost)
            self._lent += 1
        try:
            yield taken
        finally:
            with self._lock:
                self._add(-tokens, -cost)
                self._lent -= 1
            self._free_waiting()

    async def given_back(self) -> bool:
        """Waits until a share that is lent comes back; False at once where none is."""
        with self._lock:
            if not self._lent:
                return False
            freed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(freed)
        await freed
        return True

    def take_over(self, usage: Usage) -> None:
        """Takes off what another process has used."""
        with self._lock:
            self._add(total_tokens(usage), self.prices.cost_of(usage) or 0.0)

    def _leave(self) -> None:
        with self._lock:
            self._replies -= 1
        self._free_waiting()

    def _free_waiting(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for freed in waiting:
            with suppress(RuntimeError):  # the loop of a run that was given up
                freed.get_loop().call_soon_threadsafe(_free, freed)

    @contextmanager
    def reserved(self, model: str, tokens: int) -> Iterator[None]:
        """Holds the ``tokens`` of a prompt while it is on its way, so that no other takes them.

        Raises NoReplyError where fewer are left, and RagraphsError where money is limited, and the
        price of ``model`` is not known.
        """
        if self.max_cost is not None:
            self.prices.require(model)
        cost = self.prices.cost(model, sent=tokens) or 0.0
        with self._lock:
            self._check(tokens, cost)
            self._add(tokens, cost)
        try:
            yield
        finally:
            with self._lock:
                self._add(-tokens, -cost)

    def check(self) -> None:
        """Raises NoReplyError where more is used and held than the limits allow."""
        with self._lock:
            self._check(0, 0.0)

    def _check(self, tokens: int, cost: float) -> None:
        over_tokens, over_cost = self._over_tokens(tokens), self._over_cost(cost)
        self.was_reached |= over_tokens or over_cost
        if over_tokens:
            raise _reached(f"{self._max_tokens or 0:,} tokens", "--max-tokens")
        if over_cost:
            raise _reached(dollars(self.max_cost or 0), "--max-cost")

    def spend(self, model: str, *, sent: int = 0, received: int = 0) -> None:
        """Takes off the tokens of a request, and their cost."""
        with self._lock:
            self._longest = max(self._longest, received)
            self._add(sent + received, self.prices.cost(model, sent=sent, received=received) or 0.0)

    def _over_tokens(self, more: int) -> bool:
        return self._max_tokens is not None and self._tokens + more > self._max_tokens

    def _over_cost(self, more: float) -> bool:
        return self.max_cost is not None and self._cost + more > self.max_cost

    def _add(self, tokens: int, cost: float) -> None:
        self._tokens += tokens
        self._cost += cost


def _free(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


def _reached(limit: str, flag: str) -> NoReplyError:
    return NoReplyError(
        "budget", f"The limit of {limit} a run ({flag}) leaves no room for the next request."
    )
