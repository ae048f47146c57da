"""DeepRAG (Guan et al. 2025, arXiv 2502.01142): retrieval as a narrative of sub-questions.

*narrative*: where the question's own passages do not answer it, the next sub-question is written
given all earlier answers, and decided to be looked up or to follow from them, or, under the
policies ``model`` and ``trained``, to be answered from what the model knows itself. *tree*: the
question is split into sub-questions of one fact each, which are answered side by side as far as
they do not need one another's answers.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ..algorithms.deeprag.tree import Action, next_action
from ..context import DeepragContext
from ..context.settled import settled
from ..models.protocol import OFFLINE
from ..models.runs import RunWatch
from ..nodes.begin import begin
from ..nodes.deeprag.conclude import conclude
from ..nodes.deeprag.confirm import confirm
from ..nodes.deeprag.narrative import (
    answer_from_earlier,
    decide,
    read_question,
    read_step,
    recall,
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


def act(
    state: DeepragState, runtime: Runtime[DeepragContext]
) -> Literal["confirm", "retrieve", "recall", "answer_from_earlier", "conclude"]:
    """The source decided for the next step, if there is one; a person may want to see it."""
    if not state["pending"]:
        return "conclude"
    source = state["pending"][0]["source"]
    if source == "earlier":
        return "answer_from_earlier"
    context = settled(runtime.context, DeepragContext)
    if source == "known" or (context.policy == "model" and context.model != OFFLINE):
        return "recall"
    return "confirm" if context.confirm_plan else "retrieve"


def settle(
    state: DeepragState, runtime: Runtime[DeepragContext]
) -> Literal["confirm", "retrieve", "decide"]:
    """Looks up sub-questions that neither earlier answers nor the model's own knowledge decide."""
    if not state["pending"]:
        return "decide"
    return "confirm" if settled(runtime.context, DeepragContext).confirm_plan else "retrieve"


def shown(state: DeepragState, runtime: Runtime[DeepragContext]) -> Literal["confirm", Action]:
    """The next work in the tree; first a person may want to see the parts of the question."""
    parts = len(state["tree"]) > 1 and not state["confirmed"]
    if parts and settled(runtime.context, DeepragContext).confirm_plan:
        return "confirm"
    return next_action(state["tree"])


def confirmed(state: DeepragState) -> Literal["retrieve", "decompose", "answer_leaves", "conclude"]:
    """The work that a person allowed, in either mode."""
    if state["mode"] == "narrative":
        return "retrieve" if state["pending"] else "conclude"
    return "decompose" if next_action(state["tree"]) == "decompose" else "answer_leaves"


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
        .add_node("recall", recall)
        .add_node("answer_from_earlier", answer_from_earlier)
        .add_node("decompose", decompose)
        .add_node("confirm", confirm)
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
        .add_conditional_edges("recall", settle)
        .add_conditional_edges("answer_from_earlier", settle)
        .add_conditional_edges("decompose", shown)
        .add_conditional_edges("confirm", confirmed)
        .add_conditional_edges("answer_leaves", grow)
        .add_conditional_edges("combine", grow)
        .add_edge("conclude", END)
    )


graph = (
    builder()
    .compile(name="deeprag")
    .with_config(recursion_limit=320, callbacks=[RunWatch("deeprag")])
)
