"""The stages of indexing that wait for a model, and what is done meanwhile.

What needs no model is done beside what does, and is begun when the model has its first requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from ...context import IndexContext
from ...index.communities import cluster, embed_reports, prepare_reports
from ...index.concurrency import side_by_side, to_its_end
from ...index.entities import embed_described, embed_settled, merge, prepare_descriptions
from ...index.hops import connect_passages, embed_questions
from ...index.progress import progress_of
from ...index.recorded import READ_LAYERS, open_for_indexing
from ...index.sentences import embed_sentences, link_passages
from ...index.vectors import clear_vectors, embed_passages
from ...state.index import Failure, IndexState
from ...stores.lock import writing
from ..node import node
from .read_passages import prepare_reading

Parts = list[Coroutine[Any, Any, Any]]


@node()
async def read(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Has the model read the passages; meanwhile they and their sentences get vectors.

    With ``repair`` the vectors and the lexical index are made anew from the catalogue.
    """
    index = await asyncio.to_thread(open_for_indexing, context)
    await asyncio.to_thread(lambda: index.embedder)  # what cannot be opened ends the run for free
    failures: list[Failure] = []

    async def embed_all() -> None:
        await embed_passages(index, context)
        if "sentences" in state["layers"]:
            await embed_sentences(index, context)

    async def read_all(reading: Coroutine[Any, Any, list[Failure]]) -> None:
        failures.extend(await reading)

    async with writing(index.folder):
        if context.repair:
            await to_its_end(clear_vectors, index)
        parts: Parts = []
        if is_read(state):
            parts.append(read_all(await prepare_reading(index, context, state["layers"])))
        await side_by_side(*parts, embed_all())
    return {"failures": [*state["failures"], *failures]}


@node()
async def describe(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Has the model describe entities; meanwhile communities are found, and passages linked.

    Questions, and the entities that await no description, get their vectors.
    """
    index = await asyncio.to_thread(open_for_indexing, context)
    layers = state["layers"]

    async def embed_all() -> None:
        if "hops" in layers:
            await embed_questions(index, context)
        if "entities" in layers:
            await embed_settled(index, context, progress_of("embed_entities"))

    async with writing(index.folder):
        parts: Parts = []
        if "entities" in layers:
            progress = progress_of("describe_entities")
            parts.append(await prepare_descriptions(index, context, progress))
        if "communities" in layers:
            parts.append(to_its_end(cluster, index, context.repair))
        if "sentences" in layers:
            parts.append(to_its_end(link_passages, index))
        await side_by_side(*parts, embed_all())
    return {}


@node()
async def report(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Has the model report on communities; meanwhile connects passages and embeds entities."""
    index = await asyncio.to_thread(open_for_indexing, context)
    layers = state["layers"]
    async with writing(index.folder):
        parts: Parts = []
        if "communities" in layers:
            parts.append(await prepare_reports(index, context, progress_of("write_reports")))
        if "hops" in layers:
            parts.append(to_its_end(connect_passages, index))
        if "entities" in layers:
            parts.append(embed_described(index, context, progress_of("embed_entities")))
        await side_by_side(*parts)
        if "communities" in layers:
            await embed_reports(index, context)
    return {}


def is_read(state: IndexState) -> bool:
    """Whether there is a layer for which a model reads the passages."""
    return not READ_LAYERS.keys().isdisjoint(state["layers"])


@node()
async def merge_entities(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Makes one graph of the entities that were found in all passages."""
    index = await asyncio.to_thread(open_for_indexing, context)
    async with writing(index.folder):
        await to_its_end(merge, index)
    return {}
