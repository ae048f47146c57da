"""Adding uploaded files to an index and removing documents, with progress; or only planning it."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from langgraph.pregel import Pregel
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from ...context import IndexContext, LayerName
from ...index.opening import open_index
from ...nodes.subgraph import Events, events_of
from ...state.errors import IndexNotFoundError, RagraphsError
from ..admission import give_way, runs_of
from ..exchange import EventStream, body_of
from .pending import note_reason, taken_along
from .route import access_by
from .uploads import checked_uploads

_MOST = 10_000


class IndexBody(BaseModel):
    """The body of a request to ``/page/index``: uploaded files to read, documents to remove."""

    model_config = ConfigDict(extra="forbid")

    index: str = ""
    paths: list[str] = Field(default=[], max_length=_MOST)
    remove: list[str] = Field(default=[], max_length=_MOST)
    layers: list[LayerName] = []
    dry_run: bool = False


async def index(request: Request) -> Response:
    """Brings an index up to date, and tells what is done of it; the last event is ``done``."""
    access = access_by(request)
    wanted = await body_of(request, IndexBody, '{"paths": ["uploads/notes/a.md"]}')
    name = access.index(wanted.index)
    folder = await asyncio.to_thread(checked_uploads, wanted.paths, name)
    layers: list[LayerName] = wanted.layers or ["passages"]
    context = IndexContext(index=name, layers=layers, dry_run=wanted.dry_run)
    place = await runs_of(request.app).take()
    return EventStream(_events(wanted, context, folder), place)


def _graph() -> Pregel[Any, Any, Any, Any]:
    from ...graphs.index import graph

    return graph


async def _events(wanted: IndexBody, context: IndexContext, folder: Path) -> Events:
    """The events of a run, which takes along what was uploaded before and nobody has read.

    One that only removes takes nothing along, since the page shows no price before it.
    """
    files = await asyncio.to_thread(_files_of, wanted.remove, context.index)
    others: list[str] = []
    if wanted.paths or wanted.layers or not wanted.remove:
        others = await asyncio.to_thread(taken_along, context.index, wanted.paths, files)
    done: dict[str, Any] = {}
    async for name, value in _with_others(wanted, others, context):
        if name == "done":
            done = value
        else:
            yield name, value
    if files and not wanted.dry_run:
        await asyncio.to_thread(_delete_files, files, context.index, folder)
    yield "done", done


async def _with_others(wanted: IndexBody, others: list[str], context: IndexContext) -> Events:
    """The events of a run that reads ``others``, too; where one of them holds it up, each alone."""
    try:
        async for event in _run([*wanted.paths, *others], wanted.remove, context):
            yield event
        return
    except RagraphsError:
        if not others:
            raise
    note_reason(others, "")
    async for event in _run(wanted.paths, wanted.remove, context):
        yield event
    for path in () if wanted.dry_run else others:
        with suppress(RagraphsError):  # the list of documents shows it
            async for name, value in _run([path], [], context):
                if name != "done":
                    yield name, value


async def _run(sources: list[str], remove: list[str], context: IndexContext) -> Events:
    """The events of one run of the graph, once it is its turn to write."""
    graph = await asyncio.to_thread(_graph)
    given = {"sources": sources, "remove": remove}
    done: dict[str, Any] = {}
    try:
        async for name, value in events_of(graph, given, context):
            if name == "answer":
                done = value
            else:
                give_way(value)
                yield name, value
    except RagraphsError as error:
        note_reason(sources, str(error))
        raise
    note_reason(sources, "")
    yield "done", done


def _files_of(ids: list[str], name: str) -> set[str]:
    """The paths of the files that the documents ``ids`` were read from, as the index has them."""
    if not ids:
        return set()
    try:
        rows = map(open_index(name).catalogue.document, ids)
    except IndexNotFoundError:
        return set()
    return {row["path"] if row else id for id, row in zip(ids, rows, strict=True)}


def _delete_files(paths: set[str], name: str, folder: Path) -> None:
    """Deletes the uploaded ones of the files ``paths``, unless they have other documents."""
    index = open_index(name)
    for path in paths:
        file = Path(os.path.normpath(index.home / path))
        if file.parent.resolve() == folder and not index.catalogue.documents(path):
            with suppress(OSError):  # gone already, or the operator's to keep
                file.unlink()
