"""The sentences layer of the index: what the graph retriever walks over."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from functools import partial

import numpy as np

from ..algorithms.passage_graph import (
    NamedSpan,
    build_graph,
    graph_to_arrays,
    passage_record,
    sentence_texts,
    with_entities,
)
from ..context import Context
from ..stores.arrays import save_arrays
from ..stores.vectors import Entry
from .embed import embed_missing, workers_for
from .entities_layer import entities_stamp
from .node import progress_of
from .opening import Index

GRAPH_FILE = "passage_graph.npz"


async def embed_sentences(index: Index, context: Context) -> None:
    """Gives every sentence its vector, and takes away those of sentences that are gone."""
    wanted = await asyncio.to_thread(_sentence_ids, index)
    await embed_missing(
        index,
        "sentences",
        wanted,
        partial(_entries, index),
        workers_for(index, context),
        progress_of("embed_sentences"),
    )


def _sentence_ids(index: Index) -> list[str]:
    return [
        sentence_id(passage["id"], number)
        for passage in index.catalogue.all_passages()
        for number in range(len(sentence_texts(passage["title"], passage["text"])))
    ]


def sentence_id(passage: str, number: int) -> str:
    """The id of a sentence of a passage."""
    return f"{passage}-{number}"


def _entries(index: Index, ids: Sequence[str]) -> list[tuple[Entry, str]]:
    places = [id.rpartition("-") for id in ids]
    wanted = dict.fromkeys(passage for passage, _, _ in places)
    texts = {
        passage["id"]: sentence_texts(passage["title"], passage["text"])
        for passage in index.catalogue.passages(list(wanted))
    }
    return [
        (Entry(id, text := texts[passage][int(number)], {"passage": passage}), text)
        for id, (passage, _, number) in zip(ids, places, strict=True)
    ]


def link_passages(index: Index) -> None:
    """Joins passages by the names that they mention, and by the entities where that layer is.

    The graph is made anew, if passages or entities have changed since it was made. Blocks.
    """
    passages = list(index.catalogue.all_passages())
    named = "entities" in index.catalogue.property("layers")
    parts = [passage["id"] for passage in passages] + ([entities_stamp(index)] if named else [])
    stamp = hashlib.sha256("".join(parts).encode()).hexdigest()
    if index.catalogue.property("linked") == stamp and (index.folder / GRAPH_FILE).exists():
        return
    spans = _entity_spans(index, [passage["id"] for passage in passages]) if named else {}
    records = [
        with_entities(
            passage_record(passage["title"], passage["text"]),
            passage["text"],
            spans.get(passage["id"], ()),
        )
        for passage in passages
    ]
    arrays = graph_to_arrays(build_graph(records))
    ids = np.array([passage["id"] for passage in passages], dtype=np.str_)
    save_arrays(index.folder / GRAPH_FILE, {**arrays, "ids": ids})
    index.catalogue.set_property("linked", stamp)


def _entity_spans(index: Index, passages: Sequence[str]) -> dict[str, list[NamedSpan]]:
    names = {entity.id: entity.name for entity in index.entities.all_entities()}
    spans: dict[str, list[NamedSpan]] = {}
    for found in index.entities.mentions_of(passages):
        span = NamedSpan(found.start, found.end, names[found.entity])
        spans.setdefault(found.passage, []).append(span)
    return spans
