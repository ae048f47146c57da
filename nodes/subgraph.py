"""Runs of graphs: inside a node of another graph, or followed by their events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import convert_to_openai_messages
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from langgraph.pregel import Pregel

from ..context import Context
from .node import Node

Graph = Pregel[Any, Any, Any, Any]
Events = AsyncGenerator[tuple[str, Any], None]


class GraphNode(Node):
    """A node that tells which graph it runs, so that drawings and checkpoints show its inside."""

    def __init__(self, node: Node, graph: Graph) -> None:
        super().__init__(node.func, node.afunc, node.function)
        self.name = graph.name
        self._graph = graph

    @property
    def deps(self) -> list[Runnable[Any, Any]]:
        return [self._graph]


async def events_of(
    graph: Graph,
    given: Any,
    context: Context,
    config: RunnableConfig | None = None,
    *,
    inner: Sequence[Literal["updates", "tasks"]] = (),
    more: Sequence[str] = (),
) -> Events:
    """The events of a run by their names, the last of them ``answer`` or ``interrupt``.

    ``step`` and ``text`` are told by the nodes of ``graph``; ``answer`` is its output, with
    ``more`` keys of its state. Parts of the stream modes ``inner`` come by the mode's name, as
    (namespace, part), also of graphs inside nodes; with ``updates`` among them, a run that waits
    for a person ends with ``interrupt``, the value that it waits with.
    """
    output = (
        [graph.output_channels] if isinstance(graph.output_channels, str) else graph.output_channels
    )
    result: dict[str, Any] = {}
    stopped: Any = None
    part: Any
    async for *place, mode, part in graph.astream(
        given,
        config,
        context=context,
        stream_mode=["custom", "values", *inner],
        output_keys=[*output, *(key for key in more if key in graph.channels)],
        subgraphs=bool(inner),
    ):
        namespace = place[0] if place else ()
        if mode in inner and "__interrupt__" in part:
            stopped = part["__interrupt__"][0].value
        elif mode in inner:
            yield mode, (namespace, part)
        elif namespace:
            continue
        elif mode == "values":
            result = part
        else:
            yield "text" if "text" in part else "step", part
    if stopped is None:
        yield "answer", result
    else:  # only now are the checkpoints written
        yield "interrupt", stopped


def with_plain_messages(output: Mapping[str, Any]) -> dict[str, Any]:
    """``output`` with its messages, where it has any, as roles and contents."""
    if "messages" not in output:
        return dict(output)
    return {**output, "messages": convert_to_openai_messages(output["messages"])}


async def relay(
    graph: Graph,
    given: Any,
    context: Context,
    tell: Callable[[dict[str, Any]], None],
    more: Sequence[str] = (),
) -> dict[str, Any]:
    """The output of ``graph``, with ``more`` keys of its state; ``tell`` gets all its events.

    Nothing of it is a message to the caller of the outer graph.
    """
    output: dict[str, Any] = {}
    async for name, value in events_of(graph, given, context, {"tags": [TAG_NOSTREAM]}, more=more):
        if name == "answer":
            output = value
        else:
            tell(value)
    return output
