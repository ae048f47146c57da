"""Asking a model about answers and documents, outside of the graphs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from ..context import Context
from ..index.opening import Index
from ..index.readers import language_model
from ..models.budget import Budget
from ..models.meter import Meter, current_meter, start_meter
from ..models.prices import known_prices
from ..models.protocol import OFFLINE, LanguageModel, NoReplyError
from ..prompts.prompt import Excerpt, Prompt
from ..prompts.replies import PromptReply
from ..settings import settings
from ..state.errors import RagraphsError
from .retrieval import Report, unreported

R = TypeVar("R", bound=PromptReply)
T = TypeVar("T")


class Estimate(NamedTuple):
    """Requests and tokens sent that are still to pay, at least and at most; equal where exact."""

    calls_least: int = 0
    calls_most: int = 0
    tokens_least: int = 0
    tokens_most: int = 0

    def __add__(self, other: tuple[object, ...]) -> Estimate:
        """The sum of two estimates."""
        if not isinstance(other, Estimate):
            return NotImplemented
        return Estimate(*(mine + more for mine, more in zip(self, other, strict=True)))


@dataclass
class Asker:
    """A model that is asked prompts; its replies are kept with an index, and found there again.

    ``unanswered`` counts the prompts to which no usable reply came.

    >>> asker = await open_asker(index, context, "A judge")
    >>> verdict = await asker.ask(JUDGE_ANSWERS, question=..., texts=...)
    >>> asker.meter.usage()
    """

    model: LanguageModel
    meter: Meter
    unanswered: int = field(default=0)

    async def ask(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> R | None:
        """The reply; None, which is warned of, where the model refuses or sends what is no use.

        Raises RagraphsError where the model cannot be reached, and at a limit of the run: replies
        that came are kept, so that the same command goes on from there.
        """
        try:
            return await self.model.run(prompt, **inputs)
        except NoReplyError as error:
            if error.cause in ("budget", "unreachable"):
                raise RagraphsError(
                    f"{error} The replies that came are kept: the same command goes on from here."
                ) from error
            self.unanswered += 1
            self.meter.warn(str(error))
            return None

    async def missing(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> Estimate:
        """The cost of the reply: nothing where it is kept."""
        tokens = await asyncio.to_thread(lambda: self.model.missing_tokens(prompt, **inputs))
        return Estimate(1, 1, tokens, tokens) if tokens else Estimate()


async def open_asker(index: Index, context: Context, user: str) -> Asker:
    """The model that ``context`` names, with its limits, for ``user``: what needs a model.

    Graphs that the same task invokes spend of the same limits. Raises RagraphsError without a
    model, and where cost is limited and a price is not known.
    """
    if context.model == OFFLINE:
        raise RagraphsError(f"{user} needs a language model; name one with --model.")
    meter = limited_meter(context)
    return Asker(await language_model(index, context), meter)


def limited_meter(context: Context) -> Meter:
    """A new meter of the running task, which keeps the limits that ``context`` sets.

    Raises RagraphsError where cost is limited, and the price of the model is not known.
    """
    budget = None
    if context.max_tokens is not None or context.max_cost is not None:
        prices = known_prices(settings())
        if context.max_cost is not None:
            prices.require(context.model)
        budget = Budget(context.max_tokens, context.max_cost, {}, prices)
    return start_meter(None, budget)


async def gathered(
    step: str, works: Sequence[Callable[[], Awaitable[T]]], report: Report = unreported
) -> list[T]:
    """The results of ``works``, done at the same time, in order; ``report`` is told of ``step``.

    The first RagraphsError ends them all, and is raised; at a limit on tokens or cost, once the
    requests on their way have replies, which are paid for.
    """
    results: dict[int, T] = {}
    refused: list[RagraphsError] = []
    budget = current_meter().budget

    async def one(place: int, work: Callable[[], Awaitable[T]]) -> None:
        try:
            results[place] = await work()
        except RagraphsError as error:
            if budget is None or not budget.was_reached:
                raise
            refused.append(error)
        else:
            report(step, len(results), len(works))

    try:
        async with asyncio.TaskGroup() as group:
            for place, work in enumerate(works):
                group.create_task(one(place, work))
    except* RagraphsError as errors:
        raise _first(errors) from None
    if refused:
        raise refused[0]
    return [results[place] for place in range(len(works))]


def _first(errors: BaseExceptionGroup[RagraphsError]) -> RagraphsError:
    found: BaseException = errors
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    assert isinstance(found, RagraphsError)
    return found
