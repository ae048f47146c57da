"""Copying an index from a folder to the shared stores, and back."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
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
Check = Callable[[Index, Index], None]
_ATTEMPTS = 10

# What is not of the contents: an index's own id and place, and vectors that are being made.
_OWN = {
    *("id", "format", "name", "writer", HOME, COPIED_FROM),
    *("vectors", "vectors_written", "vectors_beside"),
    *(f"listed_{collection}" for collection in get_args(Collection)),
}


class Copied(TypedDict):
    """The names of both indexes, and what the copy holds."""

    source: str
    index: str
    documents: int
    passages: int


def copy_index(
    source: str, target: str, report: Report = lambda *_: None, check: Check = lambda *_: None
) -> Copied:
    """Copies the index ``source`` to a new index ``target``, with all that was paid for.

        copied = copy_index("./.ragraphs", "notes")

    A text with a slash is a folder; another one is a name in the operator's database, or where
    there is none, a folder too. The copy is that of one moment, whoever writes meanwhile.
    ``report`` is told the step, and how much of it is done; ``check`` gets the source as it was at
    that moment and the copy, before this counts. A copy that was not finished is begun anew.
    Blocks. Raises RagraphsError where there is another index at ``target``, or somebody writes to
    it.
    """
    operator = settings()
    return copy_between(_located(source, operator), _located(target, operator), report, check)


def copy_between(
    given: Location,
    wanted: Location,
    report: Report = lambda *_: None,
    check: Check = lambda *_: None,
) -> Copied:
    """Copies the index at ``given`` to a new one at ``wanted``, as ``copy_index`` does."""
    from ..stores.moments import at_one_moment

    operator = settings()
    if given == wanted:
        raise RagraphsError(f"The index at {given.name} cannot be copied to itself; name another.")
    source = _opened(given, operator, create=False, any_format=True)
    check_whole(source)
    target = _new(wanted, operator, source)
    for _ in range(_ATTEMPTS):
        with at_one_moment(source.engine) as moment, suppress(_MovedOnError):
            origin = index_of(given, moment, source.operator)
            return asyncio.run(_copied(origin, target, report, check))
    raise RagraphsError(
        f"The index at {given.name} changes faster than it can be copied; copy it again when the "
        "run that writes to it has ended."
    )


class _MovedOnError(Exception):
    """Arrays or vectors of the moment that is copied were deleted meanwhile."""


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


async def _copied(source: Index, target: Index, report: Report, check: Check) -> Copied:
    async with target.writing():
        await asyncio.to_thread(_copy, source, target, report, check)
    return {
        "source": source.name,
        "index": target.name,
        "documents": target.catalogue.count_documents(),
        "passages": target.catalogue.count_passages(),
    }


def _copy(source: Index, target: Index, report: Report, check: Check) -> None:
    from ..stores.copying import clear_tables, copy_properties, copy_tables, uneven_tables

    clear_tables(target.engine)
    target.vectors.delete_all_but([])
    names = [name for layer in LAYERS.values() if (name := layer.arrays(source))]
    try:  # first, since these are the first to be deleted by who writes meanwhile
        for done, name in enumerate(names, start=1):
            target.arrays.take(name, source.arrays)
            report("layers", done, len(names))
        copy_tables(source.engine, target.engine, partial(report, "tables"))
        target.catalogue.rebuild_terms()
        _copy_vectors(source, target, report)
        if uneven := uneven_tables(source.engine, target.engine):
            raise RagraphsError(
                f"The copy at {target.name} lacks a part ({', '.join(uneven)}); run the same "
                "command again."
            )
        copy_properties(source.engine, target.engine, _OWN)
        check(replace(source, arrays=target.arrays), target)  # its own may be gone
    except (_MovedOnError, FileNotFoundError, shutil.Error) as error:
        target.vectors.close()  # whose files are deleted when it is begun anew
        raise _MovedOnError from error
    home = str(source.home) if target.location.in_database else None
    mark_written(target)
    target.catalogue.set_properties({HOME: home, COPIED_FROM: None})


def _copy_vectors(source: Index, target: Index, report: Report) -> None:
    """Copies the vectors that belong to the moment; who writes may have made others since."""
    passages = source.catalogue.passage_ids()
    wanted = {name: source.vectors.ids(name) for name in get_args(Collection)}
    wanted["passages"] &= set(passages)
    total, done = sum(map(len, wanted.values())), 0
    for name, ids in wanted.items():
        for entries, vectors in source.vectors.entries(name):
            kept = [place for place, entry in enumerate(entries) if entry.id in ids]
            target.vectors.add(name, [entries[place] for place in kept], vectors[kept])
            done += len(kept)
            report("vectors", done, total)
        if not ids <= target.vectors.ids(name):
            raise _MovedOnError
        target.vectors.settle(name)
