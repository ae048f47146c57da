"""The time of the documents that a question asks for: periods, and the first or the latest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import islice
from typing import Literal, NamedTuple

from .dates import MONTH, MONTHS, dates_in, iso, last_day
from .patterns import regex

Order = Literal["", "newest", "oldest"]
Range = tuple[str, str]  # the first and the last date in ISO form, each empty for no bound


class TimeAsked(NamedTuple):
    """The time that a question names, and the question without the words that name it.

    ``ranges`` are times of which any is meant. ``order`` asks for the first or the latest document.
    """

    ranges: list[Range]
    order: Order
    topic: str


class _TimeSpan(NamedTuple):
    """Characters of a question that name the time from ``first`` to ``last``."""

    start: int
    end: int
    first: str
    last: str


_KINDS = (
    "meetings?|minutes|sessions?|updates?|reports?|notes|e?-?mails?|letters?|newsletters?|edition|"
    "announcements?|agendas?|memos?|bulletins?|news|decisions?|discussions?|proposals?|summary|"
    "statements?|syncs?|stand-?ups?|sprints?|retrospectives?|reviews?|surveys?|votes?|elections?|articles?|posts?|transcripts?"
)
_TOLD = (
    "discuss|mention|rais(?:ed|e)|propos|brought|talk|report|announc|approv|decid|agree|vot(?:ed|e)|"
    "present(?:ed)?\\b|suggest|review|cover(?:ed)?\\b|consider|elect|publish|me[et]t|c[ao]me up"
)
_KOREAN = (
    "회의|모임|보고|메일|편지|소식|공지|안건|결정|논의|발표|뉴스|업데이트|의사록|일지|제안|투표|총회|"
    "이사회|예산|언급|승인|다루|다뤄|다룬|선출|만난|글"
)
_BETWEEN = r"(?:(?!(?:to|of|in|the|an?|at|by|on|for|from|with|and|or|that|who|which)\b)[\w'’-]+\s+)"
_OF_KIND = rf"{_BETWEEN}{{0,3}}(?=(?:{_KINDS})\b)"
_TIME_OF = rf"\s+(?:time\b(?=(?:\W+\w+){{0,8}}?\W+(?:{_TOLD}))|(?={_TOLD}))"
_KOREAN_KIND = rf"(?:\s?번째|의|으로|에)*\s*(?=(?:\S+\s+)?\S*?(?:{_KOREAN}))"
_ORDERS: dict[Order, re.Pattern[str]] = {
    "newest": regex(
        r"\b(?:the\s+)?(?:latest|newest|most\s+recent(?:ly)?|recently|lately)\b(?!\s+used)"
        rf"|\b(?:the\s+)?(?:recent|last|previous)\s+{_OF_KIND}|\blast{_TIME_OF}"
        rf"|(?:가장|제일)\s*(?:최근|나중)\S?|최신\S?|(?:최근|마지막|지난번?|직전){_KOREAN_KIND}",
        re.IGNORECASE,
    ),
    "oldest": regex(
        rf"\b(?:the\s+)?(?:very\s+)?(?:first|initial)\s+{_OF_KIND}|\bfirst{_TIME_OF}"
        r"|\b(?:the\s+)?(?:earliest|oldest)\b|(?:가장|제일)\s*(?:오래된|먼저|이른)"
        rf"|(?:첫|최초|맨\s처음|처음){_KOREAN_KIND}",
        re.IGNORECASE,
    ),
}
# Words that every such question has, and that say nothing of its subject.
_GENERAL = regex(
    rf"\b(?:{_KINDS}|(?:{_TOLD}|happen|sa(?:id|y)|tell|told|attend|present)\w*|people|topics?|points?|records?"
    r"|items?|actions?|things?|names?|dates?|documents?|held|take place|took place)\b|회의록?|모임|"
    r"결정\S*|논의\S*|언급\S*|발표\S*|참석\S*|안건\S*|내용\S*|주제\S*|누구\S*|무엇\S*|있었\S*|나온|나왔\S*",
    re.IGNORECASE,
)
_NAMED_MONTH = regex(
    r"\b(?:(?:in|of|during|since|until|till|before|after|last|this|by|from|through|to|and|between"
    r"|early|late|mid|on|the)[\s-]+)(?:(?P<d1>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?)?"
    rf"(?=[A-Z])(?i:{MONTH})(?:\s+(?P<d2>\d\d?)(?:st|nd|rd|th)?\b)?(?![^\W_])"
    rf"|(?<![^\W_])(?=[A-Z])(?i:{MONTH.replace('name', 'alone')})(?='s?\b|\s+(?:{_KINDS}))"
    r"|(?<![\d.])(?P<month>\d\d?)월(?:\s?(?P<day>\d\d?)일)?(?!\s?간)"
)
_PARTS: dict[str, tuple[int, int]] = {
    r"early|beginning|start|초": (1, 4),
    r"mid|middle|중반": (5, 8),
    r"late|end|말": (9, 12),
    r"spring|봄": (3, 5),
    r"summer|여름": (6, 8),
    r"autumn|fall|가을": (9, 11),
    r"first half|상반기": (1, 6),
    r"second half|하반기": (7, 12),
    r"(?:first|1st) quarter|Q1|1분기": (1, 3),
    r"(?:second|2nd) quarter|Q2|2분기": (4, 6),
    r"(?:third|3rd) quarter|Q3|3분기": (7, 9),
    r"(?:fourth|last|4th) quarter|Q4|4분기": (10, 12),
}
_PART_WORDS = regex(
    "|".join(rf"(?P<m{first}_{last}>{words})" for words, (first, last) in _PARTS.items()),
    re.IGNORECASE,
)
_LED = regex(
    r"(?:\b(?:in|of|during|since|until|till|before|after|by|from|through|to|and|or|between|than|year)"
    r"(?:\s+the)?(?:\s+year)?\s+|[-–~]\s?)$",
    re.IGNORECASE,
)
_FOLLOWED = regex(rf"(?:['’]s)?\s+(?:{_KINDS})\b", re.IGNORECASE)
_MOST = 20  # times of one sort in a question
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_RELATIVE = regex(
    rf"\b(?:last|past)\s+(?P<n>\d{{1,3}}|few|couple\s+of|{'|'.join(_NUMBERS)})\s+"
    r"(?P<unit>day|week|month|year)s?\b"
    r"|(?:최근|지난)\s*(?P<kn>\d{1,3})\s*(?P<kunit>일|주|개월|달|년)(?:\s?(?:동안|간))?"
    r"|\b(?P<which>this|last|previous|past)\s+(?P<one>year|month)\b(?:['’]s)?"
    r"|(?P<this_year>올해|금년)|(?P<before_last>재작년)|(?P<last_year>작년|지난\s?해)"
    r"|(?P<this_month>이번\s?달|이달)|(?P<last_month>지난\s?달|저번\s?달)",
    re.IGNORECASE,
)
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365, "일": 1, "주": 7, "개월": 30, "달": 30,
          "년": 365}  # fmt: skip
_LEADS = r"(?:(?:the|about|our|their|\w+)\s+){0,3}?(?:(?:of|in|on|from)\s+(?:the\s+)?)?"
_RELATIONS = [  # words before a date in English, and after it in Korean; how it bounds the time
    (regex(before, re.IGNORECASE), regex(rf"\s*(?:\S{{1,6}}\s*)?(?:{after})"), how)
    for before, after, how in (
        (rf"\bsince\s+{_LEADS}$", r"부터|이후|이래|\bon\s?wards?\b", "from"),
        (rf"\b(?:after|later than|following)\s+{_LEADS}$", "뒤", "after"),
        (rf"\b(?:before|prior to|earlier than)\s+{_LEADS}$", "이전|전에|전의", "before"),
        (r"\b(?:until|till|up to|by|through|as of)\s+(?:the\s+)?$", "까지", "until"),
    )
]
_TO = regex(r"[\s,]*(?:and|to|until|till|through|[-–~]|부터|에서)\s*(?:the\s+)?", re.IGNORECASE)


def time_asked(question: str, newest: str = "9999-12") -> TimeAsked | None:
    """The time of documents that ``question`` names; None where it names none.

    ``newest`` is the date of the newest document: "last year" is the year before it, and a month
    without a year is the last one up to then.

    >>> time_asked("What did the board decide in January 2024?").ranges
    [('2024-01', '2024-01')]
    >>> time_asked("Who led the last meeting before 2020?")[:2]
    ([('', '2019-12-31')], 'newest')
    """
    spans = _joined(question, _spans(question, newest))
    rest = _without(question, [(span.start, span.end) for span in spans])
    order, rest = _order(rest)
    if not spans and not order:
        return None
    ranges = [(span.first, span.last) for span in spans]
    return TimeAsked(ranges, order, " ".join(_GENERAL.sub(" ", rest).split()))


def _without(question: str, spans: Sequence[tuple[int, int]]) -> str:
    """``question`` with a mark for the characters of ``spans``, of the same length."""
    for start, end in spans:
        question = f"{question[:start]}{'|':<{end - start}}{question[end:]}"
    return question.replace("|", " ")


def _order(text: str) -> tuple[Order, str]:
    for order, form in _ORDERS.items():
        if found := form.search(text):
            return order, text[: found.start()] + text[found.end() :]
    return "", text


def _spans(question: str, newest: str) -> list[_TimeSpan]:
    """The dates, months and times before the newest document, in their order."""
    spans: list[_TimeSpan] = []
    for found in dates_in(question)[:_MOST]:
        span = _with_part(question, _TimeSpan(*found, found.date))
        if len(span.first) > 4 or _is_time(question, span):
            spans.append(span)
    for match in islice(_RELATIVE.finditer(question), _MOST):
        first, last = _relative(match, newest)
        spans.append(_TimeSpan(*match.span(), first, last))
    for match in islice(_NAMED_MONTH.finditer(question), _MOST):
        if not any(span.start < match.end() and match.start() < span.end for span in spans):
            key = next(key for key in ("name", "alone", "month") if match[key])
            is_last = re.match(r"(?:last|this)\b", match[0])
            start = match.start() if is_last else match.start(key)
            written = _month(match, [span.first for span in spans if span.first], newest)
            spans += [_TimeSpan(start, match.end(), written, written)] if written else []
    return sorted(spans)


def _is_time(question: str, span: _TimeSpan) -> bool:
    """Whether a year stands where a time does: in "PyCon 2025" it is a part of a name."""
    before, year = question[: span.start], question[span.start : span.end]
    led = _LED.search(before) or not year.isdecimal()
    return bool(led or _FOLLOWED.match(question, span.end))


def _with_part(question: str, span: _TimeSpan) -> _TimeSpan:
    """``span`` of a year with the words for a part of it: "early 2023", "2023년 상반기"."""
    if len(span.first) != 4:
        return span
    for match in _PART_WORDS.finditer(question):
        is_before = re.fullmatch(r"(?:[\s-]|of|the|in)*", question[match.end() : span.start])
        is_after = re.fullmatch(r"\s?", question[span.end : match.start()])
        if (match.end() <= span.start and is_before) or (match.start() >= span.end and is_after):
            first, last = str(match.lastgroup)[1:].split("_")
            ends = iso(int(span.first), int(first)), iso(int(span.first), int(last))
            return _TimeSpan(min(match.start(), span.start), max(match.end(), span.end), *ends)
    return span


def _relative(match: re.Match[str], newest: str) -> Range:
    end = last_day(newest)
    if unit := match["unit"] or match["kunit"]:
        word = (match["n"] or match["kn"]).lower()
        small = {"few": 3, **{name: n for n, name in enumerate(_NUMBERS, start=1)}}
        count = int(word) if word.isdecimal() else small.get(word, 2)
        return (end - timedelta(days=_UNITS[unit.lower()] * count)).isoformat(), ""
    back = 2 if match["before_last"] else 1
    if match["this_year"] or match["this_month"] or (match["which"] or "").lower() == "this":
        back = 0
    if match["this_month"] or match["last_month"] or (match["one"] or "").lower() == "month":
        month = end.replace(day=1) - timedelta(days=back)
        return (iso(month.year, month.month),) * 2
    return (iso(end.year - back),) * 2


def _month(match: re.Match[str], others: Sequence[str], newest: str) -> str:
    """A month without a year, of the year that stands beside it, else the last up to ``newest``."""
    name = match["name"] or match["alone"]
    month = MONTHS[name[:3].lower()] if name else int(match["month"])
    day = int(match["d1"] or match["d2"] or match["day"] or 0)
    if others:
        return iso(int(others[0][:4]), month, day)
    end = last_day(newest)
    year = end.year if date(end.year, min(max(month, 1), 12), 1) <= end else end.year - 1
    return iso(year, month, day)


def _joined(question: str, spans: Sequence[_TimeSpan]) -> list[_TimeSpan]:
    """``spans``, of which two with "to" between them are one, bounded by the words around them."""
    joined: list[_TimeSpan] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last and _TO.fullmatch(question[last.end : span.start]) and last.first <= span.last:
            joined[-1] = _TimeSpan(last.start, span.end, last.first, span.last)
        else:
            joined.append(span)
    return [span if span not in spans else _bounded(question, span) for span in joined]


def _bounded(question: str, span: _TimeSpan) -> _TimeSpan:
    for before, after, how in _RELATIONS:
        found, follows = before.search(question[: span.start]), after.match(question, span.end)
        if not found and not follows:
            continue
        start = found.start() if found else span.start
        end = follows.end() if follows else span.end
        if how == "from":
            return _TimeSpan(start, end, span.first, "")
        if how == "after":
            later = last_day(span.last or span.first) + timedelta(days=1)
            return _TimeSpan(start, end, later.isoformat(), "")
        if how == "before":
            first = last_day(span.first).replace(day=1) if len(span.first) == 7 else None
            year, month, day = map(int, f"{span.first}-01-01".split("-")[:3])
            first = first or date(year, month, day)
            return _TimeSpan(start, end, "", (first - timedelta(days=1)).isoformat())
        return _TimeSpan(start, end, "", span.last)
    return span
