"""The ceilings of a day, the operator's and a caller's, which all processes share."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, ClassVar

from ..settings import Settings
from ..state.errors import RagraphsError
from ..state.usage import Amounts, Ceilings, dollars
from .budget import LIKELY_REPLY
from .caller import Caller, calling
from .prices import known_prices
from .protocol import NoReplyError

if TYPE_CHECKING:
    from ..stores.spending import Spending

logger = logging.getLogger("ragraphs.models")

_HELD_SECONDS = 120  # after which a request whose process died is no longer waited for
_PAUSE = 0.05
_PATIENCE = 1.0


class Day:
    """The ceilings of a day (UTC), summed over all processes: the operator's, and a ``caller``'s.

    A request is taken off before it is sent, with a likely reply, and settled when it has ended.

    >>> day = day_of(settings())
    >>> async with day.turn("openai:gpt-4o-mini", 900) as taken:
    ...     taken.spent(sent=912, received=40)
    """

    def __init__(self, operator: Settings, ceilings: Ceilings, caller: Caller | None) -> None:
        self.ceilings = ceilings
        self._operator, self._caller = operator, caller

    def _accounts(self, date: str) -> dict[str, Ceilings]:
        """The ceilings of a date by their accounts, the operator's first."""
        found = {date: self.ceilings}
        if self._caller is not None:
            found[_account(date, self._caller)] = self._caller.ceilings
        return {account: each for account, each in found.items() if each != Ceilings()}

    @property
    def limits_cost(self) -> bool:
        """Whether there is a ceiling of money."""
        own = None if self._caller is None else self._caller.ceilings.cost
        return self.ceilings.cost is not None or own is not None

    @asynccontextmanager
    async def turn(self, model: str, tokens: int) -> AsyncIterator[Taken]:
        """Holds what a prompt of ``tokens`` and its reply may take while they are on their way.

        Near a ceiling it waits for others first, so that the ceiling is passed by one reply at
        most. Raises NoReplyError where nothing is left.
        """
        taken = await asyncio.to_thread(Taken, self, model, tokens, Taken.longest)
        try:
            while not await asyncio.to_thread(taken.take):
                await asyncio.sleep(_PAUSE)
            yield taken
        finally:  # the thread ends its work, however long a run may wait for it
            ending = asyncio.ensure_future(asyncio.to_thread(taken.settle))
            await asyncio.wait([ending], timeout=_PATIENCE)

    @contextmanager
    def embedding(self, model: str, tokens: int, *, indexing: bool) -> Iterator[None]:
        """Takes the ``tokens`` that are embedded. Blocks; raises NoReplyError while ``indexing``.

        The vector of a question is counted, and never refused.
        """
        if not indexing:
            yield
            accounts = self._accounts(_today())
            self._spending().add(accounts, self.amounts(model, calls=0, sent=tokens))
            return
        taken = Taken(self, model, tokens, 0, calls=0)
        try:
            while not taken.take():
                time.sleep(_PAUSE)
            yield
            taken.spent(sent=tokens)
        finally:
            taken.settle()

    def amounts(self, model: str, *, calls: int = 1, sent: int = 0, received: int = 0) -> Amounts:
        """Amounts that requests take; an unknown price counts as 0. Blocks."""
        cost = known_prices(self._operator).cost(model, sent=sent, received=received) or 0.0
        return Amounts(calls, sent + received, cost)

    def take(self, date: str, least: Amounts, most: Amounts) -> bool:
        """Whether a request could be taken; else it may be worth to wait for others. Blocks.

        Raises NoReplyError where it is not.
        """
        spending, now, accounts = self._spending(), time.time(), self._accounts(date)
        if spending.take(accounts, least, most, now, now + _HELD_SECONDS):
            return True
        for account, ceilings in accounts.items():
            sums, until = spending.of(account)
            # What others hold may be given back, but for their calls.
            least_sums = sums + least if until < now else Amounts(sums.calls + least.calls)
            if limit := _limit(least_sums, ceilings):
                raise _reached(limit, None if account == date else self._caller)
        return False

    def settle(self, date: str, change: Amounts) -> None:
        """Ends a request that was taken. Blocks."""
        self._spending().settle(self._accounts(date), change)

    def told(self) -> str:
        """The sums of today that have ceilings of the operator's, in one line. Blocks."""
        sums, _ = self._spending().of(_today())
        limits = _words(vars(self.ceilings))
        shown = _words(vars(sums))
        return ", ".join(f"{shown[name]} of {limits[name].split()[0]}" for name in limits)

    def _spending(self) -> Spending:
        from ..stores.spending import spending_of

        return spending_of(self._operator)

    def require(self, model: str) -> None:
        """Raises RagraphsError where money is limited, and the price of ``model`` is not known."""
        if self.limits_cost:
            known_prices(self._operator).require(model)


