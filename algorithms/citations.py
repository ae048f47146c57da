"""Finding the sentences that support a statement, and quotations in a text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from ..language.analyser import Span, keywords, sentences
from ..language.markup import prose

_LONGEST = 400
_FEW_KEYWORDS = 3
_OTHERS = 0.25


class CitedSentence(NamedTuple):
    """A sentence of a passage, its characters ``[start, end)`` there, and its worth in [0, 1]."""

    passage: str
    start: int
    end: int
    text: str
    score: float


def cite_statement(
    statement: str, passages: Iterable[tuple[str, str]], most: int = 1
) -> list[CitedSentence]:
    """The sentences most like ``statement`` among passages (id, text), at most one of each.

    A sentence scores the share of the statement's keywords that it has, less for each keyword of
    its own. Sentences that share one keyword of many, or are too long to quote, are left out.
    """
    wanted = keywords(statement)
    best = [_best(id, text, wanted) for id, text in passages]
    found = [one for one in best if one is not None and one.score > 0]
    return sorted(found, key=lambda found: (-found.score, found.passage))[:most]


def nearest_statements(statement: str, others: Sequence[str], most: int) -> list[int]:
    """Places of the ``others`` nearest to ``statement`` by keywords, at most ``most``."""
    wanted = keywords(statement)
    scores = [_cosine(wanted, keywords(other)) for other in others]
    ranked = sorted(range(len(others)), key=lambda place: (-scores[place], place))
    return [place for place in ranked[:most] if scores[place] > 0]


def _best(id: str, text: str, wanted: frozenset[str]) -> CitedSentence | None:
    """The sentence of a passage that is worth most; none too long to quote."""
    fitting = (
        CitedSentence(id, one.start, one.end, one.text, _worth(wanted, keywords(one.plain)))
        for one in sentences(text)
        if one.end - one.start <= _LONGEST
    )
    return max(fitting, key=lambda one: one.score, default=None)


def _worth(wanted: frozenset[str], own: frozenset[str]) -> float:
    shared = len(wanted & own)
    if not shared or (shared == 1 and len(wanted) > _FEW_KEYWORDS):
        return 0.0
    return float(shared / len(wanted) * (shared / len(own)) ** _OTHERS)


def _cosine(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0.0


_LEAST_SIMILARITY = 90.0
_LEAST_FUZZY_LENGTH = 20
_LONGEST_LOOSE = 1000


def locate(quote: str, text: str) -> Span | None:
    """Where ``quote`` stands in ``text``, or None.

    Exact first; then without regard to case, white space, quotation marks and markup; then, for
    quotes of twenty characters and more, the most similar stretch if at least 90 % of it agrees.
    One of more than a thousand characters must stand there exactly.
    """
    bare = quote.strip().strip("\"'“”‘’「」…").strip()
    if not bare:
        return None
    if (start := text.find(bare)) >= 0:
        return Span(start, start + len(bare), bare)
    if len(bare) > _LONGEST_LOOSE:
        return None
    loose = r"\W+".join(re.escape(word) for word in re.findall(r"\w+", bare))
    for written in (text, prose(text)):
        if loose and (match := re.search(loose, written, re.IGNORECASE)):
            return Span(*match.span(), text[match.start() : match.end()])
    if len(bare) < _LEAST_FUZZY_LENGTH or len(bare) > len(text) * 1.1:
        return None
    found = fuzz.partial_ratio_alignment(bare, text, score_cutoff=_LEAST_SIMILARITY)
    if found is None or found.dest_end <= found.dest_start:
        return None
    return Span(found.dest_start, found.dest_end, text[found.dest_start : found.dest_end])
