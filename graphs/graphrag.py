"""GraphRAG (Edge et al. 2024, arXiv 2404.16130).

Global search maps over the reports on all communities and combines the points; local search reads
what surrounds the entities of the question; drift does both in turns. ``text`` and ``basic`` are
the paper's conditions TS and SS.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from ..context import GraphragContext
from ..context.settled import settled
from ..models.runs import RunWatch
from ..nodes.answer import answer
from ..nodes.graphrag.begin import begin_search
from ..nodes.graphrag.drift import choose_follow_ups, look_up, look_ups, prime
from ..nodes.graphrag.global_search import (
    combine_points,
    map_tasks,
    map_texts,
    select_passages,
    select_reports,
)
from ..nodes.graphrag.local_search import answer_locally, fill_context, gather_surroundings
from ..state.answering import QuestionInput
from ..state.graphrag import GraphragOutput, GraphragState

First = Literal["select_reports", "select_passages", "fill_context", "gather", "prime"]
_FIRST: dict[str, First] = {
    "global": "select_reports",
    "dynamic": "select_reports",
    "lazy": "select_reports",
    "text": "select_passages",
    "basic": "fill_context",
    "local": "gather",
    "drift": "prime",
}


def first(state: GraphragState) -> First:
    """Where the chosen search begins."""
    return _FIRST[state["search"]]


def spread(
    state: GraphragState, runtime: Runtime[GraphragContext]
) -> list[Send] | Literal["combine_points"]:
    """All batches are read side by side."""
    return map_tasks(state, settled(runtime.context, GraphragContext)) or "combine_points"


def follow(
    state: GraphragState, runtime: Runtime[GraphragContext]
) -> list[Send] | Literal["combine_points"]:
    """The follow-up questions of a round are looked up side by side."""
    return look_ups(state, settled(runtime.context, GraphragContext)) or "combine_points"


def builder() -> StateGraph[GraphragState, GraphragContext, QuestionInput, GraphragOutput]:
    """The graph before it is compiled, to replace a node of it or to add one."""
    return (
        StateGraph(
            GraphragState,
            context_schema=GraphragContext,
            input_schema=QuestionInput,
            output_schema=GraphragOutput,
        )
        .add_node("begin", begin_search)
        .add_node("select_reports", select_reports)
        .add_node("select_passages", select_passages)
        .add_node("map_texts", map_texts)
        .add_node("combine_points", combine_points)
        .add_node("gather", gather_surroundings)
        .add_node("answer_locally", answer_locally)
        .add_node("prime", prime)
        .add_node("look_up", look_up)
        .add_node("choose_follow_ups", choose_follow_ups)
        .add_node("fill_context", fill_context)
        .add_node("answer", answer)
        .add_edge(START, "begin")
        .add_conditional_edges("begin", first)
        .add_conditional_edges("select_reports", spread, ["map_texts", "combine_points"])
        .add_conditional_edges("select_passages", spread, ["map_texts", "combine_points"])
        .add_edge("map_texts", "combine_points")
        .add_edge("gather", "answer_locally")
        .add_conditional_edges("prime", follow, ["look_up", "combine_points"])
        .add_edge("look_up", "choose_follow_ups")
        .add_conditional_edges("choose_follow_ups", follow, ["look_up", "combine_points"])
        .add_edge("fill_context", "answer")
        .add_edge("answer_locally", END)
        .add_edge("combine_points", END)
        .add_edge("answer", END)
    )


graph = (
    builder()
    .compile(name="graphrag")
    .with_config(recursion_limit=60, callbacks=[RunWatch("graphrag")])
)
