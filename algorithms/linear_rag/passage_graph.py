"""The graph of passages, their sentences and the entities these mention, as plain arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..packed_texts import DistinctTexts
from ..spliced import Spliced

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_K1 = 1.2
_B = 0.75
_TITLE_WEIGHT = 2.0
CERTAIN, NESTED = 1, 2  # kinds of edges: 0 is of a date or number, NESTED of a name inside another


class Lookup(Protocol):
    """Numbers of texts."""

    def get(self, text: str, /) -> int | None:
        """The number of ``text``, if it has one."""


@dataclass(frozen=True, kw_only=True)
class PassageGraph:
    """Passages 0..P-1, their sentences 0..S-1 in order of passages, entities 0..E-1, terms 0..T-1.

    An edge r joins passage ``edge_passage[r]`` and entity ``edge_entity[r]`` through sentence
    ``edge_sentence[r]``; edges stand in order of passages. ``edge_title[r]`` is the weight of an
    edge from a passage to an entity that is its title (1 whole, 0.5 shortened, 0 for a mention in
    the text), ``edge_own[r]`` the same for every mention of the passage's own title, and
    ``edge_kind[r]`` its kind; of an earlier version kinds are missing. ``rarity`` is
    log(P/df)/log P in [0, 1]. ``certain`` is false for entities seen only as date or number.
    ``postings`` are the sentences of term t at ``offsets[t]:offsets[t + 1]``, with their
    ``frequencies``; a sentence of number S + p stands for the title of passage p. ``term_rarity``
    is BM25's idf, ln(1 + (P - df + ½)/(df + ½)), and ``mean_length`` the mean length of a passage
    in terms.

    A part of a graph has passages, sentences, entities and terms of its own numbers; rarities,
    ``total`` passages and mean length are the whole graph's. Then ``typical`` are the sentences
    that stand for all, and ``away`` (E,) counts the edges of each entity that are not in the part.
    """

    first_sentence: Ints
    edge_passage: Ints
    edge_entity: Ints
    edge_sentence: Ints
    edge_title: Floats
    edge_own: Floats
    rarity: Floats
    certain: NDArray[np.bool_]
    vocabulary: Lookup
    offsets: NDArray[np.int64]
    postings: Ints
    frequencies: Floats | Spliced
    term_rarity: Floats
    lengths: Floats
    total: int
    mean_length: float
    typical: Ints | None = None
    away: Ints | None = None
    edge_kind: NDArray[np.int8] | None = None

    @property
    def passages(self) -> int:
        """The number of passages P."""
        return len(self.first_sentence)

    @property
    def entities(self) -> int:
        """The number of entities E."""
        return len(self.rarity)

    @property
    def sentences(self) -> int:
        """The number of sentences S."""
        return len(self.lengths) - self.passages

    @cached_property
    def sentence_counts(self) -> Ints:
        """The number of sentences of each passage: shape (P,)."""
        return np.diff(self.first_sentence, append=np.int32(self.sentences))

    @cached_property
    def sentence_passage(self) -> Ints:
        """The passage of each sentence, then of each title: shape (S + P,)."""
        numbers = np.arange(self.passages, dtype=np.int32)
        return np.concatenate([np.repeat(numbers, self.sentence_counts), numbers])

    @cached_property
    def typical_passages(self) -> Ints | slice:
        """The numbers of the passages that stand for all."""
        return (
            slice(None) if self.typical is None else np.unique(self.sentence_passage[self.typical])
        )

    @cached_property
    def passage_lengths(self) -> Floats:
        """Terms of each passage, title included: shape (P,)."""
        return np.bincount(self.sentence_passage, self.lengths, self.passages).astype(np.float32)


@dataclass(frozen=True, kw_only=True)
class WholeGraph(PassageGraph):
    """The graph of an index, with the names of its entities, which may lie in mapped files.

    Passage p has the edges ``first_edge[p]:first_edge[p + 1]``; entity e has the edges numbered
    ``entity_edges[entity_offsets[e]:entity_offsets[e + 1]]``, its titles first. ``keys`` are the
    entities' names, ``titled`` tells whether one is the whole title of a passage. Word w of
    ``words`` is in the keys ``word_entities[word_offsets[w]:word_offsets[w + 1]]``. From the kinds
    of edges, from the keys ``inside[inside_ends[e]:inside_ends[e + 1]]`` that are a part of the key
    of e, and from the numbers ``passages_of_terms`` (T,) of passages with each term, the next graph
    is made; of an earlier version they are missing.
    """

    keys: DistinctTexts
    titled: NDArray[np.bool_]
    first_edge: NDArray[np.int64]
    entity_offsets: NDArray[np.int64]
    entity_edges: NDArray[np.int64]
    words: DistinctTexts
    word_offsets: NDArray[np.int64]
    word_entities: Ints
    vocabulary: DistinctTexts
    inside: Ints | None = None
    inside_ends: NDArray[np.int64] | None = None
    passages_of_terms: Ints | None = None

    @cached_property
    def has_titled_pages(self) -> bool:
        """Whether there are at least half as many titles as passages."""
        return 2 * int(self.titled.sum()) >= self.passages

    def bearing(self, word: str) -> Ints:
        """The entities with this word in their key, in order."""
        number = self.words.get(word)
        if number is None:
            return np.zeros(0, dtype=np.int32)
        return self.word_entities[self.word_offsets[number] : self.word_offsets[number + 1]]


def graph_to_arrays(graph: WholeGraph) -> dict[str, NDArray[Any]]:
    """The graph as named arrays."""
    arrays: dict[str, Any] = {}
    for field in fields(graph):
        value = getattr(graph, field.name)
        if isinstance(value, DistinctTexts):
            arrays |= value.to_arrays(field.name)
        elif value is not None:
            arrays[field.name] = value if isinstance(value, Spliced) else np.asarray(value)
    return arrays


def graph_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> WholeGraph:
    """The inverse of ``graph_to_arrays``; arrays are taken as they are, mapped or not."""
    found: dict[str, Any] = {
        field.name: arrays[field.name] for field in fields(WholeGraph) if field.name in arrays
    }
    for name in ("keys", "words", "vocabulary"):
        found[name] = DistinctTexts.from_arrays(arrays, name)
    found["total"], found["mean_length"] = int(arrays["total"]), float(arrays["mean_length"])
    return WholeGraph(**found)


def bm25(graph: PassageGraph, words: Iterable[str]) -> Floats:
    """BM25 of each passage for the index terms ``words``, shape (P,).

    Title and text are one field in which a title term counts twice (Robertson, Zaragoza and
    Taylor 2004).
    """
    scores = np.zeros(graph.passages, dtype=np.float32)
    for word in words:
        term = graph.vocabulary.get(word)
        if term is not None:
            span = np.arange(graph.offsets[term], graph.offsets[term + 1])
            passages, found = term_scores(graph, term, span)
            scores[passages] += found
    return scores


def term_scores(graph: PassageGraph, term: int, span: NDArray[np.int64]) -> tuple[Ints, Floats]:
    """The passages of the postings ``span`` of ``term``, each once, and BM25's term of each."""
    where = graph.postings[span]
    weighted = graph.frequencies[span] * np.where(where >= graph.sentences, _TITLE_WEIGHT, 1)
    passages, places = np.unique(graph.sentence_passage[where], return_inverse=True)
    tf = np.bincount(places, weighted.astype(np.float32), len(passages)).astype(np.float32)
    share = graph.passage_lengths[passages] / np.float32(max(graph.mean_length, 1e-9))
    score = graph.term_rarity[term] * tf * (_K1 + 1) / (tf + _K1 * (1 - _B + _B * share))
    return passages, score.astype(np.float32)


def sentence_overlap(graph: PassageGraph, words: Iterable[str]) -> Floats:
    """The idf-weighted share of ``words`` that each sentence contains, in [0, 1], shape (S,)."""
    found = np.zeros(len(graph.lengths), dtype=np.float32)
    for where, share in term_shares(graph, words):
        found[where] += share
    return found[: graph.sentences]


def term_shares(graph: PassageGraph, words: Iterable[str]) -> list[tuple[Ints, np.float32]]:
    """The sentences and titles with each of ``words``, and its share of the idf of them all."""
    terms = {word: graph.vocabulary.get(word) for word in words}
    unseen = math.log1p((graph.total + 0.5) / 0.5)
    rarities = [unseen if t is None else float(graph.term_rarity[t]) for t in terms.values()]
    total = max(sum(rarities), 1e-9)
    return [
        (graph.postings[graph.offsets[term] : graph.offsets[term + 1]], np.float32(rarity / total))
        for term, rarity in zip(terms.values(), rarities, strict=True)
        if term is not None
    ]
