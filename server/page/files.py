"""The files of the page: its HTML, scripts and styles, as they are packaged."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from ..exchange import problem

FOLDER = Path(__file__).parents[2] / "views" / "page"
# Told here, since a machine's own table may call a script plain text.
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}
_FILES = StaticFiles(directory=FOLDER)


async def start(request: Request) -> Response:
    """The page itself."""
    return await _file("index.html", request)


async def static(request: Request) -> Response:
    """A file that the page is made of."""
    return await _file(request.path_params["path"], request)


async def _file(path: str, request: Request) -> Response:
    """The file at ``path``, or that the browser has it already, which it asks each time."""
    try:
        response = await _FILES.get_response(path, request.scope)
    except HTTPException:
        return problem(404, "There is no such file of the page.")
    if kind := _TYPES.get(Path(path).suffix):
        response.headers["Content-Type"] = kind
    response.headers["Cache-Control"] = "no-cache"
    return response
