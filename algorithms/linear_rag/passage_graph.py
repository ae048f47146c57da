"""The graph of passages, their sentences and the entities these mention, as plain arrays."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...language.analyser import sentences, terms
from ...language.mentions import aliases, find_mentions, short_key
from ...language.mentions import key as key_of
from ..packed_lines import pack_lines, unpack_lines

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

SHORTENED_TITLE = 0.5


class PassageRecord(NamedTuple):
    """One passage as the graph reads it: plain data, computed once and stored by the caller.

    ``titles`` are the keys of the title, whole and shortened (``mentions.aliases``); ``mentions``
    are (sentence, key, certain) with ``certain`` false for dates and numbers; ``terms`` are the
    index terms of each sentence (there is at least one), ``title_terms`` of the title.
    """

    titles: tuple[str, ...]
    mentions: tuple[tuple[int, str, bool], ...]
    terms: tuple[tuple[str, ...], ...]
    title_terms: tuple[str, ...]


def sentence_texts(title: str, text: str) -> list[str]:
    """The sentences of ``text`` as they are to be embedded, ``title`` in front; at least one."""
    return [f"{title}: {sentence}" if title else sentence for sentence in _split(text)]


def passage_record(title: str, text: str) -> PassageRecord:
    """Analyses one passage; its sentences are the ``sentence_texts``, in that order."""
    return PassageRecord(
        titles=tuple(aliases(title)),
        mentions=tuple(
            (m.sentence, m.key, m.kind in {"name", "quoted"}) for m in find_mentions(title, text)
        ),
        terms=tuple(_terms(text)),
        title_terms=tuple(terms(title)),
    )


def _split(text: str) -> list[str]:
    return [sentence.plain for sentence in sentences(text)] or [text]


def _terms(text: str) -> Iterator[tuple[str, ...]]:
    """The terms of each sentence, and of the heading or code before it, which is none."""
    end, last = 0, len(text)
    found = sentences(text)
    for place, sentence in enumerate(found, start=1):
        after = text[sentence.end : last] if place == len(found) else ""
        yield tuple(terms(f"{text[end : sentence.start]} {sentence.plain} {after}"))
        end = sentence.end
    if not found:
        yield tuple(terms(text))


class NamedSpan(NamedTuple):
    """Characters ``[start, end)`` of a text that name the entity ``name``."""

    start: int
    end: int
    name: str


def with_entities(record: PassageRecord, text: str, spans: Iterable[NamedSpan]) -> PassageRecord:
    """``record`` with mentions of the entities that the entities layer found in ``text``.

    Each is added as written there and by the entity's name, under which its aliases meet.
    """
    starts = [sentence.start for sentence in sentences(text)]
    mentions = dict.fromkeys(record.mentions)
    for start, end, name in spans:
        place = max(bisect_right(starts, start) - 1, 0)
        for found in (key_of(text[start:end]), key_of(name)):
            if found:
                mentions[place, found, not found.replace(" ", "").isdigit()] = None
    return record._replace(mentions=tuple(mentions))


@dataclass(frozen=True)
class PassageGraph:
    """Passages 0..P-1, their sentences 0..S-1 in order of passages, entities 0..E-1, terms 0..T-1.

    An edge r joins passage ``edge_passage[r]`` and entity ``edge_entity[r]`` through sentence
    ``edge_sentence[r]``. ``edge_title[r]`` is the weight of an edge from a passage to an entity
    that is its title (1 whole, 0.5 shortened, 0 for a mention in the text), ``edge_own[r]`` the
    same for every mention of the passage's own title. ``rarity`` is log(P/df)/log P in [0, 1].
    ``certain`` is false for entities seen only as date or number. ``postings`` are the sentences
    of term t at ``offsets[t]:offsets[t + 1]``, with their ``frequencies``; a sentence of number
    S + p stands for the title of passage p.
    """

    keys: tuple[str, ...]
    vocabulary: tuple[str, ...]
    first_sentence: Ints
    edge_passage: Ints
    edge_entity: Ints
    edge_sentence: Ints
    edge_title: Floats
    edge_own: Floats
    rarity: Floats
    certain: NDArray[np.bool_]
    offsets: Ints
    postings: Ints
    frequencies: Floats
    lengths: Floats

    @property
    def passages(self) -> int:
        """The number of passages P."""
        return len(self.first_sentence)

    @cached_property
    def sentence_counts(self) -> Ints:
        """The number of sentences of each passage: shape (P,)."""
        return np.diff(self.first_sentence, append=np.int32(len(self.lengths) - self.passages))

    @cached_property
    def sentence_passage(self) -> Ints:
        """The passage of each sentence, then of each title: shape (S + P,)."""
        numbers = np.arange(self.passages, dtype=np.int32)
        return np.concatenate([np.repeat(numbers, self.sentence_counts), numbers])

    @cached_property
    def passage_lengths(self) -> Floats:
        """Terms of each passage, title included: shape (P,)."""
        return _sums(self.sentence_passage, self.lengths, self.passages)

    @cached_property
    def entity_ids(self) -> dict[str, int]:
        """Entity by key."""
        return {key: id for id, key in enumerate(self.keys)}

    @cached_property
    def term_ids(self) -> dict[str, int]:
        """Term by its text."""
        return {term: id for id, term in enumerate(self.vocabulary)}

    @cached_property
    def title_entities(self) -> frozenset[int]:
        """Entities that are the whole title of a passage."""
        return frozenset(self.edge_entity[self.edge_title == 1].tolist())

    @cached_property
    def word_entities(self) -> dict[str, list[int]]:
        """Entities by each word of their keys."""
        found: dict[str, list[int]] = defaultdict(list)
        for id, key in enumerate(self.keys):
            for word in set(key.split()):
                found[word].append(id)
        return dict(found)

    @cached_property
    def term_rarity(self) -> Floats:
        """BM25's idf, ln(1 + (P - df + ½)/(df + ½)), shape (T,)."""
        df = [
            len(np.unique(self.sentence_passage[self.postings[a:b]]))
            for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True)
        ]
        found = np.array(df, dtype=np.float32)
        return np.log1p((self.passages - found + 0.5) / (found + 0.5)).astype(np.float32)


