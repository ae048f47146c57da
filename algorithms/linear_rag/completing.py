"""Passages that say of the question what the best ones leave out, and share a name with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..spans import spans
from .passage_graph import Floats, Ints, PassageGraph, term_shares

_BEST = 3
_WEIGHT = np.float32(2)
_NAMED = np.float32(0.1)


def completed(
    graph: PassageGraph,
    words: Iterable[str],
    scores: Floats,
    carried: NDArray[np.floating],
    relevance: Floats,
) -> Floats:
    """``scores`` (P,) of a walk, raised for passages that complete one of the three best.

    x(q) + 2·√(x₁·x(q)) · max over p, e of x(p)/x₁·c(e)·(new(s, p) + 0.1·rel(t)²): the name e, which
    carries c(e) (E,), is in both; s is the sentence of q that mentions it, or any where e is its
    title; new is the idf-weighted share of the question's ``words`` in s or the title of q that p
    lacks; only where e is the title of q, the ``relevance`` (S,) of the sentence t of p that
    mentions it counts. So the second of two texts is found that are to be read together, where the
    walk would rather go to texts that repeat the question. The root keeps out what hardly any of
    the walk reaches; the best passage stays the best.
    """
    best = np.argsort(-scores, kind="stable")[:_BEST].astype(np.int32)
    most = np.float32(max(float(scores[best[0]]), 1e-20))
    starts, ends = np.searchsorted(graph.edge_passage, np.stack([best, best + np.int32(1)]))
    named = [graph.edge_entity[start:end] for start, end in zip(starts, ends, strict=True)]
    shares = term_shares(graph, words)
    edges = _Edges.to(graph, np.concatenate(named), carried)
    found = np.zeros(graph.passages, dtype=np.float32)
    for passage, names, start, end in zip(best.tolist(), named, starts, ends, strict=True):
        worth = np.zeros(graph.entities, dtype=np.float32)
        worth[names] = carried[names]
        told = np.zeros(graph.entities, dtype=np.float32)
        np.maximum.at(told, names, relevance[graph.edge_sentence[start:end]])
        said = edges.said(graph, _new(graph, shares, passage))
        said[edges.pages] += _NAMED * told[edges.names[edges.pages]] ** 2
        value = worth[edges.names] * said
        value[edges.passages == passage] = 0
        np.maximum.at(found, edges.passages, value * (scores[passage] / most))
    raised: Floats = scores + _WEIGHT * np.sqrt(most * scores) * found
    first = raised[best[0]]
    raised[raised > first] = np.nextafter(first, np.float32(0))
    return raised


class _Edges(NamedTuple):
    """Edges by their passages, names and sentences.

    ``pages`` are the places of those from a page to its title, of which ``rows`` are the sentences
    and ``firsts`` the places of the first ones among these.
    """

    passages: Ints
    names: Ints
    sentences: Ints
    pages: NDArray[np.int64]
    rows: NDArray[np.int64]
    firsts: NDArray[np.int64]

    @classmethod
    def to(cls, graph: PassageGraph, names: Ints, carried: NDArray[np.floating]) -> _Edges:
        """The edges to those ``names`` that carry something."""
        wanted = np.zeros(graph.entities, dtype=np.bool_)
        wanted[names[carried[names] > 0]] = True
        edges = np.flatnonzero(wanted[graph.edge_entity])
        passages = graph.edge_passage[edges]
        pages = np.flatnonzero(graph.edge_title[edges] > 0)
        counts = graph.sentence_counts[passages[pages]]
        rows = spans(graph.first_sentence[passages[pages]], counts)
        entities, sentences = graph.edge_entity[edges], graph.edge_sentence[edges]
        return cls(passages, entities, sentences, pages, rows, np.cumsum(counts) - counts)

    def said(self, graph: PassageGraph, new: Floats) -> Floats:
        """The share of ``new`` in each edge's sentence, or in the best of its page, at most 1."""
        said: Floats = new[self.sentences]
        if len(self.pages):
            said[self.pages] = np.maximum.reduceat(new[self.rows], self.firsts)
        said += new[graph.sentences + self.passages]
        return said.clip(max=1)


def _new(graph: PassageGraph, shares: Iterable[tuple[Ints, np.float32]], passage: int) -> Floats:
    """The share of the words in each sentence and title (S + P,) that ``passage`` lacks."""
    new = np.zeros(len(graph.lengths), dtype=np.float32)
    for where, share in shares:
        if not (graph.sentence_passage[where] == passage).any():
            new[where] += share
    return new
