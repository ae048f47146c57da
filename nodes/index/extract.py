"""Having a model read the passages, for the layers that need it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping

from ...context import IndexContext
from ...index.concurrency import Patience, Storing, in_parallel
from ...index.opening import Index
from ...index.progress import progress_of
from ...index.recorded import ReadingSettings, missing_kinds, place_of, reading_settings
from ...models.meter import current_meter
from ...models.protocol import NoReplyError
from ...state.index import Failure, IndexState
from ...state.records import Passage
from ...stores.queries import batches
from ...stores.readings import Reading, ReadingKind
from ..node import node
from ..run import Run, Update
from .passage_reader import PassageReader, ReadOutcome
from .surroundings import Shown, ShownPassages

_BATCH = 64
_MANY = 0.1  # of the passages: a few may name nothing, and raise nothing
_MISSED: dict[ReadingKind, str] = {
    "questions": "found no questions in {} of {} passages; nothing hops there.",
    "facts": "found no entities in {} of {} passages; no relation leads there.",
}


@node()
async def extract(state: IndexState, run: Run[IndexContext]) -> Update:
    """Has the model read the passages for questions, entities and relations, as layers need them.

    Passages that were read before are not read again.
    """
    wanted = await run.in_thread(reading_settings, run.context, state["layers"])
    if not wanted.readers:
        return {}
    reader = PassageReader(await run.model(wanted.model), wanted.extraction)
    missing = await run.in_thread(missing_kinds, wanted, run.context.refresh)
    reading = await run.in_thread(_Reading, reader, wanted, missing)
    await reading.run(run.context.concurrency)
    return {"failures": [*state["failures"], *reading.failures]}


class _Reading:
    """One pass over the passages of ``missing``; what was read is stored in batches."""

    def __init__(
        self,
        index: Index,
        reader: PassageReader,
        wanted: ReadingSettings,
        missing: Mapping[str, tuple[ReadingKind, ...]],
    ) -> None:
        self.failures: list[Failure] = []
        self._index = index
        self._reader = reader
        self._wanted = wanted
        self._missing = missing
        self._unfetched = batches(missing, _BATCH)
        self._at_hand: dict[str, tuple[Passage, Shown]] = {}
        self._fetching = asyncio.Lock()
        self._report = progress_of("extract")
        self._shown = ShownPassages(index, reader.model)
        self._done = 0
        self._read_well: Counter[ReadingKind] = Counter()
        self._empty: Counter[ReadingKind] = Counter()

    async def run(self, workers: int) -> None:
        """Reads all, ``workers`` at once; gives up when the model does not reply any more."""
        patience = Patience(workers)

        async def read(id: str) -> None:
            passage, shown = await self._fetched(id)
            outcomes = await self._reader.read(shown, self._missing[id])
            errors = [one for one in outcomes.values() if isinstance(one, NoReplyError)]
            patience.note(*errors)
            if any(error.cause == "budget" for error in errors):  # what was not asked did not fail
                read_of = {kind: got for kind, got in outcomes.items() if got not in errors}
                await storing.add(*(self._reading(id, *outcome) for outcome in read_of.items()))
                return
            reasons = dict.fromkeys(str(error) for error in errors)
            self.failures += [{"path": place_of(passage), "reason": why} for why in reasons]
            await storing.add(*(self._reading(id, *outcome) for outcome in outcomes.items()))
            self._done += 1
            self._report(self._done, len(self._missing))

        async with Storing(self._index.readings.put) as storing:
            await in_parallel(patience.while_it_lasts(self._missing), read, workers)
        self._warn(patience.is_spent)

    async def _fetched(self, id: str) -> tuple[Passage, Shown]:
        async with self._fetching:
            if id not in self._at_hand:  # passages are wanted in the order of the batches
                batch = next(self._unfetched)
                found = await asyncio.to_thread(self._shown.of, batch)
                self._at_hand |= {passage["id"]: (passage, shown) for passage, shown in found}
            return self._at_hand.pop(id)

    def _reading(self, id: str, kind: ReadingKind, outcome: ReadOutcome) -> Reading:
        wanted = self._wanted
        reading = Reading(id, kind, wanted.readers[kind], None, words=wanted.words[kind])
        if isinstance(outcome, NoReplyError):
            return reading._replace(reason=str(outcome))
        self._read_well[kind] += 1
        self._empty[kind] += not any(outcome.values())
        return reading._replace(value=outcome)

    def _warn(self, is_spent: bool) -> None:
        """Says what was not read, since the budget ``is_spent`` perhaps, or read in vain."""
        meter, model = current_meter(), self._reader.model
        if left := len(self._missing) - self._done:
            why = "The budget is spent" if is_spent else f"The model {model} stopped replying"
            are_left = "passage is left" if left == 1 else "passages are left"
            meter.warn(f"{why}; {left} {are_left} for the next run of: ragraphs index")
        for kind, empty in self._empty.items():
            read = self._read_well[kind]
            if empty > _MANY * read:
                meter.warn(f"The model {model} {_MISSED[kind].format(empty, read)}")
