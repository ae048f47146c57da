"""Requests and replies of our own routes: refusals, bodies, failures in a sentence, events."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ..nodes.subgraph import Events
from ..settings import settings, told_soon
from ..state.errors import (
    IndexNotFoundError,
    RagraphsError,
    UnavailableError,
    UnexpectedError,
    foreseen,
    problem_in,
)
from .admission import BusyError, Slot
from .mcp import transport_security

_logger = logging.getLogger(__package__)
_MOST_BYTES = 1 << 20
_REFUSED = {
    400: "Send JSON, with the header Content-Type: application/json.",
    403: "Pages of another site may not ask; the operator names those that may in RAGRAPHS_HOSTS.",
    421: "This server is asked under another name than it has; the operator sets RAGRAPHS_HOSTS.",
}
EVENTS = "text/event-stream"
B = TypeVar("B", bound=BaseModel)


def require_root() -> None:
    """Raises RagraphsError where the operator does not say which folder is open to clients."""
    if settings().root is None:
        raise RagraphsError(
            "Set RAGRAPHS_ROOT to the folder of the indexes that clients may ask, "
            "such as RAGRAPHS_ROOT=. for this one."
        )


def has_users() -> bool:
    """Whether the LangGraph server authenticates callers, of which a route may be left out."""
    custom = os.environ.get("LANGGRAPH_AUTH", "null")
    return custom not in ("", "null") or os.environ.get("LANGGRAPH_AUTH_TYPE", "noop") != "noop"


async def refusal_of(request: Request, *, as_json: bool = True) -> Response | None:
    """The refusal of a request that a page of another site may have sent; None to go on.

    ``as_json`` says whether the body must be called JSON, which such a page cannot do unasked.
    """
    from mcp.server.transport_security import TransportSecurityMiddleware

    guard = TransportSecurityMiddleware(transport_security(settings().hosts))
    refused = await guard.validate_request(request, is_post=as_json)
    if refused is None:
        return None
    return problem(refused.status_code, _REFUSED.get(refused.status_code, "It is not allowed."))


async def body_of(request: Request, form: type[B], example: str) -> B:
    """The JSON body of ``request`` as ``form``; raises RagraphsError for any other.

    ``example`` is such a body, for the sentence on one that is no object at all.
    """
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BYTES:
            raise RagraphsError(f"The request is longer than {_MOST_BYTES:,} bytes; ask in less.")
    try:
        return form.model_validate_json(body)
    except ValidationError as error:
        if not error.errors()[0]["loc"]:
            raise RagraphsError(f"Send a JSON object such as {example}.") from error
        raise RagraphsError(problem_in(error, "value", form.model_fields)) from error


def named_event(name: str, value: dict[str, Any]) -> str:
    """The text of an event that a client tells by its name."""
    return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"


class EventStream(StreamingResponse):
    """Sends ``events``, ``written`` as text, while they come, and a failure as the event ``error``.

    Whoever closes the connection ends them; then the ``place`` that they took is free.
    """

    pause = 15.0  # seconds

    def __init__(
        self,
        events: Events,
        place: Slot | None = None,
        written: Callable[[str, Any], str] = named_event,
    ) -> None:
        self._events, self._place, self._event = events, place, written
        self._texts: asyncio.Queue[str | None] = asyncio.Queue()
        head = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(self._written(), media_type=EVENTS, headers=head)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the events, which come in a task of their own.

        Starlette ends a response by AnyIO's cancellation, which would not reach a graph's nodes.
        """
        work = asyncio.create_task(self._work())
        if self._place:
            work.add_done_callback(self._place.free)
        try:
            await super().__call__(scope, receive, send)
        finally:
            work.cancel()

    async def _written(self) -> AsyncIterator[str]:
        while (text := await self._next()) is not None:
            yield text

    async def _next(self) -> str | None:
        """The next event; a comment where none comes for long, since proxies close what idles."""
        try:
            return await asyncio.wait_for(self._texts.get(), self.pause)
        except TimeoutError:
            return ": still at work\n\n"

    async def _work(self) -> None:
        try:
            async with aclosing(self._events) as events:
                async for name, value in events:
                    self._texts.put_nowait(self._event(name, value))
        except Exception as error:
            failed = await failure(error)
            self._texts.put_nowait(self._event("error", json.loads(bytes(failed.body))))
        self._texts.put_nowait(None)


async def failure(error: Exception) -> Response:
    """Response for ``error``: a sentence; of one that nobody foresaw, the log has the rest."""
    if isinstance(error, BusyError):  # told at once, without waiting for a thread
        refusal = problem(error.status, str(error))
        refusal.headers["Retry-After"] = str(error.again)
        return refusal
    shown = foreseen(error)
    if isinstance(shown, RagraphsError):
        sentence = await told_soon(str(shown), settings())
    else:
        sentence = "The request failed on the server, whose log says why."
    status = _status_of(shown)
    if status == 500:
        _logger.error("A request failed.", exc_info=error)
    return problem(status, sentence)


def _status_of(error: Exception) -> int:
    if isinstance(error, UnexpectedError) or not isinstance(error, RagraphsError):
        return 500
    if isinstance(error, UnavailableError):
        return 503
    return 404 if isinstance(error, IndexNotFoundError) else 422


def problem(status: int, sentence: str) -> Response:
    """A response that says in a ``sentence`` why there is no other."""
    return JSONResponse({"detail": sentence}, status)
