"""HopRAG (Liu et al. 2025, arXiv 2502.12442): retrieve, reason, prune.

From the passages that the question's nearest edges lead to, each round hops on along the question
that promises most, to the passage that answers it.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..context import HopragContext
from ..models.runs import RunWatch
from ..nodes.answer import answer
from ..nodes.begin import begin
from ..nodes.hoprag.walk import prune_passages, reason, retrieve_edges
from ..state.answering import QuestionInput
from ..state.hoprag import HopragOutput, HopragState


def go_on(state: HopragState) -> Literal["reason", "prune"]:
    """Hops go on while the last round found new passages and rounds are left."""
    return "reason" if state["frontier"] else "prune"


def builder() -> StateGraph[HopragState, HopragContext, QuestionInput, HopragOutput]:
    """The graph before it is compiled, to replace a node of it or to add one."""
    return (
        StateGraph(
            HopragState,
            context_schema=HopragContext,
            input_schema=QuestionInput,
            output_schema=HopragOutput,
        )
        .add_node("begin", begin("hoprag", HopragState, walks=True))
        .add_node("retrieve_edges", retrieve_edges)
        .add_node("reason", reason)
        .add_node("prune", prune_passages)
        .add_node("answer", answer)
        .add_edge(START, "begin")
        .add_edge("begin", "retrieve_edges")
        .add_conditional_edges("retrieve_edges", go_on)
        .add_conditional_edges("reason", go_on)
        .add_edge("prune", "answer")
        .add_edge("answer", END)
    )


graph = (
    builder().compile(name="hoprag").with_config(recursion_limit=20, callbacks=[RunWatch("hoprag")])
)
