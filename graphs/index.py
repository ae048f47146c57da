"""Index: find the files, cut what changed into passages, and make the layers of them.

The hops layer is HopRAG's, entities Think-on-Graph's and GraphRAG's, communities GraphRAG's.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ..context import IndexContext
from ..context.settled import settled
from ..models.runs import RunWatch
from ..nodes.index import steps
from ..nodes.index.extract import extract
from ..nodes.index.finish import count, forget
from ..nodes.index.plan import plan
from ..nodes.index.scan import scan
from ..nodes.index.split import split
from ..nodes.index.triples import import_triples
from ..nodes.index.update import update_by
from ..state.index import IndexInput, IndexOutput, IndexState


def work(state: IndexState, runtime: Runtime[IndexContext]) -> Literal["update", "plan"]:
    """A dry run only plans."""
    return "plan" if settled(runtime.context, IndexContext).dry_run else "update"


update = (
    StateGraph(IndexState, context_schema=IndexContext)
    .add_node("split", split)
    .add_node("import_triples", import_triples)
    .add_node("embed_passages", steps.embed_passages)
    .add_node("embed_sentences", steps.embed_sentences)
    .add_node("extract", extract)
    .add_node("resolve_entities", steps.resolve_entities)
    .add_node("summarise", steps.summarise)
    .add_node("detect_communities", steps.detect_communities)
    .add_node("link_passages", steps.link_passages)
    .add_node("embed_questions", steps.embed_questions)
    .add_node("write_reports", steps.write_reports)
    .add_node("merge_edges", steps.merge_edges)
    .add_node("embed_entities", steps.embed_entities)
    .add_node("embed_reports", steps.embed_reports)
    .add_node("forget", forget)
    .add_edge(START, "split")
    .add_edge("split", "import_triples")
    .add_edge("import_triples", "embed_passages")
    .add_edge("import_triples", "embed_sentences")
    .add_edge("import_triples", "extract")
    .add_edge(["embed_passages", "embed_sentences", "extract"], "resolve_entities")
    .add_edge("resolve_entities", "summarise")
    .add_edge("resolve_entities", "embed_questions")
    .add_edge("summarise", "detect_communities")
    .add_edge("summarise", "link_passages")
    .add_edge("detect_communities", "write_reports")
    .add_edge("embed_questions", "merge_edges")
    .add_edge("summarise", "embed_entities")
    .add_edge("write_reports", "embed_reports")
    .add_edge(["link_passages", "merge_edges", "embed_entities", "embed_reports"], "forget")
    .add_edge("forget", END)
    .compile(name="update")
    .with_config(recursion_limit=20)
)


def builder() -> StateGraph[IndexState, IndexContext, IndexInput, IndexOutput]:
    """The graph before it is compiled, to replace a node of it or to add one."""
    return (
        StateGraph(
            IndexState,
            context_schema=IndexContext,
            input_schema=IndexInput,
            output_schema=IndexOutput,
        )
        .add_node("scan", scan)
        .add_node("plan", plan)
        .add_node("update", update_by(update))
        .add_node("count", count)
        .add_edge(START, "scan")
        .add_conditional_edges("scan", work)
        .add_edge("plan", "count")
        .add_edge("update", "count")
        .add_edge("count", END)
    )


graph = (
    builder().compile(name="index").with_config(recursion_limit=20, callbacks=[RunWatch("index")])
)
