"""The hops layer of the index: questions, and the edges that they make (HopRAG)."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.hoprag.graph import (
    AskedPassage,
    HopGraph,
    build_hops,
    hops_from_arrays,
    hops_to_arrays,
)
from ..algorithms.hoprag.walk import EdgeIndex
from ..context import Context
from ..language.analyser import keywords
from ..models.query_vectors import embed_queries
from ..stores.arrays import Scratch
from .layers import HOPS, Arrays
from .opening import Index, Kept
from .progress import progress_of
from .vectors import keep_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..models.embeddings import Embedder


async def embed_questions(index: Index, context: Context) -> None:
    """Gives every distinct question its vector, and takes away those that nobody asks any more."""
    texts = await asyncio.to_thread(_questions, index)
    await asyncio.to_thread(index.questions.remove_damaged)
    await keep_vectors(
        index,
        context,
        sorted(texts),
        index.questions.ids,
        index.questions.remove,
        lambda ids: [(id, texts[id]) for id in ids],
        _embed_batch,
        progress_of("embed_questions"),
    )


def _embed_batch(index: Index, questions: Sequence[tuple[str, str]]) -> None:
    ids = [id for id, _ in questions]
    index.questions.add(ids, index.embedder.embed([text for _, text in questions]))


def question_id(question: str) -> str:
    """The id of a question among the vectors: the same text has the same one."""
    return hashlib.blake2b(question.encode(), digest_size=12).hexdigest()


def stored_hops(index: Index) -> HopGraph:
    """The graph of an index's hops layer. Blocks; raises RagraphsError where there is none."""
    return hops_from_arrays(HOPS.load(index, _merge_edges))


def _questions(index: Index) -> dict[str, str]:
    """Every distinct question by its id."""
    return {
        question_id(question): question
        for _, value in index.readings.values("questions")
        for question in (*value["incoming"], *value["outgoing"])
    }


def merge_edges(index: Index) -> None:
    """Joins each passage to those that answer what it asks (HopRAG, edge merging). Blocks.

    The edges are made anew, if any passage's questions have changed since they were made.
    """
    HOPS.renew(index, _merge_edges, index.readings.stamp("questions"))


def _merge_edges(index: Index, scratch: Scratch) -> Arrays:
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
    return hops_to_arrays(
        build_hops(passages, lambda texts: index.questions.get(list(map(question_id, texts))))
    )


_REMEMBERED = 32


@dataclass(frozen=True)
class AskedEdges:
    """A question over the edges: its v_q and k_q, and two numbers for every edge, shape (e,).

    ``similarity`` is SIM(edge, q); ``promise`` in [0, 2] adds to it, where it is positive, SIM of
    the questions that the edge joins: an edge that fits its own passages badly leads nowhere.
    """

    vector: NDArray[np.float32]
    keywords: frozenset[str]
    similarity: NDArray[np.float32]
    promise: NDArray[np.float32]


@dataclass(frozen=True)
class LoadedHops:
    """The hops layer of an index; ``ask`` blocks while it embeds the question.

    Where a filter narrows the index, ``is_open`` (e,) says of each edge whether passages that meet
    the filter stand at both of its ends.
    """

    graph: HopGraph
    edges: EdgeIndex
    ask: Callable[[str], AskedEdges]
    is_open: NDArray[np.bool_] | None = None

    def nearest(self, asked: AskedEdges, most: int) -> list[int]:
        """At most ``most`` edges with the highest SIM to the question, best first."""
        if self.is_open is None:
            return self.edges.top(asked.similarity, most)
        similarity = np.where(self.is_open, asked.similarity, -np.inf)
        return self.edges.top(similarity, min(most, int(self.is_open.sum())))

    def out_edges(self, passage: str) -> Sequence[int]:
        """The edges that leave a passage; none for one that the layer does not know."""
        vertex = self.graph.member.get(passage)
        edges = () if vertex is None else self.edges.out_edges(vertex)
        return edges if self.is_open is None else [edge for edge in edges if self.is_open[edge]]

    def target(self, edge: int) -> str:
        """The passage that an edge leads to."""
        return self.graph.ids[int(self.edges.target[edge])]

    def title(self, passage: str) -> str:
        """The title of a passage that the layer knows."""
        return self.graph.titles[self.graph.member[passage]]

    def vertex(self, passage: str) -> str:
        """The passage that stands for all that are the same as ``passage``."""
        vertex = self.graph.member.get(passage)
        return passage if vertex is None else self.graph.ids[vertex]


def load_hops(index: Index) -> LoadedHops:
    """The hops layer of ``index``, kept in memory. Blocks; raises RagraphsError without a layer.

    Of an index that a filter narrows, only hops among its passages.
    """
    return _kept.of(index)


def _load(index: Index) -> LoadedHops:
    if index.whole is not None and index.allowed is not None:
        return _within(load_hops(index.whole), index.allowed)
    graph = stored_hops(index)
    used, rows = np.unique(graph.edges.incoming, return_inverse=True)
    ids = [question_id(graph.questions[number]) for number in used]
    edges = EdgeIndex(
        graph.edges.source,
        graph.edges.target,
        rows,
        index.questions.get(ids),
        [keywords(f"{graph.answered(edge)} {graph.raised(edge)}") for edge in range(len(rows))],
    )
    # Of the index only the embedder, since the index must not keep itself open.
    joined = np.clip(graph.edges.similarity, 0, None)
    ask = lru_cache(maxsize=_REMEMBERED)(partial(_ask, index.embedder, edges, joined))
    return LoadedHops(graph, edges, ask)


def _within(hops: LoadedHops, allowed: AbstractSet[str]) -> LoadedHops:
    """The hops among allowed passages; of equal passages an allowed one stands for all."""
    graph = hops.graph
    member = {id: vertex for id, vertex in graph.member.items() if id in allowed}
    first = {vertex: id for id, vertex in reversed(member.items())}
    ids = [first.get(vertex, id) for vertex, id in enumerate(graph.ids)]
    is_in = np.zeros(len(ids), dtype=np.bool_)
    is_in[list(first)] = True
    is_open = is_in[graph.edges.source] & is_in[graph.edges.target]
    return replace(hops, graph=replace(graph, ids=ids, member=member), is_open=is_open)


_kept = Kept(HOPS.stamp, _load, by_filter=True)


def _ask(
    embedder: Embedder, edges: EdgeIndex, joined: NDArray[np.float32], question: str
) -> AskedEdges:
    vector, words = embed_queries(embedder, [question])[0], keywords(question)
    similarity = edges.similarity(words, vector)
    return AskedEdges(vector, words, similarity, np.clip(similarity, 0, None) + joined)
