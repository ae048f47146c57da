"""Having a model read the passages, for the layers that need it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ...context import IndexContext
from ...index.cluster.parts import in_parts
from ...index.concurrency import Patience, Storing, in_parallel
from ...index.opening import Index
from ...index.progress import Progress, progress_of
from ...index.readers import language_model
from ...index.recorded import ReadingSettings, missing_kinds, place_of, reading_settings
from ...models.meter import current_meter
from ...models.protocol import OFFLINE, NoReplyError
from ...state.errors import RagraphsError
from ...state.index import Failure, IndexState
from ...state.records import Passage
from ...stores.queries import batches
from ...stores.readings import Reading, ReadingKind
from ..node import node
from ..run import Run, Update
from .passage_reader import PassageReader, ReadOutcome
from .surroundings import ShownPassage, ShownPassages

_BATCH = 64
_Missing = tuple[str, tuple[ReadingKind, ...]]  # a passage, and what is not read in it
_MANY, _FEW = 0.1, 2  # of the passages: a few may name nothing, and raise nothing
_MISSED: dict[ReadingKind, str] = {
    "questions": "found no questions in {} of {} passages; nothing hops there.",
    "facts": "found no entities in {} of {} passages; no relation leads there.",
}


class NoReaderError(RagraphsError):
    """The model did not read any passage, and will not: its key, name or address is wrong."""


@node()
async def extract(state: IndexState, run: Run[IndexContext]) -> Update:
    """Has the model read the passages for questions, entities and relations, as layers need them.

    Passages that were read before are not read again. Raises NoReaderError.
    """
    wanted = await run.in_thread(reading_settings, run.context, state["layers"])
    if not wanted.readers:
        return {}
    model = await run.model(wanted.model)
    missing = await run.in_thread(missing_kinds, wanted, run.context.refresh)
    parts = await in_parts(
        run.index,
        run.context,
        partial(_read, wanted),
        list(missing.items()),
        progress_of("extract"),
        most=_BATCH,
        asks=model.name != OFFLINE,
        goes_on=lambda part: not part.gave_up,
    )
    read = _summed(parts)
    _warn(model.name, len(missing) - read.done, read)
    return {"failures": [*state["failures"], *read.failures]}


@dataclass
class _Read:
    """Result of reading passages: how many are ``done``, ``read_well``, and ``empty``.

    Where the model was given up, ``is_spent`` says whether for want of budget.
    """

    failures: list[Failure] = field(default_factory=list)
    done: int = 0
    read_well: Counter[ReadingKind] = field(default_factory=Counter)
    empty: Counter[ReadingKind] = field(default_factory=Counter)
    gave_up: bool = False
    is_spent: bool = False


def _summed(parts: Sequence[_Read]) -> _Read:
    whole = _Read()
    for part in parts:
        whole.failures += part.failures
        whole.done += part.done
        whole.read_well += part.read_well
        whole.empty += part.empty
        whole.is_spent |= part.is_spent
    return whole


async def _read(
    wanted: ReadingSettings,
    index: Index,
    context: IndexContext,
    missing: Sequence[_Missing],
    report: Progress,
) -> _Read:
    model = await language_model(index, context, wanted.model)
    reader = PassageReader(model, wanted.extraction)
    reading = await asyncio.to_thread(_Reading, index, reader, wanted, dict(missing), report)
    return await reading.run(context.concurrency)


class _Reading:
    """One pass over the passages of ``missing``; what was read is stored in batches."""

    def __init__(
        self,
        index: Index,
        reader: PassageReader,
        wanted: ReadingSettings,
        missing: Mapping[str, tuple[ReadingKind, ...]],
        report: Progress,
    ) -> None:
        self._index = index
        self._reader = reader
        self._wanted = wanted
        self._missing = missing
        self._unfetched = batches(missing, _BATCH)
        self._at_hand: dict[str, tuple[Passage, ShownPassage]] = {}
        self._fetching = asyncio.Lock()
        self._report = report
        self._shown = ShownPassages(index, reader.model)
        self._read = _Read()

    async def run(self, workers: int) -> _Read:
        """Reads all, ``workers`` at once; gives up when the model does not reply any more.

        Raises NoReaderError where its key, name or address is wrong from the start.
        """
        patience = Patience(workers)

        async def read(id: str) -> None:
            passage, shown = await self._fetched(id)
            outcomes = await self._reader.read(shown, self._missing[id])
            errors = [one for one in outcomes.values() if isinstance(one, NoReplyError)]
            if not self._read.read_well and any(error.lasts for error in errors):
                raise NoReaderError(str(errors[0]))
            patience.note(*errors)
            if any(error.cause == "budget" for error in errors):  # what was not asked did not fail
                read_of = {kind: got for kind, got in outcomes.items() if got not in errors}
                await storing.add(*(self._reading(id, *outcome) for outcome in read_of.items()))
                return
            reasons = dict.fromkeys(str(error) for error in errors)
            self._read.failures += [{"path": place_of(passage), "reason": why} for why in reasons]
            await storing.add(*(self._reading(id, *outcome) for outcome in outcomes.items()))
            self._read.done += 1
            self._report(self._read.done, len(self._missing))

        async with Storing(self._index.readings.put) as storing:
            await in_parallel(patience.while_it_lasts(self._missing), read, workers)
        self._read.gave_up, self._read.is_spent = patience.is_lost, patience.is_spent
        return self._read

    async def _fetched(self, id: str) -> tuple[Passage, ShownPassage]:
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
        self._read.read_well[kind] += 1
        self._read.empty[kind] += not any(outcome.values())
        return reading._replace(value=outcome)


def _warn(model: str, left: int, read: _Read) -> None:
    """Says what was not read, since the budget is spent perhaps, or read in vain."""
    meter = current_meter()
    if left:
        why = "The budget is spent" if read.is_spent else f"The model {model} stopped replying"
        are_left = "passage is left" if left == 1 else "passages are left"
        meter.warn(f"{why}; {left} {are_left} for the next run of: ragraphs index")
    for kind, empty in read.empty.items():
        if empty > max(_FEW, _MANY * read.read_well[kind]):
            told = _MISSED[kind].format(empty, read.read_well[kind])
            meter.warn(f"The model {model} {told}")
