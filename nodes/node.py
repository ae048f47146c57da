"""The one decorator that makes nodes, and what a node may ask of the run it is in."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine, Mapping
from functools import lru_cache
from typing import Any, TypeVar, cast, get_type_hints

from langchain_core.runnables import RunnableLambda
from langgraph.runtime import get_runtime

from ..context import Context, QuestionContext
from ..models.meter import start_meter
from ..state.usage import total_calls
from .streaming import answer_stream

T = TypeVar("T")
Update = dict[str, Any]
NodeFunction = Callable[[Any, Any], Coroutine[Any, Any, Update]]
Node = RunnableLambda[Any, Update]
Reserve = int | Callable[[Any], int]


def node(*, reserve: Reserve = 0, answers: bool = False) -> Callable[[NodeFunction], Node]:
    """Makes a node out of ``async def name(state, context) -> dict``, for sync and async runs.

    The node's model calls, searches and warnings are added to its update under ``usage`` and
    ``warnings``. ``reserve`` requests of the run's ``max_calls`` (a number, or one that the state
    decides) are left untouched, for the nodes that run beside it or after it. The text of the
    ``answer`` that a node gives is streamed where it ``answers`` the run's question.
    """

    def decorate(func: NodeFunction) -> Node:
        context_type = cast(type[Context], get_type_hints(func)["context"])

        async def run(state: Any) -> Update:
            context = get_runtime(context_type).context or context_type()
            meter = start_meter(_calls_left(state, context, reserve))
            stream = answer_stream(context) if answers else None
            meter.listener = stream
            update = await func(state, context)
            if stream is not None:
                stream.end(update.get("answer", ""))
            return {"usage": meter.usage(), "warnings": meter.warnings, **update}

        def run_blocking(state: Any) -> Update:
            return run_in_background(run(state))

        return RunnableLambda(run_blocking, afunc=run, name=func.__name__)

    return decorate


def run_in_background(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, run on the background loop with the caller's context variables."""
    loop = _background_loop()
    caller = contextvars.copy_context()

    async def run() -> T:
        return await loop.create_task(coroutine, context=caller)

    future = asyncio.run_coroutine_threadsafe(run(), loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@lru_cache(maxsize=1)
def _background_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="ragraphs", daemon=True).start()
    return loop


def _calls_left(state: Mapping[str, Any], context: Context, reserve: Reserve) -> int | None:
    if not isinstance(context, QuestionContext):
        return None
    kept = reserve(state) if callable(reserve) else reserve
    return context.max_calls - total_calls(state.get("usage", {})) - kept
