"""Router: the cheapest method first, and where it finds too little, one that goes on from it."""

from langgraph.graph import END, START, StateGraph

from ..context import (
    BasicContext,
    CragContext,
    DeepragContext,
    GraphragContext,
    HopragContext,
    RouterContext,
    Tog2Context,
)
from ..models.runs import RunWatch
from ..nodes.router.route import (
    answer_by,
    conclude,
    decide,
    method_to_try,
    read_question,
    weigh,
)
from ..state.router import RouterInput, RouterOutput, RouterState
from .basic import graph as basic
from .crag import graph as crag
from .deeprag import graph as deeprag
from .graphrag import graph as graphrag
from .hoprag import graph as hoprag
from .tog2 import graph as tog2

_NEXT = ["basic", "crag", "deeprag", "hoprag", "tog2", "graphrag", "conclude"]


def builder() -> StateGraph[RouterState, RouterContext, RouterInput, RouterOutput]:
    """The graph before it is compiled, to replace a node of it or to add one."""
    return (
        StateGraph(
            RouterState,
            context_schema=RouterContext,
            input_schema=RouterInput,
            output_schema=RouterOutput,
        )
        .add_node("read_question", read_question)
        .add_node("decide", decide)
        .add_node("basic", answer_by("basic", basic, BasicContext))
        .add_node("crag", answer_by("crag", crag, CragContext))
        .add_node("deeprag", answer_by("deeprag", deeprag, DeepragContext))
        .add_node("hoprag", answer_by("hoprag", hoprag, HopragContext))
        .add_node("tog2", answer_by("tog2", tog2, Tog2Context))
        .add_node("graphrag", answer_by("graphrag", graphrag, GraphragContext))
        .add_node("weigh", weigh)
        .add_node("conclude", conclude)
        .add_edge(START, "read_question")
        .add_edge("read_question", "decide")
        .add_conditional_edges("decide", method_to_try, _NEXT)
        .add_edge("basic", "weigh")
        .add_edge("crag", "weigh")
        .add_edge("deeprag", "weigh")
        .add_edge("hoprag", "weigh")
        .add_edge("tog2", "weigh")
        .add_edge("graphrag", "weigh")
        .add_conditional_edges("weigh", method_to_try, _NEXT)
        .add_edge("conclude", END)
    )


graph = (
    builder().compile(name="router").with_config(recursion_limit=20, callbacks=[RunWatch("router")])
)
