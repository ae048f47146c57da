"""The terms of a passage graph, and where each stands."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..packed_texts import DistinctTexts, PackedTexts
from ..spans import distinct
from .passage_graph import Floats, Ints, WholeGraph
from .passage_records import PassageRecord

Longs = NDArray[np.int64]


def term_lists(
    before: WholeGraph | None,
    kept: Longs,
    records: Sequence[PassageRecord],
    counts: Ints,
    first: Ints,
) -> dict[str, Any]:
    """The arrays of terms; the texts are all sentences, then all titles.

    Passages have the numbers ``kept`` in the graph of ``before``, or are the next of ``records``;
    they have so many sentences as ``counts`` says, from number ``first`` on.
    """
    sentences, passages = int(counts.sum()), len(counts)
    words, text, count = _read(records, kept, first, sentences)
    known = before.vocabulary if before else DistinctTexts.of([])
    term, added = known.joined(words)
    term = term.astype(np.int32)
    own = np.arange(passages, dtype=np.int32)
    passage_of = np.concatenate([np.repeat(own, counts), own])
    df = _passages_of(term, passage_of[text], len(known) + len(added))
    lengths = np.bincount(text, count, sentences + passages).astype(np.float32)
    if before:
        of_before = np.repeat(np.arange(len(known), dtype=np.int32), np.diff(before.offsets))
        texts = _moved_texts(before, kept, first, sentences)
        gone_last = texts[before.postings]
        stays = gone_last >= 0
        lengths[texts[texts >= 0]] = before.lengths[texts >= 0]
        df[: len(known)] += _left_of_terms(before, of_before, stays)
        term = np.concatenate([of_before[stays], term])
        text = np.concatenate([gone_last[stays], text])
        count = np.concatenate([before.frequencies[stays], count])
    vocabulary, offsets, order = listed(known, added, term, text)
    text, count = text[order].astype(np.int32), count[order].astype(np.float32)
    df = df[term[order[offsets[:-1]]]]
    passage = passage_of[:sentences]
    of_passages = np.bincount(passage, lengths[:sentences], passages) + lengths[sentences:]
    rarity = np.log1p((passages - df.astype(np.float32) + 0.5) / (df.astype(np.float32) + 0.5))
    return {
        "vocabulary": vocabulary,
        "offsets": offsets,
        "postings": text,
        "frequencies": count,
        "term_rarity": rarity.astype(np.float32),
        "passages_of_terms": df.astype(np.int32),
        "lengths": lengths,
        "mean_length": float(of_passages.astype(np.float32).mean()) if passages else 0.0,
    }


def _read(
    records: Sequence[PassageRecord], kept: Longs, first: Ints, sentences: int
) -> tuple[list[str], Ints, Floats]:
    """The terms of the records, with the text in which each stands and how often."""
    words, texts, counts = list[str](), array("i"), array("f")
    for passage, record in zip(np.flatnonzero(kept < 0).tolist(), records, strict=True):
        begin = int(first[passage])
        own = [(begin + at, terms) for at, terms in enumerate(record.terms)]
        for text, terms in [*own, (sentences + passage, record.title_terms)]:
            for word, times in Counter(terms).items():
                words.append(word)
                texts.append(text)
                counts.append(times)
    return words, np.array(texts, dtype=np.int32), np.array(counts, dtype=np.float32)


def _moved_texts(before: WholeGraph, kept: Longs, first: Ints, sentences: int) -> Ints:
    """The number of each text of ``before`` now; −1 where it is gone."""
    texts = np.full(len(before.lengths), -1, dtype=np.int32)
    place = np.full(before.passages, -1, dtype=np.int32)
    stays = np.flatnonzero(kept >= 0)
    place[kept[stays]] = stays
    texts[before.sentences :] = np.where(place >= 0, sentences + place, -1)
    of = np.repeat(np.arange(before.passages), before.sentence_counts)
    moved = first[place[of]] + np.arange(before.sentences) - before.first_sentence[of]
    texts[: before.sentences] = np.where(place[of] >= 0, moved, -1)
    return texts


def _left_of_terms(before: WholeGraph, term: Ints, stays: NDArray[np.bool_]) -> Longs:
    """How many passages with each term of ``before`` are left, of which these postings stay."""
    passage, known = before.sentence_passage, len(before.vocabulary)
    if before.passages_of_terms is None:
        return _passages_of(term[stays], passage[before.postings[stays]], known)
    gone = np.flatnonzero(~stays)
    return before.passages_of_terms - _passages_of(
        term[gone], passage[before.postings[gone]], known
    )


def _passages_of(term: NDArray[Any], passage: Ints, terms: int) -> Longs:
    """How many passages each of so many ``terms`` is in, of which these are all pairs."""
    size = int(passage.max(initial=0)) + 1
    return np.bincount(distinct(term * np.int64(size) + passage) // size, minlength=terms)


def listed(
    known: DistinctTexts, added: PackedTexts, text: NDArray[Any], member: NDArray[Any]
) -> tuple[DistinctTexts, Longs, Longs]:
    """The texts that have members, in order of their hashes, where each begins, and the order.

    ``text`` has a number of each pair, among the ``known`` and then the ``added``.
    """
    codes = np.concatenate([known.codes(), added.codes()])
    used = np.flatnonzero(np.bincount(text, minlength=len(codes)))
    used = used[np.argsort(codes[used], kind="stable")]
    rank = np.zeros(len(codes), dtype=np.int64)
    rank[used] = np.arange(len(used))
    ranks = rank[text]
    # Almost in order already, which this kind of sorting makes use of.
    order = np.argsort(ranks * (int(member.max(initial=0)) + 1) + member, kind="stable")
    offsets = np.append(0, np.cumsum(np.bincount(ranks, minlength=len(used))))
    return DistinctTexts.packed(known.edited(added, used), codes[used]), offsets, order
