"""Bringing an index up to date, under its lock."""

from __future__ import annotations

from langgraph.config import get_stream_writer

from ...context import IndexContext
from ...index.cluster.ray_cluster import working_on
from ...index.recorded import record_settings
from ...state.index import IndexState
from ..node import node
from ..run import Run, Update
from ..subgraph import Graph, GraphNode, relay

_GIVEN = ("inline", "files", "triple_files", "gone", "failures", "layers")
_CHANGED = ("added", "updated", "unchanged", "removed", "failures", "usage", "warnings")


def update_by(graph: Graph) -> GraphNode:
    """A node that runs ``graph`` while no other run may write to the index.

    The steps run asynchronously under ``invoke`` as well: there LangGraph lets a failed branch
    wait for its siblings, which would tell of a broken embedder after hours of paid reading.
    """

    @node()
    async def update(state: IndexState, run: Run[IndexContext]) -> Update:
        given = {key: state[key] for key in _GIVEN}  # type: ignore[literal-required]
        async with run.index.writing(), working_on(run.index, run.context):
            layers, embeddings = state["layers"], state["embeddings"]
            await run.in_thread(record_settings, run.context, layers, embeddings)
            run.index.replies.watch()
            result = await relay(graph, given, run.context, get_stream_writer())
        return {key: result[key] for key in _CHANGED}

    return GraphNode(update, graph)
