"""Having a model read the passages, for the layers that need it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ..context import IndexContext
from ..models.language import LanguageModel, NoReplyError
from ..models.meter import current_meter
from ..prompts.library import WRITE_QUESTIONS
from ..prompts.prompt import number
from ..prompts.replies import PassageQuestions
from ..state.indexing import Failure, IndexState
from ..state.records import Passage
from ..stores.catalogue import batches
from ..stores.lock import writing
from ..stores.readings import Reading
from .node import Progress, node, progress_of
from .opening import Index, language_model_at
from .scan import READ_LAYERS, open_for_indexing, wanted_layers, wanted_reader

_BATCH = 64
_SILENT = 8


@node()
async def read_passages(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Has the model write the questions of every passage that it has not read yet."""
    index = await asyncio.to_thread(open_for_indexing, context)
    reader = wanted_reader(index.catalogue, context)
    model = await language_model_at(index, context, reader)
    async with writing(index.folder):
        missing = await asyncio.to_thread(index.readings.missing, "questions", model.name)
        reading = _Reading(index, model, progress_of("read_passages"), len(missing))
        await reading.run(missing, context.concurrency)
    reading.warn()
    return {"failures": [*state["failures"], *reading.failures]}


Price = Callable[[str, str], int]


async def pricing(index: Index, context: IndexContext) -> Price:
    """What reading a passage of that title and text costs: tokens to send. The function blocks."""
    if not READ_LAYERS.intersection(wanted_layers(index.catalogue, context)):
        return lambda title, text: 0
    model = await language_model_at(index, context, wanted_reader(index.catalogue, context))
    return lambda title, text: model.missing_tokens(WRITE_QUESTIONS, texts=number([(title, text)]))


def unread(index: Index, context: IndexContext) -> list[Passage]:
    """The stored passages that the layers wait for. Blocks."""
    if not READ_LAYERS.intersection(wanted_layers(index.catalogue, context)):
        return []
    reader = wanted_reader(index.catalogue, context)
    return index.catalogue.passages(index.readings.missing("questions", reader))


def unread_places(index: Index) -> list[Failure]:
    """The passages that the model could not read, and why. Blocks."""
    failed = dict(index.readings.failed("questions"))
    passages = index.catalogue.passages(list(failed))
    return [{"path": _place(passage), "reason": failed[passage["id"]]} for passage in passages]


class _Reading:
    """One pass over passages; what was read is stored in batches."""

    def __init__(self, index: Index, model: LanguageModel, report: Progress, total: int) -> None:
        self.failures: list[Failure] = []
        self._index = index
        self._model = model
        self._report = report
        self._total = total
        self._done = 0
        self._silent = 0
        self._empty = 0
        self._unstored: list[Reading] = []

    async def run(self, passages: Sequence[str], workers: int) -> None:
        """Reads all, ``workers`` at once; gives up when the model does not reply any more."""
        waiting = deque(batches(passages, _BATCH))
        at_hand: deque[Passage] = deque()

        async def work() -> None:
            while self._silent < max(_SILENT, workers):
                if not at_hand:
                    if not waiting:
                        return
                    batch = waiting.popleft()
                    at_hand.extend(await asyncio.to_thread(self._index.catalogue.passages, batch))
                    continue
                await self._read(at_hand.popleft())

        try:
            await asyncio.gather(*(work() for _ in range(workers)))
        finally:
            await self._store(1)

    async def _read(self, passage: Passage) -> None:
        texts = number([(passage["title"], passage["text"])])
        value, reason = None, None
        try:
            value = _cleaned(await self._model.run(WRITE_QUESTIONS, texts=texts))
        except NoReplyError as error:
            reason = str(error)
            self._silent += error.cause == "unreachable"
            self.failures.append({"path": _place(passage), "reason": reason})
        else:
            self._silent = 0
            self._empty += not any(value.values())
        self._unstored.append(Reading(passage["id"], "questions", self._model.name, value, reason))
        await self._store(_BATCH)
        self._done += 1
        self._report(self._done, self._total)

    async def _store(self, at_least: int) -> None:
        if len(self._unstored) >= at_least:
            readings, self._unstored = self._unstored, []
            await asyncio.to_thread(self._index.readings.put, readings)

    def warn(self) -> None:
        """Says what was not read, or read without result."""
        meter = current_meter()
        if left := self._total - self._done:
            meter.warn(
                f"The model {self._model.name} stopped replying; {left} passages are left for the "
                "next run of: ragraphs index"
            )
        if self._empty:
            meter.warn(
                f"The model {self._model.name} found no questions in {self._empty} of "
                f"{self._done} passages; nothing hops there."
            )


def _cleaned(reply: PassageQuestions) -> dict[str, list[str]]:
    """Each question once, on one line."""

    def clean(questions: Sequence[str]) -> list[str]:
        lines = (" ".join(question.split()) for question in questions)
        return list(dict.fromkeys(line for line in lines if line))

    return {"incoming": clean(reply.incoming), "outgoing": clean(reply.outgoing)}


def _place(passage: Passage) -> str:
    return f"{passage['document']}, characters {passage['start']}–{passage['end']}"
