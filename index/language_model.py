"""Opening a language model by name."""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from ..context import Context, QuestionContext, wants_refresh
from ..models.failures import explain
from ..models.protocol import OFFLINE, LanguageModel, ReplyTable
from ..prompts.prompt import OwnWords
from ..settings import Settings
from ..state.errors import RagraphsError
from ..state.own import OWN

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from ..models.chat.langchain_model import OpenedModel
    from ..models.chat.openai_server import OpenAIServer
    from ..models.chat.served import ServedModel
    from ..models.suited import SuitedModel

_OPENAI = "openai:"
_PACKAGE = re.compile(r"pip install ([\w-]+)")
_NAMING = "name one as provider:name, such as openai:gpt-4o-mini, or use offline"
_Opened = dict[Any, "SuitedModel"]
_opened: dict[asyncio.AbstractEventLoop, tuple[_Opened, asyncio.Lock, AsyncGenerator[None]]] = {}


async def open_language_model(
    context: Context, operator: Settings, replies: ReplyTable, offline: Callable[[], LanguageModel]
) -> LanguageModel:
    """The language model that ``context`` names, one instance for each event loop and index.

    ``offline`` opens the reader without a model. Raises RagraphsError when the
    model is not allowed, unknown, or has no key; the operator's list of models does not bind those
    that the caller's program hands over.
    """
    own = _own_model(context)
    if own is None:
        _check_allowed(context.model, operator)
    if context.model == OFFLINE:
        return await asyncio.to_thread(offline)
    key = (
        context.model,
        id(own),  # no other object gets the same, since the opened model holds this one
        context.temperature,
        context.timeout,
        context.max_retries,
        context.concurrency,
        operator.openai_base_url,
        operator.openai_api_key,
        operator.requests_per_second,
        operator.prompts,
        tuple(sorted(_prompts_of(context).items())),
        operator.context_window,
        id(replies),
        wants_refresh(context),
    )
    opened, lock = await _opened_in_running_loop()
    if key not in opened:
        async with lock:  # what many ask for at once is opened once
            if key not in opened:
                opened[key] = await asyncio.to_thread(_open_chat, context, operator, replies)
    return opened[key]


def _own_model(context: Context) -> BaseChatModel | None:
    """The object that the caller's program handed over as the model; None for a model by name."""
    if not context.model.startswith(OWN):
        return None
    model = context.own.chat_model(context.model)
    if model is None:
        raise RagraphsError(
            f"The model {context.model} is an object of the program that used it first; hand one "
            "over as llm, or name a --model."
        )
    return model


async def _opened_in_running_loop() -> tuple[_Opened, asyncio.Lock]:
    loop = asyncio.get_running_loop()
    if loop not in _opened:
        opened: _Opened = {}
        _opened[loop] = opened, asyncio.Lock(), _until_loop_ends(loop, opened)
        await anext(_opened[loop][2])
    return _opened[loop][:2]


async def _until_loop_ends(
    loop: asyncio.AbstractEventLoop, opened: _Opened
) -> AsyncGenerator[None]:
    """Stays suspended until asyncio, before it closes the loop, ends its generators."""
    try:
        yield
    finally:
        del _opened[loop]
        for model in opened.values():
            await model.aclose()


def _open_chat(context: Context, operator: Settings, replies: ReplyTable) -> SuitedModel:
    from ..models.chat.langchain_model import LangChainModel
    from ..models.chat.model import ChatLanguageModel
    from ..models.suited import SuitedModel
    from ..models.trials import known_trial

    own = _own_model(context)
    if operator.prompts is not None and not operator.prompts.is_dir():
        raise RagraphsError(
            f"The folder {str(operator.prompts)!r} of prompts does not exist; create it, or unset "
            "RAGRAPHS_PROMPTS."
        )
    prompts = _prompts_of(context)
    served = _open_served(context, operator, replies)
    server = _open_server(context, operator, served)
    opened = cache(partial(_open_langchain, context, operator))
    if server is None:
        opened()  # so that a name that says nothing is told at once
    model = ChatLanguageModel(
        context.model,
        LangChainModel(opened, strict=context.model.startswith(_OPENAI)),
        server,
        replies,
        temperature=context.temperature if own is None else getattr(own, "temperature", None),
        concurrency=context.concurrency,
        prompts=OwnWords(operator.prompts, prompts) if prompts else operator.prompts,
        served=served,
        window=operator.context_window,
        refresh=wants_refresh(context),
    )
    trial = known_trial(context.model, server_of(context, operator), operator)
    return SuitedModel(model, trial, operator.context_window, served)


