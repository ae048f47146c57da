"""Building the passage graph, a passage at a time."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...language.mentions import short_key
from ..packed_texts import DistinctTexts
from ..spans import spans
from .passage_graph import Ints, WholeGraph
from .passage_records import PassageRecord

SHORTENED_TITLE = 0.5

Longs = NDArray[np.int64]


class GraphBuilder:
    """Keeps numbers of the passages that it is given, and each name and term once.

    builder = GraphBuilder()
    builder.add(passage_record("Oslo", "Oslo is a city."))
    graph = builder.finish()
    """

    def __init__(self) -> None:
        self._keys: dict[str, int] = {}
        self._terms: dict[str, int] = {}
        self._sure = bytearray()
        self._counts = array("i")  # sentences of each passage
        self._sentences = 0
        self._mentions = (array("i"), array("i"))  # sentence, key
        self._titles = (array("i"), array("i"), array("f"))  # passage, key, weight
        self._in_text = _Postings()
        self._in_titles = _Postings()

    def add(self, record: PassageRecord) -> None:
        """Adds a passage after those before it."""
        passage = len(self._counts)
        for sentence, key in dict.fromkeys((place, key) for place, key, _ in record.mentions):
            self._mentions[0].append(self._sentences + sentence)
            self._mentions[1].append(self._key(key))
        for _, key, certain in record.mentions:
            self._sure[self._key(key)] |= certain
        titles = {key: SHORTENED_TITLE if at > 1 else 1.0 for at, key in enumerate(record.titles)}
        for key, weight in titles.items():
            self._titles[0].append(passage)
            self._titles[1].append(self._key(key))
            self._titles[2].append(weight)
        self._in_titles.add(record.title_terms, self._terms)
        for words in record.terms:
            self._in_text.add(words, self._terms)
        self._counts.append(len(record.terms))
        self._sentences += len(record.terms)

    def _key(self, key: str) -> int:
        if key not in self._keys:
            self._sure.append(False)
        return self._keys.setdefault(key, len(self._keys))

    def finish(self) -> WholeGraph:
        """The graph of all passages."""
        counts = _integers(self._counts)
        first = np.zeros(len(counts), dtype=np.int32)
        np.cumsum(counts[:-1], out=first[1:])
        sentence_passage = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        keys, mentions, titles, sure = self._numbered()
        whole = titles[1][titles[2] == 1]
        titled = np.zeros(len(keys), dtype=np.bool_)
        titled[whole] = True
        packed = DistinctTexts.of(keys)
        return WholeGraph(
            keys=packed,
            titled=titled,
            first_sentence=first,
            certain=sure | titled,
            total=len(counts),
            **_edges(_with_nested(mentions, keys, titled), titles, sentence_passage, first, keys),
            **_words(keys),
            **self._postings(sentence_passage, len(counts)),
        )

    def _numbered(self) -> tuple[list[str], tuple[Ints, Ints], tuple[Any, ...], NDArray[np.bool_]]:
        """The keys, mentions and titles, numbered in order of mentions and then of titles."""
        mentioned, titled = _integers(self._mentions[1]), _integers(self._titles[1])
        _, appeared = np.unique(np.concatenate([mentioned, titled]), return_index=True)
        order = np.argsort(appeared, kind="stable")
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        texts = list(self._keys)
        return (
            [texts[at] for at in order.tolist()],
            (_integers(self._mentions[0]), number[mentioned]),
            (
                _integers(self._titles[0]),
                number[titled],
                np.frombuffer(self._titles[2], dtype=np.float32)
                if titled.size
                else np.zeros(0, dtype=np.float32),
            ),
            np.frombuffer(bytes(self._sure), dtype=np.bool_)[order],
        )

    def _postings(self, sentence_passage: Ints, passages: int) -> dict[str, Any]:
        """The arrays of terms; the texts are all sentences, then all titles."""
        sentences = len(sentence_passage)
        parts = self._in_text.arrays(0), self._in_titles.arrays(sentences)
        term, text, count = (np.concatenate(pair) for pair in zip(*parts, strict=True))
        order = np.argsort(term, kind="stable")
        passage = np.concatenate([sentence_passage, np.arange(passages, dtype=np.int32)])
        pairs = np.unique(term.astype(np.int64) * max(passages, 1) + passage[text])
        df = np.bincount(pairs // max(passages, 1), minlength=len(self._terms)).astype(np.float32)
        lengths = np.concatenate([self._in_text.lengths(), self._in_titles.lengths()])
        of_passages = np.bincount(passage, lengths, passages).astype(np.float32)
        return {
            "vocabulary": DistinctTexts.of(list(self._terms)),
            "offsets": _offsets(term, len(self._terms)),
            "postings": text[order],
            "frequencies": count[order].astype(np.float32),
            "term_rarity": np.log1p((passages - df + 0.5) / (df + 0.5)).astype(np.float32),
            "lengths": lengths,
            "mean_length": float(of_passages.mean()) if passages else 0.0,
        }


class _Postings:
    """Which term stands in which text, and how often."""

    def __init__(self) -> None:
        self._columns = (array("i"), array("i"), array("i"))  # term, text, count
        self._lengths = array("i")

    def add(self, words: Sequence[str], known: dict[str, int]) -> None:
        """Adds the terms of the next text; the ``known`` have numbers."""
        term, text, count = self._columns
        for word, times in Counter(words).items():
            term.append(known.setdefault(word, len(known)))
            text.append(len(self._lengths))
            count.append(times)
        self._lengths.append(len(words))

    def arrays(self, first: int) -> tuple[Ints, Ints, Ints]:
        """Term, text and count of each posting, where the texts count from ``first``."""
        term, text, count = map(_integers, self._columns)
        return term, text + np.int32(first), count

    def lengths(self) -> NDArray[np.float32]:
        """The number of terms of each text."""
        return _integers(self._lengths).astype(np.float32)


def _integers(numbers: array[int]) -> Ints:
    return np.array(numbers, dtype=np.int32)


def _offsets(groups: NDArray[np.integer[Any]], size: int) -> Longs:
    """Where each of ``size`` groups begins, once their members stand in order: (size + 1,)."""
    found = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(groups, minlength=size), out=found[1:])
    return found


def _with_nested(
    mentions: tuple[Ints, Ints], keys: Sequence[str], titled: NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """Sentence and key of all mentions, and of the keys inside these, each pair once."""
    ids = {key: number for number, key in enumerate(keys)}
    counts, flat = array("i"), array("i")
    for key in keys:
        inside = _keys_inside(key, ids, titled)
        counts.append(len(inside))
        flat.extend(inside)
    sentence, key_of = mentions
    starts = np.concatenate([[0], np.cumsum(_integers(counts), dtype=np.int64)])
    repeats = _integers(counts)[key_of]
    inner = _integers(flat)[spans(starts[key_of], repeats)]
    size = max(len(keys), 1)
    pairs = np.concatenate([sentence, np.repeat(sentence, repeats)]).astype(np.int64) * size
    pairs += np.concatenate([key_of, inner])
    _, first = np.unique(pairs, return_index=True)
    pairs = pairs[np.sort(first)]
    return (pairs // size).astype(np.int32), (pairs % size).astype(np.int32)


def _keys_inside(key: str, ids: Mapping[str, int], titled: NDArray[np.bool_]) -> list[int]:
    """Keys that are a run of words of ``key``, or it without middle initials.

    Single words count only where they are a whole title.
    """
    words = key.split()
    runs = (
        " ".join(words[start : start + length])
        for length in range(1, len(words))
        for start in range(len(words) - length + 1)
    )
    found = [ids[run] for run in runs if run in ids and (" " in run or titled[ids[run]])]
    short = short_key(key)
    if short != key and short in ids and ids[short] not in found:
        found.append(ids[short])
    return found


def _edges(
    mentions: tuple[Ints, Ints],
    titles: tuple[Any, ...],
    sentence_passage: Ints,
    first: Ints,
    keys: Sequence[str],
) -> dict[str, Any]:
    """The ``edge_`` arrays in order of passages, mentions before titles, and ``rarity``."""
    size = max(len(keys), 1)
    sentence = np.concatenate([mentions[0], first[titles[0]]])
    entity = np.concatenate([mentions[1], titles[1]])
    passage = np.concatenate([sentence_passage[mentions[0]], titles[0]])
    pair = passage.astype(np.int64) * size + entity
    title_pair = titles[0].astype(np.int64) * size + titles[1]
    by_pair = np.argsort(title_pair)
    own = np.zeros(len(pair), dtype=np.float32)
    if len(title_pair):
        at = by_pair[np.searchsorted(title_pair, pair, sorter=by_pair).clip(max=len(by_pair) - 1)]
        own = np.where(title_pair[at] == pair, titles[2][at], np.float32(0))
    title = np.concatenate([np.zeros(len(mentions[0]), dtype=np.float32), titles[2]])
    df = np.bincount(np.unique(pair) % size, minlength=len(keys))
    total = max(len(first), 2)
    order = np.argsort(passage, kind="stable")
    by_entity = np.lexsort((order.argsort(), title == 0, entity))
    return {
        "edge_passage": passage[order],
        "edge_entity": entity[order],
        "edge_sentence": sentence[order],
        "edge_title": title[order],
        "edge_own": own[order],
        "rarity": np.log(total / np.clip(df, 1, total)).astype(np.float32) / math.log(total),
        "first_edge": _offsets(passage, len(first)),
        "entity_offsets": _offsets(entity, len(keys)),
        "entity_edges": order.argsort()[by_entity],
    }


def _words(keys: Sequence[str]) -> dict[str, Any]:
    """The words of the keys, and the entities of each, in order."""
    numbers: dict[str, int] = {}
    word, entity = array("i"), array("i")
    for number, key in enumerate(keys):
        for each in sorted(set(key.split())):
            word.append(numbers.setdefault(each, len(numbers)))
            entity.append(number)
    return {
        "words": DistinctTexts.of(list(numbers)),
        "word_offsets": _offsets(_integers(word), len(numbers)),
        "word_entities": _integers(entity)[np.argsort(_integers(word), kind="stable")],
    }
