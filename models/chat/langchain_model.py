"""Requests through a LangChain chat model: any provider, any mode, streamed or whole."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableBinding, RunnableConfig, RunnableSequence
from langchain_core.runnables.config import var_child_runnable_config
from pydantic import SecretStr

from ..failures import secrets_of
from ..runs import RunWatch, handlers_of
from .request import ChatRequest, limit_in
from .streamed import streamed

if TYPE_CHECKING:
    from httpx import AsyncClient

# Replies are JSON, which is of no use to those who follow a run's messages.
_UNSEEN: RunnableConfig = {"tags": ["nostream"]}
_LIMITS = ("max_tokens", "max_output_tokens", "num_predict")


class OpenedModel(NamedTuple):
    """A chat model, and the HTTP client that it was given, if it takes one."""

    chat: BaseChatModel
    client: AsyncClient | None


class LangChainModel:
    """Asks the chat model that ``opened`` gives, which blocks and is called at the first request.

    ``strict`` asks the server to hold replies to their schema.
    """

    def __init__(self, opened: Callable[[], OpenedModel], *, strict: bool) -> None:
        self._opened = opened
        self._opening = asyncio.Lock()
        self._options = {"strict": True} if strict else {}
        self._model: OpenedModel | None = None
        self._runnables: dict[tuple[Any, ...], Runnable[Any, Any]] = {}

    @property
    def secrets(self) -> list[SecretStr]:
        """The keys that the chat model holds."""
        return secrets_of(self._model.chat) if self._model is not None else []

    async def aclose(self) -> None:
        """Closes the connections to the server."""
        if self._model is not None and self._model.client is not None:
            await self._model.client.aclose()

    async def complete(self, request: ChatRequest) -> AIMessage:
        """The reply. Raises the client's errors, and NotImplementedError for a mode it lacks."""
        asked = self._asked(await self._chat(), request)
        messages = list(request.messages)
        if request.listener is not None and isinstance(asked, BaseChatModel | RunnableBinding):
            return await streamed(asked, messages, _UNSEEN, request.listener)
        surroundings = var_child_runnable_config.set(_observed())
        try:
            result = await asked.ainvoke(messages, _UNSEEN)
        finally:
            var_child_runnable_config.reset(surroundings)
        return cast(AIMessage, result["raw"] if isinstance(result, dict) else result)

    async def _chat(self) -> BaseChatModel:
        async with self._opening:
            if self._model is None:
                self._model = await asyncio.to_thread(self._opened)
        return self._model.chat

    def _asked(self, chat: BaseChatModel, request: ChatRequest) -> Runnable[Any, Any]:
        """The chat model in the mode of ``request``, kept for the next request."""
        streams, tepid = request.listener is not None, request.temperature is None
        key = (json.dumps(request.schema), request.mode, streams, tepid, request.limit)
        if key not in self._runnables:
            changes: dict[str, Any] = {} if streams else {"disable_streaming": True}
            changes |= {"temperature": None} if tepid and hasattr(chat, "temperature") else {}
            chat = chat.model_copy(update=changes | self._limited(chat, request))
            self._runnables[key] = self._structured(chat, request)
        return self._runnables[key]

    def _limited(self, chat: BaseChatModel, request: ChatRequest) -> dict[str, Any]:
        """The field that limits the reply; a lower limit of the caller's own stays."""
        if request.limit is None:
            return {}
        if self._options:  # openai's client knows one name only, and its servers know either
            return {"extra_body": limit_in(request)}
        most = request.limit.tokens
        name = next((name for name in _LIMITS if name in type(chat).model_fields), None)
        return {name: min(getattr(chat, name) or most, most)} if name is not None else {}

    def _structured(self, chat: BaseChatModel, request: ChatRequest) -> Runnable[Any, Any]:
        if request.mode == "plain":
            return chat
        ask = partial(
            chat.with_structured_output, request.schema, method=request.mode, **self._options
        )
        try:
            return _without_parser(ask(), limit_in(request)) or ask(include_raw=True)
        except (TypeError, ValueError) as error:
            raise NotImplementedError(f"{type(chat).__name__} has no {request.mode}") from error


def is_followed() -> bool:
    """Whether a tracer or a counter follows the run through LangChain's callbacks."""
    return any(not isinstance(handler, RunWatch) for handler in handlers_of(_observed()))


def _observed() -> RunnableConfig:
    """The run's settings, in which only tracers and counters see a request to the model.

    A whole reply is no event to those who follow ``astream_events`` either. LangChain lets a
    request add to the callbacks of its run, but not leave any of them out.
    """
    config = var_child_runnable_config.get() or RunnableConfig()
    callbacks = config.get("callbacks") or []
    if isinstance(callbacks, list):
        return {**config, "callbacks": [one for one in callbacks if not _streams(one)]}
    observers = callbacks.copy()
    for handler in filter(_streams, callbacks.handlers):
        observers.remove_handler(handler)
    return {**config, "callbacks": observers}


def _streams(handler: Any) -> bool:
    """Whether ``handler`` serves messages or events. LangChain tells it in no public way."""
    try:
        from langchain_core.tracers._streaming import _StreamingCallbackHandler
    except ImportError:
        return False
    return isinstance(handler, _StreamingCallbackHandler)


def _without_parser(
    structured: Runnable[Any, Any], sent: Mapping[str, int]
) -> Runnable[Any, Any] | None:
    """The model in ``structured`` without the parser behind it; None where it is not found.

    Replies are read here anyway. openai's client checks a format against its types key by key, and
    parses the reply once more; in ``extra_body`` the format is sent as it is.
    """
    first = structured.first if isinstance(structured, RunnableSequence) else None
    if not isinstance(first, RunnableBinding):
        return None
    if "response_format" in first.kwargs:
        formed = {"response_format": first.kwargs["response_format"]}
        return first.bound.bind(extra_body={**sent, **formed})
    return first
