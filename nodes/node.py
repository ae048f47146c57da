"""The decorator that makes nodes."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine, Mapping
from functools import lru_cache
from typing import Any, TypeVar, cast, get_args, get_type_hints

from langchain_core.runnables import RunnableLambda
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import get_runtime

from ..context import Context, IndexContext, QuestionContext
from ..index.narrowing import narrowed
from ..index.opening import open_index
from ..models.meter import Meter, current_meter, start_meter
from ..models.protocol import OFFLINE, NoReplyError
from ..settings import settings, told
from ..state.errors import RagraphsError
from ..state.usage import total_calls
from .run import Run, Update
from .streaming import answer_stream

T = TypeVar("T")
NodeFunction = Callable[[Any, Any], Coroutine[Any, Any, Update]]
Node = RunnableLambda[Any, Update]
Reserve = int | Callable[[Any], int]


def node(*, reserve: Reserve = 0, answers: bool = False) -> Callable[[NodeFunction], Node]:
    """Makes a node out of ``async def name(state, run) -> dict``, for sync and async runs.

    ``run`` is a ``Run``, whose index is open; a node that needs no index may take the ``context``
    in its place. The node's model calls, searches and warnings are added to its update under
    ``usage`` and ``warnings``. ``reserve`` requests of the run's ``max_calls`` (a number, or one
    that the state decides) are left untouched, for the nodes that run beside it or after it. Where
    the node ``answers`` the run's question, its ``answer`` is streamed, and without a reply of the
    model the run ends with the reason; evidence that is insufficient to the offline reader might
    suffice to a model, so the reason then is ``no_model``.
    """

    def decorate(func: NodeFunction) -> Node:
        context_type, opens = _wanted(func)

        async def run(state: Any) -> Update:
            context = get_runtime(context_type).context or context_type()
            meter = start_meter(_calls_left(state, context, reserve))
            stream = answer_stream(context) if answers else None
            meter.listener = stream
            try:
                given = await asyncio.to_thread(_opened, context, meter) if opens else context
                update = await func(state, given)
            except NoReplyError as error:
                if not answers:
                    raise
                update = unanswered(error)
            except Exception as error:
                raise await asyncio.to_thread(_told, error) from error.__cause__
            if update.get("stop_reason") == "insufficient" and context.model == OFFLINE:
                update["stop_reason"] = "no_model"
            if stream is not None:
                stream.end(update.get("answer", ""))
            return {"usage": meter.usage(), "warnings": meter.warnings, **update}

        def run_blocking(state: Any) -> Update:
            return run_in_background(run(state))

        return RunnableLambda(run_blocking, afunc=run, name=func.__name__)

    return decorate


def unanswered(error: NoReplyError) -> Update:
    """The part of the output where the model gave no reply, which is a warning, too."""
    current_meter().warn(str(error))
    return {"stop_reason": error.stop_reason}


def _told(error: Exception) -> Exception:
    """``error``, or where a caller must not read its message, another one."""
    message = told(str(error), settings())
    unchanged = isinstance(error, GraphBubbleUp) or message == str(error)
    return error if unchanged else RagraphsError(message)


def _wanted(func: NodeFunction) -> tuple[type[Context], bool]:
    """The type of the context that a node takes, and whether it wants the index open."""
    hints = get_type_hints(func)
    if "run" in hints:
        return cast(type[Context], get_args(hints["run"])[0]), True
    return cast(type[Context], hints["context"]), False


def _opened(context: Context, meter: Meter) -> Run[Context]:
    told("", settings())  # here, since it asks the file system at its first use
    if isinstance(context, IndexContext):
        from ..index.recorded import open_for_indexing

        return Run(context, open_for_indexing(context), meter)
    index = open_index(context)
    if isinstance(context, QuestionContext):
        index = narrowed(index, context.where)
    return Run(context, index, meter)


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
