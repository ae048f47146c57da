"""Logs of a server: a line for each request, and all lines as JSON where that is asked for."""

from __future__ import annotations

import json
import logging
import re
import time
import uuid
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..models.caller import caller_name

logger = logging.getLogger("ragraphs.server.access")
_request: ContextVar[str] = ContextVar("ragraphs_request", default="")
_ID = re.compile(r"[\w.-]{1,64}")
_MORE = ("run", "graph", "index", "method", "path", "status", "seconds", "calls", "tokens", "cost")
_QUIET = {"/live", "/ready", "/health", "/metrics"}


class JsonLines(logging.Formatter):
    """Writes records as JSON objects, one a line, with the caller and the id of the request."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request": _request.get(),
            "caller": getattr(record, "caller", "") or caller_name(),
        }
        line = {name: value for name, value in line.items() if value}
        line |= {name: getattr(record, name) for name in _MORE if hasattr(record, name)}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def write_json_lines() -> None:
    """Has this process write all its logs from INFO on as JSON lines on stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.getLogger().handlers = [handler]
    logging.getLogger("ragraphs").setLevel(logging.INFO)


class AccessLog:
    """Logs each request with its status, seconds and caller, and gives it an id.

    Health and figures, which machines ask for again and again, are logged at the level DEBUG.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on; the answer names its id in X-Request-ID."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        given = Headers(scope=scope).get("x-request-id", "")
        id = given if _ID.fullmatch(given) else uuid.uuid4().hex
        token, began, status = _request.set(id), time.monotonic(), 499  # the client left

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = id
            await send(message)

        try:
            await self._app(scope, receive, told)
        except Exception:
            status = 500
            raise
        finally:
            _log(scope, status, time.monotonic() - began)
            _request.reset(token)


def _log(scope: Scope, status: int, seconds: float) -> None:
    level = logging.DEBUG if scope["path"] in _QUIET else logging.INFO
    if not logger.isEnabledFor(level):
        return
    caller = getattr(scope.get("user"), "identity", "")
    told = {"method": scope["method"], "path": scope["path"], "status": status}
    logger.log(
        level,
        "%s %s %d after %.3f s",
        *told.values(),
        seconds,
        extra={**told, "seconds": round(seconds, 3), "caller": caller},
    )
