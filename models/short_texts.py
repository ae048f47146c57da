"""Texts cut to what a question needs: the first ones, of long ones the sentences around hits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ..language.answer_types import roots
from ..prompts.pointing import cut
from ..prompts.prompt import Excerpt
from .chat.window import most_tokens

MOST_TEXTS = 5
MOST_TOKENS = 1000
_NUMBER_TOKENS = 4  # before a sentence
# Of a word in a sentence beside it; of the first one, which says what a text is about.
_NEIGHBOUR, _FIRST = 0.4, 0.3


def needed(question: str, texts: Sequence[Excerpt], most: int = MOST_TOKENS) -> list[Excerpt]:
    """The first ``texts``, best first, each with its sentences that speak of ``question``.

    They are as many as go into ``most`` tokens; an earlier text has a larger share.
    """
    kept = list(texts[:MOST_TEXTS])
    spans = [[span.plain for span in cut(text["text"])] for text in kept]
    sizes = [[most_tokens(said) + _NUMBER_TOKENS for said in text] for text in spans]
    if sum(map(sum, sizes)) <= most:
        return kept
    weights = _weights(question, [said for text in spans for said in text])
    shown, left = list[Excerpt](), float(most)
    for place, (text, of, size) in enumerate(zip(kept, spans, sizes, strict=True)):
        share = 2 * left / (len(kept) - place + 1)
        only = _best([_score(said, weights) for said in of], size, share)
        left -= sum(size[number - 1] for number in only)
        shown.append({**text, "only": only})
    return shown


def _weights(question: str, sentences: Sequence[str]) -> dict[str, float]:
    """The weight of each word of ``question``: rare ones tell more."""
    found = Counter(word for said in sentences for word in set(roots(said)))
    return {word: math.log(1 + len(sentences) / (1 + found[word])) for word in roots(question)}


def _score(sentence: str, weights: dict[str, float]) -> float:
    return sum(weights.get(word, 0.0) for word in set(roots(sentence)))


def _best(scores: Sequence[float], sizes: Sequence[float], most: float) -> list[int]:
    """The places, from 1, of the best sentences that go into ``most`` tokens; one at least."""
    beside = [0.0, *scores, 0.0]
    worth = [
        score + _NEIGHBOUR * max(beside[place], beside[place + 2]) + _FIRST * (place == 0)
        for place, score in enumerate(scores)
    ]
    chosen, used = list[int](), 0.0
    for place in sorted(range(len(scores)), key=lambda place: -worth[place]):
        if not chosen or used + sizes[place] <= most:
            chosen.append(place + 1)
            used += sizes[place]
    return sorted(chosen)
