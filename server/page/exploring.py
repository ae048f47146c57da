"""Exploring an index: its passages, entities, communities, and the graph between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...context import Context
from ...index.corrections import correct, withdraw
from ...index.layers import ENTITIES
from ...index.opening import Index, open_index
from ...settings import settings
from ...state.errors import RagraphsError
from ...views.communities import report_card
from ...views.community_map import community_map
from ...views.entities import searched
from ...views.entity_card import entity_card
from ...views.neighbourhood import neighbourhood
from ...views.overview import overview
from ...views.passage_search import found_passages
from ..exchange import body_of
from .route import Endpoint, access_by, as_json, index_in, number_in, page_route, words_in

_MOST = 200
_LONGEST = 1000
_CORRECTION = '{"action": "merge", "a": "Forth Rail Bridge", "b": "Forth Bridge"}'


class CorrectBody(BaseModel):
    """The body of a request to ``/page/correct``: two names, or ids, that are one thing or not."""

    model_config = ConfigDict(extra="forbid")

    index: str = ""
    action: Literal["merge", "split"]
    a: str = Field(min_length=1, max_length=_LONGEST)
    b: str = Field(min_length=1, max_length=_LONGEST)


class Withdrawal(BaseModel):
    """The body of a request to ``/page/undo``: the number of a correction."""

    model_config = ConfigDict(extra="forbid")

    index: str = ""
    correction: int = Field(ge=0, le=2**31)


def exploring_routes() -> list[Route]:
    """The routes that show what an index holds, and those that correct its entities."""
    return [
        page_route("/page/overview", _shown(lambda index, _: overview(index))),
        page_route("/page/passages", _shown(_passages)),
        page_route("/page/entities", _shown(_entities)),
        page_route("/page/entity", _shown(lambda index, ask: entity_card(index, _text(ask, "id")))),
        page_route("/page/correct", correct_entities, writes=True),
        page_route("/page/corrections", _shown(_corrections)),
        page_route("/page/undo", undo, writes=True),
        page_route("/page/graph", _shown(_graph)),
        page_route("/page/communities", _shown(_communities)),
        page_route(
            "/page/community", _shown(lambda index, ask: report_card(index, _text(ask, "id")))
        ),
    ]


async def correct_entities(request: Request) -> Response:
    """Merges two entities, or keeps two names apart."""
    access = access_by(request)
    asked = await body_of(request, CorrectBody, _CORRECTION)
    context = _writing(access.index(asked.index))
    given = context, asked.action, asked.a, asked.b
    return as_json(await asyncio.to_thread(correct, *given, waits=True))


async def undo(request: Request) -> Response:
    """Withdraws a correction."""
    access = access_by(request)
    asked = await body_of(request, Withdrawal, '{"correction": 3}')
    context = _writing(access.index(asked.index))
    return as_json(await asyncio.to_thread(withdraw, context, asked.correction, waits=True))


def _writing(index: str) -> Context:
    """The context of a correction; raises RagraphsError where the operator does not allow any."""
    if not settings().corrections:
        raise RagraphsError(
            "Entities cannot be corrected here; the operator allows it with "
            "RAGRAPHS_CORRECTIONS=true."
        )
    return Context(index=index)


def _shown(look: Callable[[Index, Request], dict[str, Any]]) -> Endpoint:
    """An endpoint that gives what ``look`` finds in the index that the request names."""

    async def endpoint(request: Request) -> Response:
        name = index_in(request)
        return as_json(await asyncio.to_thread(lambda: look(open_index(name), request)))

    return endpoint


def _passages(index: Index, request: Request) -> dict[str, Any]:
    most = number_in(request, "most", 30, _MOST)
    return {"passages": found_passages(index, _text(request, "containing"), most)}


def _entities(index: Index, request: Request) -> dict[str, Any]:
    most = number_in(request, "most", 50, _MOST)
    return {"entities": searched(index, _text(request, "containing"), most)}


def _corrections(index: Index, request: Request) -> dict[str, Any]:
    ENTITIES.stamp(index)
    stored = index.entities.numbered_corrections()
    found = [{"correction": number, **one._asdict()} for number, one in stored.items()]
    return {"corrections": found}


def _graph(index: Index, request: Request) -> dict[str, Any]:
    return neighbourhood(index, _text(request, "around"), number_in(request, "most", 30, _MOST))


def _communities(index: Index, request: Request) -> dict[str, Any]:
    orphans = words_in(request, "orphans") in ("1", "true")
    return community_map(index, _text(request, "within"), orphans=orphans)


def _text(request: Request, name: str) -> str:
    """A text of the query; raises RagraphsError for a very long one."""
    text = words_in(request, name)
    if len(text) > _LONGEST:
        raise RagraphsError(f"{name!r} is longer than {_LONGEST:,} characters; search for less.")
    return text
