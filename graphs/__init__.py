"""The compiled graphs, one file each."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast

from ..context import (
    BasicContext,
    Context,
    CragContext,
    DeepragContext,
    GraphragContext,
    HopragContext,
    IndexContext,
    MethodName,
    QuestionContext,
    RouterContext,
    Tog2Context,
)

if TYPE_CHECKING:
    from langgraph.pregel import Pregel

CONTEXTS: dict[str, type[Context]] = {
    "index": IndexContext,
    "router": RouterContext,
    "basic": BasicContext,
    "crag": CragContext,
    "hoprag": HopragContext,
    "tog2": Tog2Context,
    "graphrag": GraphragContext,
    "deeprag": DeepragContext,
}


def graph_of(
    method: MethodName | Literal["router"],
) -> tuple[Pregel[Any, Any, Any, Any], type[QuestionContext]]:
    """The graph that answers questions by ``method``, imported when asked, and its context type."""
    context_type = cast(type[QuestionContext], CONTEXTS[method])
    return import_module(f".{method}", __name__).graph, context_type


async def graph_soon(method: MethodName | Literal["router"]) -> Pregel[Any, Any, Any, Any]:
    """The graph of ``graph_of``; it waits for a thread, where all may hang, only once."""
    if f"{__name__}.{method}" not in sys.modules:
        await asyncio.to_thread(graph_of, method)
    return graph_of(method)[0]
