"""Asking a question, and going on with a run that waits for a person."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from ...context import RouterContext
from ...graphs import graph_of
from ..exchange import Events, body_of, events_response
from ..question import EXAMPLE, AskedQuestion
from .following import events_of
from .route import access_by


class Confirm(BaseModel):
    """Which of the plans of a run a person wants to see before they are carried out."""

    model_config = ConfigDict(extra="forbid")

    web: bool = False
    plan: bool = False


class Asked(AskedQuestion):
    """The body of a request to ``/page/ask``."""

    confirm: Confirm = Confirm()


async def ask(request: Request) -> Response:
    """Answers a question by the router, and tells what happens while it does."""
    access = access_by(request)
    asked = await body_of(request, Asked, EXAMPLE)
    confirm = asked.confirm
    context = asked.context(access, stream_answer=True, confirm_web=confirm.web)
    return events_response(_events(asked, context))


async def _events(asked: Asked, context: RouterContext) -> Events:
    graph, _ = await asyncio.to_thread(graph_of, "router")
    async for name, value in events_of(graph, asked.given, None, context):
        yield name, value
