"""The events of a run of the router, as the page shows them while it lasts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langgraph.types import Overwrite

from ...context import RouterContext
from ...graphs.methods import METHODS
from ...state.answering import AnswerOutput
from ...state.router import RouterOutput
from ..exchange import Events
from .naming import PassageNames

_PASSAGE = ("id", "title", "document", "start", "end", "score", "found")
_PASSAGES = ("evidence", "retrieved", "pages")
_STRIPS = ("refined", "web_refined")
# Of what a node writes, the part that a person looks at.
_SHOWN = (*(key for method in METHODS.values() for key in method.shown), "stop_reason")
_OUTPUT = [
    name
    for name in {**AnswerOutput.__annotations__, **RouterOutput.__annotations__}
    if name != "messages"
]


async def events_of(graph: Any, given: Any, config: Any, context: RouterContext) -> Events:
    """The events of a run of the router ``graph``, the last of them ``answer`` or ``interrupt``.

    ``step`` and ``text`` are the run's own; ``update`` tells what a node of a method's graph wrote.
    An ``interrupt`` has the value that the run waits with.
    """
    result: Mapping[str, Any] = {}
    stopped: dict[str, Any] | None = None
    names = PassageNames(context.index)
    modes = ["custom", "values", "updates"]
    async for place, mode, part in graph.astream(
        given, config, context=context, stream_mode=modes, subgraphs=True
    ):
        if mode == "updates":
            if "__interrupt__" in part:
                stopped = part["__interrupt__"][0].value
            elif len(place) == 1:
                method = place[0].partition(":")[0]
                for node, values in _written(part):
                    named = await names.added(values)
                    yield "update", {"method": method, "node": node, "values": named}
        elif not place:
            if mode == "values":
                result = part
            else:
                yield "text" if "text" in part else "step", part
    if stopped is not None:  # only now are the checkpoints written
        yield "interrupt", stopped
        return
    details = await names.added(result["details"])
    yield "answer", {**{name: result[name] for name in _OUTPUT}, "details": details}


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