class Taken:
    """A request that is taken off a day: the prompt of ``tokens``, and a ``reply`` of as many.

    Nobody knows the length of a reply before it has come: the ``longest`` so far is likely. Raises
    RagraphsError where money is limited, and the price of ``model`` is not known.
    """

    longest: ClassVar[int] = LIKELY_REPLY

    def __init__(self, day: Day, model: str, tokens: int, reply: int, calls: int = 1) -> None:
        day.require(model)
        self._day, self._model = day, model
        self._date = _today()
        self._least = day.amounts(model, calls=calls, sent=tokens)
        self._most = day.amounts(model, calls=calls, sent=tokens, received=reply)
        self._spent = Amounts()
        self._lock = Lock()
        self._is_taken = self._has_ended = False

    def spent(self, *, sent: int, received: int = 0) -> None:
        """Adds what an attempt at the request really took."""
        Taken.longest = max(Taken.longest, received)
        calls = self._least.calls
        self._spent += self._day.amounts(self._model, calls=calls, sent=sent, received=received)

    def take(self) -> bool:
        """Whether it was taken; else to be tried again. Blocks; raises NoReplyError."""
        took = self._day.take(self._date, self._least, self._most)
        with self._lock:
            self._is_taken, was_given_up = took, self._has_ended
        if was_given_up:
            self.settle()
        return took

    def settle(self) -> None:
        """Gives back what was not spent, also where the taking is still under way. Blocks."""
        with self._lock:
            is_taken, self._is_taken, self._has_ended = self._is_taken, False, True
        if not is_taken:
            return
        try:
            self._day.settle(self._date, self._spent + -self._most)
        except RagraphsError as error:
            logger.warning("a request counts as taken, with a long reply: %s", error)


def day_of(operator: Settings) -> Day | None:
    """The ceilings that hold today for who is calling, if there are any."""
    calls, tokens = operator.max_calls_per_day, operator.max_tokens_per_day
    day = Day(operator, Ceilings(calls, tokens, operator.max_cost_per_day), calling.get())
    return day if day._accounts("") else None


def count_request(operator: Settings, caller: Caller) -> bool:
    """Whether ``caller`` has one more request today, which is counted then. Blocks."""
    from ..stores.spending import spending_of

    one, accounts = Amounts(1), {f"{_account(_today(), caller)} /": Ceilings(caller.requests)}
    return spending_of(operator).take(accounts, one, one, time.time(), 0.0)


def _account(date: str, caller: Caller) -> str:
    return f"{date} {caller.name}"


def _limit(sums: Amounts, ceilings: Ceilings) -> str:
    """The first of ``ceilings`` that ``sums`` are above, in words; empty where there is none."""
    limits = _words(vars(ceilings))
    over = (name for name in limits if getattr(sums, name) > getattr(ceilings, name))
    return limits.get(next(over, ""), "")


def _reached(limit: str, caller: Caller | None) -> NoReplyError:
    whose = "the operator's" if caller is None else f"{caller.name}'s"
    logger.warning("%s limit for today is reached: %s", whose, limit)
    told = "The operator's" if caller is None else "Your"
    return NoReplyError(
        "budget", f"{told} limit for today ({limit}) is reached; it begins anew at 00:00 UTC."
    )


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _words(amounts: Mapping[str, float | None]) -> dict[str, str]:
    """The ``amounts`` that are not None in words, by their names."""
    words = {}
    for name, amount in amounts.items():
        if amount is not None:
            unit = name.removesuffix("s") if amount == 1 else name
            words[name] = dollars(amount) if name == "cost" else f"{amount:,} {unit}"
    return words
