"""Refuses runs that no graph can take, in a sentence."""

from __future__ import annotations

import json
import logging
import re
from difflib import get_close_matches
from typing import Any
from uuid import UUID, uuid5

from langchain_core.messages import convert_to_messages
from pydantic import ValidationError
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..context import Context
from ..graphs import CONTEXTS
from ..settings import settings
from ..state.errors import RagraphsError, problem_in

logger = logging.getLogger("ragraphs.server")

_BESIDE = 1 << 20  # bytes of a request beside its documents
_OF_RUNS = re.compile(r"/(runs|threads|assistants)(/|$)")
_ANY = frozenset(name for context in CONTEXTS.values() for name in context.model_fields)
# The server gives each graph an assistant whose id is the graph's name in this namespace.
_NAMESPACE = UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
_CONTEXTS = CONTEXTS | {str(uuid5(_NAMESPACE, name)): kind for name, kind in CONTEXTS.items()}


class CheckedRuns:
    """Answers with status 422 and a sentence where a run's input or context is of no use.

    The LangGraph server leaves unknown keys out without a word, before any node sees them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, unless it is refused."""
        if not _may_be_a_run(scope):
            return await self._app(scope, receive, send)
        try:
            body = await _gathered(scope, receive)
        except RagraphsError as error:
            return await JSONResponse({"detail": str(error)}, 413)(scope, receive, send)
        if body is None:
            return None
        if problem := problem_of(body):
            logger.debug("%s refused: %s", scope["path"], problem)
            return await JSONResponse({"detail": problem}, 422)(scope, receive, send)
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        del body  # which is large, and the application may let go of it

        async def again() -> Message:
            return messages.pop() if messages else await receive()

        return await self._app(scope, again, send)


def _may_be_a_run(scope: Scope) -> bool:
    """Whether a request may start a run, or keep a context for some; no route of the page does."""
    if scope["type"] != "http" or scope["path"].startswith("/page/"):
        return False
    return scope["method"] in ("POST", "PUT", "PATCH") and bool(_OF_RUNS.search(scope["path"]))


async def _gathered(scope: Scope, receive: Receive) -> bytes | None:
    """The body of a request; None where the client leaves before its end.

    Raises RagraphsError, before it is in memory, where the documents in it cannot be as long as
    the operator allows.
    """
    documents = settings().bound("max_bytes")
    most = None if documents is None else documents + _BESIDE
    _require(int(dict(scope["headers"]).get(b"content-length", b"0")), most)
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        _require(len(body), most)
        if not message.get("more_body"):
            return bytes(body)


def _require(length: int, most: int | None) -> None:
    if most is not None and length > most:
        raise RagraphsError(
            f"The request is longer than {most:,} bytes; send less at a time, or have the operator "
            "raise RAGRAPHS_MAX_BYTES."
        )


def problem_of(body: bytes) -> str:
    """A sentence on the first thing in the JSON ``body`` that cannot be used; empty for none."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):  # the server says so
        return ""
    for run in given if isinstance(given, list) else [given]:
        if not isinstance(run, dict):
            continue
        graph, context = str(run.get("assistant_id") or run.get("graph_id")), run.get("context")
        problem = _of_run(run) if "assistant_id" in run else ""
        if isinstance(context, dict):
            problem = problem or _of_context(_CONTEXTS.get(graph), context)
        if problem:
            return problem
    return ""


def _of_run(run: dict[str, Any]) -> str:
    command = run.get("command")
    # LangGraph fails at such a one with an error of its own.
    if command and isinstance(command, dict) and not _says_anything(command):
        return 'The command says nothing; to go on after a question, give {"resume": "yes"}.'
    return _of_input(run.get("input"))


def _says_anything(command: dict[str, Any]) -> bool:
    resumes = command.get("resume") is not None
    return resumes or bool(command.get("goto") or command.get("update"))


def _of_input(given: Any) -> str:
    if given is not None and not isinstance(given, dict):
        return 'The input of a graph is an object, such as {"question": "Who wrote it?"}.'
    messages = (given or {}).get("messages")
    try:
        convert_to_messages(messages if isinstance(messages, list) else [messages or ""])
    except (ValueError, TypeError, LookupError, AttributeError, NotImplementedError):
        return "The messages cannot be read; give each one a 'role', and its 'content' as text."
    return ""


def _of_context(kind: type[Context] | None, context: dict[str, Any]) -> str:
    """``kind`` is None for an assistant that a caller made, whose graph is not told."""
    known = kind.model_fields if kind else _ANY
    for name in context:
        if name not in known:
            near = get_close_matches(name[:50], known, 1, cutoff=0.5)
            meant = f"; do you mean {near[0]!r}?" if near else "; leave it out."
            return f"The context has no setting {name[:50]!r}{meant}"
    try:
        if kind:
            kind.model_validate({name: context[name] for name in known if name in context})
    except ValidationError as error:
        return problem_in(error, "setting")
    return ""