def _prompts_of(context: Context) -> Mapping[str, str]:
    return context.prompts if isinstance(context, QuestionContext) else {}


def server_of(context: Context, operator: Settings) -> str:
    """The server that the operator named; OpenAI's own has models with ways of their own."""
    url = operator.openai_base_url or ""
    foreign = (urlsplit(url).hostname or "").endswith((".openai.com", ".azure.com"))
    return "" if foreign or not context.model.startswith(_OPENAI) else url


def _open_served(context: Context, operator: Settings, replies: ReplyTable) -> ServedModel | None:
    from ..models.chat.served import ServedModel

    url, key = server_of(context, operator), operator.openai_api_key or SecretStr("none")
    name = context.model.removeprefix(_OPENAI)
    return ServedModel(name, url, key, context.timeout, replies) if url else None


def _open_server(
    context: Context, operator: Settings, served: ServedModel | None
) -> OpenAIServer | None:
    if served is None or operator.requests_per_second is not None:
        return None
    from ..models.chat.openai_server import OpenAIServer

    return OpenAIServer(
        context.model.removeprefix(_OPENAI),
        server_of(context, operator),
        operator.openai_api_key or SecretStr("none"),
        served=served,
        timeout=context.timeout,
        max_retries=context.max_retries,
        most=context.concurrency,
    )


def _open_langchain(context: Context, operator: Settings) -> OpenedModel:
    from langchain.chat_models import init_chat_model
    from langchain_core.rate_limiters import InMemoryRateLimiter

    from ..models.chat.langchain_model import OpenedModel

    if (own := _own_model(context)) is not None:
        return OpenedModel(own, None)
    options: dict[str, Any] = {
        "temperature": context.temperature,
        "timeout": context.timeout,
        "max_retries": context.max_retries,
    }
    if operator.requests_per_second is not None:
        options["rate_limiter"] = InMemoryRateLimiter(
            requests_per_second=operator.requests_per_second
        )
    client = None
    if context.model.startswith(_OPENAI):
        from ..models.chat.transport import PunctualClient

        client = PunctualClient(context.timeout, context.concurrency)
        options |= _openai_options(context, operator) | {"http_async_client": client}
    provider, _, model = context.model.partition(":")
    if not (provider and model):
        raise RagraphsError(f"The model {context.model!r} lacks a provider or a name; {_NAMING}.")
    try:
        return OpenedModel(init_chat_model(model, model_provider=provider, **options), client)
    except ImportError as error:
        package = _PACKAGE.search(str(error))
        raise RagraphsError(
            f"The model {context.model!r} needs a package that is not installed; run: pip install "
            f"{package.group(1) if package else f'langchain-{provider}'}."
        ) from error
    except ValueError as error:
        if str(error).startswith("Unsupported provider"):
            raise RagraphsError(
                f"LangChain knows no provider {provider!r} of the model {context.model!r}; "
                f"{_NAMING}; other providers need a package: pip install langchain-PROVIDER."
            ) from error
        raise RagraphsError(
            f"The model {context.model!r} cannot be used ({explain(error)}); {_NAMING}."
        ) from error


def _openai_options(context: Context, operator: Settings) -> dict[str, Any]:
    if not operator.openai_api_key and not operator.openai_base_url:
        raise RagraphsError(
            f"The model {context.model} needs a key; set OPENAI_API_KEY, or OPENAI_BASE_URL for a "
            "server of your own, or use --model offline."
        )
    # On a server without structured output the next mode is tried: nothing for a person to read.
    warnings.filterwarnings("ignore", r".*OpenAI's structured output feature", UserWarning)
    return {
        "base_url": operator.openai_base_url or None,
        "api_key": operator.openai_api_key or "none",
        "stream_usage": True,
    }


def _check_allowed(name: str, operator: Settings) -> None:
    """Raises RagraphsError where the operator's list of models does not have ``name``."""
    if name != operator.model and operator.models and name not in operator.models:
        allowed = ", ".join([operator.model, *operator.models])
        raise RagraphsError(f"The model {name!r} is not allowed here; choose one of: {allowed}.")
