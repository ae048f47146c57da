"""The routes of the page, which every server of ours mounts."""

from __future__ import annotations

from starlette.routing import Route

from .asking import ask, resume
from .documents import document, documents, words
from .evaluations import evaluation_routes
from .exploring import exploring_routes
from .files import start, static
from .indexing import index
from .pending import discard
from .route import page_route
from .state import state
from .uploads import upload


def page_routes() -> list[Route]:
    """The routes of the page: ``/``, and all others below ``/page/``."""
    return [
        page_route("/", start),
        page_route("/page/static/{path:path}", static),
        page_route("/page/state", state),
        page_route("/page/ask", ask, posts=True),
        page_route("/page/resume", resume, posts=True),
        page_route("/page/documents", documents),
        page_route("/page/document", document),
        page_route("/page/words", words),
        page_route("/page/upload", upload, writes=True, form=True),
        page_route("/page/discard", discard, writes=True),
        page_route("/page/index", index, writes=True),
        *exploring_routes(),
        *evaluation_routes(),
    ]
