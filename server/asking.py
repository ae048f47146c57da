"""Answering a question by the router, in the form that a route of ours gives to its reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..context import RouterContext
from ..graphs import graph_soon
from ..nodes.subgraph import Events, events_of, with_plain_messages
from .access import Access
from .admission import questions_of, while_heard
from .exchange import EventStream, named_event
from .question import AskedQuestion


class ReplyForm(NamedTuple):
    """The form of a reply: ``whole`` makes it of the output, ``streamed`` of the events.

    ``written`` makes text of each event that is streamed.
    """

    whole: Callable[[dict[str, Any]], dict[str, Any]] = lambda output: output
    streamed: Callable[[Events], Events] = lambda events: events
    written: Callable[[str, Any], str] = named_event


async def reply_to(
    request: Request,
    asked: AskedQuestion,
    access: Access,
    follows: bool,
    form: ReplyForm = ReplyForm(),  # noqa: B008
) -> Response:
    """The reply to a question, once it has a place: whole, or as events where a client follows."""
    context = asked.context(access, stream_answer=follows)
    places = questions_of(request.app)
    events = _events(asked, context)
    if follows:
        place = await places.take(context.max_seconds)
        return EventStream(form.streamed(events), place, form.written)
    output = await while_heard(request, places, _output(events), context.max_seconds)
    return JSONResponse(form.whole(output))


async def _output(events: Events) -> dict[str, Any]:
    return [value async for name, value in events if name == "answer"][-1]


async def _events(asked: AskedQuestion, context: RouterContext) -> Events:
    """The events of a run by their names: ``step`` and ``text``, and at the end ``answer``."""
    graph = await graph_soon("router")
    async for name, value in events_of(graph, asked.given, context):
        yield name, with_plain_messages(value) if name == "answer" else value
