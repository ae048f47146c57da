"""The application that ``langgraph.json`` mounts, and that runs alone as well.

    uvicorn ragraphs.server.app:app

It shows a page at ``/``, offers tools by the Model Context Protocol at ``/mcp``, and refuses runs
that no graph can take.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ..settings import settings, told_soon
from ..state.errors import RagraphsError
from .admission import open_places
from .checked_runs import CheckedRuns
from .exchange import has_users, require_root
from .mcp import sessions
from .page.routes import page_routes
from .threads import Threads

_logger = logging.getLogger("ragraphs.server")


class McpRoute:
    """Passes requests to the MCP server that runs while the application does."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers with a sentence where there is no such server, or nobody knows who asks."""
        served = scope["app"].state
        if scope["method"] != "POST":  # without sessions there is nothing to listen to or to end
            detail = "This server keeps no sessions: send requests by POST."
            refusal = JSONResponse({"detail": detail}, 405, {"Allow": "POST"})
        elif served.mcp is None:
            refusal = JSONResponse({"detail": served.mcp_problem}, 503)
        elif has_users() and "user" not in scope:
            detail = "Set http.enable_custom_route_auth in langgraph.json to serve MCP with auth."
            refusal = JSONResponse({"detail": detail}, 403)
        else:
            await served.mcp.handle_request(scope, receive, send)
            return
        await refusal(scope, receive, send)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Keeps the MCP server of ``app`` running; where there can be none, its problem."""
    asyncio.get_running_loop().set_default_executor(Threads())
    open_places(app.state)
    app.state.mcp, app.state.mcp_problem = None, ""
    try:
        require_root()
        await told_soon("", settings())  # while threads are free
        running = sessions()
    except RagraphsError as error:
        _logger.error("MCP is not served. %s", error)
        app.state.mcp_problem = str(error)
        yield
        return
    async with running.run():
        app.state.mcp = running
        yield


app = Starlette(
    routes=[*page_routes(), Route("/mcp", McpRoute(), include_in_schema=False)],
    middleware=[Middleware(CheckedRuns)],
    lifespan=lifespan,
)
