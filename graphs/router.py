"""Router: the cheapest method first, and where it finds too little, one that goes on from it."""

import logging
from collections.abc import Iterator

from langgraph.graph import END, START, StateGraph

from ..models.runs import RunWatch
from ..nodes.router.route import (
    answer_by,
    conclude,
    decide,
    method_to_try,
    read_question,
    to_weigh,
    weigh,
)
from ..nodes.router.verdict import judge_statement
from ..nodes.subgraph import Graph
from ..state.errors import RagraphsError
from ..state.router import RouterInput, RouterOutput, RouterState
from . import graph_of
from .methods import METHODS, RouterContext

logger = logging.getLogger("ragraphs.graphs")


def builder() -> StateGraph[RouterState, RouterContext, RouterInput, RouterOutput]:
    """The graph before it is compiled, to replace a node of it or to add one."""
    graphs = dict(_graphs())
    needs = {name: METHODS[name] for name in graphs}
    following = [*graphs, "conclude"]
    made = (
        StateGraph(
            RouterState,
            context_schema=RouterContext,
            input_schema=RouterInput,
            output_schema=RouterOutput,
        )
        .add_node("read_question", read_question)
        .add_node("decide", decide(needs))
    )
    for name, answering in graphs.items():
        made.add_node(name, answer_by(name, answering, METHODS[name].context_type))
    made.add_node("judge_statement", judge_statement)
    made.add_node("weigh", weigh(needs)).add_node("conclude", conclude)
    made.add_edge(START, "read_question").add_edge("read_question", "decide")
    made.add_conditional_edges("decide", method_to_try, following)
    for name in graphs:
        made.add_conditional_edges(name, to_weigh)
    made.add_edge("judge_statement", "weigh")
    return made.add_conditional_edges("weigh", method_to_try, following).add_edge("conclude", END)


def _graphs() -> Iterator[tuple[str, Graph]]:
    """The methods and their graphs, but for graphs that are not complete yet."""
    for name in METHODS:
        try:
            yield name, graph_of(name)[0]
        except RagraphsError as error:
            logger.warning("%s The router leaves it out.", error)


graph = (
    builder().compile(name="router").with_config(recursion_limit=20, callbacks=[RunWatch("router")])
)
