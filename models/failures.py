"""Why a request to another machine failed, for a person to read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import SecretStr

_LONGEST = 300
_LONGEST_READ = 5000
_SHORTEST_SECRET = 8
_MOST_NAMES = 5
_MENDING = {
    HTTPStatus.UNAUTHORIZED: "; set its key, such as OPENAI_API_KEY, to one that is valid",
    HTTPStatus.FORBIDDEN: "; use a key that may use this model",
    HTTPStatus.NOT_FOUND: "; name a --model that is served there, and look at the address",
}
_WAITING = "; wait and try again, or look at the quota of its key"
_TRYING = "; try again, or look at the log of its server"
_UNCONNECTED = {"NoConnectionError", "ConnectError", "ConnectTimeout"}
_TAG = re.compile(r"<[^>]*>")


def explain(error: BaseException, secrets: Iterable[SecretStr] = ()) -> str:
    """One line on ``error``: the status, and the words of the server or the system.

    ``secrets`` are hidden, even where the server repeats them.
    """
    status = getattr(error, "status_code", None)
    said = _said(error)[:_LONGEST_READ].encode("utf-8", "replace").decode()  # it is kept and sent
    text = " ".join(_TAG.sub(" ", said).split()).rstrip(".")
    if not text or text == f"Error code: {status}":
        text = HTTPStatus(status).phrase if status in set(HTTPStatus) else type(error).__name__
    for secret in secrets:
        if len(value := secret.get_secret_value()) >= _SHORTEST_SECRET:
            text = text.replace(value, "***")
    return (f"{status}: {text}" if status else text)[:_LONGEST]


def kind_of(error: BaseException) -> str:
    """The class of ``error`` with its status, for a log: no word of a server, which may quote."""
    status = getattr(error, "status_code", None)
    return f"{type(error).__name__} {status}" if status else type(error).__name__


def was_given_up(error: BaseException) -> bool:
    """Whether the client stopped waiting, so that the server may reply yet, and charge for it."""
    causes = (error, error.__cause__)
    return any(
        isinstance(one, asyncio.CancelledError | TimeoutError) or "Timeout" in type(one).__name__
        for one in causes
    )


def cannot_reach(error: BaseException) -> bool:
    """Whether no request will be answered until the key, the name or the address is mended."""
    return getattr(error, "status_code", None) in _MENDING or _no_connection(error)


def remedy(error: BaseException, names: Sequence[str] = ()) -> str:
    """The end of a sentence on ``error`` that says what to do; the server has models ``names``."""
    status = getattr(error, "status_code", None)
    if _no_connection(error):
        return "; start its server, or set OPENAI_BASE_URL to the address where it runs"
    if status == HTTPStatus.NOT_FOUND and names:
        return f"; name one that is served there: {', '.join(names[:_MOST_NAMES])}"
    if status in _MENDING:
        return _MENDING[status]
    if was_given_up(error):
        return (
            "; see whether its server still works, raise --timeout, or lower --concurrency for a "
            "server that does one at a time"
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return _WAITING
    return _TRYING if (status or HTTPStatus.INTERNAL_SERVER_ERROR) >= 500 else ""


def _no_connection(error: BaseException | None) -> bool:
    """Whether nobody answers at the address, which no class of error that all clients have says."""
    while error is not None and type(error).__name__ not in _UNCONNECTED:
        error = error.__cause__
    return error is not None


def secrets_of(client: Any) -> list[SecretStr]:
    """The keys that a client holds."""
    return [value for value in vars(client).values() if isinstance(value, SecretStr)]


def is_filtered(error: Exception) -> bool:
    """Whether ``error`` comes from the server's content filter, not from the model."""
    return (
        getattr(error, "code", None) == "content_filter" or "content filter" in str(error).lower()
    )


def _said(error: BaseException) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        for name in ("message", "detail", "error"):
            if isinstance(said := body.get(name), str) and said:
                return said
    said = str(error)
    root = error
    while root.__cause__ is not None:
        root = root.__cause__
    deeper = str(root)
    return f"{said} {deeper}" if deeper and deeper not in said else said
