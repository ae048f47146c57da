"""The spans of a line that may be the answer, more than are certain to be of the kind asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..language.analyser import content_words, is_korean
from ..language.answer_types import Candidate, dates, name_spans, roots
from ..language.patterns import regex
from ..language.questions import AnswerType, QuestionShape, type_of_noun
from .finder import KINDS, MarkedQuestion, apart_from_lives, is_phrase
from .lines import CELL, asked_marks, marks, telling_words
from .spans import CLOCK, CURRENCY, HOW, MONEY, NAME_ASKED, NUMBER, NUMERALS, WEEKDAY, is_unit

_WORD = re.compile(r"[^\W\d_]+")
_HEAD = re.compile(r" (?:of|for|in|at|on|to|from|with|by|per) ")
_WHO = frozenset("name who person 이름 성명 담당 담당자".split())  # labels of a person's cell
# A setting in a line of several: "port: 8883 # TLS user: ann".
_SETTING = regex(
    r"(?<![\w.-])([\w-]{2,40}): (\"[^\"]{0,80}\"|[^\s:#]{1,80})(?=;|$| +(?:#|[\w-]+: ))"
)
_MONEY_ASKED = regex(r"얼마(?!나 자주)|금액|가격|값|비용")
_DIGIT = re.compile(r"\d")
_CODE = regex(rf"\d|\b(?:{'|'.join(NUMERALS)})\b|{WEEKDAY.pattern}")
_SIGN = regex(r"[$£€¥₩]|(?:\d|[만천백])\s?원|\b[A-Z]{3}\b|euro|pound|dollar")
_ASKS_FOR = regex(r"(?i)(?:what|who|where)(?:['’]?s| is| are| was| were) ")
_TOLD = regex(
    r" (?:is|are|was|were)(?: now| still| always)? "
    rf"((?=[^,;.()]{{0,60}}\d|[A-Z\"'“‘]|(?:the|{'|'.join(NUMERALS)})\b)"
    r"(?:[^,;.()]|[.,]\d){1,60})(?=[,;(]|\.?$)"
)
_OPENS = regex(r"[,;:] |\band ")
_ROLE = regex(r"([가-힣]{2,5})? ?\(([^()]{1,30})\)")  # of a person
_CODED = regex(r"\b(?:number|phone|period)$|(?:번호|전화|연락처)$")  # no amount, no date
_MEANS = regex(r"(?i)\bmean(?:s|ing)?\b|뜻")
_CODED_NAME = regex(r"[A-Za-z]+-?\d+")  # "E4"
_SUBJECT = regex(  # of a Korean clause
    r"(?<!\S)(?<![와과랑및,] )([가-힣]{2,4} 씨|(?:[가-힣]{2,4}(?<![은는을를의에로서도와과면고며])"
    r" )?(?!사람|아무|누군|그녀|우리|저희|자신)[가-힣]{2,})(?:이|가|께서) "
)
_CLAUSE = regex(r"(?:\S+ ){0,20}?\S*(?:[고며면,.;]|지만|는데)(?!\S)|.*")
_KOREAN_AT = regex(r"(?<!\S)([가-힣]{2,})에서(?![가-힣])")
_LIKELY, _PERHAPS = 0.8, 0.6
# Words of a question that a span of the kind says by itself.
_IMPLIED = {
    "money": "cost price pay charge money fee spend worth sum get want 돈 값 비용 가격 요금 내",
    "time": "take last long 걸리",
    "date": "time date day",
    "name": "mean",
}


class Asked(NamedTuple):
    """A question of the ``kind`` of answer that it asks for, also where it is a phrase.

    ``noun`` names it, ``named`` if nothing else does; marks ``implied`` are said by any such span.
    """

    shape: QuestionShape
    kind: str
    money: bool
    named: bool
    noun: str
    implied: frozenset[str]
    phrase: bool


def asked_for(shape: QuestionShape) -> Asked | None:
    """The kind of answer that ``shape`` asks for; None where it is no narrow one."""
    if (kind := _kind_of(shape)) not in KINDS:
        return None
    how = HOW.search(shape.text)
    degree = how[1].lower() if how else ""
    told = degree == "much" or _MONEY_ASKED.search(shape.text) or MONEY.search(shape.text)
    money = kind == "number" and bool(told)
    said = _IMPLIED.get("money" if money else "time" if degree == "long" else kind, "")
    noun, phrase = shape.noun, shape.answer_type == "open"
    said += " number 번호 전화번호" * bool(kind == "name" and _CODED.search(noun or shape.text))
    coded = _MEANS.search(shape.text) and _CODED_NAME.search(shape.text)
    said += " mean" * bool(kind == "name" and coded)
    if phrase:
        shape = replace(shape, answer_type=kind)
        noun = noun or (content_words(shape.text) or [""])[-1]
    named = kind in {"name", "definition"}
    return Asked(shape, kind, money, named, noun, frozenset(asked_marks(said.split())), phrase)


def _kind_of(shape: QuestionShape) -> AnswerType:
    """The kind of answer, of a phrase by the first noun that tells it ("new date of the cup")."""
    if _CODED.search(shape.noun or shape.text) and " of " not in shape.text:
        return "name"
    if shape.answer_type == "open" and is_phrase(shape):
        words = _WORD.findall(_HEAD.split(shape.text.lower())[0])
        others = (kind for kind in map(type_of_noun, words) if kind != "person")
        return next(filter(None, [*map(type_of_noun, words[-1:]), *others]), "name")
    return shape.answer_type


def possible_spans(
    asked: Asked, marked: MarkedQuestion, text: str, context: str
) -> list[Candidate]:
    """The spans of ``text`` that are of the kind by their form, their label or their place."""
    told = apart_from_lives(marked, text, context)
    found = [*told, *_cells(asked, text), *_loose(asked, text)]
    dated, coded = asked.kind == "date", asked.kind == "name" and _CODED.search(asked.noun)
    if dated or coded or asked.kind == "number":
        sign = _CODE if dated or coded else NUMBER
        found = [one for one in found if sign.search(one.text) or (dated and dates(one.text))]
    return found


def _cells(asked: Asked, text: str) -> Iterator[Candidate]:
    """The values of the kind behind a label that the question says, or that names the kind."""
    said = frozenset(asked_marks(content_words(asked.shape.text)))
    for cell in [*CELL.finditer(text), *_SETTING.finditer(text)]:
        words = content_words(cell[1].replace("_", " "))
        told = [word for word in words if not is_unit(word)] or words
        label, value = frozenset(asked_marks(told)), cell[2].strip(" ;")
        shared = len(label & said) / len(label) if label else 0.0
        last = words[-1].lower() if words else ""
        typed = asked.kind == ("person" if last in _WHO else type_of_noun(last))
        if (shared or typed) and _fits(asked, words, value):
            prior = max(_PERHAPS + (1 - _PERHAPS) * shared, _LIKELY * typed)
            yield Candidate(*cell.span(2), value, prior)


def _fits(asked: Asked, label: Sequence[str], value: str) -> bool:
    """Whether the value of a cell is of the kind asked for."""
    if asked.named:
        words = {*label, *map(str.lower, label)}
        return not words.isdisjoint({asked.noun, *roots(asked.noun)} - {""})
    digits = bool(_DIGIT.search(value))
    if asked.kind not in {"number", "date"}:
        return not digits
    short = len(value.split()) <= 4  # words of a number or a date
    signed = _SIGN.search(value) or MONEY.search(" ".join(label))
    return digits and short and bool(signed or not asked.money)


def _loose(asked: Asked, text: str) -> Iterator[Candidate]:
    """Spans that are of the kind by their form, or by where they stand."""
    shape = asked.shape
    if asked.kind == "number":
        yield from _numbers(asked, text)
    elif asked.kind == "date":
        clocks = () if asked.noun in {"year", "month", "date", "day"} else CLOCK.finditer(text)
        yield from (Candidate(*one.span(), one[0], 0.7) for one in clocks)
    elif asked.kind == "name" and _MEANS.search(shape.text):
        yield from _meanings(shape.text, text)
    elif "누가" in shape.text:
        yield from _doers(shape.text, text)
    elif asked.kind == "place" and is_korean(shape.text):
        yield from (Candidate(*one.span(1), one[1], _LIKELY) for one in _KOREAN_AT.finditer(text))
    elif (asked.phrase or _ASKS_FOR.match(shape.text)) and not NAME_ASKED.search(shape.text):
        yield from _equal(asked, text)


def _meanings(question: str, text: str) -> Iterator[Candidate]:
    """The text behind a code of ``question``: after a colon or dash, or in the next cell."""
    for code in _CODED_NAME.findall(question):
        behind = r"(?:; [^:;]{1,40}:|:| means?(?: that)?| [–—-]) ([^.;]{2,80}?)(?= [–—-] |[.;]|$)"
        for told in re.finditer(rf"(?i)(?<![\w-]){re.escape(code)}{behind}", text):
            yield Candidate(*told.span(1), told[1], 1.0)


def _doers(question: str, text: str) -> Iterator[Candidate]:
    """The subjects of the Korean clauses of ``text`` that say the last word of ``question``."""
    asked = asked_marks(telling_words(question)[-1:])
    for doer in _SUBJECT.finditer(text):
        clause = _CLAUSE.match(text, doer.end())
        if clause and not marks(clause[0]).isdisjoint(asked):
            yield Candidate(*doer.span(1), doer[1], _LIKELY)


def _equal(asked: Asked, text: str) -> Iterator[Candidate]:
    """The things that a clause equates with the one asked for, and names by a role in brackets."""
    said = frozenset(asked_marks(content_words(asked.shape.text)))
    for told in _TOLD.finditer(text):
        clause = content_words(_OPENS.split(text[: told.start()])[-1])
        subject = frozenset(asked_marks([word for word in clause if not _DIGIT.match(word)]))
        if subject and subject <= said and (asked.kind == "place" or told[1][:4] != "the "):
            parts = (one.span() for one in _HEAD.finditer(told[1]))
            again = (start for start, end in parts if marks(told[1][end:]) & said)
            value = told[1][: next(again, None)]  # without a part of the question, said again
            yield Candidate(told.start(1), told.start(1) + len(value), value, _LIKELY)
    names = {one.end: one.text for one in name_spans(text)}
    for named in _ROLE.finditer(text) if asked.kind in {"person", "name"} else ():
        role = frozenset(asked_marks(content_words(named[2])))
        if role and role <= said and (name := named[1] or names.get(named.start())):
            yield Candidate(*named.span(2), name, 1.0)


def _numbers(asked: Asked, text: str) -> Iterator[Candidate]:
    """Sums of money where one is asked for; else numbers that are no date, less likely ones."""
    taken = [(date.start, date.end) for date in dates(text)]
    for match in NUMBER.finditer(text):
        start, end = match.span()
        if any(first <= start < after for first, after in taken) or match[0].lower() == "one":
            continue
        unit = CURRENCY.match(text, end)
        if asked.money and (match["sign"] or unit):
            end = unit.end() if unit else end
            yield Candidate(start, end, text[start:end], _LIKELY)
        elif not (asked.money or match["sign"] or unit):
            yield Candidate(start, end, match[0], _PERHAPS)
