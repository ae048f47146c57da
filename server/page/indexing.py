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
from ...settings import settings
from ...state.errors import IndexNotFoundError, RagraphsError
from ..admission import runs_of
from ..exchange import Events, EventStream, body_of
from .route import access_by
from .uploads import uploads_of

_MOST = 10_000


class Wanted(BaseModel):
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
    wanted = await body_of(request, Wanted, '{"paths": ["uploads/notes/a.md"]}')
    name = access.index(wanted.index)
    folder = await asyncio.to_thread(_checked, wanted.paths, name)
    layers: list[LayerName] = wanted.layers or ["passages"]
    context = IndexContext(index=name, layers=layers, dry_run=wanted.dry_run)
    place = await runs_of(request.app).take()
    return EventStream(_events(wanted, context, folder), place)


def _checked(paths: list[str], index: str) -> Path:
    """The folder of uploads of ``index``; raises RagraphsError for one of ``paths`` outside of it.

    Blocks.
    """
    folder, base = uploads_of(index, settings()), settings().base
    for path in paths:
        if Path(os.path.normpath(base / path)).parent != folder:
            raise RagraphsError(f"{path[:200]!r} is no uploaded file; upload it first.")
    return folder


def _graph() -> Pregel[Any, Any, Any, Any]:
    from ...graphs.index import graph

    return graph


async def _events(wanted: Wanted, context: IndexContext, folder: Path) -> Events:
    graph = await asyncio.to_thread(_graph)
    files = await asyncio.to_thread(_files_of, wanted.remove, context.index)
    given = {"sources": wanted.paths, "remove": wanted.remove}
    result: Any = None
    part: Any
    async for mode, part in graph.astream(given, context=context, stream_mode=["custom", "values"]):
        if mode == "values":
            result = part
        else:
            yield "step", part
    if files and not wanted.dry_run:
        await asyncio.to_thread(_delete_files, files, context.index, folder)
    yield "done", {key: result[key] for key in graph.output_channels}


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
