"""Writing and checking questions in rounds, until there are as many as are wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, islice
from typing import NamedTuple, TypeVar

from ...index.concurrency import to_its_end
from ...index.opening import Index
from ...stores.queries import batches
from ..asking import Asker, gathered
from ..metrics import normalised
from ..retrieval import Report, unreported
from .checking import check_chains, check_facts, check_in_index
from .drafts import Draft, Kind, Reason, Written, through
from .material import Chain, drawn_chains, drawn_passages
from .writing import write_chains, write_facts, write_open

T = TypeVar("T")

TRIES = 4  # passages, or pairs of them, for each question that is wanted
BATCH = 4  # of them in one request


class Order(NamedTuple):
    """How many questions of each kind are wanted, and the seed of what is drawn for them.

    Without ``two_hop``, as many as are usual if the index has the layer for them.
    """

    facts: int = 40
    two_hop: int | None = None
    unanswerable: int = 20
    seed: int = 0

    def seed_of(self, kind: Kind) -> str:
        """The seed for a kind, so that the number of one kind changes nothing of another."""
        return f"{self.seed} {kind}"


@dataclass
class MadeQuestions:
    """The questions of a kind: those made of the number wanted, tries, and rejected by reason."""

    kind: Kind
    wanted: int
    drafts: list[Draft] = field(default_factory=list)
    tried: int = 0
    rejected: Counter[Reason] = field(default_factory=Counter)

    @property
    def is_bounded(self) -> bool:
        """Whether as much was tried as may be, though there may be more to draw."""
        return self.tried >= self.wanted * TRIES


async def made(
    index: Index, asker: Asker, order: Order, report: Report = unreported
) -> list[MadeQuestions]:
    """The questions of every kind that is wanted, from ``index``, written and checked by a model.

    Raises RagraphsError for what concerns all questions.
    """
    workshop = _Workshop(index, asker, report)
    kinds = []
    if order.facts:
        ids = await to_its_end(drawn_passages, index, order.seed_of("fact"))
        kinds.append(await workshop.make("fact", order.facts, iter(ids), workshop.facts))
    if order.two_hop:
        pairs = drawn_chains(index, order.seed_of("two_hop"))
        kinds.append(await workshop.make("two_hop", order.two_hop, pairs, workshop.chains))
    if order.unanswerable:
        ids = await to_its_end(drawn_passages, index, order.seed_of("unanswerable"))
        work = workshop.open
        kinds.append(await workshop.make("unanswerable", order.unanswerable, iter(ids), work))
    return kinds


class _Workshop:
    """Makes questions from batches of passages, or of pairs; none is made twice."""

    def __init__(self, index: Index, asker: Asker, report: Report) -> None:
        self._index = index
        self._asker = asker
        self._report = report
        self._known: set[tuple[str, ...]] = set()

    async def make(
        self,
        kind: Kind,
        wanted: int,
        material: Iterator[T],
        work: Callable[[Sequence[T]], Awaitable[Sequence[Written]]],
    ) -> MadeQuestions:
        """Works on as much ``material`` as questions are lacking, until none is, or tries end."""
        found, rounds = MadeQuestions(kind, wanted), count(1)
        while lacking := min(wanted - len(found.drafts), wanted * TRIES - found.tried):
            drawn = await to_its_end(lambda most: list(islice(material, most)), lacking)
            if not drawn:
                break
            works = [partial(work, batch) for batch in batches(drawn, BATCH)]
            step = f"{kind}, round {next(rounds)}"
            for written in chain.from_iterable(await gathered(step, works, self._report)):
                self._keep(found, written)
            found.tried += len(drawn)
        return found

    def _keep(self, found: MadeQuestions, written: Written) -> None:
        if isinstance(written, Draft) and (words := normalised(written.question)) in self._known:
            written = Reason.TWICE
        if isinstance(written, Reason):
            found.rejected[written] += 1
            return
        self._known.add(words)
        found.drafts.append(written)

    async def facts(self, ids: Sequence[str]) -> list[Written]:
        """A fact from each passage, or the reason why there is none."""
        passages = await to_its_end(self._index.catalogue.passages, ids)
        written = await write_facts(self._asker, passages)
        checked = await through(written, partial(check_facts, self._asker))
        return await through(checked, self._in_index)

    async def chains(self, chains: Sequence[Chain]) -> list[Written]:
        """A question over two passages from each pair, or the reason why there is none."""
        written = await write_chains(self._asker, chains)
        checked = await through(written, partial(check_chains, self._asker))
        return await through(checked, self._in_index)

    async def open(self, ids: Sequence[str]) -> list[Written]:
        """A question that nothing answers from each passage, or the reason why there is none."""
        passages = await to_its_end(self._index.catalogue.passages, ids)
        written = await write_open(self._asker, passages)
        return await through(written, self._in_index)

    async def _in_index(self, drafts: Sequence[Draft]) -> list[Written]:
        return await check_in_index(self._asker, self._index, drafts)
