"""The decorator that makes nodes."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar, cast, get_args, get_type_hints

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import get_runtime

from ..context import Context, IndexContext, QuestionContext
from ..context.settled import settled
from ..index.narrowing import narrowed
from ..index.opening import open_index
from ..models.budget import Budget
from ..models.day import day_of
from ..models.deadline import Deadline
from ..models.figures import STEP_TIME
from ..models.figures import note as note_figure
from ..models.meter import Meter, current_meter, start_meter
from ..models.prices import known_prices
from ..models.protocol import OFFLINE, NoReplyError, paid_calls
from ..models.runs import GraphRun, enter_run
from ..models.tracing import span
from ..models.web import web_search
from ..settings import settings, told, told_soon
from ..state.errors import (
    IndexBusyError,
    IndexNotFoundError,
    RagraphsError,
    UnavailableError,
    UnexpectedError,
    foreseen,
)
from ..state.records import Usage
from ..state.usage import total_calls, total_tokens
from .citing import as_rules_say
from .run import GRACE, Run, Update
from .streaming import answer_stream

logger = logging.getLogger("ragraphs.nodes")

T = TypeVar("T")
NodeFunction = Callable[[Any, Any], Coroutine[Any, Any, Update]]
_MODELS = ("model", "small_model")
_CUT_SHORT = frozenset({"budget", "time", "model_failed"})
Reserve = int | Callable[[Any], int]
Late = Callable[[Any], Update]
_LATER = "try again, or raise the limit."


class Node(RunnableLambda[Any, Update]):
    """A node of a graph; ``function`` is what it was made of, for a caller with its own run.

    update = await read_step.function(state, run)
    """

    def __init__(self, blocking: Callable[[Any], Update], run: Any, function: NodeFunction) -> None:
        super().__init__(blocking, afunc=run, name=function.__name__)
        self.function = function
        self._blocking, self._run = blocking, run

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Update:
        """The update; the graph traces the node, so that it is not traced once more here."""
        return self._blocking(input)

    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Update:
        """The update, as ``invoke`` gives it."""
        return cast(Update, await self._run(input))


def node(
    *, reserve: Reserve = 0, answers: bool = False, begins: bool = False, late: Late | None = None
) -> Callable[[NodeFunction], Node]:
    """Makes a node out of ``async def name(state, run) -> dict``, for sync and async runs.

    ``run`` is a ``Run``, whose index is open; a node that needs no index may take the ``context``
    in its place. The node's model calls, searches and warnings are added to its update under
    ``usage`` and ``warnings``. ``reserve`` requests of the run's ``max_calls`` (a number, or one
    that the state decides) are left untouched, for the nodes that run beside it or after it; where
    the node ``begins`` a run, the usage of the question before on the thread is not counted. Where
    the node ``answers`` the run's question, its ``answer`` is streamed, and without a reply of the
    model the run ends with the reason; evidence that is insufficient to the offline reader might
    suffice to a model, so the reason then is ``no_model``. Of a node that takes longer than the run
    may, the update is empty, or what ``late`` makes of the state.
    """

    def decorate(func: NodeFunction) -> Node:
        context_type, opens = _wanted(func)

        async def run(state: Any) -> Update:
            context = settled(get_runtime().context, context_type)
            graph_run, within = enter_run()
            meter = await _started(state, context, graph_run, reserve, begins)
            stream = answer_stream(context) if answers else None
            meter.listener = stream
            with _observed(func.__name__, meter, graph_run, within):
                try:
                    given = await _in_time(context, meter) if opens else context
                    if answers and isinstance(given, Run):
                        update = await _answered(func(state, given), state, given)
                    else:
                        update = await _updated(func(state, given), state, begins, late)
                except Exception as error:
                    shown = await _told(error)
                    raise shown from shown.__cause__
            if graph_run is not None:
                graph_run.lost |= meter.lost
            if update.get("stop_reason") == "insufficient" and context.model == OFFLINE:
                update["stop_reason"] = "no_model"
            if stream is not None:
                stream.end(update.get("answer", ""))
            return {"usage": meter.usage(), "warnings": meter.warnings, **update}

        def run_blocking(state: Any) -> Update:
            return run_in_background(run(state))

        return Node(run_blocking, run, func)

    return decorate


async def _in_time(context: Context, meter: Meter) -> Run[Context]:
    """The open index. Raises RagraphsError where it cannot be opened before the run must end."""
    deadline = meter.deadline
    if deadline is None:
        return await asyncio.to_thread(_opened, context, meter)
    try:
        async with deadline.kept(GRACE):
            run = await asyncio.to_thread(_opened, context, meter)
    except NoReplyError as error:
        if deadline.index is not None:
            return Run(context, deadline.index, meter)
        raise UnavailableError(
            f"{error} The index could not be opened by then; {_LATER}"
        ) from error
    deadline.index = run.index
    return run


async def _updated(
    work: Coroutine[Any, Any, Update], state: Any, begins: bool, late: Late | None
) -> Update:
    """The update that ``work`` gives; another one where it takes longer than the run may."""
    try:
        return await work
    except NoReplyError as error:
        if error.cause != "time":
            raise
        if begins:
            raise UnavailableError(
                f"{error} The question could not even begin; {_LATER}"
            ) from error
        current_meter().warn(str(error))
        return {} if late is None else late(state)


async def _answered(work: Coroutine[Any, Any, Update], state: Any, run: Run[Context]) -> Update:
    """The update of a node that answers; where a limit was met, with the passages at hand."""
    try:
        update = await work
    except NoReplyError as error:
        update = unanswered(error)
    if run.meter.lost:  # what was found without the model is shown, but is no answer of its
        update = {**update, "answer": "", "sufficient": False, "stop_reason": "model_failed"}
    deadline = run.meter.deadline
    if deadline is not None and deadline.was_reached and not update.get("sufficient"):
        update = {**update, "stop_reason": "time"}
    ended = update.get("stop_reason") or state.get("stop_reason")
    # Without a web to ask, what was graded irrelevant is all that there is.
    no_web = ended == "web_unavailable" and web_search(settings(), run.context.own.web) is None
    found = update.get("evidence") or state.get("evidence")
    if (ended in _CUT_SHORT or no_web) and not found:
        update = {**update, "evidence": await run.at_hand(state)}
    if ended == "no_evidence" and run.index.unmet:
        update = {**update, "missing": [*run.index.unmet]}
    return await as_rules_say(run, state, update)


@contextmanager
def _observed(function: str, meter: Meter, run: GraphRun | None, within: Any) -> Iterator[None]:
    """Logs a node, and puts a span around it inside the context ``within``, or the current one.

    The node has the name that its graph gives it, or else the name ``function``.
    """
    metadata = (var_child_runnable_config.get() or {}).get("metadata") or {}
    name = str(metadata.get("langgraph_node") or function)
    started = time.monotonic()
    with span(name, {"ragraphs.node": name}, within=within) as note:
        yield
        usage = meter.usage()
        calls, tokens = total_calls(usage), total_tokens(usage)
        note({"ragraphs.calls": calls, "ragraphs.tokens": tokens})
    for warning in meter.warnings:
        logger.debug("%s: %s", name, warning)
    if meter.warnings:
        logger.warning("%s: the result has %d warnings", name, len(meter.warnings))
    seconds = time.monotonic() - started
    note_figure(STEP_TIME, seconds, graph="" if run is None else run.name, step=name)
    logger.debug("%s took %.2f s, %d calls, %d tokens", name, seconds, calls, tokens)


def unanswered(error: NoReplyError) -> Update:
    """The part of the output where the model gave no reply, which is a warning, too."""
    current_meter().warn(str(error))
    return {"stop_reason": error.stop_reason}


async def _told(error: Exception) -> Exception:
    """``error`` as a caller may read it: in a sentence, without what he must not be told."""
    if isinstance(error, GraphBubbleUp | NoReplyError):
        return error
    error = foreseen(error)
    message = await told_soon(str(error), settings())
    if message == str(error):
        return error
    kinds = (IndexBusyError, IndexNotFoundError, UnavailableError, UnexpectedError)
    shown = next((one for one in kinds if isinstance(error, one)), RagraphsError)(message)
    shown.__cause__ = error.__cause__
    return shown


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
    if isinstance(context, QuestionContext) and context.own.retriever is None:
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


async def _started(
    state: Mapping[str, Any], context: Context, run: GraphRun | None, reserve: Reserve, begins: bool
) -> Meter:
    """A meter for the node, with what is left of the limits of its run."""
    spent: Usage = Usage() if begins else state.get("usage") or Usage()
    budget = await _budget(context, run, spent)
    if run is not None:
        run.index = context.index
    if isinstance(context, QuestionContext):
        kept = reserve(state) if callable(reserve) else reserve
        left = context.max_calls - paid_calls(spent) - kept
        meter = start_meter(left, budget, deadline=_deadline(context, run))
    else:
        meter = start_meter(None, budget, indexing=isinstance(context, IndexContext))
    meter.lost = run is not None and run.lost
    for sentence in context.lowered if begins else ():
        meter.warn(sentence)
    return meter


def _deadline(context: QuestionContext, run: GraphRun | None) -> Deadline | None:
    """The deadline of the run, or of the run that it is a part of, if that is earlier."""
    outer = current_meter().deadline
    if context.max_seconds is None:
        return outer
    own = Deadline(context.max_seconds, time.monotonic() if run is None else run.started)
    if run is not None:
        run.deadline = own = run.deadline or own
    return own if outer is None or own.ends < outer.ends else outer


async def _budget(context: Context, run: GraphRun | None, spent: Usage) -> Budget | None:
    """The budget of the run, or of the run that it is a part of; None without a limit.

    Raises RagraphsError where cost is limited, and the price of a model is not known.
    """
    operator = settings()
    day = day_of(operator)
    limits_cost = context.max_cost is not None or (day is not None and day.limits_cost)
    if operator.prices is not None or limits_cost:
        await asyncio.to_thread(known_prices, operator)  # reads the file, once
    if (outer := current_meter().budget) is not None:
        return outer
    if limits_cost:
        named = (getattr(context, name, None) for name in _MODELS)
        known_prices(operator).require(*filter(None, named))
    if context.max_tokens is None and context.max_cost is None:
        return None
    prices = known_prices(operator)
    budget = Budget(context.max_tokens, context.max_cost, spent, prices)
    if run is None:
        return budget
    run.budget = run.budget or budget
    return run.budget
