"""Index: find the files, cut what changed into passages, embed what has no vector."""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ..context import IndexContext
from ..nodes.embed import embed
from ..nodes.finish import finish
from ..nodes.scan import scan
from ..nodes.split import plan, split
from ..state.indexing import IndexInput, IndexOutput, IndexState


def work(state: IndexState, runtime: Runtime[IndexContext]) -> Literal["split", "plan"]:
    """A dry run only plans."""
    return "plan" if runtime.context and runtime.context.dry_run else "split"


graph = (
    StateGraph(
        IndexState,
        context_schema=IndexContext,
        input_schema=IndexInput,
        output_schema=IndexOutput,
    )
    .add_node("scan", scan)
    .add_node("split", split)
    .add_node("plan", plan)
    .add_node("embed", embed)
    .add_node("finish", finish)
    .add_edge(START, "scan")
    .add_conditional_edges("scan", work)
    .add_edge("split", "embed")
    .add_edge("embed", "finish")
    .add_edge("plan", "finish")
    .add_edge("finish", END)
    .compile(name="index")
    .with_config(recursion_limit=20)
)