def build_graph(records: Sequence[PassageRecord]) -> PassageGraph:
    """The graph of ``records``; the passages keep their order. Linear in their mentions."""
    lengths = [len(record.terms) for record in records]
    first = np.cumsum([0, *lengths], dtype=np.int32)[:-1]
    mentions = Counter(
        (int(start) + sentence, key)
        for start, record in zip(first, records, strict=True)
        for sentence, key, _ in record.mentions
    )
    titles = [(p, key, rank) for p, r in enumerate(records) for rank, key in enumerate(r.titles)]
    keys = dict.fromkeys([key for _, key in mentions] + [key for _, key, _ in titles])
    whole = {key for _, key, rank in titles if rank < 2}
    nested = {key: _keys_inside(key, keys, whole) for key in keys}
    pairs = dict.fromkeys(mentions)
    pairs.update(dict.fromkeys((s, inner) for s, key in mentions for inner in nested[key]))
    sure = {key for record in records for _, key, certain in record.mentions if certain} | whole
    ids = {key: id for id, key in enumerate(keys)}
    return PassageGraph(
        keys=tuple(keys),
        first_sentence=first,
        certain=np.array([key in sure for key in keys], dtype=np.bool_),
        **_edges(list(pairs), titles, ids, np.repeat(np.arange(len(records)), lengths), first),
        **_postings(records),
    )


def _keys_inside(key: str, keys: Mapping[str, None], whole: set[str]) -> list[str]:
    """Keys that are a run of words of ``key``, or it without middle initials.

    Single words count only where they are a whole title.
    """
    words = key.split()
    runs = (
        " ".join(words[start : start + length])
        for length in range(1, len(words))
        for start in range(len(words) - length + 1)
    )
    found = [run for run in runs if run in keys and (" " in run or run in whole)]
    short = short_key(key)
    return [*found, short] if short != key and short in keys and short not in found else found


