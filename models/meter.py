"""The meter of a node: the requests it may still send, and its usage so far."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from ..settings import settings, told
from ..state.errors import RagraphsError, readable
from ..state.records import ModelUsage, Usage
from .budget import Budget
from .day import Taken, day_of
from .deadline import Deadline
from .failures import was_given_up
from .figures import note_request
from .prices import Prices, known_prices
from .protocol import NoReplyError


class AnswerListener(Protocol):
    """Follows the text of an answer while it arrives."""

    def begin(self) -> None:
        """Marks the beginning of a reply; all text of an earlier one is void."""

    def add(self, piece: str) -> None:
        """Takes the next ``piece`` of the answer's text."""


@dataclass(frozen=True)
class Tally:
    """The figures and warnings of a meter, to be added to the meter of another process.

    ``sums`` are the counts of warnings that are sums, by their sentences.
    """

    usage: Usage = field(default_factory=lambda: Usage())
    warnings: tuple[str, ...] = ()
    sums: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass
class Permit:
    """A request of ``tokens`` to ``model`` that may be sent.

    ``refusal`` is the reason why it may not be sent once more, where a limit forbids that.
    """

    meter: Meter
    model: str
    tokens: int
    _day: AsyncExitStack
    refusal: NoReplyError | None = None
    _taken: Taken | None = None
    _given_up: bool = False

    def count(self, *, sent: int = 0, received: int = 0) -> None:
        """Counts the request, with the tokens that it really took."""
        self.meter.count(self.model, calls=1, sent=sent, received=received)
        if self._taken is not None:
            self._taken.spent(sent=sent, received=received)

    async def take(self) -> None:
        """Takes one request off the run's calls and the operator's day. Raises NoReplyError."""
        if not self.meter.take_call():
            raise NoReplyError(
                "budget", "The limit on requests to the model was reached (--max-calls)."
            )
        await self._day.aclose()  # where it was sent before, that is settled
        if (day := day_of(settings())) is not None:
            self._taken = await self._day.enter_async_context(day.turn(self.model, self.tokens))

    @asynccontextmanager
    async def attempt(self) -> AsyncIterator[None]:
        """Sends the request. Raises NoReplyError where a limit leaves no room for one more.

        An attempt after one that was given up, and may be charged, is a request of its own.
        """
        if self._given_up:
            self._given_up = False
            self.count(sent=self.tokens)
            await self._take_again()
        try:
            yield
        except BaseException as error:
            self._given_up = was_given_up(error)
            raise

    async def _take_again(self) -> None:
        try:
            if self.meter.budget is not None:
                self.meter.budget.check()
            await self.take()
        except NoReplyError as error:
            self.refusal = error
            raise


