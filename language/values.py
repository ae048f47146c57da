"""Values that an answer states: numbers with their scale and unit, yes and no."""

from __future__ import annotations

import re
from typing import NamedTuple

from .analyser import strip_particle

_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
           "만": 1e4, "억": 1e8, "조": 1e12}  # fmt: skip
_UNITS: dict[str, dict[str, float]] = {
    "length": {"mm": 0.001, "cm": 0.01, "m": 1, "km": 1000, "metre": 1, "meter": 1, "mile": 1609.34,
               "mi": 1609.34, "ft": 0.3048, "feet": 0.3048, "foot": 0.3048, "yard": 0.9144,
               "inch": 0.0254, "inches": 0.0254, "kilometre": 1000, "kilometer": 1000,
               "미터": 1, "킬로미터": 1000},
    "weight": {"g": 0.001, "kg": 1, "t": 1000, "tonne": 1000, "ton": 1000, "pound": 0.4536,
               "lb": 0.4536, "kilogram": 1, "gram": 0.001, "킬로그램": 1},
    "time": {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800,
             "month": 2629746, "year": 31556952},
}  # fmt: skip
_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_NUMBER = re.compile(
    rf"(?<![\w.])(?:(?P<digits>-?\d[\d,]*(?:\.\d+)?)|(?P<word>{'|'.join(_WORDS)})\b)"
    rf"\s*(?P<scale>{'|'.join(_SCALES)})?\s*-?(?P<unit>[^\W\d_]+|%)?",
    re.IGNORECASE,
)
# A capital after the word, as in "True Grit", or a letter, as in "네덜란드", makes it a name.
_YES = re.compile(r"^\W*(?:(?i:yes|true)\b(?!\s+[A-Z])|[예네](?!\w)|그렇)")
_NO = re.compile(r"^\W*(?:(?i:no|not|false)\b(?!\s+[A-Z])|아니(?!메)|아닙)")

NEGATION = re.compile(
    r"(?i)\b(?:not|never|no longer|neither|nor|misconception|myth)\b|n['’]t\b|않|아니|못[하-했]|없"
)


class Amount(NamedTuple):
    """A number in a text: ``value`` in the base unit of its ``kind``, ``bare`` without the unit.

    ``kind`` is length, weight, time, or empty for other units and none; a unit of these kinds is
    among the characters ``[start, end)``.
    """

    value: float
    kind: str
    bare: float
    start: int
    end: int


def amounts(text: str) -> list[Amount]:
    """The numbers in ``text``, in digits or words, left to right."""
    return [_amount(match) for match in _NUMBER.finditer(text)]


def verdict(answer: str) -> bool | None:
    """Whether ``answer`` begins with a yes or with a no; None for neither."""
    return True if _YES.match(answer) else False if _NO.match(answer) else None


def _amount(match: re.Match[str]) -> Amount:
    digits, word = match["digits"], match["word"]
    value = float(digits.replace(",", "")) if digits else float(_WORDS[word.lower()])
    value *= _SCALES.get((match["scale"] or "").lower(), 1)
    unit = strip_particle((match["unit"] or "").lower())
    for kind, factors in _UNITS.items():
        factor = factors.get(unit) or factors.get(unit.rstrip("s"))
        if factor is not None:
            return Amount(value * factor, kind, value, *match.span())
    return Amount(value, "", value, *match.span())
