"""The steps that make the layers of an index, each a node; a layer that is not wanted is skipped.

Steps that wait for nothing of each other run side by side: what needs no model, beside the waits
for the model's replies.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ...context import IndexContext, LayerName
from ...index import (
    communities,
    descriptions,
    entities,
    hierarchy,
    hop_edges,
    resolution,
    sentences,
    vectors,
)
from ...index.concurrency import to_its_end
from ...index.freshness import note_followed
from ...index.layers import lacks_readings
from ...index.opening import Index
from ...state.index import IndexState
from ..node import Node, node
from ..run import Run, Update

_Work = Callable[[Index, IndexContext], Awaitable[None]]


def _step(layer: LayerName | None, work: _Work, *, last: bool = False) -> Node:
    """A node that does ``work`` for a ``layer`` that is wanted; the ``last`` one ends it."""

    @node()
    async def step(state: IndexState, run: Run[IndexContext]) -> Update:
        if layer is None or (
            layer in state["layers"] and not await run.in_thread(lacks_readings, layer)
        ):
            await work(run.index, run.context)
            if layer is not None and last:
                await run.in_thread(note_followed, layer)
        return {}

    return step


def _in_thread(work: Callable[[Index], None]) -> _Work:
    return lambda index, context: to_its_end(work, index)


embed_passages = _step(None, vectors.embed_passages)
embed_sentences = _step("sentences", sentences.embed_sentences)
resolve_entities = _step("entities", resolution.resolve_entities)
summarise = _step("entities", descriptions.summarise)
detect_communities = _step(
    "communities",
    lambda index, context: to_its_end(hierarchy.detect_communities, index, context.repair),
)
link_passages = _step("sentences", _in_thread(sentences.link_passages), last=True)
embed_questions = _step("hops", hop_edges.embed_questions)
merge_edges = _step("hops", _in_thread(hop_edges.merge_edges), last=True)
embed_entities = _step("entities", entities.embed_entities, last=True)
write_reports = _step("communities", communities.write_reports)
embed_reports = _step("communities", communities.embed_reports, last=True)
