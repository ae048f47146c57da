"""DeepRAG (Guan et al. 2025, arXiv 2502.01142): retrieval as a narrative of sub-questions.

*narrative*: where the question's own passages do not answer it, the next sub-question is written
given all earlier answers, and decided to be looked up or to follow from them. *tree*: the question
is split into sub-questions of one fact each, which are answered side by side as far as they do not
need one another's answers.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..algorithms.deeprag.tree import Action, next_action
from ..context import DeepragContext
from ..models.runs import RunWatch
from ..nodes.begin import begin
from ..nodes.deeprag.conclude import conclude
from ..nodes.deeprag.narrative import (
    answer_from_earlier,
    decide,
    read_question,
    read_step,
    retrieve_step,
)
from ..nodes.deeprag.tree import answer_leaves, combine, decompose, open_question
from ..state.answering import QuestionInput
from ..state.deeprag import DeepragOutput, DeepragState


def by_mode(state: DeepragState) -> Literal["read_question", "decompose", "answer_leaves"]:
    """The narrative tries the question itself; the tree starts from its root."""
    if state["mode"] == "narrative":
        return "read_question"
    return "decompose" if next_action(state["tree"]) == "decompose" else "answer_leaves"


def act(state: DeepragState) -> Literal["retrieve", "answer_from_earlier", "conclude"]:
    """The source decided for the next step, if there is one."""
    if not state["pending"]:
        return "conclude"
    return "retrieve" if state["pending"][0]["source"] == "retrieve" else "answer_from_earlier"


def settle(state: DeepragState) -> Literal["retrieve", "decide"]:
    """What earlier answers do not decide after all is looked up."""
    return "retrieve" if state["pending"] else "decide"


def grow(state: DeepragState) -> Action:
    """The next work in the tree."""
    return next_action(state["tree"])


def builder() -> StateGraph[DeepragState, DeepragContext, QuestionInput, DeepragOutput]:
    """The graph before it is compiled, to replace a node of it or to add one."""
    return (
        StateGraph(
            DeepragState,
            context_schema=DeepragContext,
            input_schema=QuestionInput,
            output_schema=DeepragOutput,
        )
        .add_node("begin", begin("deeprag", DeepragState))
        .add_node("open", open_question)
        .add_node("read_question", read_question)
        .add_node("decide", decide)
        .add_node("retrieve", retrieve_step)
        .add_node("read", read_step)
        .add_node("answer_from_earlier", answer_from_earlier)
        .add_node("decompose", decompose)
        .add_node("answer_leaves", answer_leaves)
        .add_node("combine", combine)
        .add_node("conclude", conclude)
        .add_edge(START, "begin")
        .add_edge("begin", "open")
        .add_conditional_edges("open", by_mode)
        .add_edge("read_question", "decide")
        .add_conditional_edges("decide", act)
        .add_edge("retrieve", "read")
        .add_edge("read", "decide")
        .add_conditional_edges("answer_from_earlier", settle)
        .add_conditional_edges("decompose", grow)
        .add_conditional_edges("answer_leaves", grow)
        .add_conditional_edges("combine", grow)
        .add_edge("conclude", END)
    )


graph = (
    builder()
    .compile(name="deeprag")
    .with_config(recursion_limit=320, callbacks=[RunWatch("deeprag")])
)