def _edges(
    pairs: list[tuple[int, str]],
    titles: list[tuple[int, str, int]],
    ids: Mapping[str, int],
    sentence_passage: NDArray[np.int64],
    first: Ints,
) -> dict[str, Any]:
    """The ``edge_`` arrays and ``rarity``: mentions in the text first, then titles."""
    title_weight = {(p, ids[key]): 1.0 if rank < 2 else SHORTENED_TITLE for p, key, rank in titles}
    passage = [int(sentence_passage[s]) for s, _ in pairs] + [p for p, _ in title_weight]
    entity = [ids[key] for _, key in pairs] + [e for _, e in title_weight]
    sentence = [s for s, _ in pairs] + [int(first[p]) for p, _ in title_weight]
    edges = list(zip(passage, entity, strict=True))
    df = np.bincount([e for _, e in set(edges)], minlength=len(ids)) if edges else np.zeros(0)
    total = max(len(first), 2)
    return {
        "edge_passage": np.array(passage, dtype=np.int32),
        "edge_entity": np.array(entity, dtype=np.int32),
        "edge_sentence": np.array(sentence, dtype=np.int32),
        "edge_title": np.array([0.0] * len(pairs) + list(title_weight.values()), dtype=np.float32),
        "edge_own": np.array([title_weight.get(edge, 0.0) for edge in edges], dtype=np.float32),
        "rarity": np.log(total / np.clip(df, 1, total)).astype(np.float32) / math.log(total),
    }


def _postings(records: Sequence[PassageRecord]) -> dict[str, Any]:
    texts = [words for record in records for words in record.terms]
    texts += [record.title_terms for record in records]
    where: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, words in enumerate(texts):
        for term, count in Counter(words).items():
            where[term].append((number, count))
    flat = [item for items in where.values() for item in items]
    return {
        "vocabulary": tuple(where),
        "offsets": np.cumsum([0, *map(len, where.values())], dtype=np.int32),
        "postings": np.array([number for number, _ in flat], dtype=np.int32),
        "frequencies": np.array([count for _, count in flat], dtype=np.float32),
        "lengths": np.array([len(words) for words in texts], dtype=np.float32),
    }


def graph_to_arrays(graph: PassageGraph) -> dict[str, NDArray[Any]]:
    """The graph as named arrays, for ``numpy.savez``; strings as UTF-8 bytes, one a line."""
    arrays = {name: getattr(graph, name) for name in graph.__dataclass_fields__}
    for name in ("keys", "vocabulary"):
        arrays[name] = pack_lines(arrays[name])
    return arrays


def graph_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> PassageGraph:
    """The inverse of ``graph_to_arrays``."""
    fields: dict[str, Any] = {name: arrays[name] for name in PassageGraph.__dataclass_fields__}
    for name in ("keys", "vocabulary"):
        fields[name] = tuple(unpack_lines(fields[name]))
    return PassageGraph(**fields)


def bm25(
    graph: PassageGraph,
    words: Iterable[str],
    k1: float = 1.2,
    b: float = 0.75,
    title_weight: float = 2.0,
) -> Floats:
    """BM25 of each passage for the index terms ``words``, shape (P,).

    Title and text are one field in which a title term counts ``title_weight`` times more
    (Robertson, Zaragoza and Taylor 2004).
    """
    scores = np.zeros(graph.passages, dtype=np.float32)
    sentence_count = len(graph.lengths) - graph.passages
    share = graph.passage_lengths / max(float(graph.passage_lengths.mean()), 1e-9)
    for word in words:
        id = graph.term_ids.get(word)
        if id is None:
            continue
        span = slice(graph.offsets[id], graph.offsets[id + 1])
        where = graph.postings[span]
        weighted = graph.frequencies[span] * np.where(where >= sentence_count, title_weight, 1)
        tf = _sums(graph.sentence_passage[where], weighted.astype(np.float32), graph.passages)
        scores += graph.term_rarity[id] * tf * (k1 + 1) / (tf + k1 * (1 - b + b * share))
    return scores


def sentence_overlap(graph: PassageGraph, words: Iterable[str]) -> Floats:
    """The idf-weighted share of ``words`` that each sentence contains, in [0, 1], shape (S,)."""
    sentence_count = len(graph.lengths) - graph.passages
    found = np.zeros(len(graph.lengths), dtype=np.float32)
    unseen = math.log1p((graph.passages + 0.5) / 0.5)
    total = 0.0
    for word in dict.fromkeys(words):
        id = graph.term_ids.get(word)
        rarity = unseen if id is None else float(graph.term_rarity[id])
        total += rarity
        if id is not None:
            found[graph.postings[graph.offsets[id] : graph.offsets[id + 1]]] += rarity
    return found[:sentence_count] / np.float32(max(total, 1e-9))


def _sums(groups: NDArray[Any], values: Floats, size: int) -> Floats:
    """Σ of ``values`` by group, shape (size,)."""
    return np.bincount(groups, values, size).astype(np.float32)
