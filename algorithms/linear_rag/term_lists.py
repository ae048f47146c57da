"""The terms of a passage graph, and where each stands."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..packed_texts import DistinctTexts, PackedTexts
from ..spans import distinct, places_in_lists
from ..spliced import inserted
from .passage_graph import Floats, Ints, WholeGraph
from .passage_records import PassageRecord

Longs = NDArray[np.int64]

_NONE = np.empty(0, dtype=np.int64)


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
    stays, totals, gone = text[:0], np.zeros(len(df), dtype=np.int64), _NONE
    shares: Any = count[:0]
    if before:
        texts = _moved_texts(before, kept, first, sentences)
        lengths[texts[texts >= 0]] = before.lengths[texts >= 0]
        stays, gone, totals[: len(known)], left = _staying(before, texts)
        shares = before.frequencies
        df[: len(known)] += left
        if (np.diff(texts[texts >= 0]) < 0).any():  # in another order, so that all are listed anew
            term = np.append(np.repeat(np.arange(len(df), dtype=np.int32), totals), term)
            text, count = np.append(stays, text), np.append(np.delete(shares, gone), count)
            stays, shares, gone, totals = stays[:0], count[:0], _NONE, 0 * totals
    used, vocabulary = in_order(known, added, totals + np.bincount(term, minlength=len(df)))
    rank = np.zeros(len(df), dtype=np.int64)
    rank[used] = np.arange(len(used))
    order = np.argsort(rank[term] * (sentences + passages) + text, kind="stable")
    ranks, text = rank[term[order]], text[order].astype(np.int32)
    ends = np.append(0, np.cumsum(totals[used]))
    at, df = places_in_lists(stays, ends, ranks, text), df[used]
    return {
        "vocabulary": vocabulary,
        "offsets": ends + np.append(0, np.cumsum(np.bincount(ranks, minlength=len(used)))),
        "postings": np.insert(stays, at, text),
        "frequencies": inserted(shares, gone, at, count[order]),
        "term_rarity": _rarity(df.astype(np.float32), passages),
        "passages_of_terms": df.astype(np.int32),
        "lengths": lengths,
        "mean_length": float(_sums(lengths, passage_of, passages).mean()) if passages else 0.0,
    }


def _rarity(df: Floats, passages: int) -> Floats:
    return np.log1p((passages - df + 0.5) / (df + 0.5)).astype(np.float32)


def _sums(lengths: Floats, passage_of: Ints, passages: int) -> Floats:
    return np.bincount(passage_of, lengths, passages).astype(np.float32)


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


def _staying(before: WholeGraph, texts: Ints) -> tuple[Ints, Longs, Longs, Longs]:
    """The postings that stay, by the new numbers of ``texts``, and the places of the others.

    Then of each term how many stay, and the number of passages with it that stay.
    """
    stays, passage, terms = texts[before.postings], before.sentence_passage, len(before.vocabulary)
    gone, totals = np.flatnonzero(stays < 0), np.diff(before.offsets)
    lost = before.offsets.searchsorted(gone, "right") - 1
    left = -_passages_of(lost, passage[before.postings[gone]], terms)
    if before.passages_of_terms is not None:
        left += before.passages_of_terms
    else:  # of an earlier version
        of_each = np.repeat(np.arange(terms), totals)
        left += _passages_of(of_each, passage[before.postings], terms)
    totals = totals - np.bincount(lost, minlength=terms)
    return np.delete(stays, gone) if len(gone) else stays, gone, totals, left


def _passages_of(term: NDArray[Any], passage: Ints, terms: int) -> Longs:
    """How many passages each of so many ``terms`` is in, of which these are all pairs."""
    size = int(passage.max(initial=0)) + 1
    return np.bincount(distinct(term * np.int64(size) + passage) // size, minlength=terms)


def in_order(
    known: DistinctTexts, added: PackedTexts, members: NDArray[np.integer[Any]]
) -> tuple[Longs, DistinctTexts]:
    """The texts that have ``members``, by their numbers in order of their hashes, and as texts.

    The numbers are of the ``known`` ones and then the ``added``.
    """
    codes = np.concatenate([known.codes(), added.codes()])
    used = np.flatnonzero(members)
    used = used[np.argsort(codes[used], kind="stable")]
    return used, DistinctTexts.packed(known.edited(added, used), codes[used])


def listed(
    known: DistinctTexts, added: PackedTexts, text: NDArray[Any], member: NDArray[Any]
) -> tuple[DistinctTexts, Longs, Longs]:
    """The texts that have members, in order of their hashes, where each begins, and the order.

    ``text`` has a number of each pair, among the ``known`` and then the ``added``.
    """
    members = np.bincount(text, minlength=len(known) + len(added))
    used, texts = in_order(known, added, members)
    rank = np.zeros(len(members), dtype=np.int64)
    rank[used] = np.arange(len(used))
    # Almost in order already, which this kind of sorting makes use of.
    order = np.argsort(rank[text] * (int(member.max(initial=0)) + 1) + member, kind="stable")
    return texts, np.append(0, np.cumsum(members[used])), order
