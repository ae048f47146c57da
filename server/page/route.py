"""A route of the page: what all of them refuse, how they fail, and the headers that they send."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ...state.errors import RagraphsError
from ..access import Access, access_of
from ..exchange import failure, has_users, problem, refusal_of, require_root

Endpoint = Callable[[Request], Awaitable[Response]]

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_READS = "This key only reads; ask the operator of this server for the right write."
_NO_AUTH = "Set http.enable_custom_route_auth in langgraph.json to serve the page with auth."


def page_route(
    path: str, endpoint: Endpoint, *, posts: bool = False, writes: bool = False, form: bool = False
) -> Route:
    """A route to ``endpoint``, for GET, or POST where it ``posts`` or ``writes``.

    It takes JSON, or a ``form`` of files. Errors are answered in a sentence, and requests are
    refused that a page of another site sent, or a caller who may not write.
    """
    posts = posts or writes

    async def answered(request: Request) -> Response:
        response = await _answer(request, endpoint, posts and not form, writes)
        response.headers.update(HEADERS)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    methods = ["POST"] if posts else ["GET"]
    return Route(path, answered, methods=methods, include_in_schema=False)


async def _answer(request: Request, endpoint: Endpoint, as_json: bool, writes: bool) -> Response:
    if has_users() and "user" not in request.scope:
        return problem(403, _NO_AUTH)
    try:
        if refused := await refusal_of(request, as_json=as_json):
            return refused
        if writes and not access_by(request).writes:
            return problem(403, _READS)
        return await endpoint(request)
    except Exception as error:
        return await failure(error)


def access_by(request: Request) -> Access:
    """The indexes that the sender of ``request`` may use; raises RagraphsError without a root."""
    require_root()
    return access_of(request.scope.get("user"))


def index_in(request: Request) -> str:
    """The name of the index that the query of ``request`` names, or of the default one."""
    return access_by(request).index(request.query_params.get("index"))


def number_in(request: Request, name: str, otherwise: int, most: int) -> int:
    """The number ``name`` in the query of ``request``, from 0 to ``most``."""
    given = request.query_params.get(name)
    if given is None:
        return otherwise
    # Of Unicode's digits, int() takes all but isdecimal() only those of a decimal system.
    if not (given.isascii() and given.isdecimal()) or len(given) > 15:
        raise RagraphsError(f"{name!r} must be a number from 0 to {most:,}.")
    return min(int(given), most)


def words_in(request: Request, name: str = "containing") -> str:
    """The words ``name`` in the query of ``request``, without spaces around them."""
    return request.query_params.get(name, "").strip()


def as_json(value: object) -> Response:
    """``value`` as a JSON response."""
    return JSONResponse(value)
