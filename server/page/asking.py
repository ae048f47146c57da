"""Asking a question, and going on with a run that waits for a person."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel, ConfigDict, StrictBool
from starlette.requests import Request
from starlette.responses import Response

from ...context import RouterContext
from ...graphs import graph_soon
from ...index.opening import open_index
from ...nodes.subgraph import Events
from ...views.page_data import lengths_of
from ..admission import BusyError, questions_of
from ..exchange import EventStream, body_of
from ..question import EXAMPLE, AskedQuestion
from .following import shown_events
from .route import access_by
from .waiting import WaitingRun, WaitingRuns

_THREAD = {"configurable": {"thread_id": "page"}}
_runs = WaitingRuns()


class Confirm(BaseModel):
    """Which of the plans of a run a person wants to see before they are carried out."""

    model_config = ConfigDict(extra="forbid")

    web: bool = False
    plan: bool = False


class AskBody(AskedQuestion):
    """The body of a request to ``/page/ask``; DeepRAG splits the question at once as a ``tree``."""

    confirm: Confirm = Confirm()
    tree: bool = False


class Resumed(BaseModel):
    """The body of a request to ``/page/resume``: what a person allows of what was shown."""

    model_config = ConfigDict(extra="forbid")

    run: str
    items: list[str] | StrictBool


async def ask(request: Request) -> Response:
    """Answers a question by the router, and tells what happens while it does."""
    access = access_by(request)
    asked = await body_of(request, AskBody, EXAMPLE)
    web, plan = asked.confirm.web, asked.confirm.plan
    mode = "tree" if asked.tree else "narrative"
    confirmed = {"confirm_web": web, "confirm_plan": plan}
    context = asked.context(access, stream_answer=True, mode=mode, **confirmed)
    graph = await graph_soon("router")
    if web or plan:
        graph = graph.copy({"checkpointer": InMemorySaver()})
    place = await questions_of(request.app).take(context.max_seconds)
    return EventStream(_events(graph, asked.given, context), place)


async def resume(request: Request) -> Response:
    """Goes on with a run as a person allows it; a reply of no use leaves it waiting."""
    access = access_by(request)
    resumed = await body_of(request, Resumed, '{"run": "1f0c", "items": ["Who built it?"]}')
    run = _runs.waiting(resumed.run)
    access.index(run.context.index)
    run.check(resumed.items)
    _runs.take(run)  # before anything is waited for, so that nothing goes on twice
    try:
        place = await questions_of(request.app).take()
    except BusyError:
        _runs.hold(run)
        raise
    given: Command[Any] = Command(resume=resumed.items)
    return EventStream(_events(run.graph, given, run.context, again=True), place)


async def _events(graph: Any, given: Any, context: RouterContext, again: bool = False) -> Events:
    """The events of a run, up to its answer or to the place where it waits for a person.

    A run that goes on ``again`` starts the node over in which it waits.
    """
    async with aclosing(shown_events(graph, given, _THREAD, context)) as events:
        async for name, value in events:
            if again and value.get("step") == "try":
                again = False
            elif name == "interrupt":
                run = WaitingRun(graph, context, value)
                _runs.hold(run)
                yield "paused", run.told()
            elif name == "answer":
                index = await asyncio.to_thread(open_index, context.index)
                lengths = await asyncio.to_thread(lengths_of, index, value)
                yield name, {**value, "lengths": lengths}
            else:
                yield name, value
