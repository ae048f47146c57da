"""Index: find the files, cut what changed into passages, embed what has no vector; then layers."""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ..context import IndexContext
from ..nodes.communities_layer import embed_reports, find_all_communities, write_reports
from ..nodes.embed import embed
from ..nodes.entities_layer import describe_entities, embed_entities, merge_entities
from ..nodes.finish import finish
from ..nodes.hops_layer import connect_passages, embed_questions
from ..nodes.read_passages import read_passages
from ..nodes.scan import scan
from ..nodes.sentence_layer import embed_sentences, link_passages
from ..nodes.split import plan, split
from ..nodes.triples import import_triples
from ..state.indexing import IndexInput, IndexOutput, IndexState


def work(state: IndexState, runtime: Runtime[IndexContext]) -> Literal["split", "plan"]:
    """A dry run only plans."""
    return "plan" if runtime.context and runtime.context.dry_run else "split"


def after_embedding(state: IndexState) -> Literal["embed_sentences", "import_triples", "finish"]:
    """The first layer that the index has besides its passages."""
    if "sentences" in state["layers"]:
        return "embed_sentences"
    return "import_triples" if is_read(state) else "finish"


def is_read(state: IndexState) -> bool:
    """Whether there is a layer for which a model reads the passages."""
    return not {"hops", "entities"}.isdisjoint(state["layers"])


def after_sentences(state: IndexState) -> Literal["import_triples", "link_passages"]:
    """The layers that passages are read for."""
    return "import_triples" if is_read(state) else "link_passages"


def after_reading(state: IndexState) -> Literal["embed_questions", "merge_entities"]:
    """The layer that is made first of what was read."""
    return "embed_questions" if "hops" in state["layers"] else "merge_entities"


def after_hops(state: IndexState) -> Literal["merge_entities", "link_passages", "finish"]:
    """The layer after the hops."""
    return "merge_entities" if "entities" in state["layers"] else last_layer(state)


def after_entities(
    state: IndexState,
) -> Literal["find_communities", "link_passages", "finish"]:
    """The layer after the entities."""
    return "find_communities" if "communities" in state["layers"] else last_layer(state)


def last_layer(state: IndexState) -> Literal["link_passages", "finish"]:
    """Passages are joined last, by the entities as well where there are any."""
    return "link_passages" if "sentences" in state["layers"] else "finish"


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
    .add_node("import_triples", import_triples)
    .add_node("read_passages", read_passages)
    .add_node("embed_questions", embed_questions)
    .add_node("connect_passages", connect_passages)
    .add_node("merge_entities", merge_entities)
    .add_node("describe_entities", describe_entities)
    .add_node("embed_entities", embed_entities)
    .add_node("find_communities", find_all_communities)
    .add_node("write_reports", write_reports)
    .add_node("embed_reports", embed_reports)
    .add_node("link_passages", link_passages)
    .add_node("finish", finish)
    .add_edge(START, "scan")
    .add_conditional_edges("scan", work)
    .add_edge("split", "embed")
    .add_conditional_edges("embed", after_embedding)
    .add_conditional_edges("embed_sentences", after_sentences)
    .add_edge("import_triples", "read_passages")
    .add_conditional_edges("read_passages", after_reading)
    .add_edge("embed_questions", "connect_passages")
    .add_conditional_edges("connect_passages", after_hops)
    .add_edge("merge_entities", "describe_entities")
    .add_edge("describe_entities", "embed_entities")
    .add_conditional_edges("embed_entities", after_entities)
    .add_edge("find_communities", "write_reports")
    .add_edge("write_reports", "embed_reports")
    .add_conditional_edges("embed_reports", last_layer)
    .add_edge("link_passages", "finish")
    .add_edge("plan", "finish")
    .add_edge("finish", END)
    .compile(name="index")
    .with_config(recursion_limit=20)
)
