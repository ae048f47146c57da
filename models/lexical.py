"""Embeddings without a model: hashed words and character n-grams."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..language.analyser import terms

_DIMENSION = 1024
_WORD_WEIGHT = 1.0
_NGRAM_WEIGHT = 0.35
_BLOCK = 64


class LexicalEmbedder:
    """Hashes each index term and its character trigrams into signed counts, of length 1."""

    name = "lexical"
    local = True
    semantic = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), 1024); a text without terms gives a zero vector."""
        vectors = np.zeros((len(texts), _DIMENSION), dtype=np.float32)
        for start in range(0, len(texts), _BLOCK):
            _add_features(vectors[start : start + _BLOCK], texts[start : start + _BLOCK])
        return _unit(vectors)


def folded(vectors: NDArray[np.float32], dimension: int) -> NDArray[np.float32]:
    """Lexical ``vectors`` as if their features had been hashed into ``dimension`` places."""
    return _unit(vectors.reshape(len(vectors), -1, dimension).sum(axis=1))


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, norms, out=vectors, where=norms > 0)
    return vectors


def _add_features(vectors: NDArray[np.float32], texts: Sequence[str]) -> None:
    """Adds to each row the features of its text's terms, each weighed by 1 + ln of its count."""
    counts = [Counter(terms(text)) for text in texts]
    features = [_features(term) for found in counts for term in found]
    if not features:
        return
    sizes = [len(places) for places, _ in features]
    repeated = np.fromiter(chain.from_iterable(found.values() for found in counts), dtype=float)
    scales = (1 + np.log(repeated)).astype(np.float32)
    starts = np.repeat(np.arange(0, vectors.size, _DIMENSION), [len(found) for found in counts])
    places = np.concatenate([places for places, _ in features]) + np.repeat(starts, sizes)
    weights = np.concatenate([weights for _, weights in features]) * np.repeat(scales, sizes)
    np.add.at(vectors.reshape(-1), places, weights)


@lru_cache(maxsize=200_000)
def _features(term: str) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    weights: dict[int, float] = {}
    padded = f"<{term}>"
    ngrams = [padded[i : i + 3] for i in range(len(padded) - 2)] if len(term) > 3 else []
    parts = [("w:" + term, _WORD_WEIGHT)]
    parts += [("n:" + ngram, _NGRAM_WEIGHT / len(ngrams) ** 0.5) for ngram in ngrams]
    for feature, weight in parts:
        code = zlib.crc32(feature.encode())
        place = code % _DIMENSION
        weights[place] = weights.get(place, 0.0) + (weight if code & 0x8000_0000 else -weight)
    return (
        np.fromiter(weights.keys(), dtype=np.intp),
        np.fromiter(weights.values(), dtype=np.float32),
    )
