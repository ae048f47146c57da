"""Passages of one long document: those first in which the words of a question stand together."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..language.folding import folded
from ..state.records import Passage

# Not fitted: windows of 200 characters, weights of 0.3 to 1 and twenty passages do much the same.
_WINDOW, _WEIGHT, _PASSAGES = 400, 0.6, 10
# Of the passages found: those of a novel share its names; elsewhere what led to each tells more.
_LONG = 10


def closest_first(
    ranked: Sequence[tuple[str, float]], passages: Mapping[str, Passage], words: Iterable[str]
) -> list[tuple[str, float]]:
    """``ranked`` passages, of which the first ten may change places with others of their document.

    Only documents with at least ten of the ``passages`` are concerned. The order in one is that of
    s/s₁ + 0.6 c: the score by the best one's, and the closeness c of ``words``, beginnings of
    words, by ``closeness``. Each place keeps its score.
    """
    document_of = {id: passage["document"] for id, passage in passages.items()}
    found = Counter(document_of.values())
    first = [id for id, _ in ranked[:_PASSAGES] if found[document_of.get(id, "")] >= _LONG]
    texts = [passages[id]["text"] for id in first]
    close = dict(zip(first, closeness(texts, tuple(words)), strict=True))
    best = max((score for _, score in ranked), default=0.0) or 1.0
    scores = {id: score / best + _WEIGHT * close[id] for id, score in ranked if id in close}
    of_document: dict[str, list[str]] = defaultdict(list)
    for id in sorted(first, key=lambda id: -scores[id]):
        of_document[document_of[id]].append(id)
    order = {document: iter(ids) for document, ids in of_document.items()}
    placed = (next(order[document_of[id]]) if id in close else id for id, _ in ranked)
    return [(id, score) for id, (_, score) in zip(placed, ranked, strict=True)]


def closeness(texts: Sequence[str], words: Sequence[str]) -> list[float]:
    """How many of ``words`` stand within 400 characters of each text, by how rare they are: 0..1.

    A word stands where one begins with it, in any case. It counts ln(1 + N/(0.5 + n)), if n of
    the N texts have it.
    """
    words = [word[:-1] if word.endswith("i") and len(word) > 4 else word for word in words]  # -y
    places = [sorted(_places(folded(text), words)) for text in texts]
    having = Counter(word for of_text in places for word in {word for _, word in of_text})
    weights = {word: math.log(1 + len(texts) / (0.5 + having[word])) for word in words}
    total = sum(weights.values()) or 1.0
    return [max(_windows(of_text, weights), default=0.0) / total for of_text in places]


def _places(text: str, words: Sequence[str]) -> Iterator[tuple[int, str]]:
    for word in words:
        place = text.find(word)
        while place >= 0:
            if not text[place - 1 : place].isalnum():
                yield place, word
            place = text.find(word, place + 1)


def _windows(places: Sequence[tuple[int, str]], weights: Mapping[str, float]) -> Iterator[float]:
    """The weight of the words in the window that begins at each of ``places``."""
    for number, (start, _) in enumerate(places):
        within = {word for place, word in places[number:] if place - start <= _WINDOW}
        yield sum(weights[word] for word in within)