@dataclass
class Meter:
    """Counts requests, tokens and searches, and collects warnings.

    ``calls_left`` is the number of requests to a language model that may still be sent; None: any.
    ``budget`` is what the run may still spend, and ``deadline`` when it must end. While
    ``indexing`` a request for embeddings may be refused; the vector of a question is worth its few
    tokens.
    ``listener`` follows the answers that models give, where they can be streamed. ``lost`` says
    that the model could not be reached, ``pace`` how many replies a server of one's own gives at
    a time, and the seconds of one.

    >>> meter = start_meter(calls_left=20)
    >>> reply = await model.run(ANSWER, question="Who?", texts=texts)
    >>> meter.usage()["models"]
    """

    calls_left: int | None = None
    budget: Budget | None = None
    indexing: bool = False
    deadline: Deadline | None = None
    listener: AnswerListener | None = None
    lost: bool = False
    pace: tuple[int, float] | None = None
    models: dict[str, ModelUsage] = field(default_factory=dict)
    embeddings: dict[str, int] = field(default_factory=dict)
    retrievals: int = 0
    retrieved_tokens: int = 0
    web_searches: int = 0
    warnings: list[str] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock, repr=False)
    _sums: dict[str, list[int]] = field(default_factory=dict, repr=False)

    def take_call(self) -> bool:
        """Takes one request off ``calls_left``; whether it may be sent."""
        if self.calls_left is None:
            return True
        if self.calls_left < 1:
            return False
        self.calls_left -= 1
        return True

    def in_time(self, grace: float = 0.0) -> AbstractAsyncContextManager[None]:
        """Ends what is awaited inside ``grace`` seconds after the deadline, by NoReplyError."""
        return nullcontext() if self.deadline is None else self.deadline.kept(grace)

    @asynccontextmanager
    async def turn(self, model: str, tokens: int) -> AsyncIterator[Permit]:
        """Holds the ``tokens`` of a prompt while it is on its way; near a limit it waits first.

        Raises NoReplyError where the run's budget, or the operator's day, has fewer left.
        """
        async with AsyncExitStack() as held, AsyncExitStack() as day:
            turn = Permit(self, model, tokens, day)
            try:
                if self.budget is not None:
                    await held.enter_async_context(self.budget.turn(model, tokens))
                await turn.take()
                token = _turn.set(turn)
                try:
                    yield turn
                finally:
                    _turn.reset(token)
            except NoReplyError as error:
                if self.indexing:
                    self.warn(str(error))
                raise

    @contextmanager
    def embedding(self, name: str, tokens: int) -> Iterator[None]:
        """Counts ``tokens`` that are sent to the embeddings ``name``, once they were.

        Raises RagraphsError where the run's budget has fewer left.
        """
        with ExitStack() as held:
            try:
                if self.budget is not None and self.indexing:
                    held.enter_context(self.budget.reserved(name, tokens))
                if (day := day_of(settings())) is not None:
                    held.enter_context(day.embedding(name, tokens, indexing=self.indexing))
            except NoReplyError as error:
                raise RagraphsError(
                    f"{error} What is embedded is kept; raise the limit, and run again."
                ) from error
            yield
            if self.budget is not None:
                self.budget.spend(name, sent=tokens)
        note_request(_prices, name, sent=tokens)
        with self._lock:
            self.embeddings[name] = self.embeddings.get(name, 0) + tokens

    def count(self, model: str, *, calls: int = 0, sent: int = 0, received: int = 0) -> None:
        """Adds requests, input tokens and output tokens of ``model``."""
        note_request(_prices, model, calls=calls, sent=sent, received=received)
        if self.budget is not None:
            self.budget.spend(model, sent=sent, received=received)
        usage = self._usage_of(model)
        usage["calls"] += calls
        usage["input_tokens"] += sent
        usage["output_tokens"] += received

    def count_reused(self, model: str, tokens: int) -> None:
        """Adds a reply of ``model`` that was known, and took ``tokens`` when it was asked for."""
        usage = self._usage_of(model)
        usage["reused"] += 1
        usage["reused_tokens"] += tokens

    def _usage_of(self, model: str) -> ModelUsage:
        nothing: ModelUsage = {
            "calls": 0,
            "reused": 0,
            "input_tokens": 0,
            "output_tokens": 0,
            "reused_tokens": 0,
        }
        return self.models.setdefault(model, nothing)

    def warn(self, sentence: str) -> None:
        """Adds a warning about a degraded result; the same ``sentence`` once."""
        sentence = readable(told(sentence, settings()))
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def warn_of_sum(self, sentence: str, *counts: int) -> None:
        """Adds a warning whose ``{}`` are the sums of the ``counts`` of all calls with it."""
        if before := self._sums.get(sentence):
            self.warnings.remove(readable(told(sentence.format(*before), settings())))
            counts = tuple(map(sum, zip(before, counts, strict=True)))
        self._sums[sentence] = list(counts)
        self.warn(sentence.format(*counts))

    def tally(self) -> Tally:
        """The usage and the warnings so far, for the meter of another process."""
        sums = {sentence: tuple(counts) for sentence, counts in self._sums.items()}
        summed = {readable(told(one.format(*sums[one]), settings())) for one in sums}
        return Tally(self.usage(), tuple(one for one in self.warnings if one not in summed), sums)

    def add(self, tally: Tally) -> None:
        """Adds the usage, but not the warnings, of a meter in another process."""
        if self.budget is not None:
            self.budget.take_over(tally.usage)
        for model, used in tally.usage.get("models", {}).items():
            sent, received = used["input_tokens"], used["output_tokens"]
            note_request(_prices, model, calls=used["calls"], sent=sent, received=received)
            usage = self._usage_of(model)
            for name, count in used.items():
                usage[name] += count  # type: ignore[literal-required]
        with self._lock:
            for name, tokens in tally.usage.get("embeddings", {}).items():
                self.embeddings[name] = self.embeddings.get(name, 0) + tokens
        self.retrievals += tally.usage.get("retrievals", 0)
        self.retrieved_tokens += tally.usage.get("retrieved_tokens", 0)

    def repeat(self, tally: Tally) -> None:
        """Adds the warnings of a meter in another process."""
        for sentence in tally.warnings:
            self.warn(sentence)
        for sentence, counts in tally.sums.items():
            self.warn_of_sum(sentence, *counts)

    def usage(self) -> Usage:
        """The usage so far, as a record for the state."""
        usage: Usage = {
            "models": self.models,
            "retrievals": self.retrievals,
            "retrieved_tokens": self.retrieved_tokens,
            "web_searches": self.web_searches,
        }
        if self.embeddings:
            usage["embeddings"] = self.embeddings
        if (cost := known_prices(settings()).cost_of(usage)) is not None:
            usage["cost"] = cost
        return usage


def _prices() -> Prices:
    return known_prices(settings())


_turn: ContextVar[Permit | None] = ContextVar("ragraphs_turn", default=None)
_meter: ContextVar[Meter | None] = ContextVar("ragraphs_meter", default=None)


def current_meter() -> Meter:
    """The meter of the running node, or a new one without a limit outside of any node."""
    return _meter.get() or Meter()


def attempt() -> AbstractAsyncContextManager[None]:
    """One attempt at the request that is being sent, which is repeated after passing failures.

    Raises NoReplyError where a limit forbids one more.
    """
    turn = _turn.get()
    return nullcontext() if turn is None else turn.attempt()


def start_meter(
    calls_left: int | None,
    budget: Budget | None = None,
    *,
    indexing: bool = False,
    deadline: Deadline | None = None,
) -> Meter:
    """A new meter for the running task and the tasks that it starts."""
    meter = Meter(calls_left, budget, indexing, deadline)
    _meter.set(meter)
    return meter
