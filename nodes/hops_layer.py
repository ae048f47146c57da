"""The hops layer of the index: questions, and the edges that they make (HopRAG)."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from ..algorithms.hop_graph import (
    AskedPassage,
    HopGraph,
    build_hops,
    hops_from_arrays,
    hops_to_arrays,
)
from ..context import Context
from ..state.errors import RagraphsError
from ..stores.arrays import load_arrays, save_arrays
from .embed import settle_vectors, texts_at_once, workers_for
from .node import progress_of
from .opening import Index

HOPS_FILE = "hops.npz"
_CONNECTING = "1:"  # to be changed when the same questions give another file


async def embed_questions(index: Index, context: Context) -> None:
    """Gives every distinct question its vector, and takes away those that nobody asks any more."""
    texts = await asyncio.to_thread(_questions, index)

    def embed_batch(ids: Sequence[str]) -> None:
        index.questions.add(ids, index.embedder.embed([texts[id] for id in ids]))

    await asyncio.to_thread(index.questions.remove_damaged)
    await settle_vectors(
        sorted(texts),
        index.questions.ids,
        index.questions.remove,
        embed_batch,
        texts_at_once(index),
        workers_for(index, context),
        progress_of("embed_questions"),
    )


def question_id(question: str) -> str:
    """The id of a question among the vectors: the same text has the same one."""
    return hashlib.blake2b(question.encode(), digest_size=12).hexdigest()


def stored_hops(index: Index) -> HopGraph:
    """The graph of an index's hops layer. Blocks; raises RagraphsError where there is none."""
    hops_stamp(index)
    return hops_from_arrays(load_arrays(index.folder / HOPS_FILE))


def hops_stamp(index: Index) -> str:
    """What changes when the edges were made anew. Raises RagraphsError where there are none."""
    stamp: str = index.catalogue.property("connected") or ""
    if not stamp.startswith(_CONNECTING) or not (index.folder / HOPS_FILE).exists():
        raise RagraphsError(
            "The index has no hops layer; build it with: ragraphs index --layers hops "
            f"--index {index.folder}"
        )
    return stamp


def _questions(index: Index) -> dict[str, str]:
    """Every distinct question by its id."""
    return {
        question_id(question): question
        for _, value in index.readings.values("questions")
        for question in (*value["incoming"], *value["outgoing"])
    }


def connect_passages(index: Index) -> None:
    """Joins each passage to those that answer what it asks (HopRAG, edge merging). Blocks.

    The edges are made anew, if any passage's questions have changed since they were made.
    """
    stamp = _CONNECTING + index.readings.stamp("questions")
    if index.catalogue.property("connected") == stamp and (index.folder / HOPS_FILE).exists():
        return
    asked = dict(index.readings.values("questions"))
    passages = [
        AskedPassage(
            passage["id"],
            passage["title"],
            passage["text"],
            tuple(asked[passage["id"]]["incoming"]),
            tuple(asked[passage["id"]]["outgoing"]),
        )
        for passage in index.catalogue.all_passages()
        if passage["id"] in asked
    ]
    graph = build_hops(passages, lambda texts: index.questions.get(list(map(question_id, texts))))
    save_arrays(index.folder / HOPS_FILE, hops_to_arrays(graph))
    index.catalogue.set_property("connected", stamp)
