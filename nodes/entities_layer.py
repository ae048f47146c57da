"""The entities layer of the index: one graph of what all passages say (ToG-2, GraphRAG)."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ..algorithms.entity_merging import FoundFacts, merge_facts
from ..algorithms.text import count_tokens
from ..context import Context, IndexContext
from ..models.language import LanguageModel, NoReplyError
from ..models.meter import current_meter
from ..prompts.library import SUMMARISE_DESCRIPTION
from ..prompts.prompt import number
from ..state.errors import RagraphsError
from ..state.indexing import IndexState
from ..stores.catalogue import FORGETTING
from ..stores.lock import writing
from ..stores.vectors import Entry
from .concurrency import to_its_end
from .embed import embed_missing, entries_of, workers_for
from .node import Progress, node
from .opening import Index, language_model_at
from .scan import open_for_indexing

_MERGING = "1"  # to be raised when merging gives other entities for the same facts
_BATCH = 64
_SILENT = 8
_SUMMARY_TOKENS = 3000


@node()
async def merge_entities(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Makes one graph of the entities that were found in all passages."""
    index = await asyncio.to_thread(open_for_indexing, context)
    async with writing(index.folder):
        await to_its_end(merge, index)
    return {}


def entities_stamp(index: Index) -> str:
    """What changes when entities were merged anew. Blocks; raises RagraphsError without layer."""
    stamp: str | None = index.catalogue.property("merged")
    if stamp is None:
        raise RagraphsError(
            "The index has no entities layer; build it with: ragraphs index --layers entities "
            f"--index {index.folder}"
        )
    return stamp


def merge(index: Index) -> None:
    """Makes the entities anew, if facts or corrections have changed since. Blocks."""
    semantic = index.embedder.semantic
    corrections = index.entities.corrections()
    parts = [
        _MERGING,
        index.catalogue.property("reader"),
        index.embedder.name if semantic else None,
        index.readings.stamp("facts"),
        corrections,
    ]
    stamp = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    if index.catalogue.property("merged") == stamp:
        return
    embed = index.embedder.embed if semantic else None
    index.entities.replace(merge_facts(_found(index), corrections, embed))
    index.catalogue.set_property("merged", stamp)


def _found(index: Index) -> Iterator[FoundFacts]:
    facts = dict(index.readings.values("facts"))
    for passage in index.catalogue.all_passages():
        if passage["id"] in facts:
            yield FoundFacts(
                passage["id"], passage["document"], passage["text"], facts[passage["id"]]
            )


async def describe_missing(index: Index, context: Context, report: Progress) -> None:
    """Replaces several descriptions of an entity by their summary, where that was not done yet.

    After texts were removed all are gone through, to tell which replies are still of use.
    """
    forgetting = await asyncio.to_thread(index.catalogue.property, FORGETTING)
    waiting = await asyncio.to_thread(index.entities.undescribed, bool(forgetting))
    names = await asyncio.to_thread(index.entities.get, waiting)
    reader = await asyncio.to_thread(index.catalogue.property, "reader")
    model = await language_model_at(index, context, reader)
    left, written, silent = deque(waiting), dict[str, str](), 0

    async def work() -> None:
        nonlocal silent
        while left and silent < max(_SILENT, context.concurrency):
            id = left.popleft()
            try:
                written[id] = await _summary(model, names[id].name, waiting[id])
                silent = 0
            except NoReplyError as error:
                silent += error.cause == "unreachable"
            if len(written) >= _BATCH:
                await store()
            report(len(waiting) - len(left), len(waiting))

    async def store() -> None:
        done = dict(written)
        written.clear()
        await asyncio.to_thread(index.entities.describe, done)

    try:
        await asyncio.gather(*(work() for _ in range(context.concurrency)))
    finally:
        await store()
    if undescribed := len(await asyncio.to_thread(index.entities.undescribed)):
        current_meter().warn(
            f"The model {model.name} wrote no summary of the descriptions of {undescribed} "
            "entities; the first one stands for all until the next run of: ragraphs index"
        )


async def _summary(model: LanguageModel, name: str, descriptions: Sequence[str]) -> str:
    """One description; more than fit in a request are summarised in groups first."""
    while len(descriptions) > 1:
        descriptions = [
            group[0]
            if len(group) == 1
            else (
                await model.run(
                    SUMMARISE_DESCRIPTION, texts=number([(name, text) for text in group])
                )
            ).description
            for group in _groups(descriptions)
        ]
    return descriptions[0]


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts of about ``_SUMMARY_TOKENS`` together, but at least two where there are two."""
    group: list[str] = []
    tokens = 0
    for text in texts:
        size = count_tokens(text)
        if len(group) > 1 and tokens + size > _SUMMARY_TOKENS:
            yield group
            group, tokens = [], 0
        group.append(text)
        tokens += size
    if group:
        yield group


async def embed_described(index: Index, context: Context, report: Progress) -> None:
    """Makes the vectors of the collection ``entities`` those of all entities as described now."""
    entries = await asyncio.to_thread(_entries, index)
    await embed_missing(
        index,
        "entities",
        sorted(entries),
        partial(entries_of, entries),
        workers_for(index, context),
        report,
    )


def _entries(index: Index) -> dict[str, Entry]:
    """What is embedded of every entity; another text has another id, so that it is made anew."""
    entries: dict[str, Entry] = {}
    for entity in index.entities.all_entities():
        text = f"{entity.name}: {entity.description}" if entity.description else entity.name
        id = f"{entity.id}-{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}"
        entries[id] = Entry(id, text, {"entity": entity.id, "type": entity.type})
    return entries
