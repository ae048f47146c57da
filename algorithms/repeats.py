"""Leaving out texts that repeat better ones."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

_MOST_REPEATED = 0.8  # of the characters of a text
_SENTENCE = re.compile(r"[^.!?。\n]+")
_BETWEEN = re.compile(r"\W+")


class PlacedText(NamedTuple):
    """A text, and the ``place`` that a reader sees above it."""

    place: Hashable
    text: str


def without_repeats(
    ranked: Iterable[tuple[str, float]], texts: Mapping[str, PlacedText]
) -> list[tuple[str, float]]:
    """The texts ``ranked``, best first, without repeats of better ones of the same place.

    A text is left out where four fifths of it are sentences of texts before it, whatever their
    case and punctuation. One that is not among ``texts`` stays.

    >>> same = PlacedText("Notes", "The harbour opened in 1890.")
    >>> without_repeats([("a", 2.0), ("b", 1.0)], {"a": same, "b": same})
    [('a', 2.0)]
    """
    known: defaultdict[Hashable, set[str]] = defaultdict(set)
    kept = []
    for id, score in ranked:
        if id in texts:
            place, text = texts[id]
            said = [_BETWEEN.sub(" ", one).strip().casefold() for one in _SENTENCE.findall(text)]
            again = sum(len(one) for one in said if one in known[place])
            if again and again >= _MOST_REPEATED * sum(map(len, said)):
                continue
            known[place].update(said)
        kept.append((id, score))
    return kept
