"""The plan of a dry run."""

from __future__ import annotations

import asyncio
from typing import Any

from ...context import IndexContext
from ...index.opening import Index, language_model_at
from ...index.progress import progress_of
from ...index.recorded import missing_kinds, open_for_indexing, reading_settings
from ...language.analyser import count_tokens
from ...models.meter import current_meter
from ...state.index import IndexState, Plan
from ...stores.queries import batches
from ..node import node
from .passage_reader import PassageReader
from .price import _GROUP_DOCUMENTS, _Price
from .split import _Reading, _run
from .triples import names_in


@node()
async def plan(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Says what a run would read and cost, and changes nothing."""
    index = await asyncio.to_thread(open_for_indexing, context)
    wanted = await asyncio.to_thread(reading_settings, index.catalogue, context, state["layers"])
    reader = PassageReader(await language_model_at(index, context, wanted.model), wanted.extraction)
    imported = await asyncio.to_thread(names_in, state["triple_files"], index)
    price = _Price(reader, frozenset(wanted.readers), imported)
    reading = await asyncio.to_thread(_Reading, index, price)
    await _run(reading, state, progress_of("plan"))
    passages, tokens = await asyncio.to_thread(_without_vector, index, context.repair)
    missing = await asyncio.to_thread(missing_kinds, index, wanted.readers)
    await asyncio.to_thread(price.add_stored, index, missing)
    if price.replies and "entities" in state["layers"]:
        current_meter().warn(
            "The summaries of entities and the reports on communities, which follow from what is "
            "read, are not counted; on a novel they took 1.3 times as many tokens again."
            if "communities" in state["layers"]
            else "The summaries of entities, which follow from what is read, are not counted."
        )
    planned: Plan = {
        "documents": reading.counts["added"] + reading.counts["updated"],
        "passages": reading.counts["passages"] + passages,
        "embedding_tokens": 0 if index.embedder.local else reading.counts["tokens"] + tokens,
        "missing_replies": price.replies,
        "reply_tokens": price.tokens,
    }
    return {**reading.result(state), "plan": planned}


def _without_vector(index: Index, repair: bool) -> tuple[int, int]:
    """The number and the tokens of the stored passages that are still to be embedded."""
    ids = index.catalogue.passage_ids()
    if not repair:
        ids -= index.vectors.ids("passages")
    tokens = 0
    for batch in batches(sorted(ids), _GROUP_DOCUMENTS):
        tokens += sum(count_tokens(passage["text"]) for passage in index.catalogue.passages(batch))
    return len(ids), tokens
