"""Having a model read the passages, for the layers that need it."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

from ...context import IndexContext
from ...index.opening import Index, language_model_at
from ...index.progress import Progress, progress_of
from ...index.recorded import _place, missing_kinds, reading_settings
from ...language.mentions import as_excerpt
from ...models.meter import current_meter
from ...models.protocol import NoReplyError
from ...state.index import Failure
from ...state.records import Passage
from ...stores.queries import batches
from ...stores.readings import Reading, ReadingKind
from .passage_reader import Outcome, PassageReader

_BATCH = 64
_SILENT = 8
_FEW_PASSAGES = 5
_MANY = 0.1
_MISSED: dict[ReadingKind, str] = {
    "questions": "found no questions in {} of {} passages; nothing hops there.",
    "facts": "found no entities in {} of {} passages; no relation leads there.",
}
# A passage may name nothing, but always answers something.
_TOLERATED: dict[ReadingKind, float] = {"questions": 0.0, "facts": _MANY}


async def prepare_reading(
    index: Index, context: IndexContext, layers: Sequence[str]
) -> Coroutine[Any, Any, list[Failure]]:
    """What has the model read all that ``layers`` need and it has not read yet of the passages.

    It gives what could not be read.
    """
    wanted = await asyncio.to_thread(reading_settings, index.catalogue, context, layers)
    model = await language_model_at(index, context, wanted.model)
    reader = PassageReader(model, wanted.extraction)
    missing = await asyncio.to_thread(missing_kinds, index, wanted.readers)
    reading = _Reading(index, reader, wanted.readers, missing, progress_of("read_passages"))
    return reading.run(context.concurrency)


class _Reading:
    """One pass over passages; what was read is stored in batches."""

    def __init__(
        self,
        index: Index,
        reader: PassageReader,
        readers: Mapping[ReadingKind, str],
        missing: Mapping[str, tuple[ReadingKind, ...]],
        report: Progress,
    ) -> None:
        self._failures: list[Failure] = []
        self._index = index
        self._reader = reader
        self._readers = readers
        self._missing = missing
        self._report = report
        self._long = frozenset[str]()
        self._done = 0
        self._silent = 0
        self._read_well: Counter[ReadingKind] = Counter()
        self._empty: Counter[ReadingKind] = Counter()
        self._unstored: list[Reading] = []

    async def run(self, workers: int) -> list[Failure]:
        """Reads all, ``workers`` at once; gives up when the model does not reply any more."""
        documents = await asyncio.to_thread(self._index.catalogue.documents)
        self._long = frozenset(row["id"] for row in documents if row["passages"] > _FEW_PASSAGES)
        waiting = deque(batches(self._missing, _BATCH))
        at_hand: deque[Passage] = deque()
        fetching = asyncio.Lock()

        async def work() -> None:
            while self._silent < max(_SILENT, workers):
                async with fetching:
                    while not at_hand and waiting:
                        batch = waiting.popleft()
                        found = await asyncio.to_thread(self._index.catalogue.passages, batch)
                        at_hand.extend(found)
                if not at_hand:
                    return
                await self._read(at_hand.popleft())

        try:
            await asyncio.gather(*(work() for _ in range(workers)))
        finally:
            await self._store(1)
        self._warn()
        return self._failures

    async def _read(self, passage: Passage) -> None:
        kinds = self._missing[passage["id"]]
        title = passage["title"]
        if passage["document"] in self._long:
            title = as_excerpt(title)
        outcomes = await self._reader.read(title, passage["text"], kinds)
        self._note(passage, outcomes)
        await self._store(_BATCH)
        self._done += 1
        self._report(self._done, len(self._missing))

    def _note(self, passage: Passage, outcomes: Mapping[ReadingKind, Outcome]) -> None:
        errors = [one for one in outcomes.values() if isinstance(one, NoReplyError)]
        unreachable = any(error.cause == "unreachable" for error in errors)
        self._silent = self._silent + unreachable if errors else 0
        for sentence in dict.fromkeys(str(error) for error in errors):
            self._failures.append({"path": _place(passage), "reason": sentence})
        for kind, outcome in outcomes.items():
            reading = Reading(passage["id"], kind, self._readers[kind], None)
            if isinstance(outcome, NoReplyError):
                reading = reading._replace(reason=str(outcome))
            else:
                reading = reading._replace(value=outcome)
                self._read_well[kind] += 1
                self._empty[kind] += not any(outcome.values())
            self._unstored.append(reading)

    async def _store(self, at_least: int) -> None:
        if len(self._unstored) >= at_least:
            readings, self._unstored = self._unstored, []
            await asyncio.to_thread(self._index.readings.put, readings)

    def _warn(self) -> None:
        """Says what was not read, or read without result."""
        meter, model = current_meter(), self._reader.model
        if left := len(self._missing) - self._done:
            meter.warn(
                f"The model {model} stopped replying; {left} passages are left for the next run "
                "of: ragraphs index"
            )
        for kind, empty in self._empty.items():
            read = self._read_well[kind]
            if empty > _TOLERATED[kind] * read:
                meter.warn(f"The model {model} {_MISSED[kind].format(empty, read)}")
