"""The passages, and the pairs of passages, from which questions are written: drawn at random."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from ...algorithms.hoprag.edges import Edges
from ...index.hops import stored_hops
from ...index.opening import Index
from ...state.records import Passage


class Chain(NamedTuple):
    """Two passages that an edge of the layer hops joins; ``raised`` is a question of the first."""

    first: Passage
    second: Passage
    raised: str


def drawn_passages(index: Index, seed: str) -> list[str]:
    """The ids of all passages in random order, so that each document comes before any again.

    Passages with the same text come once. Blocks.
    """
    draw = random.Random(seed)
    of_documents: dict[str, list[str]] = defaultdict(list)
    seen: set[int] = set()
    every = (
        (passage["id"], passage["document"], hash((passage["title"], passage["text"])))
        for passage in index.catalogue.all_passages()
    )
    for id, document, text in sorted(every):
        if text not in seen:
            seen.add(text)
            of_documents[document].append(id)
    rows = [of_documents[document] for document in sorted(of_documents)]
    draw.shuffle(rows)
    for row in rows:
        draw.shuffle(row)
    return [id for ids in zip_longest(*rows) for id in ids if id is not None]


def drawn_chains(index: Index, seed: str) -> Iterator[Chain]:
    """The edges of the layer hops in random order, those that fit better first.

    An edge fits better than half of all by the likeness of the questions that it joins. Edges come
    later whose passages came before. Blocks; raises RagraphsError where there is no layer hops.
    """
    graph = stored_hops(index)
    for edge in _by_novelty(graph.edges, random.Random(seed).getrandbits(64)):
        ends = graph.ids[int(graph.edges.source[edge])], graph.ids[int(graph.edges.target[edge])]
        match index.catalogue.passages(ends):
            case [first, second]:  # else the index has changed since the layer was made
                yield Chain(first, second, graph.raised(edge))


def _by_novelty(edges: Edges, seed: int) -> Iterator[int]:
    """All ``edges``: first those that share no passage with one before."""
    order = np.random.default_rng(seed).permutation(len(edges.source))
    likeness = edges.similarity[order]
    fits = likeness >= (np.median(likeness) if len(likeness) else 0)
    used: set[int] = set()
    later: list[int] = []
    for edge in (*order[fits].tolist(), *order[~fits].tolist()):
        ends = {int(edges.source[edge]), int(edges.target[edge])}
        if used.isdisjoint(ends):
            used |= ends
            yield edge
        else:
            later.append(edge)
    yield from later
