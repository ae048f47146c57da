"""Giving vectors to what has none yet."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from functools import lru_cache, partial
from typing import get_args

from ..context import Context
from ..language.analyser import keywords
from ..state.records import Passage
from ..stores.chroma import Collection, Entry
from ..stores.queries import batches
from .concurrency import FEW_THREADS, to_its_end
from .opening import Index, mark_written
from .progress import Progress, progress_of

_BATCH = 64
_LOCAL_BATCH = 512


async def embed_passages(index: Index, context: Context) -> None:
    """Gives every passage its vector, and takes away those of passages that are gone."""
    wanted = sorted(await asyncio.to_thread(index.catalogue.passage_ids))
    await embed_missing(
        index,
        "passages",
        wanted,
        partial(_entries, index),
        workers_for(index, context),
        progress_of("embed"),
    )


def clear_vectors(index: Index) -> None:
    """Takes away all vectors and the lexical index, which is made anew. Blocks."""
    index.catalogue.rebuild_terms()
    for collection in get_args(Collection):
        index.vectors.clear(collection)
    index.sentences.clear()
    index.questions.clear()
    mark_written(index)


async def embed_missing(
    index: Index,
    collection: Collection,
    wanted: Sequence[str],
    load: Callable[[Sequence[str]], list[tuple[Entry, str]]],
    workers: int,
    report: Progress,
) -> None:
    """Makes the vectors of ``collection`` those of the ids ``wanted``: no more and no less.

    ``load`` gives for ids what is stored, and the text that is embedded.
    """

    def embed_batch(ids: Sequence[str]) -> None:
        entries = load(ids)
        vectors = index.embedder.embed([text for _, text in entries])
        index.vectors.add(collection, [entry for entry, _ in entries], vectors)

    ids = partial(index.vectors.ids, collection)
    remove = partial(index.vectors.remove, collection)
    size = texts_at_once(index)
    if await settle_vectors(wanted, ids, remove, embed_batch, size, workers, report):
        await asyncio.to_thread(mark_written, index)


async def settle_vectors(
    wanted: Sequence[str],
    ids: Callable[[], set[str]],
    remove: Callable[[Sequence[str]], None],
    embed_batch: Callable[[Sequence[str]], None],
    size: int,
    workers: int,
    report: Progress,
) -> bool:
    """Makes the stored ``ids`` those that are ``wanted``; whether any were removed or embedded.

    An interrupted run loses at most one batch of ``size`` for each worker.
    """
    present = await asyncio.to_thread(ids)
    extra = sorted(present.difference(wanted))
    missing = [id for id in wanted if id not in present]
    await asyncio.to_thread(remove, extra)
    await in_batches(list(batches(missing, size)), embed_batch, workers, report)
    return bool(missing or extra)


async def in_batches(
    groups: Sequence[Sequence[str]],
    work: Callable[[Sequence[str]], None],
    workers: int,
    report: Progress,
) -> None:
    """Does blocking ``work`` on groups of items, and reports how many items are done.

    After a failure no more groups are begun, and those under way are kept.
    """
    waiting = deque(groups)
    total = sum(map(len, groups))
    done = 0

    async def run(threads: Executor) -> None:
        nonlocal done
        while waiting:
            group = waiting.popleft()
            try:
                await to_its_end(work, group, threads=threads)
            except BaseException:
                waiting.clear()
                raise
            done += len(group)
            report(done, total)

    with nullcontext(FEW_THREADS) if workers == 1 else ThreadPoolExecutor(workers) as threads:
        running = [run(threads) for _ in range(workers)]
        ends = await asyncio.gather(*running, return_exceptions=True)
    for end in ends:
        if end is not None:
            raise end


def entries_of(entries: Mapping[str, Entry], ids: Sequence[str]) -> list[tuple[Entry, str]]:
    """The entries of ``ids``, each with its text."""
    return [(entries[id], entries[id].text) for id in ids]


def owner_of(vector: str) -> str:
    """The id of the entity or community that a vector, named by it and its text's hash, is of."""
    return vector.partition("-")[0]


def workers_for(index: Index, context: Context) -> int:
    """How many batches to embed at once: one on this machine, several where another one works."""
    return 1 if index.embedder.local else context.concurrency


def texts_at_once(index: Index) -> int:
    """How many texts to embed in one batch: more where a batch that is lost costs nothing."""
    return _LOCAL_BATCH if index.embedder.local else _BATCH


def passage_text(passage: Passage) -> str:
    """What of a passage is embedded: its title and its text."""
    return f"{passage['title']}\n{passage['text']}"


def passage_keywords(passage: Passage) -> frozenset[str]:
    """The keyword set k of a passage and its title; remembered, since questions meet again."""
    return _keywords(passage_text(passage))


_keywords = lru_cache(maxsize=10_000)(keywords)


def _entries(index: Index, ids: Sequence[str]) -> list[tuple[Entry, str]]:
    return [
        (
            Entry(
                passage["id"],
                passage["text"],
                {"document": passage["document"], "title": passage["title"]},
            ),
            passage_text(passage),
        )
        for passage in index.catalogue.passages(ids)
    ]
