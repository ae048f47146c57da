"""Comparing and counting over the answers to sub-questions: computed, not guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .analyser import LONGEST_GRAMMAR, is_korean, one_line
from .answer_types import countries, dates, roots
from .comparison_questions import ComparisonQuestion, comparison_of
from .comparison_questions_korean import korean_comparison_of
from .questions import Measure, QuestionShape, analyse_question
from .values import amounts, verdict


class Answered(NamedTuple):
    """A sub-question, its references filled in, with its answer; empty if none was found."""

    question: str
    answer: str


class Computed(NamedTuple):
    """An answer that follows from others; ``used`` are the places of those."""

    answer: str
    used: tuple[int, ...]


class _AnswerValue(NamedTuple):
    """The value of an answer: a date as (year, month, day), a number with its unit, or names."""

    key: tuple[float, ...]
    unit: str
    names: frozenset[str]


_NUMERIC = re.compile(r"\s*(?:about |around |over |some |약 )?\d[\d,.]*(?![\w.])", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:the|an?)\s+", re.IGNORECASE)


def compute(question: str, answered: Sequence[Answered]) -> Computed | None:
    """The answer to a ``question`` that compares or counts, from the answers to its sub-questions.

    Dates and numbers are compared, countries and names checked for being the same, yes and no
    combined and counted. None if the question does not compare, or the answers do not decide it.
    """
    asked = comparison(question)
    if asked is None:
        return None
    traces = [_trace(thing, asked.things, answered) for thing in asked.things]
    used = tuple(dict.fromkeys(place for trace in traces for place in trace))
    shape = analyse_question(question)
    if asked.relation in {"both", "either", "count"}:
        said = [verdict(answered[trace[-1]].answer) if trace else None for trace in traces]
        return _combined(asked, shape, said, used)
    found = (_value(asked.measure, trace, answered) for trace in traces)
    values = [value for value in found if value is not None]
    if len(values) < len(traces):
        return None
    if asked.relation == "same":
        same = _agree(values, asked.measure)
        return None if same is None else Computed(shape.verdict(same), used)
    return _ranked(asked, shape, values, used)


def comparison(question: str) -> ComparisonQuestion | None:
    """The comparison that ``question`` makes, English or Korean, or None."""
    if len(question) > LONGEST_GRAMMAR:
        return None
    text = one_line(question)
    return (korean_comparison_of if is_korean(text) else comparison_of)(text)


def _trace(thing: str, things: Sequence[str], answered: Sequence[Answered]) -> list[int]:
    """The places of the sub-questions about ``thing``, and about what their answers name."""
    longer = [other for other in things if other != thing and mentions(other, thing)]
    names, found = [thing], list[int]()
    for place, (question, answer) in enumerate(answered):
        bare = question
        for other in longer:
            bare = re.sub(re.escape(other), " ", bare, flags=re.IGNORECASE)
        if any(mentions(bare, name) for name in names):
            found.append(place)
            if 1 < len(answer) <= 120 and verdict(answer) is None:
                names.append(answer)
    return found


def mentions(text: str, name: str) -> bool:
    """Whether ``text`` has ``name`` as words of its own, or with a Korean particle.

    Articles do not matter.
    """
    bare = re.escape(_ARTICLE.sub("", name))
    found = re.search(rf"(?<!\w){bare}(?![^\W가-힣])", _ARTICLE.sub("", text), re.IGNORECASE)
    return bool(bare and found)


def _value(
    measure: Measure, trace: Sequence[int], answered: Sequence[Answered]
) -> _AnswerValue | None:
    """The value of the last answer of ``trace`` that fits ``measure``."""
    if measure == "lifespan":
        return _lifespan(trace, answered)
    for place in reversed(trace):
        if answer := answered[place].answer:
            value = read_value(measure, answer)
            if value is not None or place == trace[-1]:
                return value
    return None


def _lifespan(trace: Sequence[int], answered: Sequence[Answered]) -> _AnswerValue | None:
    said: dict[str, float] = {}
    for place in trace:
        question, answer = answered[place]
        value = read_value("date", answer)
        if value is not None:
            year, month, day = value.key
            said[analyse_question(question).measure] = year + month / 12 + day / 366
    if not {"birth", "death"} <= said.keys():
        return None
    return _AnswerValue((said["death"] - said["birth"],), "year", frozenset())


def read_value(measure: Measure, answer: str) -> _AnswerValue | None:
    """The value of ``answer`` in terms of ``measure``, or None where it has none."""
    if measure in {"birth", "death", "date"}:
        dated = dates(answer)
        return _AnswerValue(tuple(map(float, dated[0].key)), "", frozenset()) if dated else None
    if measure == "number" or (measure == "none" and _NUMERIC.match(answer)):
        found = amounts(answer)
        return _AnswerValue((found[0].value,), found[0].kind, frozenset()) if found else None
    keys = frozenset(country for _, country in countries(answer))
    names = keys if measure == "country" and keys else keys | frozenset(roots(answer))
    return _AnswerValue((), "", names) if names else None


def _agree(values: Sequence[_AnswerValue], measure: Measure) -> bool | None:
    """Whether all values are the same, as far as each of them says; None where that is open."""
    first, *others = values
    if any(bool(other.names) != bool(first.names) or other.unit != first.unit for other in others):
        return None
    if measure == "country":
        held = [value.names for value in values]
        shared = frozenset.intersection(*held)
        # "Russian-born American" may be meant as one country or as the other.
        return True if len({*held}) == 1 else None if shared else False
    if first.names:
        return all(first.names <= other.names or other.names <= first.names for other in others)
    told = [
        [pair for pair in zip(first.key, other.key, strict=False) if all(pair)] for other in others
    ]
    return all(pairs and all(a == b for a, b in pairs) for pairs in told)


def _ranked(
    asked: ComparisonQuestion,
    shape: QuestionShape,
    values: Sequence[_AnswerValue],
    used: tuple[int, ...],
) -> Computed | None:
    """The thing with the least or greatest value, or how far apart the values are."""
    if len({value.unit for value in values}) > 1:
        return None
    keys = [value.key for value in values]
    if any(0 in key[1:] for key in keys) and len({key[0] for key in keys}) < len(keys):
        return None
    if asked.relation == "difference":
        return Computed(_distance(keys), used) if len(keys) == 2 else None
    best = (min if asked.relation == "least" else max)(keys)
    if keys.count(best) > 1:
        return Computed(shape.verdict(False), used) if asked.claim else None
    chosen = keys.index(best)
    return Computed(shape.verdict(chosen == 0) if asked.claim else asked.things[chosen], used)


def _distance(keys: Sequence[tuple[float, ...]]) -> str:
    """Full years between two dates, or the difference of two numbers."""
    low, high = sorted(keys)
    years = high[0] - low[0]
    if len(low) == 3 and low[1] and high[1]:
        years -= high[1:] < low[1:]
    return f"{years:g}" if abs(years) < 1e6 else f"{years:,.0f}"


def _combined(
    asked: ComparisonQuestion,
    shape: QuestionShape,
    said: Sequence[bool | None],
    used: tuple[int, ...],
) -> Computed | None:
    """Whether it is so of all things, of which one, or of how many; ``said`` is None if unknown."""
    if asked.relation == "both" and (None not in said or False in said):
        return Computed(shape.verdict(all(said)), used)
    if None in said:
        return None
    if asked.relation == "count":
        return Computed(str(said.count(True)), used)
    if asked.relation == "either" and said.count(True) == 1:
        return Computed(asked.things[said.index(True)], used)
    return None
