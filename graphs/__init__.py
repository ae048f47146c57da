"""The compiled graphs, one file each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..context import (
    BasicContext,
    CragContext,
    DeepragContext,
    GraphragContext,
    HopragContext,
    MethodName,
    QuestionContext,
    Tog2Context,
)

if TYPE_CHECKING:
    from langgraph.pregel import Pregel

_CONTEXTS: dict[MethodName, type[QuestionContext]] = {
    "basic": BasicContext,
    "crag": CragContext,
    "hoprag": HopragContext,
    "tog2": Tog2Context,
    "graphrag": GraphragContext,
    "deeprag": DeepragContext,
}


def graph_of(method: MethodName) -> tuple[Pregel[Any, Any, Any, Any], type[QuestionContext]]:
    """The graph of a question-answering method and the type of its context, imported when asked."""
    return import_module(f".{method}", __name__).graph, _CONTEXTS[method]
