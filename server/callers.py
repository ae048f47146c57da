"""Who calls `ragraphs serve`: holders of keys, or whom a function of the operator's finds."""

from __future__ import annotations

import base64
import binascii
import importlib
import importlib.util
import inspect
import logging
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ..models.caller import Caller, calling
from ..state.errors import RagraphsError
from ..state.usage import Ceilings
from .access import Right, User
from .exchange import failure
from .keys import Keys

_logger = logging.getLogger(__package__)
Finder = Callable[[Scope, Receive], Awaitable[User | None]]

OPEN = {"/live", "/ready", "/health"}
METRICS = "/metrics"
# By the second one a browser asks for the key, as the password of any name.
_CHALLENGE = 'Bearer realm="ragraphs", Basic realm="ragraphs: the key is the password"'
_NO_KEY = "Send a key of this server: Authorization: Bearer KEY."
_NO_RIGHT = {
    "ask": "This key does not allow questions; ask the operator of this server for the right ask.",
    "watch": "This key does not show figures; ask the operator of this server for the right watch.",
}
_RIGHTS: frozenset[Right] = frozenset({"ask", "write"})


class KnownCallers:
    """Lets only those in whom the finder of the application knows, and what they do is theirs.

    Without a finder everybody is let in. Health is told to everybody.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on with its user, or says with 401 or 403 why not."""
        find: Finder | None = getattr(scope["app"].state, "find_caller", None)
        if scope["type"] != "http" or find is None or scope["path"] in OPEN:
            return await self._app(scope, receive, send)
        try:
            user = await find(scope, receive)
        except Exception as error:
            return await (await _refusal(error))(scope, receive, send)
        if user is None:
            refused = JSONResponse({"detail": _NO_KEY}, 401, {"WWW-Authenticate": _CHALLENGE})
            return await refused(scope, receive, send)
        right: Right = "watch" if scope["path"] == METRICS else "ask"
        if right not in user.rights:
            return await JSONResponse({"detail": _NO_RIGHT[right]}, 403)(scope, receive, send)
        scope["user"] = user
        token = calling.set(user.caller)
        try:
            await self._app(scope, receive, send)
        finally:
            calling.reset(token)


async def _refusal(error: Exception) -> ASGIApp:
    """The response to a request at which a finder failed; functions of LangGraph raise 401 so."""
    status, detail = getattr(error, "status_code", None), getattr(error, "detail", None)
    if isinstance(status, int) and detail:
        return JSONResponse({"detail": str(detail)}, status, getattr(error, "headers", None))
    return await failure(error)


def finder_of(auth: str | None, keys: Path | None) -> Finder | None:
    """Finder of callers by the function ``auth``, or by the file of ``keys``; None for neither.

    Blocks; raises RagraphsError where they cannot be used.
    """
    if auth is not None and keys is not None:
        raise RagraphsError("Give --auth or --keys, and not both: one decides who may ask.")
    if auth is not None:
        return _by_function(loaded(auth))
    return None if keys is None else _by_key(Keys(keys))


def _by_key(keys: Keys) -> Finder:
    async def find(scope: Scope, receive: Receive) -> User | None:
        secret = _secret(Headers(scope=scope).get("authorization", ""))
        return keys.holder_of(secret) if secret else None

    return find


def _secret(authorization: str) -> str:
    """The key in a header: as a bearer's token, or as the password of any name."""
    scheme, _, given = authorization.strip().partition(" ")
    if scheme.lower() == "bearer":
        return given.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(given, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def loaded(name: str) -> Callable[..., Any]:
    """The function called ``module:function`` or ``file.py:function``, as in langgraph.json.

    It may be an ``Auth`` of LangGraph, which has one. Blocks; raises RagraphsError without one.
    """
    place, _, attribute = name.rpartition(":")
    try:
        found = getattr(_module(place), attribute)
    except Exception as error:
        raise RagraphsError(
            f"--auth {name} cannot be loaded ({type(error).__name__}: {error}); name a function, "
            "such as my_module:authenticate or ./auth.py:auth."
        ) from error
    function = getattr(found, "_authenticate_handler", found)
    if not callable(function):
        raise RagraphsError(f"--auth {name} is no function that finds a user; name one.")
    unknown = [name for name in inspect.signature(function).parameters if name not in _OFFERED]
    if unknown:
        raise RagraphsError(
            f"--auth {name} asks for {', '.join(unknown)}; it may ask for: {', '.join(_OFFERED)}."
        )
    return function  # type: ignore[no-any-return]


def _module(place: str) -> Any:
    if not place.endswith(".py"):
        sys.path.insert(0, str(Path.cwd()))  # as for LangGraph's server
        return importlib.import_module(place)
    file = Path(place).resolve(strict=True)
    spec = importlib.util.spec_from_file_location(f"ragraphs_auth_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ImportError(place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_OFFERED: dict[str, Callable[[Request], Any]] = {
    "request": lambda request: request,
    "headers": lambda request: dict(request.scope["headers"]),
    "authorization": lambda request: request.headers.get("authorization"),
    "method": lambda request: request.method,
    "path": lambda request: request.url.path,
    "path_params": lambda request: request.scope.get("path_params"),
    "query_params": lambda request: dict(request.query_params),
    "scope": lambda request: request.scope,
}


def _by_function(function: Callable[..., Any]) -> Finder:
    wanted = list(inspect.signature(function).parameters)

    async def find(scope: Scope, receive: Receive) -> User | None:
        request = Request(scope, receive)
        found = function(**{name: _OFFERED[name](request) for name in wanted})
        return _user(await found if inspect.isawaitable(found) else found)

    return find


def _user(found: Any) -> User | None:
    """``found`` by a function as a user: a name, a dictionary, or an object with an identity."""
    if not found:
        return None
    if isinstance(found, str):
        found = {"identity": found}
    told = found.get if isinstance(found, dict) else lambda name: getattr(found, name, None)
    rights = told("rights")
    quotas = Ceilings(told("calls"), told("tokens"), told("cost"))
    caller = Caller(str(told("identity")), told("requests"), quotas)
    given = _RIGHTS if rights is None else frozenset(rights)
    return User(caller.name, told("indexes"), given, caller)
