"""Index: find the files, cut what changed into passages, embed what has no vector; then layers."""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ..context import IndexContext
from ..nodes.index.finish import finish
from ..nodes.index.plan import plan
from ..nodes.index.scan import scan
from ..nodes.index.split import split
from ..nodes.index.stages import describe, is_read, merge_entities, read, report
from ..nodes.index.triples import import_triples
from ..state.index import IndexInput, IndexOutput, IndexState


def work(state: IndexState, runtime: Runtime[IndexContext]) -> Literal["split", "plan"]:
    """A dry run only plans."""
    return "plan" if runtime.context and runtime.context.dry_run else "split"


def after_splitting(state: IndexState) -> Literal["import_triples", "read"]:
    """What was found elsewhere is not read again."""
    return "import_triples" if is_read(state) else "read"


def after_reading(state: IndexState) -> Literal["merge_entities", "describe", "finish"]:
    """The layers that the index has besides its passages."""
    if "entities" in state["layers"]:
        return "merge_entities"
    return "describe" if set(state["layers"]) - {"passages"} else "finish"


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
    .add_node("import_triples", import_triples)
    .add_node("read", read)
    .add_node("merge_entities", merge_entities)
    .add_node("describe", describe)
    .add_node("report", report)
    .add_node("finish", finish)
    .add_edge(START, "scan")
    .add_conditional_edges("scan", work)
    .add_conditional_edges("split", after_splitting)
    .add_edge("import_triples", "read")
    .add_conditional_edges("read", after_reading)
    .add_edge("merge_entities", "describe")
    .add_edge("describe", "report")
    .add_edge("report", "finish")
    .add_edge("plan", "finish")
    .add_edge("finish", END)
    .compile(name="index")
    .with_config(recursion_limit=20)
)
