"""The sentences layer of the index: what the graph retriever walks over."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.graphrag.report_context import pack
from ..algorithms.linear_rag.passage_graph import (
    NamedSpan,
    PassageGraph,
    build_graph,
    graph_from_arrays,
    graph_to_arrays,
    passage_record,
    sentence_texts,
    with_entities,
)
from ..context import Context
from ..state.records import Passage
from ..stores.arrays import Scratch
from ..stores.queries import batches
from ..stores.vector_tables import SentenceVectors
from .layers import ENTITIES, SENTENCES, Arrays, layers_of
from .opening import Index, Kept
from .progress import progress_of
from .vectors import in_batches, texts_at_once

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CUTTING = 2  # to be raised when sentences are cut or compared otherwise
_CUT = "sentences_cut"


async def embed_sentences(index: Index, context: Context) -> None:
    """Gives the sentences of every passage their vectors.

    An interrupted run loses at most one batch of passages for each worker.
    """
    await asyncio.to_thread(_forget_other_cuts, index)
    wanted = await asyncio.to_thread(
        lambda: {id: len(texts) for id, texts in _sentences(index.catalogue.all_passages())}
    )
    missing = await asyncio.to_thread(index.sentences.missing, wanted)
    packed = pack([wanted[passage] for passage in missing], texts_at_once(index))
    groups = [[missing[place] for place in places] for places in packed]
    report = progress_of("embed_sentences")
    await in_batches(index, context, groups, _embed, report)


def _forget_other_cuts(index: Index) -> None:
    """Removes the vectors of sentences that another version of the package has cut."""
    if index.catalogue.property(_CUT) != _CUTTING:
        index.sentences.clear()
        index.catalogue.set_property(_CUT, _CUTTING)


def _sentences(passages: Iterable[Passage]) -> Iterator[tuple[str, list[str]]]:
    for passage in passages:
        yield passage["id"], sentence_texts(passage["title"], passage["text"])


def _embed(index: Index, ids: Sequence[str]) -> None:
    texts = dict(_sentences(index.catalogue.passages(ids)))
    parts = batches(chain.from_iterable(texts.values()), texts_at_once(index))
    vectors = np.concatenate([index.embedder.embed(part) for part in parts])
    ends = list(accumulate(map(len, texts.values())))
    index.sentences.put(list(map(SentenceVectors, texts, np.split(vectors, ends[:-1]))))


def link_passages(index: Index) -> None:
    """Joins passages by the names that they mention, and by the entities where that layer is.

    The graph is made anew, if passages, sentences or entities have changed since. Blocks.
    """
    sentences = index.sentences.counts()
    ids = [passage["id"] for passage in index.catalogue.all_passages()]
    named = ENTITIES.stamp(index) if "entities" in layers_of(index) else None
    SENTENCES.renew(index, _link_passages, [(id, sentences.get(id)) for id in ids], named, _CUTTING)


def _link_passages(index: Index, scratch: Scratch) -> Arrays:
    passages = list(index.catalogue.all_passages())
    ids = [passage["id"] for passage in passages]
    spans = _entity_spans(index, ids) if "entities" in layers_of(index) else {}
    records = [
        with_entities(
            passage_record(passage["title"], passage["text"]),
            passage["text"],
            spans.get(passage["id"], ()),
        )
        for passage in passages
    ]
    arrays = graph_to_arrays(build_graph(records))
    return {**arrays, "ids": np.array(ids, dtype=np.str_)}


def _entity_spans(index: Index, passages: Sequence[str]) -> dict[str, list[NamedSpan]]:
    names = {entity.id: entity.name for entity in index.entities.all_entities()}
    spans: dict[str, list[NamedSpan]] = {}
    for found in index.entities.mentions_of(passages):
        span = NamedSpan(found.start, found.end, names[found.entity])
        spans.setdefault(found.passage, []).append(span)
    return spans


@dataclass(frozen=True)
class LoadedGraph:
    """The graph of an index with its vectors; rows in the order of ``ids``."""

    ids: list[str]
    graph: PassageGraph
    passages: NDArray[np.float32]
    sentences: NDArray[np.float32]

    def places_of(self, allowed: AbstractSet[str] | None) -> NDArray[np.bool_] | None:
        """Which rows are passages of ``allowed``, shape (P,); None where all are."""
        if allowed is None:
            return None
        return np.fromiter((id in allowed for id in self.ids), dtype=np.bool_, count=len(self.ids))


def stored_graph(index: Index) -> tuple[PassageGraph, list[str]]:
    """The graph of an index and the ids of its passages. Blocks.

    Raises RagraphsError where the index has no sentences layer.
    """
    arrays = SENTENCES.load(index, _link_passages)
    return graph_from_arrays(arrays), [str(id) for id in arrays["ids"]]


def load_graph(index: Index) -> LoadedGraph:
    """The graph of ``index``, kept in memory. Blocks; raises RagraphsError without a layer."""
    return _kept.of(index)


def _load(index: Index) -> LoadedGraph:
    graph, ids = stored_graph(index)
    passage_vectors = index.vectors.get("passages", ids)
    sentences = dict(zip(ids, graph.sentence_counts.tolist(), strict=True))
    sentence_vectors = index.sentences.load(sentences)
    return LoadedGraph(ids, graph, passage_vectors, sentence_vectors)


_kept = Kept(SENTENCES.stamp, _load)
