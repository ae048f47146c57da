"""Index: find the files, cut what changed into passages, embed what has no vector; then layers."""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ..context import IndexContext
from ..nodes.embed import embed
from ..nodes.finish import finish
from ..nodes.hops_layer import connect_passages, embed_questions
from ..nodes.read_passages import read_passages
from ..nodes.scan import scan
from ..nodes.sentence_layer import embed_sentences, link_passages
from ..nodes.split import plan, split
from ..state.indexing import IndexInput, IndexOutput, IndexState


def work(state: IndexState, runtime: Runtime[IndexContext]) -> Literal["split", "plan"]:
    """A dry run only plans."""
    return "plan" if runtime.context and runtime.context.dry_run else "split"


def first_layer(state: IndexState) -> Literal["embed_sentences", "read_passages", "finish"]:
    """The first layer that the index has besides its passages."""
    return "embed_sentences" if "sentences" in state["layers"] else next_layer(state)


def next_layer(state: IndexState) -> Literal["read_passages", "finish"]:
    """The layer after the sentences."""
    return "read_passages" if "hops" in state["layers"] else "finish"


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
    .add_node("embed_sentences", embed_sentences)
    .add_node("link_passages", link_passages)
    .add_node("read_passages", read_passages)
    .add_node("embed_questions", embed_questions)
    .add_node("connect_passages", connect_passages)
    .add_node("finish", finish)
    .add_edge(START, "scan")
    .add_conditional_edges("scan", work)
    .add_edge("split", "embed")
    .add_conditional_edges("embed", first_layer)
    .add_edge("embed_sentences", "link_passages")
    .add_conditional_edges("link_passages", next_layer)
    .add_edge("read_passages", "embed_questions")
    .add_edge("embed_questions", "connect_passages")
    .add_edge("connect_passages", "finish")
    .add_edge("plan", "finish")
    .add_edge("finish", END)
    .compile(name="index")
    .with_config(recursion_limit=20)
)
