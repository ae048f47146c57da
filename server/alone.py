"""The application that ``ragraphs serve`` runs: questions over HTTP, beside the tools of ``app``.

    curl http://127.0.0.1:8000/ask -H 'Content-Type: application/json' \\
        -d '{"question": "Who designed the Forth Bridge?"}'

Each request stands alone, so that any number of processes may serve the same indexes.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from typing import Any, Literal

from langchain_core.messages import convert_to_openai_messages
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from typing_extensions import TypedDict

from ..context import MethodName, RouterContext
from ..graphs import graph_of
from ..index.opening import open_index
from ..settings import settings, told
from ..state.errors import IndexNotFoundError, RagraphsError
from .access import access_of
from .app import McpRoute, lifespan, require_root
from .checked_runs import problem_in
from .mcp import transport_security

_logger = logging.getLogger(__package__)
_MOST_BYTES = 1 << 20
_EVENTS = "text/event-stream"


class Turn(TypedDict):
    """A message of the conversation before the question."""

    role: Literal["user", "assistant"]
    content: str


class AskedQuestion(BaseModel):
    """The body of a request to ``/ask``."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1)
    method: Literal["auto", MethodName] = "auto"
    index: str = ""
    where: dict[str, Any] | None = None
    history: list[Turn] = Field(default=[], max_length=100)


async def ask(request: Request) -> Response:
    """Answers a question by the router: its output as JSON, or its events while it works."""
    try:
        if refusal := await _refusal(request):
            return refusal
        asked = AskedQuestion.model_validate_json(await _body(request))
        follows = _EVENTS in request.headers.get("accept", "")
        context = _context(asked, access_of(request.scope.get("user")), follows)
    except ValidationError as error:
        return _problem(422, _mistake(error))
    except RagraphsError as error:
        return await _failure(error)
    events = _events(asked, context)
    if follows:
        head = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(_told_as_events(events), media_type=_EVENTS, headers=head)
    try:
        output = [value async for name, value in events if name == "answer"]
    except Exception as error:
        return await _failure(error)
    return JSONResponse(output[-1])


async def health(request: Request) -> Response:
    """Status 200 where the default index can be asked, else 503: for load balancers."""
    try:
        await asyncio.to_thread(_open_default)
    except RagraphsError as error:
        return _problem(503, await asyncio.to_thread(told, str(error), settings()))
    return JSONResponse({"status": "ready"})


def _open_default() -> None:
    require_root()
    _ = open_index(access_of(None).default).embedder


async def _refusal(request: Request) -> Response | None:
    """The refusal of a request that a page of another site may have sent."""
    from mcp.server.transport_security import TransportSecurityMiddleware

    require_root()
    guard = TransportSecurityMiddleware(transport_security(settings().hosts))
    refused = await guard.validate_request(request, is_post=True)
    if refused is None:
        return None
    return _problem(refused.status_code, _REFUSED.get(refused.status_code, "It is not allowed."))


_REFUSED = {
    400: "Send JSON, with the header Content-Type: application/json.",
    403: "Pages of another site may not ask; the operator names those that may in RAGRAPHS_HOSTS.",
    421: "This server is asked under another name than it has; the operator sets RAGRAPHS_HOSTS.",
}


async def _body(request: Request) -> bytes:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BYTES:
            raise RagraphsError(f"The request is longer than {_MOST_BYTES:,} bytes; ask in less.")
    return body


def _mistake(error: ValidationError) -> str:
    if not error.errors()[0]["loc"]:
        return 'Send a JSON object such as {"question": "Who wrote it?"}.'
    return problem_in(error, "value")


def _context(asked: AskedQuestion, access: Any, follows: bool) -> RouterContext:
    return RouterContext(
        index=access.index(asked.index),
        method=asked.method,
        where=asked.where,
        stream_answer=follows,
    )


async def _events(
    asked: AskedQuestion, context: RouterContext
) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """The events of a run by their names: ``step`` and ``text``, and at the end ``answer``."""
    graph, _ = await asyncio.to_thread(graph_of, "router")
    given = {"question": asked.question, "messages": asked.history}
    result: Any = None
    part: Any
    async for mode, part in graph.astream(given, context=context, stream_mode=["custom", "values"]):
        if mode == "values":
            result = part
        else:
            yield "text" if "text" in part else "step", part
    output = {name: result[name] for name in graph.output_channels}
    yield "answer", {**output, "messages": convert_to_openai_messages(output["messages"])}


async def _told_as_events(
    events: AsyncIterator[tuple[str, dict[str, Any]]],
) -> AsyncIterator[str]:
    try:
        async for name, value in events:
            yield _event(name, value)
    except Exception as error:
        failure = await _failure(error)
        yield _event("error", json.loads(bytes(failure.body)))


def _event(name: str, value: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"


async def _failure(error: Exception) -> Response:
    """What the caller reads of ``error``: a sentence of ours, or that the log has it."""
    if isinstance(error, RagraphsError):
        status = 404 if isinstance(error, IndexNotFoundError) else 422
        return _problem(status, await asyncio.to_thread(told, str(error), settings()))
    _logger.error("A question failed.", exc_info=error)
    return _problem(500, "The question failed on the server, whose log says why.")


def _problem(status: int, sentence: str) -> Response:
    return JSONResponse({"detail": sentence}, status)


app = Starlette(
    routes=[
        Route("/ask", ask, methods=["POST"]),
        Route("/health", health),
        Route("/mcp", McpRoute(), include_in_schema=False),
    ],
    lifespan=lifespan,
)
