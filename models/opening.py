"""Opening a language model by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ..context import Context, Settings, check_model_allowed
from ..state.errors import RagraphsError
from .embeddings import Embedder
from .language import OFFLINE, LanguageModel, ReplyTable

_Opened = dict[Any, LanguageModel]
_opened: WeakKeyDictionary[asyncio.AbstractEventLoop, _Opened] = WeakKeyDictionary()


async def open_language_model(
    context: Context, operator: Settings, replies: ReplyTable, embedder: Callable[[], Embedder]
) -> LanguageModel:
    """The language model that ``context`` names, one instance for each event loop and index.

    ``embedder`` opens what serves the offline reader's similarities. Raises RagraphsError when the model is
    not allowed, unknown, or has no key.
    """
    check_model_allowed(context.model, operator)
    if context.model == OFFLINE:
        from .offline import OfflineLanguageModel

        return OfflineLanguageModel(await asyncio.to_thread(embedder))
    key = (
        context.model,
        context.temperature,
        context.timeout,
        context.max_retries,
        context.concurrency,
        id(replies),
        id(operator),
    )
    opened = _opened.setdefault(asyncio.get_running_loop(), {})
    if key not in opened:
        chat = await asyncio.to_thread(_open_chat, context, operator, replies)
        opened.setdefault(key, chat)
    return opened[key]


def _open_chat(context: Context, operator: Settings, replies: ReplyTable) -> LanguageModel:
    from .chat import ChatLanguageModel

    return ChatLanguageModel(
        context.model,
        _init_chat_model(context, operator),
        replies,
        settings_key=f"temperature={context.temperature}",
        concurrency=context.concurrency,
        prompts=operator.prompts,
    )


def _init_chat_model(context: Context, operator: Settings) -> Any:
    from langchain.chat_models import init_chat_model
    from langchain_core.rate_limiters import InMemoryRateLimiter

    options: dict[str, Any] = {
        "temperature": context.temperature,
        "timeout": context.timeout,
        "max_retries": context.max_retries,
    }
    if operator.requests_per_second is not None:
        options["rate_limiter"] = InMemoryRateLimiter(
            requests_per_second=operator.requests_per_second
        )
    if context.model.startswith("openai:"):
        options |= _openai_options(context, operator)
    try:
        return init_chat_model(context.model, **options)
    except (ImportError, ValueError) as error:
        reason = " ".join(str(error).split())[:300]
        raise RagraphsError(
            f"The model {context.model!r} cannot be used ({reason}); name one as provider:name, "
            "such as openai:gpt-4o-mini, or use offline."
        ) from error


def _openai_options(context: Context, operator: Settings) -> dict[str, Any]:
    import httpx

    if operator.openai_api_key is None and operator.openai_base_url is None:
        raise RagraphsError(
            f"The model {context.model} needs a key; set OPENAI_API_KEY, or OPENAI_BASE_URL for a "
            "server of your own, or use --model offline."
        )
    return {
        "base_url": operator.openai_base_url,
        "api_key": operator.openai_api_key or "none",
        "http_async_client": httpx.AsyncClient(
            limits=httpx.Limits(max_connections=context.concurrency), timeout=context.timeout
        ),
    }
