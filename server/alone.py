"""The application that ``ragraphs serve`` runs: questions over HTTP, beside the tools of ``app``.

    curl http://127.0.0.1:8000/ask -H 'Content-Type: application/json' \\
        -d '{"question": "Who designed the Forth Bridge?"}'

Each request stands alone, so that any number of processes may serve the same indexes.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from hmac import compare_digest

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..index.health import check
from ..index.opening import open_index
from ..index.serving import announcement
from ..settings import index_folder, settings, told
from ..state.errors import RagraphsError
from .access import Access, access_of
from .app import McpRoute, lifespan
from .asking import reply_to
from .exchange import (
    EVENTS,
    body_of,
    failure,
    problem,
    refusal_of,
    require_root,
)
from .openai_chat import openai_routes
from .openai_replies import OpenAIErrors
from .page.routes import page_routes
from .question import EXAMPLE, AskedQuestion

_HEALTH_SECONDS = 0.9
# Some may hang at a connection whose machine is gone, and the next look takes another one.
_health_threads = ThreadPoolExecutor(8, thread_name_prefix="ragraphs-health")


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


async def health(request: Request) -> Response:
    """Status 200 where the default index can be asked, else 503: for load balancers.

    It waits for no question: it has threads of its own, and says so where they have no reply in
    time.
    """
    looking = asyncio.get_running_loop().run_in_executor(_health_threads, _obstacle)
    try:
        obstacle = await asyncio.wait_for(looking, _HEALTH_SECONDS)
    except TimeoutError:
        obstacle = "The index, or the machine that holds it, did not answer in time; ask again."
    return problem(503, obstacle) if obstacle else JSONResponse({"status": "ready"})


def _obstacle() -> str:
    """Why the default index cannot be asked; empty where it can."""
    try:
        require_root()
        index = open_index(access_of(None).default)
        _ = index.embedder
        check(index)
    except RagraphsError as error:
        return told(str(error), settings())
    return ""


app = Starlette(
    routes=[
        Route("/ask", ask, methods=["POST"]),
        Route("/health", health),
        *openai_routes(),
        *page_routes(),
        Route("/mcp", McpRoute(), include_in_schema=False),
    ],
    middleware=[Middleware(OpenAIErrors)],
    lifespan=lifespan,
)
