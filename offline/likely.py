"""Finds the short answer to a question in words of its own, where independent ways agree.

The sentence that says most of the question must be nearest in meaning as well, or say every word
where vectors tell nothing, and stand in the passage found first; and of the kind asked for, it has
one span near the words of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..language.analyser import content_words, is_korean
from ..language.answer_types import Candidate
from ..language.patterns import regex
from ..language.questions import analyse_question
from .finder import (
    FoundAnswer,
    MarkedQuestion,
    direction,
    is_stated,
    may_tell,
    nearness,
    plain,
    take_apart,
)
from .lines import Line, asked_marks, relevances, weights
from .possible import Asked, asked_for, possible_spans
from .spans import DIFFERENCE

_NEAREST, _AGREES = 0.25, 0.1  # of the line in meaning, and how much nearer another one may be
_LEAST_PRIOR, _RIVAL_PRIOR = 0.7, 0.45
# Of a span to the words; less is enough where words and meaning agree.
_LEAST_NEAR, _LEAST_NEAR_AGREED = 0.2, 0.1
_LEAST_MARGIN = 0.3  # over any other span
_LEAST_SAID = 0.6  # of the words, by their rarity, where nothing but a noun tells the kind
_CLOSING = " \"'“”.,;"
_CLAUSE = re.compile(r"[,;:—–|]\s| and | but | while |(?<=[고며면]) ")
_PARTIAL = re.compile(r"(?<=\d)(?:[A-Z]|,\d|\s?[–~-]\s?\d)")  # of a number or a range
_BEHIND = re.compile(r"\d\s?[–~-]\s?$")
_TOTAL = regex(r"(?i)\b(?:altogether|in all|total)\b|모두|합쳐|총")
_NUMERAL = regex(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|twice|first|second"
    r"|third|fourth|fifth|sixth)\b"
)


class _Near(NamedTuple):
    """A span, and its nearness in 0..1 to the words of the question."""

    near: float
    span: Candidate


def likely(question: str, lines: Sequence[Line]) -> FoundAnswer | None:
    """The short answer to ``question`` that the line most relevant to it states, or None."""
    asked = asked_for(analyse_question(question))
    if asked is None or not lines:
        return None
    relevance = relevances(question, lines)
    line = lines[relevance.index(max(relevance))]
    marked = take_apart(asked.shape)
    if line.passage or not (_agrees(line, lines) and _says_literally(marked, line)):
        return None
    if (text := _only_one(asked, marked, line, lines)) is None:
        return None
    said = frozenset(marked.all) & line.own
    others = (other for other in lines if other is not line and said <= other.own)
    if any(_only_one(asked, marked, other, lines) not in {None, text} for other in others):
        return None  # as much is said of another one
    return FoundAnswer(text, line)


def _only_one(
    asked: Asked, marked: MarkedQuestion, line: Line, lines: Sequence[Line]
) -> str | None:
    """The span of ``line`` that is nearer to the words of the question than any other."""
    spans = list(_spans(asked, marked, line, lines))
    least = _LEAST_NEAR_AGREED if line.cosine else _LEAST_NEAR
    sure = [one for one in spans if one.span.prior >= _LEAST_PRIOR and one.near >= least]
    if not sure:
        return None
    best = max(sure, key=lambda one: one.near)
    if any(best.near - one.near < _LEAST_MARGIN for one in spans if one is not best):
        return None
    return best.span.text


def _agrees(line: Line, lines: Sequence[Line]) -> bool:
    """Whether ``line`` is about the nearest in meaning, where the lines are compared by it."""
    nearest = max(one.cosine for one in lines)
    return not nearest or (line.cosine >= _NEAREST and nearest - line.cosine <= _AGREES)


def _says_literally(marked: MarkedQuestion, line: Line) -> bool:
    """Whether a line, in its context, says the names, the numerals and the total asked for.

    Of a birth or a death it has to say that it is one.
    """
    question = marked.shape.text
    if _TOTAL.search(question) and not _TOTAL.search(line.text):
        return False
    if marked.shape.measure in {"birth", "death"} and line.own.isdisjoint({"birth", "die"}):
        return False
    numerals = [] if is_korean(question) else _NUMERAL.findall(question.lower())
    said = " | ".join(map(plain, (line.text, *line.context))).lower()
    return all(name.lower() in said for name in [*marked.names, *(f" {one} " for one in numerals)])


def _spans(
    asked: Asked, marked: MarkedQuestion, line: Line, lines: Sequence[Line]
) -> Iterator[_Near]:
    """The spans of ``line`` that may be the answer, if it says enough of the question."""
    telling = tuple(one for one in marked.all if one not in asked.implied) or marked.all
    weight = weights(telling, lines)
    said = sum(weight[one] for one in weight if one in line.own | line.around)
    if (asked.named and said < _LEAST_SAID) or not (line.cosine or may_tell(marked, line)):
        return
    everywhere = dict.fromkeys(marked.all, 0.0) | weight
    for span in _stated(asked, marked, line):
        if span.prior >= _RIVAL_PRIOR and direction(marked.shape, line.text, span) >= 0:
            near = said if span.prior >= 1 else _nearness(marked, line, span, everywhere)
            yield _Near(near, span)


def _nearness(
    marked: MarkedQuestion, line: Line, span: Candidate, weight: dict[str, float]
) -> float:
    """The closeness of the words of the question to ``span``, half of it within its clause."""
    before = (found.end() for found in _CLAUSE.finditer(line.text, 0, span.start))
    first, behind = max(before, default=0), _CLAUSE.search(line.text, span.end)
    clause = line.text[first : behind.start() if behind else len(line.text)]
    moved = span._replace(start=span.start - first, end=span.end - first)
    within = nearness(marked, clause, moved, weight)
    return (within + nearness(marked, line.text, span, weight)) / 2


def _stated(asked: Asked, marked: MarkedQuestion, line: Line) -> Iterator[Candidate]:
    """The possible answers that ``line`` states outright, each text once, the likeliest first."""
    question = asked.shape.text.lower()
    told = {""}
    spans = possible_spans(asked, marked, line.text, " ".join(line.context))
    for span in sorted(spans, key=lambda span: -span.prior):
        text = span.text.strip(_CLOSING)
        if text.lower() in told or text.lower() in question:
            continue
        if _PARTIAL.match(line.text, span.end) or _BEHIND.search(line.text[: span.start]):
            continue
        if DIFFERENCE.match(line.text, span.end):
            continue
        own = frozenset(marked.all).isdisjoint(asked_marks(content_words(text)))
        if own and is_stated(marked, line.text, span):
            told.add(text.lower())
            yield span._replace(text=text)
