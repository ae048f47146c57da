"""The application that ``langgraph.json`` mounts: it refuses settings that nobody knows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any
from uuid import UUID, uuid5

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..graphs import CONTEXTS

_ANY = frozenset(name for context in CONTEXTS.values() for name in context.model_fields)
# The server gives each graph an assistant whose id is the graph's name in this namespace.
_NAMESPACE = UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
_KNOWN = {name: frozenset(context.model_fields) for name, context in CONTEXTS.items()}
_KNOWN |= {str(uuid5(_NAMESPACE, name)): known for name, known in _KNOWN.items()}


class KnownSettings:
    """Answers with status 422 and a sentence where a run's context has a key that nobody knows.

    The LangGraph server leaves such keys out without a word, before any node sees them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, unless it is refused."""
        if scope["type"] != "http" or scope["method"] not in ("POST", "PUT", "PATCH"):
            return await self._app(scope, receive, send)
        messages = [await receive()]
        while messages[-1].get("more_body"):
            messages.append(await receive())
        problem = unknown_setting(b"".join(message.get("body", b"") for message in messages))
        if problem:
            return await JSONResponse({"detail": problem}, 422)(scope, receive, send)

        async def again() -> Message:
            return messages.pop(0) if messages else await receive()

        return await self._app(scope, again, send)


def unknown_setting(body: bytes) -> str:
    """A sentence on the first unknown key of a context in the JSON ``body``; empty for none."""
    if b'"context"' not in body:
        return ""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):  # the server says so
        return ""
    for graph, context in _contexts(given):
        known = _KNOWN.get(graph, _ANY)
        for name in context:
            if name not in known and not name.startswith("__"):
                near = get_close_matches(name[:50], known, 1, cutoff=0.5)
                meant = f"; do you mean {near[0]!r}?" if near else "; leave it out."
                return f"The context has no setting {name[:50]!r}{meant}"
    return ""


def _contexts(given: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The graph or assistant and the context of each run that is asked for."""
    for run in given if isinstance(given, list) else [given]:
        if isinstance(run, dict) and isinstance(run.get("context"), dict):
            yield str(run.get("assistant_id") or run.get("graph_id")), run["context"]


app = Starlette(middleware=[Middleware(KnownSettings)])
