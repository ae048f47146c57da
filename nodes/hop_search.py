"""The hops layer as questions find it: its edges in memory, and how well each fits a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.hop_graph import HopGraph
from ..algorithms.hop_walk import EdgeIndex
from ..algorithms.mentions import question_mentions
from ..algorithms.text import keywords
from .hops_layer import hops_stamp, question_id, stored_hops
from .keeping import Kept
from .opening import Index

if TYPE_CHECKING:
    from numpy.typing import NDArray

_REMEMBERED = 32


@dataclass(frozen=True)
class AskedEdges:
    """A question over the edges: its v_q and k_q, and two similarities of every edge, shape (e,).

    ``similarity`` is SIM(edge, q); ``promise`` the same for what the question asks about the names
    in it, these left out: a hop leads from the named to what is asked of it.
    """

    vector: NDArray[np.float32]
    keywords: frozenset[str]
    similarity: NDArray[np.float32]
    promise: NDArray[np.float32]


@dataclass(frozen=True)
class LoadedHops:
    """The hops layer of an index; ``ask`` blocks while it embeds the question."""

    graph: HopGraph
    edges: EdgeIndex
    ask: Callable[[str], AskedEdges]

    def out_edges(self, passage: str) -> Sequence[int]:
        """The edges that leave a passage; none for one that the layer does not know."""
        vertex = self.graph.member.get(passage)
        return () if vertex is None else self.edges.out_edges(vertex)

    def target(self, edge: int) -> str:
        """The passage that an edge leads to."""
        return self.graph.ids[int(self.edges.target[edge])]

    def title(self, passage: str) -> str:
        """What a passage that the layer knows is called."""
        return self.graph.titles[self.graph.member[passage]]

    def vertex(self, passage: str) -> str:
        """The passage that stands for all that are the same as ``passage``."""
        vertex = self.graph.member.get(passage)
        return passage if vertex is None else self.graph.ids[vertex]


def load_hops(index: Index) -> LoadedHops:
    """The hops layer of ``index``, kept in memory. Blocks; raises RagraphsError without a layer."""
    return _kept.of(index)


def _load(index: Index) -> LoadedHops:
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
    ask = lru_cache(maxsize=_REMEMBERED)(partial(_ask, index, edges))
    return LoadedHops(graph, edges, ask)


_kept = Kept(hops_stamp, _load)


def _ask(index: Index, edges: EdgeIndex, question: str) -> AskedEdges:
    rest = _without_names(question) or question
    vectors = index.embedder.embed([question, rest])
    words = keywords(question)
    return AskedEdges(
        vectors[0],
        words,
        edges.similarity(words, vectors[0]),
        edges.similarity(keywords(rest), vectors[1]),
    )


def _without_names(question: str) -> str:
    parts, end = [], 0
    for mention in sorted(question_mentions(question)):
        if mention.start >= end:
            parts.append(question[end : mention.start])
            end = mention.end
    return " ".join("".join([*parts, question[end:]]).split())
