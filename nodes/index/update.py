"""Bringing an index up to date, under its lock."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from ...context import IndexContext
from ...index.cluster.ray_cluster import working_on
from ...index.recorded import open_for_indexing, record_settings
from ...state.errors import RagraphsError
from ...state.index import IndexState
from ..node import node
from ..run import Run, Update
from ..subgraph import Graph, GraphNode, relay
from .extract import NoReaderError
from .scan import scanned
from .turns import Change, WritingTurn, made_along, turn_of

_GIVEN = ("inline", "files", "triple_files", "gone", "failures", "layers")
_CHANGED = ("added", "updated", "unchanged", "removed", "failures", "usage", "warnings")


def update_by(graph: Graph) -> GraphNode:
    """A node that runs ``graph`` while no other run may write to the index.

    The steps run asynchronously under ``invoke`` as well: there LangGraph lets a failed branch
    wait for its siblings, which would tell of a broken embedder after hours of paid reading.
    """

    @node()
    async def update(state: IndexState, run: Run[IndexContext]) -> Update:
        own = Change(state)
        if (made := await made_along(own, run)) is not None:
            return made
        async with turn_of(own, run) as turn:
            if turn.has_waited:  # an index that was made anew meanwhile is another one
                index = await asyncio.to_thread(open_for_indexing, run.context)
                run = replace(run, index=index)
            return await _make(graph, turn, run)

    return GraphNode(update, graph)


async def _make(graph: Graph, turn: WritingTurn, run: Run[IndexContext]) -> Update:
    """Makes all changes of a turn, and returns the update of its own one."""
    given = await _looked_for(turn, run.context)
    own, *others = given.values()
    async with working_on(run.index, run.context):
        reader = await asyncio.to_thread(run.index.catalogue.property, "reader")
        await run.in_thread(record_settings, run.context, own["layers"], own["embeddings"])
        run.index.replies.watch()
        try:
            result = await relay(
                graph,
                {**{key: own[key] for key in _GIVEN}, "along": others},
                run.context,
                turn.tell,
                more=("along",),
            )
        except NoReaderError:  # what another one read stays in use
            await asyncio.to_thread(run.index.catalogue.set_property, "reader", reader)
            raise
    update = {key: result[key] for key in _CHANGED}
    first, *parts = result["along"]
    later = result["failures"][len(first["failures"]) :]
    for change, part in zip(list(given)[1:], parts, strict=True):
        if isinstance(part, RagraphsError):
            change.made.set_exception(part)
        else:  # the costs are told once
            failures = [*part["failures"], *later]
            change.made.set_result({**update, **part, "failures": failures, "usage": {}})
    return update


async def _looked_for(turn: WritingTurn, context: IndexContext) -> dict[Change, Any]:
    """The files to read and the documents to remove of every change of a turn.

    After a wait they are looked for once more, since others have written.
    """
    own, *others = turn.changes
    if not turn.has_waited:
        return {change: change.state for change in turn.changes}
    given: dict[Change, Any] = {own: await scanned(own.state, context)}
    for change in others:
        try:
            given[change] = await scanned(change.state, context)
        except RagraphsError as error:
            change.made.set_exception(error)
    return given
