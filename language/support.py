"""The sentences of documents that support a point of a global answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from .analyser import Span, keywords, sentences, terms, words
from .mentions import question_mentions

_LONGEST = 400
_OWN = 0.25


class CitablePassage(NamedTuple):
    """A passage that a point may rest on, with the full ``names`` of what it speaks of."""

    id: str
    title: str
    text: str
    names: str = ""


class CitedSentence(NamedTuple):
    """A sentence of a passage, its characters ``[start, end)`` there, and its worth in [0, 1]."""

    passage: str
    start: int
    end: int
    text: str
    score: float


def cite_point(point: str, sources: Sequence[CitablePassage], most: int = 1) -> list[CitedSentence]:
    """The sentences that state ``point`` best, at most one of each source; none if none does.

    Only sources that name the point's subject, the first of its names, count. Together they must
    have a word of each name, every number, and more than half of the other content words. A
    sentence must have one of these other words, which tell what is said of the names: to be about
    the same subject is not enough. It scores the share of the point's keywords that it has, less
    for each keyword of its own.
    """
    claim = _read(point)
    sources = [one for one in sources if not claim.subject or claim.subject & _named(one)]
    said = frozenset().union(*map(_terms, sources))
    named = frozenset().union(*map(_named, sources))
    unsaid = sum(map(said.isdisjoint, claim.others))
    if any(map(named.isdisjoint, claim.names)) or (unsaid and 2 * unsaid >= len(claim.others)):
        return []
    wanted = keywords(point)
    best = [_best(source, wanted, claim.predicate or wanted) for source in sources]
    found = [one for one in best if one is not None]
    return sorted(found, key=lambda one: (-one.score, one.passage))[:most]


def nearest_statements(statement: str, others: Sequence[str], most: int) -> list[int]:
    """Places of the ``others`` nearest to ``statement`` by keywords, at most ``most``."""
    wanted = keywords(statement)
    sets = map(keywords, others)
    scores = [len(wanted & own) / math.sqrt(len(wanted) * len(own) or 1) for own in sets]
    ranked = sorted(range(len(others)), key=lambda place: (-scores[place], place))
    return [place for place in ranked[:most] if scores[place] > 0]


class _Claim(NamedTuple):
    """The keywords of a point: of its first name, of each name and number, of each other word.

    A single word at the beginning may be a name or any word with a capital: it is one of
    ``others``, but not of ``predicate``, which has all of the rest.
    """

    subject: frozenset[str]
    names: list[frozenset[str]]
    others: list[frozenset[str]]
    predicate: frozenset[str]


def _read(point: str) -> _Claim:
    found = question_mentions(point)
    ends = accumulate((one.end for one in found), max, initial=0)
    whole = [one for one, end in zip(found, ends, strict=False) if one.end > end]
    single = bool(whole) and not whole[0].start and len(whole[0].text.split()) == 1
    opening = [keywords(one.text) for one in whole[:single]]
    known = [(one.kind, own) for one in whole[single:] if (own := keywords(one.text))]
    subject = next((own for kind, own in known if kind in {"name", "quoted"}), frozenset())
    content = dict.fromkeys(word for one in words(point) for word in _variants(one))
    numbers = [word for word in content if any(map(str.isdigit, "".join(word)))]
    names = [*(own for _, own in known), *numbers]
    others = [word for word in content if all(map(word.isdisjoint, names))]
    told = [word for word in others if all(map(word.isdisjoint, opening))]
    return _Claim(subject, names, others, frozenset().union(*told))


def _variants(word: str) -> list[frozenset[str]]:
    """The index terms of a word, each a word of its own; of a Korean one its stem or how it begins.

    The other pairs of syllables are endings, which many words share.
    """
    found = terms(word)
    if len(found) > 1 and found[1] == found[0][:2]:
        return [frozenset(found[:2])]
    return [frozenset({term}) for term in found]


def _best(
    source: CitablePassage, wanted: frozenset[str], claimed: frozenset[str]
) -> CitedSentence | None:
    """The sentence of a source that is worth most; none too long to quote."""
    fitting = (
        CitedSentence(source.id, one.start, one.end, one.text, _worth(wanted, own))
        for one, own in _quotable(source.text)
        if own & claimed
    )
    return max(fitting, key=lambda one: one.score, default=None)


@lru_cache(maxsize=2000)
def _terms(source: CitablePassage) -> frozenset[str]:
    return keywords(f"{source.title} {source.text}")


@lru_cache(maxsize=2000)
def _named(source: CitablePassage) -> frozenset[str]:
    return _terms(source) | keywords(source.names)


@lru_cache(maxsize=2000)
def _quotable(text: str) -> tuple[tuple[Span, frozenset[str]], ...]:
    """The sentences of ``text`` that are not too long to quote, and the keywords of each."""
    short = (one for one in sentences(text) if one.end - one.start <= _LONGEST)
    return tuple((one, keywords(one.plain)) for one in short)


def _worth(wanted: frozenset[str], own: frozenset[str]) -> float:
    shared = len(wanted & own)
    return float(shared / len(wanted) * (shared / len(own)) ** _OWN)
