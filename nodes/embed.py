"""Embedding the passages that have no vector yet."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any

from ..context import IndexContext
from ..state.indexing import IndexState
from ..state.records import Passage
from ..stores.catalogue import batches
from ..stores.lock import writing
from .node import Progress, node, progress_of
from .opening import Index, mark_written
from .scan import open_for_indexing

_BATCH = 64


@node()
async def embed(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Gives every passage its vector, and takes away those of passages that are gone.

    With ``repair`` the vectors and the lexical index are made anew from the catalogue.
    """
    index = await asyncio.to_thread(open_for_indexing, context)
    async with writing(index.folder):
        if context.repair:
            await asyncio.to_thread(_clear, index)
        missing, changed = await asyncio.to_thread(_reconcile, index)
        workers = 1 if index.embedder.local else context.concurrency
        await _embed_all(index, missing, workers, progress_of("embed"))
        if changed or missing:
            await asyncio.to_thread(mark_written, index)
    return {}


async def _embed_all(index: Index, ids: Sequence[str], workers: int, report: Progress) -> None:
    """Embeds in batches; after a failure no more are begun, and those under way are kept."""
    waiting = deque(batches(ids, _BATCH))
    done = 0

    async def work() -> None:
        nonlocal done
        while waiting:
            batch = waiting.popleft()
            try:
                await asyncio.to_thread(_embed, index, batch)
            except BaseException:
                waiting.clear()
                raise
            done += len(batch)
            report(done, len(ids))

    ends = await asyncio.gather(*(work() for _ in range(workers)), return_exceptions=True)
    for end in ends:
        if end is not None:
            raise end


def passage_text(passage: Passage) -> str:
    """What of a passage is embedded: its title and its text."""
    return f"{passage['title']}\n{passage['text']}"


def _clear(index: Index) -> None:
    index.catalogue.rebuild_terms()
    index.vectors.clear("passages")
    mark_written(index)


def _reconcile(index: Index) -> tuple[list[str], bool]:
    """Removes vectors without a passage; the passages without a vector, and if any was removed."""
    wanted = index.catalogue.passage_ids()
    present = index.vectors.ids("passages")
    index.vectors.remove("passages", sorted(present - wanted))
    return sorted(wanted - present), bool(present - wanted)


def _embed(index: Index, ids: Sequence[str]) -> None:
    passages = index.catalogue.passages(ids)
    vectors = index.embedder.embed([passage_text(passage) for passage in passages])
    index.vectors.add("passages", passages, vectors)
