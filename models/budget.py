"""What a run may spend: tokens, and US dollars."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from ..state.records import Usage
from ..state.usage import total_tokens
from .prices import Prices
from .protocol import NoReplyError


class Budget:
    """The tokens and the US dollars that are left of a run's limits; None: any number.

    All nodes of a run share it, also those side by side. ``spent`` is what the run has used
    before, in another process perhaps.

    >>> budget = Budget(10_000, None, {}, prices)
    >>> with budget.reserved("openai:gpt-4o-mini", 900):
    ...     budget.spend("openai:gpt-4o-mini", sent=912, received=40)
    """

    def __init__(
        self, max_tokens: int | None, max_cost: float | None, spent: Usage, prices: Prices
    ) -> None:
        self.max_cost = max_cost
        self.prices = prices
        self._max_tokens = max_tokens
        self._tokens = total_tokens(spent)
        self._cost = prices.cost_of(spent) or 0.0
        self._lock = Lock()

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
            if self._max_tokens is not None and self._tokens + tokens > self._max_tokens:
                raise _reached(f"{self._max_tokens:,} tokens", "--max-tokens")
            if self.max_cost is not None and self._cost + cost > self.max_cost:
                raise _reached(dollars(self.max_cost), "--max-cost")
            self._add(tokens, cost)
        try:
            yield
        finally:
            with self._lock:
                self._add(-tokens, -cost)

    def spend(self, model: str, *, sent: int = 0, received: int = 0) -> None:
        """Takes off the tokens of a request, and their cost."""
        with self._lock:
            self._add(sent + received, self.prices.cost(model, sent=sent, received=received) or 0.0)

    def _add(self, tokens: int, cost: float) -> None:
        self._tokens += tokens
        self._cost += cost


def dollars(cost: float) -> str:
    """An amount of US dollars to be read: two digits that say something, and cents."""
    digits = 2
    while digits < 6 and 0 < cost < 10 ** (1 - digits):
        digits += 1
    return f"${cost:,.{digits}f}"


def _reached(limit: str, flag: str) -> NoReplyError:
    return NoReplyError(
        "budget", f"The limit of {limit} a run ({flag}) leaves no room for the next request."
    )
