"""Documents as wholes: their titles, headings and beginnings lift the passages found in them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .fusion import reciprocal_rank_fusion

_WORDS_WEIGHT = 0.3
_VECTOR_WEIGHT = 0.3
_TITLE_WEIGHT = 3
_K1, _B = 1.2, 0.75
# No order is so much better than the other that its top would have to be kept.
_RANK_CONSTANT = 60


class WholeDocument(NamedTuple):
    """The index terms of a document's title and of its headings and beginning.

    ``cosine`` tells how near it is to the question, 0 where vectors are not compared.
    """

    title: Sequence[str]
    text: Sequence[str]
    cosine: float = 0.0


def lifted(
    ranked: Sequence[tuple[str, float]],
    document_of: Mapping[str, str],
    documents: Mapping[str, WholeDocument],
    question: Iterable[str],
    weight: float = 1.0,
    vector_worth: float = 1.0,
) -> list[tuple[str, float]]:
    """Passages with their scores, best first, each lifted by its document; ties stay in order.

    The score of a passage is s/s₁ + ``weight`` (0.3 b/b₁ + ``vector_worth`` 0.3 c/c₁)/j: its own
    score s by the best one's; its document's BM25 b for the terms of the ``question``, among
    ``documents``, and its cosine c, each by the best; it is the j-th passage of its document in
    ``ranked``. So a document of many passages does not take the place of others that are found as
    well.
    """
    best = max((score for _, score in ranked), default=0.0)
    if best <= 0:
        return list(ranked)
    words, near = _bm25(documents, question), {id: one.cosine for id, one in documents.items()}
    most, nearest = max(words.values(), default=0.0), max(near.values(), default=0.0)
    seen: Counter[str] = Counter()
    scores: dict[str, float] = {}
    for id, score in ranked:
        document = document_of[id]
        seen[document] += 1
        lift = _WORDS_WEIGHT * words[document] / most if most > 0 else 0.0
        cosine = max(0.0, near[document]) / nearest if nearest > 0 else 0.0
        lift += vector_worth * _VECTOR_WEIGHT * cosine
        scores[id] = score / best + weight * lift / seen[document]
    return sorted(scores.items(), key=lambda pair: -pair[1])


def nearer_first(
    ranked: Sequence[tuple[str, float]], cosines: Mapping[str, float], weight: float
) -> list[tuple[str, float]]:
    """``ranked`` fused by reciprocal rank with the order of the ``cosines``, of this ``weight``.

    By Cormack, Clarke and Büttcher 2009, with their constant of 60.
    """
    ids = [id for id, _ in ranked]
    nearest = sorted(ids, key=lambda id: -cosines[id])
    return reciprocal_rank_fusion([ids, nearest], [1.0, weight], _RANK_CONSTANT)


def _bm25(documents: Mapping[str, WholeDocument], question: Iterable[str]) -> dict[str, float]:
    """BM25 of each document; a term in its title counts three times."""
    frequencies = {id: Counter(one.text) for id, one in documents.items()}
    for id, one in documents.items():
        for term in one.title:
            frequencies[id][term] += _TITLE_WEIGHT
    lengths = {id: len(one.title) + len(one.text) for id, one in documents.items()}
    mean = max(1, sum(lengths.values())) / max(1, len(documents))
    scores = dict.fromkeys(documents, 0.0)
    for term in dict.fromkeys(question):
        held = {id: found for id, counts in frequencies.items() if (found := counts.get(term))}
        rarity = math.log(1 + (len(documents) - len(held) + 0.5) / (len(held) + 0.5))
        for id, frequency in held.items():
            saturated = frequency + _K1 * (1 - _B + _B * lengths[id] / mean)
            scores[id] += rarity * frequency * (_K1 + 1) / saturated
    return scores
