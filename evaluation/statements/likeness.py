"""Likeness of statements by their words: ROUGE-L, clusters of claims, sentences in passages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from ...language.analyser import keywords

THRESHOLDS = (0.5, 0.6, 0.7, 0.8)
_LEAST_FOUND = 0.75  # of the words of a sentence
_WORD = re.compile(r"[぀-ヿ㐀-鿿]|(?:(?![぀-ヿ㐀-鿿])\w)+")


def words_of(text: str) -> list[str]:
    """The words of ``text`` in order, without case; a character of Chinese or Japanese is a word.

    Nothing is stemmed or left out, as is usual for ROUGE.
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def rouge_l(one: str, other: str) -> float:
    """ROUGE-L, as F1: twice the longest common subsequence of words, by the number of all words."""
    return _rouge_l(words_of(one), words_of(other))


def clusters(claims: Sequence[str]) -> dict[float, int]:
    """The number of clusters of ``claims`` at each of ``THRESHOLDS``.

    As in GraphRAG's evaluation: agglomerative clusters by complete linkage of the distance
    1 − ROUGE-L. Two clusters are one where all distances between them are below the threshold.
    """
    heights = merge_heights(distances(claims))
    return {cut: len(claims) - sum(height < cut for height in heights) for cut in THRESHOLDS}


def distances(claims: Sequence[str]) -> NDArray[np.float64]:
    """1 − ROUGE-L of every two of ``claims``, shape (len(claims), len(claims))."""
    given = [words_of(claim) for claim in claims]
    found = np.zeros((len(given), len(given)))
    for row, one in enumerate(given):
        for column in range(row):
            found[row, column] = found[column, row] = 1 - _rouge_l(one, given[column])
    return found


def merge_heights(matrix: NDArray[np.float64]) -> list[float]:
    """The distances at which complete linkage merges, from the least; one less than rows.

    Of equal distances the first by row is taken.
    """
    left = matrix.copy()
    np.fill_diagonal(left, np.inf)
    heights = []
    for _ in range(len(left) - 1):
        one, other = np.unravel_index(np.argmin(left), left.shape)
        heights.append(float(left[one, other]))
        left[one] = left[:, one] = np.maximum(left[one], left[other])
        left[other] = left[:, other] = np.inf
        left[one, one] = np.inf
    return heights


def found_share(sentences: Sequence[str], texts: Sequence[str]) -> float | None:
    """The share of ``sentences`` of which a text has three quarters of the content words.

    None without any sentence that has such words.
    """
    wanted = [roots for sentence in sentences if (roots := keywords(sentence))]
    held = [keywords(text) for text in texts]
    if not wanted:
        return None
    found = [any(len(one & text) >= _LEAST_FOUND * len(one) for text in held) for one in wanted]
    return sum(found) / len(found)


def _rouge_l(one: Sequence[str], other: Sequence[str]) -> float:
    common = LCSseq.similarity(one, other)
    return 2 * common / (len(one) + len(other)) if common else 0.0
