"""A batch of a step as a worker of a cluster does it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Generic, TypeVar

from ...context import Context, IndexContext
from ...models.budget import Budget
from ...models.meter import Tally, start_meter
from ...models.prices import known_prices
from ...settings import settings
from ...state.errors import RagraphsError
from ..opening import Index, open_index
from ..progress import Progress
from ..rebuilding import as_written

T = TypeVar("T")
R = TypeVar("R")
Work = Callable[[Index, Context, Sequence[T], Progress], Awaitable[R]]
Spent = tuple[int, float]  # tokens and US dollars


@dataclass(frozen=True)
class Job:
    """The settings of a run for its workers: the caller's, and the operator's.

    ``environment`` may hold keys. It travels as an argument of tasks, which Ray writes into no log.
    """

    version: str
    settings: Mapping[str, Any]
    environment: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True)
class BatchOutcome(Generic[R]):
    """The end of a batch: the ``result`` of its work, or the ``problem`` that ended it.

    ``done`` items were reported; ``tally`` has usage and warnings, ``used`` the keys of the replies
    that were read or stored. It is ``short`` where its share of the run's budget was too small.
    """

    result: R | None
    done: int
    tally: Tally
    used: frozenset[str] = frozenset()
    short: bool = False
    problem: str = ""


def work_on(job: Job, work: Work[T, R], items: Sequence[T], spent: Spent | None) -> BatchOutcome[R]:
    """Does ``work`` on a batch of ``items`` in a worker's process, and stores what comes of it.

    ``spent`` is what counts as spent of the run's limits, if it has any. Blocks.
    """
    if (ours := version("ragraphs")) != job.version:
        return BatchOutcome(
            None,
            0,
            Tally(),
            problem=f"A worker of the cluster has ragraphs {ours}, and this machine {job.version}; "
            "install the same version everywhere.",
        )
    if any(os.environ.get(name) != value for name, value in job.environment.items()):
        os.environ.update(job.environment)
        settings.cache_clear()
    return asyncio.run(_done(job, work, items, spent))


async def _done(
    job: Job, work: Work[T, R], items: Sequence[T], spent: Spent | None
) -> BatchOutcome[R]:
    context = IndexContext(**job.settings)
    budget = None
    if spent is not None:
        prices = known_prices(settings())
        budget = Budget(context.max_tokens, context.max_cost, {}, prices, taken=spent)
    meter = start_meter(None, budget, indexing=True)
    done, result, problem = 0, None, ""

    def report(so_far: float, total: int) -> None:
        nonlocal done
        done = int(so_far)

    try:
        index = await asyncio.to_thread(lambda: as_written(open_index(context)))
        index.replies.watch()
        result = await work(index, context, items, report)
        used = index.replies.used()
    except RagraphsError as error:
        problem, used = str(error), frozenset()
    short = budget is not None and budget.was_reached
    return BatchOutcome(result, done, meter.tally(), used, short, problem)
