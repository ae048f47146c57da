"""The work of a step: all at once on this machine, or in batches on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import takewhile
from math import ceil
from typing import Any, Generic, Protocol, TypeVar, cast

from ...context import Context
from ...models.meter import current_meter
from ...state.errors import RagraphsError
from ..concurrency import in_parallel
from ..opening import Index
from ..progress import Progress
from .worker import BatchOutcome, Spent, Work

T = TypeVar("T")
R = TypeVar("R")

_ROUNDS = 4  # batches for each worker, so that none waits long for the last of another


class Cluster(Protocol):
    """Workers that do batches; ``askers`` of all ``workers`` may ask models at the same time."""

    workers: int
    askers: int

    def begin(
        self, work: Work[T, R], items: Sequence[T], spent: Spent | None
    ) -> Awaitable[BatchOutcome[R]]:
        """Has a worker do ``work`` on ``items``. Cancelled, it waits until the worker has ended.

        Raises RagraphsError where workers die of it again and again.
        """
        ...


_cluster: ContextVar[Cluster | None] = ContextVar("ragraphs_cluster", default=None)


@contextmanager
def handing_out(cluster: Cluster) -> Iterator[None]:
    """Has ``in_parts`` hand its work to ``cluster``, in this task and those that it starts."""
    before = _cluster.set(cluster)
    try:
        yield
    finally:
        _cluster.reset(before)


def _always(result: Any) -> bool:
    return True


async def in_parts(
    index: Index,
    context: Context,
    work: Work[T, R],
    items: Sequence[T],
    report: Progress,
    *,
    most: int,
    asks: bool,
    total: int | None = None,
    goes_on: Callable[[R], bool] = _always,
) -> list[R]:
    """The results of ``work`` on ``items``, in order: one here, on a cluster one for each batch.

        results = await in_parts(index, context, _embed, groups, report, most=1, asks=False)

    ``work`` and its items travel to other machines, so that both must pickle; ``work`` stores what
    it makes. A batch has at most ``most`` items. Where the work ``asks`` models over a network, no
    more workers do it than there may be requests at once. ``report`` gets the sum of what the
    batches reported, of ``total``. No batch is begun after a result with which nothing ``goes_on``.
    """
    cluster = _cluster.get()
    if cluster is None:
        return [await work(index, context, items, report)]
    at_once = cluster.askers if asks else cluster.workers
    size = max(1, min(most, ceil(len(items) / (_ROUNDS * at_once))))
    groups = [items[start : start + size] for start in range(0, len(items), size)]
    total = len(items) if total is None else total
    return await _HandedOut(cluster, index, work, groups, report, total, goes_on).run(at_once)


@dataclass
class _HandedOut(Generic[T, R]):
    """One step's batches on their way to workers and back."""

    cluster: Cluster
    index: Index
    work: Work[T, R]
    groups: Sequence[Sequence[T]]
    report: Progress
    total: int
    goes_on: Callable[[R], bool]
    results: dict[int, R] = field(default_factory=dict)
    short: set[int] = field(default_factory=set)
    under_way: int = 0
    done: int = 0
    is_over: bool = False

    async def run(self, at_once: int) -> list[R]:
        """Hands out all batches; those whose share of the budget was too small go alone, last."""

        async def one(place: int) -> None:
            outcome = await self._begun(place, at_once)
            if outcome.short:
                self.short.add(place)
            else:
                self._take(place, outcome)

        places = range(len(self.groups))
        may_begin = takewhile(lambda _: not (self.is_over or self.short), places)
        await in_parallel(may_begin, one, at_once)
        if self.short and not self.is_over:
            await self._alone([place for place in places if place not in self.results])
        return [self.results[place] for place in sorted(self.results)]

    async def _alone(self, places: Sequence[int]) -> None:
        """Does one batch after another, each with all that is left of the run's budget."""
        budget = current_meter().budget
        for place in places:
            outcome = await self._begun(place, 1)
            while outcome.short and budget is not None and await budget.given_back():
                outcome = await self._begun(place, 1)
            self._take(place, outcome)
            if outcome.short or self.is_over:
                break

    async def _begun(self, place: int, at_once: int) -> BatchOutcome[R]:
        meter = current_meter()
        free = at_once - self.under_way
        self.under_way += 1
        try:
            if meter.budget is None:
                outcome = await self.cluster.begin(self.work, self.groups[place], None)
            else:
                with meter.budget.lent(free) as spent:
                    outcome = await self.cluster.begin(self.work, self.groups[place], spent)
        finally:
            self.under_way -= 1
        meter.add(outcome.tally)
        self.index.replies.note_used(outcome.used)
        return outcome

    def _take(self, place: int, outcome: BatchOutcome[R]) -> None:
        current_meter().repeat(outcome.tally)
        if outcome.problem:
            raise RagraphsError(outcome.problem)
        result = cast(R, outcome.result)
        self.results[place] = result
        self.is_over |= not self.goes_on(result)
        self.done += outcome.done
        if outcome.done:
            self.report(self.done, self.total)
