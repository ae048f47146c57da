"""Passages that say of the question what the best ones leave out, and share a name with them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .passage_graph import Floats, Ints, PassageGraph, term_shares

_BEST = 3
_WEIGHT = np.float32(1.5)


def completed(graph: PassageGraph, words: Iterable[str], scores: Floats, carried: Floats) -> Floats:
    """``scores`` (P,) of a walk, raised for passages that complete one of the three best.

    x(q) + 1.5·√(x₁·x(q)) · max over p, e of x(p)/x₁·c(e)·new(s, p): the name e, which carries
    c(e) (E,), is in both; s is the sentence of q that mentions it, or any where e is its title; new
    is the idf-weighted share of the question's ``words`` in s or the title of q that p lacks. So
    the second of two texts is found that are to be read together, where the walk would rather go
    to texts that repeat the question. The root keeps out what hardly any of the walk reaches.
    """
    best = np.argsort(-scores, kind="stable")[:_BEST].tolist()
    most = np.float32(max(float(scores[best[0]]), 1e-20))
    shares = term_shares(graph, words)
    found = np.zeros(graph.passages, dtype=np.float32)
    for passage in best:
        edges, worth = _joined(graph, passage, carried)
        to, new = graph.edge_passage[edges], _new(graph, shares, passage)
        anywhere = np.maximum.reduceat(new, graph.first_sentence)[to]
        said = np.where(graph.edge_title[edges] > 0, anywhere, new[graph.edge_sentence[edges]])
        np.maximum.at(found, to, worth * said * (scores[passage] / most))
    return scores + _WEIGHT * np.sqrt(most * scores) * found


def _joined(graph: PassageGraph, passage: int, carried: Floats) -> tuple[Ints, Floats]:
    """The edges from other passages to the names in ``passage``, and what each name carries."""
    start, end = np.searchsorted(graph.edge_passage, [passage, passage + 1])
    worth = np.zeros(graph.entities, dtype=np.float32)
    names = graph.edge_entity[start:end]
    worth[names] = carried[names]
    edges = np.flatnonzero(worth[graph.edge_entity])
    edges = edges[graph.edge_passage[edges] != passage].astype(np.int32)
    return edges, worth[graph.edge_entity[edges]]


def _new(graph: PassageGraph, shares: Iterable[tuple[Ints, np.float32]], passage: int) -> Floats:
    """The share of the words in each sentence (S,), or its title, that ``passage`` lacks."""
    new = np.zeros(len(graph.lengths), dtype=np.float32)
    for where, share in shares:
        if not (graph.sentence_passage[where] == passage).any():
            new[where] += share
    titles = np.repeat(new[graph.sentences :], graph.sentence_counts)
    return np.minimum(new[: graph.sentences] + titles, 1)
