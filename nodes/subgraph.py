"""Graphs that run inside a node of another graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.constants import TAG_NOSTREAM
from langgraph.pregel import Pregel

from ..context import Context

Graph = Pregel[Any, Any, Any, Any]


class GraphNode(RunnableLambda[Any, dict[str, Any]]):
    """A node that tells which graph it runs, so that drawings and checkpoints show its inside."""

    def __init__(self, node: RunnableLambda[Any, dict[str, Any]], graph: Graph) -> None:
        super().__init__(node.func, node.afunc, name=graph.name)
        self._graph = graph

    @property
    def deps(self) -> list[Runnable[Any, Any]]:
        """The graph."""
        return [self._graph]


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
    output = (
        [graph.output_channels] if isinstance(graph.output_channels, str) else graph.output_channels
    )
    result: dict[str, Any] = {}
    part: Any
    async for mode, part in graph.astream(
        given,
        {"tags": [TAG_NOSTREAM]},
        context=context,
        stream_mode=["custom", "values"],
        output_keys=[*output, *(key for key in more if key in graph.channels)],
    ):
        if mode == "values":
            result = part
        else:
            tell(part)
    return result
