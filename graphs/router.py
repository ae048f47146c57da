"""Router: the method that suits the question, and the next one where it finds too little."""

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
from ..nodes.router.route import (
    answer_by,
    conclude,
    decide,
    keep_better,
    next_method,
    read_question,
)
from ..state.router import RouterInput, RouterOutput, RouterState
from .basic import graph as basic
from .crag import graph as crag
from .deeprag import graph as deeprag
from .graphrag import graph as graphrag
from .hoprag import graph as hoprag
from .tog2 import graph as tog2

_NEXT = ["basic", "crag", "deeprag", "hoprag", "tog2", "graphrag", "conclude"]

graph = (
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
    .add_node("keep_better", keep_better)
    .add_node("conclude", conclude)
    .add_edge(START, "read_question")
    .add_edge("read_question", "decide")
    .add_conditional_edges("decide", next_method, _NEXT)
    .add_edge("basic", "keep_better")
    .add_edge("crag", "keep_better")
    .add_edge("deeprag", "keep_better")
    .add_edge("hoprag", "keep_better")
    .add_edge("tog2", "keep_better")
    .add_edge("graphrag", "keep_better")
    .add_conditional_edges("keep_better", next_method, _NEXT)
    .add_edge("conclude", END)
    .compile(name="router")
    .with_config(recursion_limit=20)
)
