"""CRAG, Corrective RAG (Yan et al. 2024, arXiv 2401.15884).

A verdict over the retrieved passages decides where knowledge comes from: *correct*, the index;
*incorrect*, the web, with the passages discarded; *ambiguous*, both side by side.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..context import CragContext
from ..models.runs import RunWatch
from ..nodes.answer import answer
from ..nodes.begin import begin
from ..nodes.crag.grade import grade, take_up
from ..nodes.crag.refine import merge, refine, refine_web
from ..nodes.crag.search_web import rewrite, search_web
from ..nodes.retrieve import retrieve
from ..state.answering import QuestionInput
from ..state.crag import CragOutput, CragState


def start(state: CragState) -> Literal["retrieve", "take_up"]:
    """Passages that an earlier method answered from are neither searched for nor graded again."""
    return "take_up" if state["held"]["evidence"] else "retrieve"


def act_on_taken(state: CragState) -> Literal["rewrite", "merge"]:
    """Turns to the web, if it can be asked, since the texts taken up did not suffice."""
    return "merge" if state["stop_reason"] == "web_unavailable" else "rewrite"


def act(state: CragState) -> list[str]:
    """The actions that the verdict asks for, and that are possible."""
    web = state["stop_reason"] != "web_unavailable"
    match state["verdict"]:
        case "correct":
            return ["refine"]
        case "ambiguous":
            return ["refine", "rewrite"] if web else ["refine"]
        case _:
            return ["rewrite"] if web else ["merge"]


def builder() -> StateGraph[CragState, CragContext, QuestionInput, CragOutput]:
    """The graph before it is compiled, to replace a node of it or to add one."""
    return (
        StateGraph(
            CragState,
            context_schema=CragContext,
            input_schema=QuestionInput,
            output_schema=CragOutput,
        )
        .add_node("begin", begin("crag", CragState))
        .add_node("retrieve", retrieve)
        .add_node("take_up", take_up)
        .add_node("grade", grade)
        .add_node("refine", refine)
        .add_node("rewrite", rewrite)
        .add_node("search_web", search_web)
        .add_node("refine_web", refine_web)
        .add_node("merge", merge, defer=True)
        .add_node("answer", answer)
        .add_edge(START, "begin")
        .add_conditional_edges("begin", start)
        .add_conditional_edges("take_up", act_on_taken)
        .add_edge("retrieve", "grade")
        .add_conditional_edges("grade", act, ["refine", "rewrite", "merge"])
        .add_edge("rewrite", "search_web")
        .add_edge("search_web", "refine_web")
        .add_edge("refine", "merge")
        .add_edge("refine_web", "merge")
        .add_edge("merge", "answer")
        .add_edge("answer", END)
    )


graph = builder().compile(name="crag").with_config(recursion_limit=15, callbacks=[RunWatch("crag")])
