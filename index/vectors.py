"""Giving vectors to what has none yet."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import TYPE_CHECKING, TypeVar

from ..context import Context
from ..language.analyser import keywords
from ..state.errors import IncompleteIndexError
from ..state.places import place_of
from ..state.records import Passage
from ..stores.queries import batches
from ..stores.vectors import Collection, Entry
from .cluster.parts import in_parts
from .concurrency import WORK_THREAD, in_parallel, to_its_end
from .freshness import is_within_run
from .opening import Index, mark_written
from .progress import Progress, progress_of
from .size import is_large
from .vector_worth import measure_worth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
Load = Callable[[Index, Sequence[str]], list[Entry]]

_BATCH = 64
_LOCAL_BATCH = 512
_FEW = 100
_FOLDS = 4


async def embed_passages(index: Index, context: Context) -> None:
    """Gives every passage its vector, deletes vectors of removed passages, measures their worth.

    Metadata that changed while the text stayed is put beside the vector that there is.
    """
    wanted = await asyncio.to_thread(index.catalogue.passage_ids)
    await to_its_end(_rename_moved, index)
    await embed_entries(index, context, "passages", wanted, _entries, progress_of("embed_passages"))
    await to_its_end(_describe_outdated, index)
    await to_its_end(measure_worth, index)


def _rename_moved(index: Index) -> None:
    """Takes over the vectors of passages that have other ids since their file moved."""
    moved = index.catalogue.moved_passages()
    stored = index.vectors.ids("passages") if moved else set()
    for ids in batches(moved):
        had = [id for id in ids if moved[id] in stored and id not in stored]
        entries = _entries(index, had)
        vectors = index.vectors.get("passages", [moved[entry.id] for entry in entries])
        index.vectors.add("passages", entries, vectors)
        index.catalogue.note_described(had)


def _describe_outdated(index: Index) -> None:
    outdated = index.catalogue.outdated_entries()
    for ids in batches(outdated):
        index.vectors.describe("passages", _entries(index, ids))
        mark_written(index)
        index.catalogue.note_described(ids)


async def embed_entries(
    index: Index,
    context: Context,
    collection: Collection,
    wanted: Iterable[str],
    load: Load,
    report: Progress,
    present: set[str] | None = None,
) -> None:
    """Makes the entries with the ids ``wanted``, embedded by their texts, all of ``collection``.

    ``load``, which must pickle, gives the entries for a batch of ids. Given ``present``, these are
    the entries that there are.
    """
    wanted = frozenset(wanted)
    await to_its_end(_copy, index, collection, wanted, load)

    def ids() -> set[str]:
        return index.vectors.ids(collection) if present is None else present

    remove = partial(index.vectors.remove, collection)
    embed_batch = partial(_embed_batch, collection, load)
    changed = await keep_vectors(index, context, wanted, ids, remove, list, embed_batch, report)
    await to_its_end(index.vectors.settle, collection)
    if changed:
        await asyncio.to_thread(mark_written, index)
    await asyncio.to_thread(release, index)


def release(index: Index) -> None:
    """Gives back the memory in which the store keeps what it has read of a large index."""
    if is_large(index):
        index.vectors.close()


def _embed_batch(collection: Collection, load: Load, index: Index, ids: Sequence[str]) -> None:
    entries = load(index, ids)
    vectors = index.embedder.embed([entry.text for entry in entries])
    index.vectors.add(collection, entries, fitted(index, collection, vectors))


def fitted(index: Index, collection: Collection, found: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors ``found`` by the embedder as ``collection`` has them. Blocks.

    Vectors of entities, of which there are most, are short where words are hashed into places.
    """
    if collection != "entities" or index.embedder.name != "lexical":
        return found
    from ..models.lexical import folded

    return folded(found, index.vectors.dimension(collection) or found.shape[1] // _FOLDS)


def _copy(index: Index, collection: Collection, wanted: frozenset[str], load: Load) -> None:
    """Takes over vectors in use to those made beside them, unless these are made anew."""
    if index.in_use is None or index.anew:
        return
    stored = index.in_use.vectors
    known = stored.ids(collection).intersection(wanted) - index.vectors.ids(collection)
    for ids in batches(sorted(known)):
        entries = load(index, ids)
        vectors = stored.get(collection, [entry.id for entry in entries])
        index.vectors.add(collection, entries, vectors)


async def keep_vectors(
    index: Index,
    context: Context,
    wanted: frozenset[str],
    ids: Callable[[], set[str]],
    remove: Callable[[Sequence[str]], None],
    handed: Callable[[Sequence[str]], Sequence[T]],
    embed_batch: Callable[[Index, Sequence[T]], None],
    report: Progress,
) -> bool:
    """Makes the stored ``ids`` those that are ``wanted``; whether any were removed or embedded.

    ``embed_batch`` is given what ``handed`` makes of ids. An interrupted run loses at most one
    batch for each worker.
    """
    present = await asyncio.to_thread(ids)
    extra, missing = sorted(present - wanted), sorted(wanted - present)
    await asyncio.to_thread(remove, extra)
    groups = [handed(group) for group in batches(missing, texts_at_once(index))]
    await in_batches(index, context, groups, embed_batch, report)
    return bool(missing or extra)


async def in_batches(
    index: Index,
    context: Context,
    groups: Sequence[Sequence[T]],
    work: Callable[[Index, Sequence[T]], None],
    report: Progress,
) -> None:
    """Does blocking ``work`` on groups of items, and reports how many items are done.

    It is handed out where there is a cluster, and must pickle. After a failure no more groups are
    begun, and those under way are kept.
    """
    await in_parts(
        index,
        context,
        partial(_in_threads, work),
        groups,
        report,
        most=1 if index.embedder.local else context.concurrency,
        asks=not index.embedder.local,
        total=sum(map(len, groups)),
    )


async def _in_threads(
    work: Callable[[Index, Sequence[T]], None],
    index: Index,
    context: Context,
    groups: Sequence[Sequence[T]],
    report: Progress,
) -> None:
    total, done = sum(map(len, groups)), 0

    async def one(group: Sequence[T]) -> None:
        nonlocal done
        await to_its_end(work, index, group, threads=threads, whole=True)  # it may be paid for
        done += len(group)
        report(done, total)

    # One batch at a time in this process, several where another machine works.
    workers = 1 if index.embedder.local else context.concurrency
    threads = WORK_THREAD if index.embedder.local else _remote_threads(workers)
    await in_parallel(groups, one, workers)


@lru_cache(maxsize=1)
def _remote_threads(count: int) -> ThreadPoolExecutor:
    """Threads that wait for another machine, so many in all for the steps side by side."""
    return ThreadPoolExecutor(count, thread_name_prefix="ragraphs-embed")


def owned_id(owner: str, text: str) -> str:
    """The id ``<owner>-<text hash>`` of a vector: another text gives another, made anew."""
    return f"{owner}-{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}"


def owner_of(vector: str) -> str:
    """The owner's id in a vector id of the form ``<owner>-<text hash>``."""
    return vector.partition("-")[0]


def texts_at_once(index: Index) -> int:
    """How many texts to embed in one batch: more where a batch that is lost costs nothing."""
    return _LOCAL_BATCH if index.embedder.local else _BATCH


def cosines_with(index: Index, vector: NDArray[np.float32], ids: Sequence[str]) -> dict[str, float]:
    """The cosine of each of the passages ``ids`` with ``vector``, by id.

    Left out are those that a run, or one that was interrupted, has removed, or not embedded yet.
    Blocks; raises IncompleteIndexError where no passage has one although no run is under way.
    """
    try:
        found = index.vectors.get("passages", ids) @ vector if ids else ()
    except IncompleteIndexError:
        known = dict(index.vectors.search("passages", vector, len(ids), frozenset(ids)))
        if not (known or is_within_run(index) or index.vectors.ids("passages")):
            raise
        return known
    return dict(zip(ids, map(float, found), strict=True))


def passage_vectors(index: Index, ids: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of the passages ``ids``, shape (len(ids), d).

    Of a few, those that say no more than the words are made anew, in less time than it takes to
    open their store. Blocks; raises IncompleteIndexError where one is missing.
    """
    if index.embedder.semantic or len(ids) > _FEW:
        return index.vectors.get("passages", ids)
    texts = [passage_text(passage) for passage in index.catalogue.passages(ids)]
    if len(texts) < len(ids):
        raise IncompleteIndexError
    return index.embedder.embed(texts)


def passage_text(passage: Passage) -> str:
    """The text of a passage that is embedded: its place and its text."""
    return f"{place_of(passage)}\n{passage['text']}"


def passage_keywords(passage: Passage) -> frozenset[str]:
    """The keyword set k of a passage and its place; remembered, since questions meet again."""
    return _keywords(passage_text(passage))


_keywords = lru_cache(maxsize=10_000)(keywords)


def _entries(index: Index, ids: Sequence[str]) -> list[Entry]:
    return [
        Entry(
            passage["id"],
            passage_text(passage),
            {**passage["metadata"], "document": passage["document"], "title": passage["title"]},
        )
        for passage in index.catalogue.passages(ids)
    ]
