"""Think-on-Graph 2.0 (Ma et al. 2024, arXiv 2407.10805).

From the entities that the question names, each round follows the relations that promise most to
other entities, reads the passages that speak of these, and asks whether they suffice.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..context import Tog2Context
from ..models.runs import RunWatch
from ..nodes.begin import begin
from ..nodes.tog2.answer import answer, judge
from ..nodes.tog2.relations import prune_relations
from ..nodes.tog2.walk import link, prune_reached, prune_topics, read_topics, retrieve_context
from ..state.answering import QuestionInput
from ..state.tog2 import Tog2Output, Tog2State


def start(state: Tog2State) -> Literal["prune_topics", "read_topics"]:
    """Without an entity in the question there is nothing to choose from."""
    return "prune_topics" if state["frontier"] else "read_topics"


def walk(state: Tog2State) -> Literal["judge", "answer"]:
    """Without an entity in the question there is nowhere to walk from what the retriever found."""
    return "judge" if state["frontier"] else "answer"


def walk_on(state: Tog2State) -> Literal["prune_relations", "answer"]:
    """The walk is over when the evidence suffices."""
    return "prune_relations" if state["frontier"] else "answer"


def follow(state: Tog2State) -> Literal["retrieve_context", "answer"]:
    """The walk is over when no relation leads on."""
    return "retrieve_context" if state["options"] else "answer"


def look_back(state: Tog2State) -> Literal["judge", "answer"]:
    """After the last round, and where nothing was reached, the answer judges by itself."""
    return "judge" if state["frontier"] and state["rounds_left"] else "answer"


def builder() -> StateGraph[Tog2State, Tog2Context, QuestionInput, Tog2Output]:
    """The graph before it is compiled, to replace a node of it or to add one."""
    return (
        StateGraph(
            Tog2State,
            context_schema=Tog2Context,
            input_schema=QuestionInput,
            output_schema=Tog2Output,
        )
        .add_node("begin", begin("tog2", Tog2State, walks=True))
        .add_node("link", link)
        .add_node("prune_topics", prune_topics)
        .add_node("read_topics", read_topics)
        .add_node("judge", judge)
        .add_node("prune_relations", prune_relations)
        .add_node("retrieve_context", retrieve_context)
        .add_node("prune_entities", prune_reached)
        .add_node("answer", answer)
        .add_edge(START, "begin")
        .add_edge("begin", "link")
        .add_conditional_edges("link", start)
        .add_edge("prune_topics", "read_topics")
        .add_conditional_edges("read_topics", walk)
        .add_conditional_edges("judge", walk_on)
        .add_conditional_edges("prune_relations", follow)
        .add_edge("retrieve_context", "prune_entities")
        .add_conditional_edges("prune_entities", look_back)
        .add_edge("answer", END)
    )


graph = builder().compile(name="tog2").with_config(recursion_limit=60, callbacks=[RunWatch("tog2")])
