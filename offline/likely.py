"""Finds the short answer to a question in words of its own, where independent ways agree.

The sentence that says most of it stands in the passage found first, and is nearest in meaning as
well, or says every word; of the kind asked for, it has one span near these words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..language.analyser import is_korean
from ..language.answer_types import Candidate
from ..language.patterns import regex
from ..language.questions import analyse_question
from ..state.places import BELOW
from .finder import FoundAnswer, MarkedQuestion, is_stated, may_tell, nearness, plain, take_apart
from .lines import RANKS, Line, asked_marks, marks, relevances, weights
from .possible import Asked, asked_for, possible_spans
from .spans import CLOSING, DIFFERENCE, NUMERALS

_NEAREST, _AGREES = 0.25, 0.1  # of the line in meaning, and how much nearer another one may be
_LEAST_PRIOR, _RIVAL_PRIOR = 0.7, 0.45
# Of a span to the words; less is enough where words and meaning agree.
_LEAST_NEAR, _LEAST_NEAR_AGREED = 0.2, 0.1
_LEAST_MARGIN = 0.3  # over any other span
_LEAST_SAID = 0.6  # of the words, by their rarity, where nothing but a noun tells the kind
_CLAUSE = re.compile(r"[,;:—–|]\s| and | but | while |(?<=[고며면]) ")
_PARTIAL = re.compile(r"(?<=\d)(?:[A-Z]|,\d|\s?[–~-]\s?\d)")  # of a number or a range
_PAIR = re.compile(r"(?=(?<![\w'’-])([^\W\d][\w'’-]*) ([^\W\d][\w'’-]*))")
_COUNT = regex(r"(?i)^(?:what(?:['’]?s| is| was) )?(?:the )?number of ")
_BEHIND = re.compile(r"\d\s?[–~-]\s?$")
_TOTAL = regex(r"(?i)\b(?:altogether|in all|total)\b|모두|합쳐|총")
_NUMERAL = regex(rf"\b(?:{'|'.join([*NUMERALS, *RANKS])}|half|twice)\b")


def likely(question: str, lines: Sequence[Line]) -> FoundAnswer | None:
    """The short answer to ``question`` that the line most relevant to it states, or None."""
    question = _COUNT.sub("how many ", question)
    asked = asked_for(analyse_question(question))
    if asked is None or not lines:
        return None
    relevance = relevances(question, lines)
    line = lines[relevance.index(max(relevance))]
    marked = take_apart(asked.shape)
    kept, relation = (tuple(m for m in part if m not in asked.implied) for part in marked[1:3])
    marked = marked._replace(all=kept, relation=relation) if kept else marked
    if line.passage or not (_agrees(line, lines) and _says_literally(marked, line)):
        return None
    if (text := _only_one(asked, marked, line, lines)) is None:
        return None
    said, around = (frozenset(marked.all) & part for part in (line.own, line.around))
    for other in lines:  # which may say as much of another one, under headings that do
        as_much = other is not line and said <= other.own and around <= other.own | other.around
        as_near = other.cosine >= line.cosine - _AGREES
        if as_much and as_near and _only_one(asked, marked, other, lines) not in {None, text}:
            return None
    return FoundAnswer(text, line)


def _only_one(
    asked: Asked, marked: MarkedQuestion, line: Line, lines: Sequence[Line]
) -> str | None:
    """The span of ``line`` that is nearer to the words of the question than any other."""
    spans = sorted(_spans(asked, marked, line, lines), key=lambda one: -one[0])
    least = _LEAST_NEAR_AGREED if line.cosine else _LEAST_NEAR
    for near, best in spans[:1]:
        clear = all(near - other >= _LEAST_MARGIN for other, _ in spans[1:2])
        return best.text if clear and near >= least and best.prior >= _LEAST_PRIOR else None
    return None


def _agrees(line: Line, lines: Sequence[Line]) -> bool:
    """Whether ``line`` is about the nearest in meaning, where the lines are compared by it."""
    nearest = max(one.cosine for one in lines)
    return not nearest or (line.cosine >= _NEAREST and nearest - line.cosine <= _AGREES)


def _says_literally(marked: MarkedQuestion, line: Line) -> bool:
    """Whether a line, in its context, says the names, numerals, total, birth or death asked for."""
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
) -> Iterator[tuple[float, Candidate]]:
    """Spans of ``line`` that may be the answer, if it says enough, each with its nearness, 0..1."""
    weight = weights(marked.all, lines)
    said = sum(weight[one] for one in weight if one in line.own | line.around)
    unsaid = frozenset(weight) - line.own - line.around
    document = line.context[0].partition(BELOW)[0]
    beside = (one.own for one in lines if one.context[0].partition(BELOW)[0] == document)
    elsewhere = asked.phrase and any(not unsaid.isdisjoint(own) for own in beside)
    little = elsewhere or (asked.named and said < _LEAST_SAID)
    surely = line.cosine or not (unsaid or marked.relation) or may_tell(marked, line)
    if little or not surely or _of_another(marked, unsaid, line):
        return
    for span in _stated(asked, marked, line):
        if span.prior >= _RIVAL_PRIOR:
            near = said if span.prior >= 1 else _nearness(marked, line, span, weight)
            yield near, span


def _of_another(marked: MarkedQuestion, unsaid: frozenset[str], line: Line) -> bool:
    """Whether ``line`` has "the summer party", all of it unasked, for "the winter party"."""
    for pair in _PAIR.findall(marked.shape.text) if unsaid else ():
        for side in (0, 1):
            word, kept = asked_marks([pair[side]]), asked_marks([pair[1 - side]])
            pairs = [one for one in _PAIR.findall(line.text) if marks(one[1 - side]) & {*kept}]
            beside = [marks(one[side]) - {"one"} for one in pairs]
            if unsaid.intersection(word) and beside and all(beside):
                return not any(one.intersection(marked.all) for one in beside)
    return False


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
    told: dict[str, Candidate] = {}
    spans = possible_spans(asked, marked, line.text, " ".join(line.context))
    for span in sorted(spans, key=lambda span: (-span.prior, span.start - span.end)):
        text = span.text.strip(CLOSING)
        part = any(one.start <= span.start and span.end <= one.end for one in told.values())
        partial = _PARTIAL.match(line.text, span.end) or _BEHIND.search(line.text[: span.start])
        partial = partial or DIFFERENCE.match(line.text, span.end)
        if not text or part or partial or text.lower() in told:
            continue
        if is_stated(marked, line.text, span._replace(text=text)):
            told[text.lower()] = span
            yield span._replace(text=text)
