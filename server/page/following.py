"""The events of a run of the router, as the page shows them while it lasts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langgraph.types import Overwrite

from ...context import RouterContext
from ...graphs.methods import METHODS
from ...nodes.subgraph import Events, events_of
from .naming import PassageNames

_PASSAGE = ("id", "title", "document", "start", "end", "score", "found")
_PASSAGES = ("evidence", "retrieved", "pages")
_STRIPS = ("refined", "web_refined")
# Of what a node writes, the part that a person looks at.
_SHOWN = (*(key for method in METHODS.values() for key in method.shown), "stop_reason")


async def shown_events(graph: Any, given: Any, config: Any, context: RouterContext) -> Events:
    """The events of a run of the router ``graph``, of which ``update`` tells what a node wrote.

    Only nodes of a method's graph are told of. The last event is ``answer`` or ``interrupt``.
    """
    names = PassageNames(context.index)
    async for name, value in events_of(graph, given, context, config, inner=["updates"]):
        if name == "answer":
            plain = {key: part for key, part in value.items() if key != "messages"}
            yield name, {**plain, "details": await names.added(value["details"])}
        elif name != "updates":
            yield name, value
        elif len(value[0]) == 1:
            (place,), part = value
            for node, values in _written(part):
                named = await names.added(values)
                yield "update", {"method": place.partition(":")[0], "node": node, "values": named}


def _written(part: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The nodes that wrote something to look at, and that."""
    for node, wrote in part.items():
        if values := _shown(wrote or {}):
            yield node, values


def _shown(wrote: Mapping[str, Any]) -> dict[str, Any]:
    plain = {key: _value(value) for key, value in wrote.items()}
    shown = {key: plain[key] for key in _SHOWN if plain.get(key)}
    for key in _PASSAGES:
        if plain.get(key):
            shown[key] = [_named(passage) for passage in plain[key]]
    for key in _STRIPS:
        if plain.get(key):
            shown[key] = [{**_named(strip), "text": strip["text"]} for strip in plain[key]]
    return shown


def _value(value: Any) -> Any:
    return value.value if isinstance(value, Overwrite) else value


def _named(passage: Mapping[str, Any]) -> dict[str, Any]:
    return {key: passage[key] for key in _PASSAGE}
