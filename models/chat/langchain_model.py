"""Requests through a LangChain chat model: any provider, any mode, streamed or whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import (
    Runnable,
    RunnableBinding,
    RunnableConfig,
    RunnableParallel,
    RunnableSequence,
)
from langchain_core.runnables.config import var_child_runnable_config
from pydantic import SecretStr

from ..failures import is_filtered, secrets_of
from .request import ChatRequest
from .streamed import streamed

if TYPE_CHECKING:
    from httpx import AsyncClient

# What replies are made of is JSON, which is not for those who follow a run's messages.
_UNSEEN: RunnableConfig = {"tags": ["nostream"]}


class OpenedModel(NamedTuple):
    """A chat model, and the HTTP client that it was given, if it takes one."""

    chat: BaseChatModel
    client: AsyncClient | None


class LangChainModel:
    """The chat model that ``opened`` gives, which blocks and is called when it is first needed.

    ``strict`` asks the server to hold replies to their schema.
    """

    def __init__(self, opened: Callable[[], OpenedModel], *, strict: bool) -> None:
        self._opened = opened
        self._opening = asyncio.Lock()
        self._options = {"strict": True} if strict else {}
        self._model: OpenedModel | None = None
        self._runnables: dict[tuple[str, str, bool, bool], Runnable[Any, Any]] = {}

    @property
    def secrets(self) -> list[SecretStr]:
        """The keys that the chat model holds."""
        return secrets_of(self._model.chat) if self._model is not None else []

    async def aclose(self) -> None:
        """Closes the connections to the server."""
        if self._model is not None and self._model.client is not None:
            await self._model.client.aclose()

    async def complete(self, request: ChatRequest) -> AIMessage:
        """The reply. Raises what the model's client raises, and NotImplementedError for a mode."""
        asked = self._asked(await self._chat(), request)
        messages = list(request.messages)
        if request.listener is not None and isinstance(asked, BaseChatModel | RunnableBinding):
            return await streamed(asked, messages, _UNSEEN, request.listener)
        try:
            result = await asked.ainvoke(messages, _UNSEEN)
        except Exception as error:
            if (partial := _partial_message(error)) is None:
                raise
            return partial
        return cast(AIMessage, result["raw"] if isinstance(result, dict) else result)

    async def _chat(self) -> BaseChatModel:
        async with self._opening:
            if self._model is None:
                self._model = await asyncio.to_thread(self._opened)
        return self._model.chat

    def _asked(self, chat: BaseChatModel, request: ChatRequest) -> Runnable[Any, Any]:
        """The chat model in the mode of ``request``, kept for the next time."""
        streams, tepid = request.listener is not None, request.temperature is None
        key = (request.schema["title"], request.mode, streams, tepid)
        if key not in self._runnables:
            changes: dict[str, Any] = {} if streams else {"disable_streaming": True}
            changes |= {"temperature": None} if tepid else {}
            chat = chat.model_copy(update=changes)
            self._runnables[key] = self._structured(chat, request)
        return self._runnables[key]

    def _structured(self, chat: BaseChatModel, request: ChatRequest) -> Runnable[Any, Any]:
        if request.mode == "plain":
            return chat
        try:
            return _without_parser(
                chat.with_structured_output(
                    request.schema, method=request.mode, include_raw=True, **self._options
                )
            )
        except (TypeError, ValueError) as error:
            raise NotImplementedError(f"{type(chat).__name__} has no {request.mode}") from error


def is_followed() -> bool:
    """Whether anybody, a tracer or a counter, follows the run through LangChain's callbacks."""
    callbacks = (var_child_runnable_config.get() or {}).get("callbacks") or []
    return bool(callbacks if isinstance(callbacks, list) else callbacks.handlers)


def _without_parser(structured: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """What gives the raw message alone, where it can be told: replies are read here anyway.

    openai's client checks a format against its types key by key, and parses what is read here
    again; in ``extra_body`` it is sent as it is.
    """
    first = structured.first if isinstance(structured, RunnableSequence) else None
    raw = first.steps__["raw"] if isinstance(first, RunnableParallel) else structured
    if isinstance(raw, RunnableBinding) and "response_format" in raw.kwargs:
        return raw.bound.bind(extra_body={"response_format": raw.kwargs["response_format"]})
    return raw


def _partial_message(error: Exception) -> AIMessage | None:
    """The reply that openai's client raised an error for, because it stopped at the limit."""
    completion = getattr(error, "completion", None)
    if completion is None or not completion.choices or is_filtered(error):
        return None
    choice, usage = completion.choices[0], completion.usage
    return AIMessage(
        choice.message.content or "",
        response_metadata={"finish_reason": choice.finish_reason},
        usage_metadata=usage
        and {
            "input_tokens": usage.prompt_tokens or 0,
            "output_tokens": usage.completion_tokens or 0,
            "total_tokens": usage.total_tokens or 0,
        },
    )
