"""Metrics of retrieval and of answers, as fractions of 1."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

CUTOFFS = (2, 5, 10, 20)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_UNSPACED = re.compile(r"([぀-ヿ㐀-鿿])")


def recall_at(ranked: Sequence[str], supporting: AbstractSet[str], k: int) -> float:
    """The share of ``supporting`` (not empty) among the first ``k`` of ``ranked``."""
    return len(supporting & set(ranked[:k])) / len(supporting)


def precision_at(ranked: Sequence[str], supporting: AbstractSet[str], k: int) -> float:
    """The share of ``supporting`` in the first ``k`` of ``ranked``, or in all where it has fewer.

    0 where nothing is ranked.
    """
    first = set(ranked[:k])
    return len(supporting & first) / len(first) if first else 0.0


def f1_at(ranked: Sequence[str], supporting: AbstractSet[str], k: int) -> float:
    """The harmonic mean of precision and recall of the first ``k`` of ``ranked``."""
    first = set(ranked[:k])
    return 2 * len(supporting & first) / (len(supporting) + len(first))


def all_support_at(ranked: Sequence[str], supporting: AbstractSet[str], k: int) -> float:
    """1 if all of ``supporting`` are among the first ``k`` of ``ranked``, else 0."""
    return float(supporting <= set(ranked[:k]))


def normalised(answer: str) -> tuple[str, ...]:
    """The words of ``answer`` without case, punctuation, symbols and English articles.

    As is usual for questions with short answers, for every script: a character of Chinese or
    Japanese counts as a word. Nothing is taken away where no word would be left ("The The", "?").
    """
    text = unicodedata.normalize("NFKC", answer).casefold()
    bare = "".join(char for char in text if unicodedata.category(char)[0] not in "PS")
    for candidate in (_ARTICLES.sub(" ", bare), bare, text):
        words = _UNSPACED.sub(r" \1 ", candidate).split()
        if words:
            return tuple(words)
    return ()


def exact_match(answer: str, golds: Sequence[str]) -> float:
    """1 if ``answer`` is one of ``golds`` after normalisation, else 0."""
    words = normalised(answer)
    return float(bool(words) and words in map(normalised, golds))


def answer_f1(answer: str, golds: Sequence[str]) -> float:
    """The best F1 of the words of ``answer`` and the words of one of ``golds``."""
    return max((_word_f1(normalised(answer), normalised(gold)) for gold in golds), default=0.0)


def containment(answer: str, golds: Sequence[str]) -> float:
    """1 if one of ``golds`` stands in ``answer`` after normalisation, else 0; never an EM.

    Whole words only, but for what Korean appends to them.
    """
    text = " ".join(normalised(answer))
    spans = (re.escape(" ".join(normalised(gold))) for gold in golds)
    return float(any(re.search(rf"(?<!\w){span}(?![^\W가-힣])", text) for span in spans if span))


def _word_f1(words: Sequence[str], gold: Sequence[str]) -> float:
    common = (Counter(words) & Counter(gold)).total()
    return 2 * common / (len(words) + len(gold)) if common else 0.0
