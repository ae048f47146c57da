"""The compiled graphs, one file each."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from ..context import Context, IndexContext, QuestionContext
from ..state.errors import RagraphsError
from .methods import METHODS, RouterContext

if TYPE_CHECKING:
    from langgraph.pregel import Pregel

CONTEXTS: dict[str, type[Context]] = {
    "index": IndexContext,
    "router": RouterContext,
    **{name: method.context_type for name, method in METHODS.items()},
}


def graph_of(method: str) -> tuple[Pregel[Any, Any, Any, Any], type[QuestionContext]]:
    """The graph that answers questions by ``method``, imported when asked, and its context type.

    ``method`` may be ``router``. Raises RagraphsError for a graph that cannot be imported.
    """
    context_type = cast(type[QuestionContext], CONTEXTS[method])
    try:
        return import_module(f".{method}", __name__).graph, context_type
    except Exception as error:
        raise RagraphsError(
            f"The graph {method} cannot be imported ({error}); complete graphs/{method}.py and "
            "what it imports."
        ) from error


async def graph_soon(method: str) -> Pregel[Any, Any, Any, Any]:
    """The graph of ``graph_of``; it waits for a thread, where all may hang, only once."""
    if f"{__name__}.{method}" not in sys.modules:
        await asyncio.to_thread(graph_of, method)
    return graph_of(method)[0]
