"""Results of evaluations that are kept with an index: their list, plots and figures."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...context import Context
from ...evaluation.results import StoredResult, heads, kept
from ...index.opening import open_index
from ...settings import settings, told
from ...state.errors import RagraphsError
from .route import index_in, page_route, words_in


def evaluation_routes() -> list[Route]:
    """The routes that show results of evaluations."""
    return [
        page_route("/page/evaluations", evaluations),
        page_route("/page/evaluation", evaluation),
        page_route("/page/evaluation/figures", figures),
    ]


async def evaluations(request: Request) -> Response:
    """The heads of all results that the index has, the newest first."""
    return await _written(lambda folder: {"evaluations": heads(folder)}, request)


async def evaluation(request: Request) -> Response:
    """One result: its head and its plots."""
    name = words_in(request, "name")

    def shown(folder: Path) -> dict[str, Any]:
        found = _kept(folder, name)
        return {key: value for key, value in found.items() if key != "result"}

    return await _written(shown, request)


async def figures(request: Request) -> Response:
    """All figures of one result as a file, as ``--json`` prints them."""
    name = words_in(request, "name")
    response = await _written(lambda folder: _kept(folder, name)["result"], request)
    file = re.sub(r"[^A-Za-z0-9.-]", "_", name)
    response.headers["Content-Disposition"] = f'attachment; filename="{file}.json"'
    return response


async def _written(look: Callable[[Path], Any], request: Request) -> Response:
    """The JSON of what ``look`` finds in the folder of the index that the request names."""
    name = index_in(request)

    def text() -> str:
        open_index(name)  # which says so where there is none
        found = look(Context(index=name).folder)
        return told(json.dumps(found, ensure_ascii=False), settings())

    return Response(await asyncio.to_thread(text), media_type="application/json")


def _kept(folder: Path, name: str) -> StoredResult:
    """The result of that name; raises RagraphsError where there is none."""
    found = kept(folder, name)
    if found is None:
        raise RagraphsError(f"There is no result {name[:100]!r} in the index; look in its list.")
    return found
