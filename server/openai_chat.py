"""OpenAI's protocol: each index is a model, and so is each method on it.

client = OpenAI(base_url="http://127.0.0.1:8000/v1", api_key="none")
said = [{"role": "user", "content": "Who designed the Forth Bridge?"}]
client.chat.completions.create(model="notes/crag", messages=said)
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..algorithms.router.decision import feasible
from ..context import RouterContext
from ..graphs.methods import METHODS
from ..index.layers import built_layers
from ..index.opening import open_index
from ..nodes.run import calls_left
from ..settings import settings
from ..state.errors import IndexNotFoundError, RagraphsError
from .access import Access, access_of, open_names
from .asking import reply_to
from .exchange import body_of, failure, refusal_of, require_root
from .openai_replies import reply_form
from .question import AskedQuestion, HistoryMessage

_EXAMPLE = '{"model": "notes", "messages": [{"role": "user", "content": "Who wrote it?"}]}'
_MOST_TURNS = 100


def _joined(content: Any) -> Any:
    """The text of a content that comes in parts; "" for none."""
    if not isinstance(content, list):
        return content or ""
    if any(not isinstance(part, dict) or part.get("type") != "text" for part in content):
        raise ValueError("only text can be read")
    return "\n".join(str(part.get("text", "")) for part in content)


class ChatTurn(BaseModel):
    """A message of a conversation; one of a system or a tool is not looked at."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, BeforeValidator(_joined)] = ""


class TextFormat(BaseModel):
    """The only form of an answer."""

    type: Literal["text"]


class StreamOptions(BaseModel):
    """Options of a stream: whether its last piece tells the usage."""

    include_usage: bool = False


class ChatBody(BaseModel):
    """The body of a request for a chat completion.

    ``where`` and ``max_seconds`` are our own. Whatever else a client may send, such as a
    temperature, is the operator's to choose, and left alone.
    """

    model: str
    messages: list[ChatTurn] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    response_format: TextFormat | None = None
    where: dict[str, Any] | None = None
    max_seconds: float | None = None

    def asked(self, index: str, method: str) -> AskedQuestion:
        """The question, with the turns before it. Raises RagraphsError where there is none."""
        turns: list[HistoryMessage] = [
            {"role": one.role, "content": one.content}
            for one in self.messages
            if one.role == "user" or one.role == "assistant"
        ]
        if not turns or turns[-1]["role"] != "user":
            raise RagraphsError("There is no question; let the last message be one of the user.")
        return AskedQuestion(
            question=turns[-1]["content"] or " ",  # an empty one is refused in a sentence
            method=method,
            index=index,
            where=self.where,
            max_seconds=self.max_seconds,
            history=turns[:-1][-_MOST_TURNS:],
        )


async def complete(request: Request, access: Access) -> Response:
    """Answers the last message: as a chat completion, or as pieces of one."""
    body = await body_of(request, ChatBody, _EXAMPLE)
    index, method = _chosen(body.model, access)
    usage = body.stream_options is not None and body.stream_options.include_usage
    form = reply_form(body.model, f"{request.base_url}#document/{index}", usage)
    return await reply_to(request, body.asked(index, method), access, body.stream, form)


async def models(request: Request, access: Access) -> Response:
    """The models that the caller may name."""
    names = await asyncio.to_thread(open_names, access, settings())
    found = await asyncio.to_thread(_models, names)
    return JSONResponse({"object": "list", "data": found})


async def model(request: Request, access: Access) -> Response:
    """One of these models. Raises IndexNotFoundError for any other."""
    name = request.path_params["name"]
    index, _ = _chosen(name, access)
    for found in await asyncio.to_thread(_models, [index]):
        if found["id"] == name:
            return JSONResponse(found)
    raise _unknown(name)


def _chosen(name: str, access: Access) -> tuple[str, str]:
    """The index and the method that the model called ``name`` stands for."""
    index, _, method = name.partition("/")
    try:
        if index and (method in METHODS or name == index):
            return access.index(index), method or "auto"
    except RagraphsError as error:
        raise _unknown(name) from error
    raise _unknown(name)


def _unknown(name: str) -> IndexNotFoundError:
    return IndexNotFoundError(
        f"There is no model {name[:100]!r}; GET /v1/models lists those that are open to you."
    )


def _models(indexes: list[str]) -> list[dict[str, Any]]:
    names = []
    for index in indexes:
        try:
            layers = built_layers(open_index(index))
        except IndexNotFoundError:
            continue
        obstacles = feasible(METHODS, layers, calls_left(RouterContext(index=index), {}))
        names += [index, *(f"{index}/{method}" for method in METHODS if not obstacles[method])]
    return [{"id": name, "object": "model", "created": 0, "owned_by": "ragraphs"} for name in names]


def openai_routes() -> list[Route]:
    return [
        _route("/v1/models", models, "GET"),
        _route("/v1/models/{name:path}", model, "GET"),
        _route("/v1/chat/completions", complete, "POST"),
    ]


def _route(
    path: str, endpoint: Callable[[Request, Access], Awaitable[Response]], method: str
) -> Route:
    async def answered(request: Request) -> Response:
        try:
            require_root()
            if refusal := await refusal_of(request, as_json=method == "POST"):
                return refusal
            return await endpoint(request, access_of(request.scope.get("user")))
        except Exception as error:
            return await failure(error)

    return Route(path, answered, methods=[method])
