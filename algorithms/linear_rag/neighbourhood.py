"""The part of a passage graph that a question touches, and the walk on it alone.

Its size is bounded, so that a question takes the same time in an index of any size. All scores are
as in the whole graph, but for three numbers of all its passages that are taken from a sample of
them: the smallest cosine, the mean cosines, and what a mention outside of the part counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..spans import spans
from .passage_graph import Floats, Ints, PassageGraph, WholeGraph, term_scores
from .question import QuestionParts
from .walk import BridgingSettings, Similarities, rank, start_of, walk

Mask = NDArray[np.bool_]
Compare = Callable[[Ints], Similarities]


@dataclass(frozen=True)
class Bounds:
    """How much a question may touch.

    ``sample`` passages stand for all; ``lexical`` passages begin the walk that the terms of the
    question find in at most ``postings`` of them, and ``named`` ones for each name in it. Then the
    part is widened in ``rounds``, by at most ``wider`` passages each, from the entities with the
    largest share of the walk; an entity brings at most ``mentions``.
    """

    sample: int = 64
    lexical: int = 60
    postings: int = 30_000
    named: int = 40
    rounds: int = 2
    wider: int = 100
    mentions: int = 30


@dataclass(frozen=True)
class Subgraph:
    """Some passages of a graph, with all of their sentences and edges, as a graph of its own.

    ``places`` (P,) and ``entities`` (E,) are their numbers in the whole graph, in order.
    """

    graph: PassageGraph
    places: Ints
    entities: Ints


def rank_near(
    graph: WholeGraph,
    question: QuestionParts,
    near: Ints,
    compare: Compare,
    settings: BridgingSettings,
    allowed: Mask | None = None,
    bounds: Bounds | None = None,
) -> tuple[Ints, Floats]:
    """The passages that the question touches, best first, and their scores (``walk.rank``).

    ``near`` are the passages whose vectors are nearest to the question's; ``compare`` gives the
    cosines of passages, which are in order, and of their sentences. Given ``allowed`` (P,), only
    these passages are found.
    """
    bounds = bounds or Bounds()
    sample = np.unique(np.linspace(0, graph.passages - 1, bounds.sample).astype(np.int32))
    begin = [near, *_named(graph, question, bounds, allowed)]
    begin.append(_of_terms(graph, question.terms, bounds, allowed))
    places = np.union1d(sample, _allowed(np.concatenate(begin), allowed)).astype(np.int32)
    known = _Compared(graph, compare)
    for _ in range(bounds.rounds):
        part = part_of(graph, places, question.terms, sample)
        own = _within(part, question)
        open_here = None if allowed is None else allowed[places]
        start = start_of(part.graph, own, known.of(places), settings, open_here)
        _, shares = walk(part.graph, start, replace(settings, rounds=4))
        wider = _joined(graph, part, shares, bounds, allowed)
        if not len(wider):
            break
        places = np.union1d(places, wider).astype(np.int32)
    part = part_of(graph, places, question.terms, sample)
    open_here = None if allowed is None else allowed[places]
    scores = rank(part.graph, _within(part, question), known.of(places), settings, open_here)
    order = np.argsort(-scores, kind="stable")
    order = order if open_here is None else order[open_here[order]]
    return places[order], scores[order]


def part_of(graph: WholeGraph, places: Ints, words: tuple[str, ...], typical: Ints) -> Subgraph:
    """The passages ``places``, which are in order, with the postings of ``words`` among them.

    ``typical`` are the passages among them that stand for all.
    """
    counts = graph.sentence_counts[places]
    starts = np.cumsum(counts) - counts
    edges = spans(graph.first_edge[places], np.diff(graph.first_edge)[places])
    passage = np.searchsorted(places, graph.edge_passage[edges]).astype(np.int32)
    entities, entity = np.unique(graph.edge_entity[edges], return_inverse=True)
    in_all = graph.entity_offsets[entities + 1] - graph.entity_offsets[entities]
    sentences = spans(graph.first_sentence[places], counts)
    lengths = graph.lengths[np.concatenate([sentences, graph.sentences + places])]
    chosen = np.searchsorted(places, typical)
    shift = starts - graph.first_sentence[places]
    return Subgraph(
        PassageGraph(
            first_sentence=starts.astype(np.int32),
            edge_passage=passage,
            edge_entity=entity.astype(np.int32),
            edge_sentence=(graph.edge_sentence[edges] + shift[passage]).astype(np.int32),
            edge_title=graph.edge_title[edges],
            edge_own=graph.edge_own[edges],
            edge_kind=None if graph.edge_kind is None else graph.edge_kind[edges],
            rarity=graph.rarity[entities],
            certain=graph.certain[entities],
            lengths=lengths,
            total=graph.total,
            mean_length=graph.mean_length,
            typical=spans(starts[chosen], counts[chosen]).astype(np.int32),
            away=(in_all - np.bincount(entity, minlength=len(entities))).astype(np.int32),
            **_terms(graph, places, shift, words),
        ),
        places,
        entities.astype(np.int32),
    )


def _terms(
    graph: WholeGraph, places: Ints, shift: NDArray[np.integer[Any]], words: tuple[str, ...]
) -> dict[str, Any]:
    """The postings of ``words`` in the passages ``places``, as the part numbers its sentences."""
    numbers = [(word, graph.vocabulary.get(word)) for word in dict.fromkeys(words)]
    terms = {word: number for word, number in numbers if number is not None}
    found, rows = [], []
    first, last = graph.first_sentence[places], graph.first_sentence[places]
    last = last + graph.sentence_counts[places]
    part_sentences = int(graph.sentence_counts[places].sum())
    for number in terms.values():
        begin = int(graph.offsets[number])
        of_term = graph.postings[begin : graph.offsets[number + 1]]
        low, high = np.searchsorted(of_term, first), np.searchsorted(of_term, last)
        text = spans(low, high - low)
        in_text = of_term[text] + np.repeat(shift, high - low)
        title = np.searchsorted(of_term, graph.sentences + places)
        titled = np.flatnonzero(
            of_term[title.clip(max=len(of_term) - 1)] == graph.sentences + places
        )
        found.append(np.concatenate([in_text, part_sentences + titled]))
        rows.append(begin + np.concatenate([text, title[titled]]))
    kept = np.array(list(terms.values()), dtype=np.int64)
    empty = np.zeros(0, dtype=np.int64)
    return {
        "vocabulary": {word: at for at, word in enumerate(terms)},
        "offsets": np.cumsum([0, *map(len, found)]),
        "postings": np.concatenate([empty, *found]).astype(np.int32),
        "frequencies": graph.frequencies[np.concatenate([empty, *rows])],
        "term_rarity": graph.term_rarity[kept],
    }


def _within(part: Subgraph, question: QuestionParts) -> QuestionParts:
    """``question`` with the seeds that are in ``part``, by their numbers there."""
    seeds = []
    for seed in question.seeds:
        at = int(np.searchsorted(part.entities, seed.entity))
        if at < len(part.entities) and part.entities[at] == seed.entity:
            seeds.append(seed._replace(entity=at))
    return replace(question, seeds=tuple(seeds))


def _allowed(places: Ints, allowed: Mask | None) -> Ints:
    return places if allowed is None else places[allowed[places]]


def _named(
    graph: WholeGraph, question: QuestionParts, bounds: Bounds, allowed: Mask | None
) -> list[Ints]:
    """The passages of each entity that the question names, those first that bear its name."""
    return [
        _allowed(_passages_of(graph, seed.entity, bounds.postings), allowed)[: bounds.named]
        for seed in question.seeds
    ]


def _passages_of(graph: WholeGraph, entity: int, most: int) -> Ints:
    """At most ``most`` passages of an entity, those first that bear its name."""
    begin, end = graph.entity_offsets[entity], graph.entity_offsets[entity + 1]
    return graph.edge_passage[graph.entity_edges[begin : min(end, begin + most)]]


def _of_terms(
    graph: WholeGraph, words: tuple[str, ...], bounds: Bounds, allowed: Mask | None
) -> Ints:
    """The passages with the best BM25 by the rarest of the ``words``.

    Of the first term that has more postings than may be read, so many are, evenly spread.
    """
    numbers = {number for word in words if (number := graph.vocabulary.get(word)) is not None}
    ends = {each: (int(graph.offsets[each]), int(graph.offsets[each + 1])) for each in numbers}
    found, scores, left = [], [], bounds.postings
    for number in sorted(ends, key=lambda each: (ends[each][1] - ends[each][0], each)):
        if not left:
            break
        begin, end = ends[number]
        step = -(-(end - begin) // left)
        left = 0 if step > 1 else left - (end - begin)
        span = np.arange(begin, end, step, dtype=np.int64)
        passages, of_term = term_scores(graph, number, span)
        found.append(passages)
        scores.append(of_term)
    if not found:
        return np.zeros(0, dtype=np.int32)
    passages, places = np.unique(np.concatenate(found), return_inverse=True)
    total = np.bincount(places, np.concatenate(scores))
    if allowed is not None:
        passages, total = passages[allowed[passages]], total[allowed[passages]]
    return passages[np.argsort(-total, kind="stable")[: bounds.lexical]].astype(np.int32)


def _joined(
    graph: WholeGraph, part: Subgraph, shares: Floats, bounds: Bounds, allowed: Mask | None
) -> Ints:
    """Passages outside of ``part``, those first to which the largest ``shares`` of entities lead.

    Each entity leads to those passages first that bear its name.
    """
    assert part.graph.away is not None
    shares = np.where(part.graph.away > 0, shares, 0)
    best = np.argsort(-shares, kind="stable")[: bounds.wider]
    best = best[shares[best] > 0]
    found = [_passages_of(graph, entity, bounds.mentions) for entity in part.entities[best]]
    passages = np.concatenate([np.zeros(0, dtype=np.int32), *found])
    outside = _allowed(passages[~np.isin(passages, part.places)], allowed)
    _, first = np.unique(outside, return_index=True)
    return outside[np.sort(first)[: bounds.wider]]


class _Compared:
    """The cosines of passages, each compared once."""

    def __init__(self, graph: WholeGraph, compare: Compare) -> None:
        self._counts = graph.sentence_counts
        self._compare = compare
        self._places: Ints = np.zeros(0, dtype=np.int32)
        self._known: Similarities | None = None

    def of(self, places: Ints) -> Similarities:
        """The cosines of ``places``, which are in order and contain all that were asked before."""
        new = np.setdiff1d(places, self._places)
        if len(new):
            more = self._compare(new)
            if self._known is None:
                self._known = more
            else:
                self._known = self._merged(self._known, more, new)
            self._places = places
        assert self._known is not None
        return self._known

    def _merged(self, known: Similarities, more: Similarities, new: Ints) -> Similarities:
        places = np.concatenate([self._places, new])
        counts = self._counts[places]
        order = np.argsort(places)
        rows = spans((np.cumsum(counts) - counts)[order], counts[order])
        return Similarities(
            np.concatenate([known.passages, more.passages])[order],
            np.concatenate([known.sentences, more.sentences])[rows],
            np.concatenate([known.rest, more.rest])[rows],
        )
