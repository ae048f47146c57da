"""The hops layer of the index: questions, and the edges that they make (HopRAG)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.hoprag.edge_index import EdgeIndex, ranked
from ..algorithms.hoprag.graph import HopGraph, hops_from_arrays
from ..algorithms.hoprag.keyword_index import Floats, Ints, ranges
from ..language.analyser import keywords
from ..models.query_vectors import embed_queries
from ..stores import large
from .hop_edges import make_hops
from .layers import HOPS
from .opening import CachedValue, Index

if TYPE_CHECKING:
    from ..models.embeddings import Embedder

_REMEMBERED = 32


def stored_hops(index: Index) -> HopGraph:
    """The graph of an index's hops layer. Blocks; raises RagraphsError where there is none."""
    return hops_from_arrays(HOPS.load(index, make_hops))


@dataclass(frozen=True, eq=False)
class AskedEdges:
    """A question over the edges: its v_q and k_q, and its SIM to those that are ``compared``.

    >>> asked = load_hops(index).ask("Who built the bridge?")
    >>> asked.promises([4, 7])
    """

    vector: Floats
    keywords: frozenset[str]
    compared: Ints
    _similarities: Floats
    _edges: EdgeIndex
    _joined: Floats
    _best_joined: float

    def similarities(self, edges: Sequence[int] | Ints) -> Floats:
        """SIM(edge, q) of each of ``edges``."""
        wanted = np.asarray(edges, dtype=np.int64)
        found = np.empty(len(wanted), dtype=np.float32)
        places = np.searchsorted(self.compared, wanted)
        known = places < len(self.compared)
        known[known] = self.compared[places[known]] == wanted[known]
        found[known] = self._similarities[places[known]]
        if not known.all():
            found[~known] = self._edges.similarity(self.keywords, self.vector, wanted[~known])
        return found

    def promises(self, edges: Sequence[int] | Ints) -> Floats:
        """SIM(edge, q) plus SIM of the questions that the edge joins, each where it is positive.

        Each is in [0, 2]: an edge that fits its own passages badly leads nowhere.
        """
        wanted = np.asarray(edges, dtype=np.int64)
        joined = np.clip(self._joined[wanted], 0, None)
        promises: Floats = np.clip(self.similarities(wanted), 0, None) + joined
        return promises

    @cached_property
    def best_promise(self) -> float:
        """The highest promise of all edges; 1 where none promises anything.

        An edge that is not compared is far from the question: its ends alone promise something.
        """
        return float(self.promises(self.compared).max(initial=self._best_joined)) or 1.0


@dataclass(frozen=True)
class LoadedHops:
    """The hops layer of an index; ``ask`` blocks while it embeds the question.

    Where a filter narrows the index, ``allowed`` are its passages. Where these are few, ``open``
    has all edges among them, ascending.
    """

    graph: HopGraph
    edges: EdgeIndex
    ask: Callable[[str], AskedEdges]
    allowed: frozenset[str] | None = None
    open: Ints | None = None

    def nearest(self, asked: AskedEdges, most: int) -> list[int]:
        """At most ``most`` edges with the highest SIM to the question, best first."""
        edges = asked.compared if self.open is None else self.open
        best_first = map(int, ranked(edges, asked.similarities(edges)))
        is_open = best_first if self.open is not None else filter(self._is_open, best_first)
        return list(islice(is_open, most))

    def out_edges(self, passage: str) -> Sequence[int]:
        """The edges that leave a passage; none for one that the layer does not know."""
        vertex = self._vertex(passage)
        edges = () if vertex is None else self.edges.out_edges(vertex)
        return [edge for edge in edges if self._is_open(edge)]

    def target(self, edge: int) -> str:
        """The passage that an edge leads to."""
        return self._standing(int(self.edges.target[edge]))

    def vertex(self, passage: str) -> str:
        """The passage that stands for all that are the same as ``passage``."""
        vertex = self._vertex(passage)
        return passage if vertex is None else self._standing(vertex)

    def _vertex(self, passage: str) -> int | None:
        if self.allowed is not None and passage not in self.allowed:
            return None
        return self.graph.vertex(passage)

    def _is_open(self, edge: int) -> bool:
        """Whether passages that meet the filter stand at both ends of an edge."""
        if self.allowed is None:
            return True
        ends = int(self.edges.source[edge]), int(self.edges.target[edge])
        return all(not self.allowed.isdisjoint(self.graph.members_of(end)) for end in ends)

    def _standing(self, vertex: int) -> str:
        """The passage that stands for ``vertex``: of equal ones the first that is allowed."""
        if self.allowed is not None:
            for member in self.graph.members_of(vertex):
                if member in self.allowed:
                    return member
        return self.graph.ids[vertex]


def load_hops(index: Index) -> LoadedHops:
    """The hops layer of ``index``, kept in memory. Blocks; raises RagraphsError without a layer.

    Of an index that a filter narrows, only hops among its passages.
    """
    return _kept.of(index)


def _load(index: Index) -> LoadedHops:
    if index.whole is not None and index.allowed is not None:
        hops = replace(load_hops(index.whole), allowed=index.allowed)
        is_narrow = len(index.allowed) <= large.FLAT_FROM
        return replace(hops, open=_among(hops, index.allowed)) if is_narrow else hops
    arrays = HOPS.load(index, make_hops)
    graph, edges = hops_from_arrays(arrays), EdgeIndex.from_arrays(arrays)
    # Of the index only the embedder, since the index must not keep itself open.
    joined = graph.edges.similarity
    best_joined = float(joined.max(initial=0))
    ask = lru_cache(maxsize=_REMEMBERED)(partial(_ask, index.embedder, edges, joined, best_joined))
    return LoadedHops(graph, edges, ask)


def _among(hops: LoadedHops, allowed: frozenset[str]) -> Ints:
    """The edges from one of the ``allowed`` passages to another, ascending."""
    known = {vertex for id in allowed if (vertex := hops.graph.vertex(id)) is not None}
    vertices = np.array(sorted(known), dtype=np.int64)
    out = [hops.edges.out_edges(vertex) for vertex in vertices.tolist()]
    first = np.array([edges.start for edges in out], dtype=np.int64)
    edges = ranges(first, np.array([len(edges) for edges in out], dtype=np.int64))
    return edges[np.isin(hops.edges.target[edges], vertices)]


_kept = CachedValue(HOPS.stamp, _load, by_filter=True)


def _ask(
    embedder: Embedder, edges: EdgeIndex, joined: Floats, best_joined: float, question: str
) -> AskedEdges:
    vector, words = embed_queries(embedder, [question])[0], keywords(question)
    compared = edges.compared(words, vector)
    return AskedEdges(vector, words, *compared, edges, joined, best_joined)
