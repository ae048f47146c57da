"""Embedding the passages that have no vector yet."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from ..context import IndexContext
from ..state.indexing import IndexState
from ..state.records import Passage
from ..stores.catalogue import batches
from ..stores.lock import writing
from .node import node, progress_of
from .opening import Index
from .scan import open_for_indexing

_BATCH = 64


@node()
async def embed(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Gives every passage its vector, and takes away those of passages that are gone.

    With ``repair`` the vectors and the lexical index are made anew from the catalogue.
    """
    index = await asyncio.to_thread(open_for_indexing, context)
    report = progress_of("embed")
    with writing(index.folder):
        if context.repair:
            await asyncio.to_thread(index.catalogue.rebuild_terms)
            await asyncio.to_thread(index.vectors.clear, "passages")
        missing = await asyncio.to_thread(_reconcile, index)
        slots = asyncio.Semaphore(1 if index.embedder.local else context.concurrency)
        done = 0

        async def embed_batch(ids: Sequence[str]) -> None:
            nonlocal done
            async with slots:
                await asyncio.to_thread(_embed, index, ids)
            done += len(ids)
            report(done, len(missing))

        try:
            async with asyncio.TaskGroup() as tasks:
                for ids in batches(missing, _BATCH):
                    tasks.create_task(embed_batch(ids))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
    return {}


def passage_text(passage: Passage) -> str:
    """What of a passage is embedded: its title and its text."""
    return f"{passage['title']}\n{passage['text']}"


def _reconcile(index: Index) -> list[str]:
    """Removes vectors without a passage; the ids of passages without a vector, in order."""
    wanted = index.catalogue.passage_ids()
    present = index.vectors.ids("passages")
    index.vectors.remove("passages", sorted(present - wanted))
    return sorted(wanted - present)


def _embed(index: Index, ids: Sequence[str]) -> None:
    passages = index.catalogue.passages(ids)
    vectors = index.embedder.embed([passage_text(passage) for passage in passages])
    index.vectors.add("passages", passages, vectors)
