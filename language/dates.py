"""Dates that are written in texts: ISO, in words, in names of files, in Korean and Chinese."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from .patterns import regex

NAMES = "january february march april may june july august september october november december"
MONTHS = {name[:3]: number for number, name in enumerate(NAMES.split(), start=1)}
_BEGIN, _END = r"(?<![^\W_])", r"(?![^\W_])"  # of words and numbers; "_" stands between them
MONTH = rf"(?P<name>(?:{'|'.join(rf'{n[:3]}(?:{n[3:]}|{n[3:4]})?' for n in NAMES.split())}))\.?"
_YEAR = r"(?P<year>(?:1[0-9]|20)\d\d)"
_GAP = r"[\s._,-]{1,3}"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
# The most exact first: what one has matched is hidden from those after it.
_FORMS = [
    regex(_BEGIN + form, re.IGNORECASE)
    for form in (
        rf"{_YEAR}(?P<sign>\s?[-/._]\s?)(?P<month>\d\d?)(?P=sign)(?P<day>\d\d?)(?!\d)",
        rf"{_YEAR}\s?[년年]\s?(?P<month>\d\d?)\s?[월月](?:\s?(?P<day>\d\d?)\s?[일日])?",
        rf"{_YEAR}(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)(?!\d)",
        rf"{MONTH}{_GAP}{_DAY}{_GAP}{_YEAR}{_END}",
        rf"{_DAY}{_GAP}(?:of\s+)?{MONTH}{_GAP}{_YEAR}{_END}",
        rf"(?P<first>\d\d?)(?P<dot>[-/.])(?P<second>\d\d?)(?P=dot){_YEAR}(?!\d)",
        rf"{_YEAR}[-_/](?P<month>0[1-9]|1[0-2])(?![\d]|[-/.]\d)",
        rf"{MONTH}{_GAP}(?:of\s+)?{_YEAR}{_END}",
        rf"{_YEAR}{_GAP}{MONTH}{_END}",
        rf"{_YEAR}(?:\s?[년年]|(?![\w%]|[.,]\d|-\d))",
    )
]
_SOME_YEAR = regex(_YEAR)


class FoundDate(NamedTuple):
    """A date in a text, in ISO form as exact as it is written: ``2024``, ``2024-01``."""

    start: int
    end: int
    date: str


def dates_in(text: str) -> list[FoundDate]:
    """The dates with a year that stand in ``text``, in their order.

    ``03/04/2024`` may be two days, so that only its year counts.

    >>> [found.date for found in dates_in("From 20231204 to January 4, 2024, not in 03/04/2025")]
    ['2023-12-04', '2024-01-04', '2025']
    """
    found: list[FoundDate] = []

    def take(match: re.Match[str]) -> str:
        if not (written := _iso(match)):
            return match[0]
        found.append(FoundDate(*match.span(), written))
        return "\0" * len(match[0])

    for form in _FORMS if _SOME_YEAR.search(text) else ():
        text = form.sub(take, text)
    return sorted(found)


def as_date(value: object) -> str:
    """``value`` of a field that holds a date, in ISO form; empty where it is none.

    >>> as_date("Thu, 04 Jan 2024 10:00:00 +0000"), as_date(2024), as_date("soon")
    ('2024-01-04', '2024', '')
    """
    text = str(value).strip()[:100] if isinstance(value, str | int) else ""
    if re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*", text) and dates_in(text[:10]):
        return text
    return next((found.date for found in dates_in(text)), "")


def date_of_name(names: Iterable[str]) -> str:
    """The date that the first of ``names`` with one tells: of a file, or a title; empty if none.

    A year alone counts at the beginning or the end of a name. A later name of the same month or
    year may be more exact.

    >>> date_of_name(["2024-01-board", "Board meeting, January 11, 2024"])
    '2024-01-11'
    """
    known = ""
    for name in names:
        for start, end, written in dates_in(name):
            inside = all(re.search(r"[^\W_]", part) for part in (name[:start], name[end:]))
            if written.startswith(known) and (len(written) > 4 or not inside):
                known = written
                break
    return known


def last_day(written: str) -> date:
    """The last day of a date in ISO form, which may be a year or a month."""
    year, month, day = [*map(int, written[:10].split("-")), 0, 0][:3]
    month = month or 12
    return date(year, month, day or monthrange(year, month)[1])


def _iso(match: re.Match[str]) -> str:
    parts = match.groupdict()
    month, day = parts.get("month"), parts.get("day")
    if name := parts.get("name"):
        month = str(MONTHS[name[:3].lower()])
    elif first := parts.get("first"):
        month, day = _unambiguous(int(first), int(parts["second"]), parts["dot"])
    return iso(int(parts["year"]), int(month or 0), int(day or 0))


def _unambiguous(first: int, second: int, sign: str) -> tuple[str | None, str | None]:
    """Month and day of two numbers before a year, if only one of them can be the month."""
    if sign == "." or first > 12 or first == second:
        return str(second), str(first)
    return (str(first), str(second)) if second > 12 else (None, None)


def iso(year: int, month: int = 0, day: int = 0) -> str:
    """The ISO form of a date, of a month without ``day``, or of a year; empty if there is none."""
    try:
        written = date(year, month or 1, day or 1).isoformat()
    except ValueError:
        return ""
    return written[: 10 if day else 7 if month else 4]
