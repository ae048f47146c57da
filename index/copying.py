"""Copying an index from a folder to the shared stores, and back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TypedDict, get_args

from ..settings import Settings, settings
from ..state.errors import IndexNotFoundError, RagraphsError
from ..stores.vector_store import in_folder
from ..stores.vectors import Collection
from .layers import LAYERS
from .location import HOME, Location
from .opening import COPIED_FROM, Index, check_whole, index_of, mark_written

Report = Callable[[str, int, int], None]

# What is not of the contents: an index's own id and place, and vectors that are being made.
_OWN = {
    *("id", "format", "name", "writer", HOME, COPIED_FROM),
    *("vectors", "vectors_written", "vectors_beside"),
}


class Copied(TypedDict):
    """The names of both indexes, and what the copy holds."""

    source: str
    index: str
    documents: int
    passages: int


def copy_index(source: str, target: str, report: Report = lambda *_: None) -> Copied:
    """Copies the index ``source`` to a new index ``target``, with all that was paid for.

        copied = copy_index("./.ragraphs", "notes")

    A text with a slash is a folder; another one is a name in the operator's database, or where
    there is none, a folder too. ``report`` is told the step, and how much of it is done. A copy
    that was not finished is begun anew. Blocks. Raises RagraphsError where there is another index
    at ``target``, or somebody writes to one of the two.
    """
    operator = settings()
    return copy_between(_located(source, operator), _located(target, operator), report)


def copy_between(given: Location, wanted: Location, report: Report = lambda *_: None) -> Copied:
    """Copies the index at ``given`` to a new one at ``wanted``, as ``copy_index`` does."""
    operator = settings()
    if given == wanted:
        raise RagraphsError(f"The index at {given.name} cannot be copied to itself; name another.")
    origin = _opened(given, operator, create=False, any_format=True)
    check_whole(origin)
    return asyncio.run(_copied(origin, _new(wanted, operator, origin), report))


def _located(text: str, operator: Settings) -> Location:
    if operator.database is None or {"/", os.sep} & set(text) or text.startswith((".", "~")):
        return Location(os.path.abspath(Path(text).expanduser()))
    return Location(text, in_database=True)


def _opened(
    location: Location, operator: Settings, *, create: bool, any_format: bool = False
) -> Index:
    if not location.in_database:
        operator = operator.model_copy(update={"database": None})
        operator = in_folder(operator, Path(location.name), create=create)
    engine = location.open_catalogue(operator, create=create, any_format=any_format)
    return index_of(location, engine, operator)


def _new(location: Location, operator: Settings, origin: Index) -> Index:
    """The index to copy into, which is marked as not finished."""
    try:
        index = _opened(location, operator, create=False)
    except IndexNotFoundError:
        index = _opened(location, operator, create=True)
    begun, embeddings = index.catalogue.properties(COPIED_FROM, "embeddings")
    if begun is None and embeddings is not None:
        raise RagraphsError(
            f"There is an index at {location.name} already; name another one to copy to."
        )
    index.catalogue.set_property(COPIED_FROM, origin.name)
    return index


async def _copied(source: Index, target: Index, report: Report) -> Copied:
    async with AsyncExitStack() as locks:
        if not source.read_only:
            await locks.enter_async_context(source.writing())
        await locks.enter_async_context(target.writing())
        await asyncio.to_thread(_copy, source, target, report)
    return {
        "source": source.name,
        "index": target.name,
        "documents": target.catalogue.count_documents(),
        "passages": target.catalogue.count_passages(),
    }


def _copy(source: Index, target: Index, report: Report) -> None:
    from ..stores.copying import clear_tables, copy_tables

    clear_tables(target.engine)
    target.vectors.delete_all_but([])
    copy_tables(source.engine, target.engine, partial(report, "tables"))
    target.catalogue.rebuild_terms()
    _copy_vectors(source, target, report)
    names = [name for layer in LAYERS.values() if (name := layer.arrays(source))]
    for done, name in enumerate(names, start=1):
        target.arrays.take(name, source.arrays)
        report("layers", done, len(names))
    _finish(source, target)


def _copy_vectors(source: Index, target: Index, report: Report) -> None:
    collections = get_args(Collection)
    total, done = sum(len(source.vectors.ids(name)) for name in collections), 0
    for name in collections:
        for entries, vectors in source.vectors.entries(name):
            target.vectors.add(name, entries, vectors)
            done += len(entries)
            report("vectors", done, total)


def _finish(source: Index, target: Index) -> None:
    """Makes an index of the copy, once all is there."""
    from ..stores.copying import copy_properties, uneven_tables

    uneven: list[str] = uneven_tables(source.engine, target.engine)
    for name in get_args(Collection):
        if source.vectors.ids(name) != target.vectors.ids(name):
            uneven.append(f"vectors of {name}")
    if uneven:
        raise RagraphsError(
            f"The copy at {target.name} lacks a part ({', '.join(uneven)}); run the same command "
            "again."
        )
    copy_properties(source.engine, target.engine, _OWN)
    home = str(source.home) if target.location.in_database else None
    mark_written(target)
    target.catalogue.set_properties({HOME: home, COPIED_FROM: None})
