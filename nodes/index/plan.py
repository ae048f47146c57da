"""The plan of a dry run."""

from __future__ import annotations

import asyncio

from ...context import IndexContext
from ...index.opening import Index
from ...index.progress import progress_of
from ...index.prompt_words import Outdated, outdated_writing
from ...index.recorded import missing_kinds, reading_settings
from ...language.analyser import count_tokens
from ...models.prices import known_prices
from ...settings import settings
from ...state.index import IndexState, Plan
from ...stores.queries import batches
from ..node import node
from ..run import Run, Update
from .passage_reader import PassageReader
from .price import GROUP_DOCUMENTS, ReadingPrice
from .split import DocumentReader, read_documents, to_read
from .triples import names_in


@node()
async def plan(state: IndexState, run: Run[IndexContext]) -> Update:
    """Says what a run would read and cost, and changes nothing."""
    wanted = await run.in_thread(reading_settings, run.context, state["layers"])
    reader = PassageReader(await run.model(wanted.model), wanted.extraction)
    imported = await run.in_thread(names_in, state["triple_files"])
    price = ReadingPrice(reader, frozenset(wanted.readers), imported)
    reading = await run.in_thread(DocumentReader, price=price)
    await read_documents(reading, to_read(state), progress_of("plan"))
    passages, tokens = await run.in_thread(_without_vector, run.context.repair)
    missing = await run.in_thread(missing_kinds, wanted, run.context.refresh)
    await asyncio.to_thread(price.add_stored, run.index, missing)
    again: Outdated = {"replies": 0, "tokens": 0}
    if run.context.refresh:
        again = await run.in_thread(outdated_writing)
    if price.replies and "entities" in state["layers"]:
        price.add_resolution()
        run.meter.warn(
            "The summaries of entities and the reports on communities, which follow from what is "
            "read, are not counted; on two chapters of a novel they took two thirds as many tokens "
            "again."
            if "communities" in state["layers"]
            else "The summaries of entities, which follow from what is read, are not counted."
        )
    planned: Plan = {
        "documents": reading.counts["added"] + reading.counts["updated"],
        "passages": reading.counts["passages"] + passages,
        "embedding_tokens": 0 if run.index.embedder.local else reading.counts["tokens"] + tokens,
        "missing_replies": price.replies + again["replies"],
        "reply_tokens": price.tokens + again["tokens"],
    }
    cost = _cost(planned, reader.model, run.index.embedder.name)
    if cost is not None:
        planned["cost"] = cost
    return {**reading.result(state), "plan": planned}


def _cost(planned: Plan, model: str, embeddings: str) -> float | None:
    """US dollars for the tokens to send; None where a price is not known."""
    prices = known_prices(settings())
    costs = [
        prices.cost(name, sent=tokens)
        for name, tokens in (
            (model, planned["reply_tokens"]),
            (embeddings, planned["embedding_tokens"]),
        )
        if tokens
    ]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _without_vector(index: Index, repair: bool) -> tuple[int, int]:
    """The number and the tokens of the stored passages that are still to be embedded."""
    ids = index.catalogue.passage_ids()
    if not repair:
        ids -= index.vectors.ids("passages")
    tokens = 0
    for batch in batches(sorted(ids), GROUP_DOCUMENTS):
        tokens += sum(count_tokens(passage["text"]) for passage in index.catalogue.passages(batch))
    return len(ids), tokens
