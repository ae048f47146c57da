"""The application that ``ragraphs serve`` runs: questions over HTTP, beside the tools of ``app``.

    curl http://127.0.0.1:8000/ask -H 'Content-Type: application/json' \\
        -d '{"question": "Who designed the Forth Bridge?"}'

Each request stands alone, so that any number of processes may serve the same indexes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hmac import compare_digest

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..index.serving import announcement
from ..settings import index_folder, settings
from ..state.errors import RagraphsError
from .access import Access, access_of
from .app import McpRoute, lifespan
from .asking import reply_to
from .callers import METRICS, KnownCallers, told_finder
from .exchange import EVENTS, body_of, failure, refusal_of, require_root
from .health import live, ready
from .logs import AccessLog
from .metrics import metrics, watch_figures
from .openai_chat import openai_routes
from .openai_replies import OpenAIErrors
from .page.routes import page_routes
from .question import EXAMPLE, AskedQuestion


async def ask(request: Request) -> Response:
    """Answers a question by the router: its output as JSON, or its events while it works."""
    try:
        require_root()
        if refusal := await refusal_of(request):
            return refusal
        asked = await body_of(request, AskedQuestion, EXAMPLE)
        access = access_of(request.scope.get("user"))
        _check_token(request, access)
        follows = EVENTS in request.headers.get("accept", "")
        return await reply_to(request, asked, access, follows)
    except Exception as error:
        return await failure(error)


def _check_token(request: Request, access: Access) -> None:
    """Raises RagraphsError where the command line takes this for the server of another index."""
    token = request.headers.get("ragraphs-server")
    if token is None:
        return
    folder = index_folder(access.default, settings())
    own = announcement(folder).get("token", "")
    if not compare_digest(token.encode(), own.encode()):
        raise RagraphsError("This server has another index.")


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Keeps the server of ``app`` running, which knows its callers as it was told."""
    app.state.find_caller = await asyncio.to_thread(told_finder)
    watch_figures()
    async with lifespan(app):
        yield


app = Starlette(
    routes=[
        Route("/ask", ask, methods=["POST"]),
        Route("/live", live),
        Route("/ready", ready),
        Route("/health", ready),
        Route(METRICS, metrics),
        *openai_routes(),
        *page_routes(),
        Route("/mcp", McpRoute(), include_in_schema=False),
    ],
    middleware=[Middleware(AccessLog), Middleware(OpenAIErrors), Middleware(KnownCallers)],
    lifespan=_lifespan,
)
