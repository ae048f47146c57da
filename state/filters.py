"""Filters: which passages of an index a question may be answered from.

A filter is a dictionary of keys of metadata, ``title`` and ``document`` among them, each with a
value or with operators: ``{"author": "Ada", "year": {"$gte": 1990, "$lt": 2000}}``. All of them
must hold, and so must those of the filters in a list under ``$and``. ``matches`` is what a filter
means; ``stores.conditions`` says the same in SQL.
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple, cast, get_args

from .errors import RagraphsError
from .records import MetadataValue

Scalar = str | int | float | bool
Comparison = Literal["$gt", "$gte", "$lt", "$lte"]
Membership = Literal["$in", "$nin"]

AND = "$and"
LONGEST_FILTER = 16_000  # characters, written as JSON
_MOST_KEYS = 50
_LONGEST_SHOWN = 60  # characters of a key in a sentence
_ALONE: Mapping[str, Membership] = {"$eq": "$in", "$ne": "$nin", "$contains": "$in"}
_OPERATORS = (*_ALONE, *get_args(Comparison), *get_args(Membership))
COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_MOST_STARS = 3  # of a pattern: a database may try every place of each
_WORDS = {">=": "$gte", "<=": "$lte", "!=": "$ne", ">": "$gt", "<": "$lt", "=": "$eq"}
_ON_COMMAND_LINE = re.compile(
    r"(?P<key>[^<>=!]++)(?P<sign>>=|<=|!=|>|<|=)(?P<value>(?![<>=!]).*)", re.S
)
_VALUE = re.compile(r"""\s*+(?:(?:"([^"]*)"|'([^']*)')\s*+|((?!["'])[^,]*+))(?:,|$)""", re.S)
_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:[T ][\d:.+Z-]*)?)?)?")
_FIRST_DAY = re.compile(r"(?:-01)+$")
_ALL_OF = "~"  # follows whatever may go on a date
_FROM, _TO = "0", ":"  # around all texts that begin with a digit
_NUMBER = re.compile(r"[+-]?(\d++\.?+\d*+|\.\d++)([eE][+-]?\d++)?")


class Period(NamedTuple):
    """The texts from ``first`` on and before ``end``: dates in ISO form, however exact."""

    first: str
    end: str


class PathPattern(NamedTuple):
    """A path in which each ``*`` stands for any characters, such as ``minutes/*``."""

    text: str

    def fits(self, path: str) -> bool:
        """Whether ``path`` is one of these."""
        first, *between, last = self.text.split("*")
        at, end = len(first), len(path) - len(last)
        fits = path.startswith(first) and path.endswith(last) and at <= end
        for part in between:
            found = path.find(part, at, end)
            fits, at = fits and found >= 0, found + len(part)
        return fits


Operand = Scalar | Period | PathPattern


class FilterCondition(NamedTuple):
    """One condition of a filter: the values of ``key`` are compared with ``operands``.

    ``$in`` and ``$nin`` have as many operands as there are, comparisons one. What dates are
    compared with are periods of which they are in one, or in none, and paths with patterns.
    """

    key: str
    operator: Comparison | Membership
    operands: tuple[Operand, ...]


def conditions_of(where: Mapping[str, Any]) -> list[FilterCondition]:
    """The conditions of a filter, all of which must hold.

        conditions_of({"year": {"$gte": 1990, "$lt": 2000}, "author": "Ada"})

    Raises RagraphsError, which names the place, for a filter of another form.
    """
    if not isinstance(where, Mapping):
        raise RagraphsError('A filter is a dictionary, such as {"author": "Ada"}.')
    parts = _parts(where)
    if (keys := sum(map(len, parts))) > _MOST_KEYS:
        raise RagraphsError(f"The filter has {keys} keys; use at most {_MOST_KEYS}.")
    found = [
        one for part in parts for key, asked in part.items() for one in _conditions(key, asked)
    ]
    if (size := len(filter_text(where))) > LONGEST_FILTER:
        raise RagraphsError(
            f"The filter has {size:,} characters; use at most {LONGEST_FILTER:,}: a range or a "
            "value of its own for each group takes less than a list of every one."
        )
    return found


def joined(*filters: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The filter that holds where all of ``filters`` hold; None where there are none."""
    several = [dict(one) for one in filters if one]
    if len(several) < 2:
        return several[0] if several else None
    return {AND: [part for one in several for part in _parts(one)]}


def _parts(where: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The filter without its list of filters, and those of the list."""
    listed = where.get(AND, [])
    if not isinstance(listed, list) or not all(isinstance(one, Mapping) for one in listed):
        raise RagraphsError(f'{AND} takes a list of filters, such as [{{"author": "Ada"}}].')
    return [{key: asked for key, asked in where.items() if key != AND}, *listed]


def filter_text(where: Mapping[str, Any]) -> str:
    """A filter as JSON text, the same for the same filter whatever the order of its keys."""
    return json.dumps(where, sort_keys=True, ensure_ascii=False)


def matches(values: Mapping[str, MetadataValue], where: Mapping[str, Any]) -> bool:
    """Whether metadata, with ``title`` and ``document`` among its keys, meets a filter.

        matches({"author": "Ada", "tag": ["a", "b"]}, {"tag": {"$in": ["b", "c"]}})

    Numbers are compared with numbers, text with text by code points, booleans with booleans. A list
    matches where one of its elements does, and ``$ne`` and ``$nin`` where none is named. A key that
    is missing, or an empty list, matches nothing, not even ``$ne``. A ``date`` is compared by time:
    "2024-01" in a filter is the whole month, and as a value its first day. In a ``path``, ``*``
    stands for any characters: "minutes/**" is all of a folder.
    """
    return all(_holds(values.get(one.key, []), one) for one in conditions_of(where))


def kind_of(value: Operand) -> Literal["text", "number", "boolean"]:
    """The kind of a value: only values of one kind are compared with each other."""
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str | Period | PathPattern) else "number"


def parse_where(texts: Iterable[str]) -> dict[str, Any]:
    """The filter that conditions of the command line make, all of which must hold.

        parse_where(["year>=1990", "year<2000", "tag=a,b", 'title="1984"', "author!=Ada"])

    Several values, with commas between them, are any (``=``) or none (``!=``) of these. Numbers,
    ``true`` and ``false`` are recognised; in quotes they stay text, as do values of ``date``.
    Raises RagraphsError for a condition of another form.
    """
    where: dict[str, dict[str, Any]] = {}
    for text in texts:
        key, sign, value = _parsed(text)
        if sign in where.setdefault(key, {}):
            raise RagraphsError(
                f"--where names {key} with the same sign twice, last in {text!r}; name several "
                f"values at once: {key}=a,b is any of them."
            )
        where[key][sign] = value
    conditions_of(where)
    return {
        key: asked.get("$eq", asked) if len(asked) == 1 else asked for key, asked in where.items()
    }


def nearest_first(name: str, known: Iterable[str]) -> list[str]:
    """``known`` names, those spelled like ``name`` before the others, which follow sorted."""
    names = sorted(known)
    lower = {one.casefold(): one for one in reversed(names)}
    close = [lower[one] for one in get_close_matches(name.casefold(), lower, n=len(names) or 1)]
    return list(dict.fromkeys([*close, *names]))


def _conditions(key: object, asked: object) -> list[FilterCondition]:
    if not isinstance(key, str) or not key or not _can_be_written(key):
        raise RagraphsError(
            f"The key {key!r:.60} of the filter is no text; name a key of metadata."
        )
    if key.startswith("$"):
        raise RagraphsError(
            f"The filter begins with {key!r:.60}; begin with a key of metadata, such as "
            '{"author": "Ada"}. Several keys are joined by and; there is no or.'
        )
    if not isinstance(asked, Mapping):
        found = [FilterCondition(key, "$in", (_scalar(asked, _place(key)),))]
    elif not asked:
        raise RagraphsError(f"{_place(key)} is empty; give it a value or an operator.")
    else:
        found = [_condition(key, sign, operand) for sign, operand in asked.items()]
    read: Callable[[FilterCondition], FilterCondition] | None
    read = {"date": _by_time, "path": _by_pattern}.get(key)
    return [read(one) for one in found] if read else found


def _by_pattern(asked: FilterCondition) -> FilterCondition:
    """The same condition on paths with patterns in place of the texts that have a ``*``."""
    if asked.operator not in get_args(Membership):
        return asked
    operands = [
        PathPattern(re.sub(r"\*+", "*", one)) if isinstance(one, str) and "*" in one else one
        for one in asked.operands
    ]
    for one in operands:
        if isinstance(one, PathPattern) and one.text.count("*") > _MOST_STARS:
            raise RagraphsError(f"{_place(asked.key)} takes a path with at most {_MOST_STARS} *.")
    return asked._replace(operands=tuple(operands))


def _by_time(asked: FilterCondition) -> FilterCondition:
    """The same condition on dates with periods in place of dates, where all operands are such."""
    dates = [str(one) for one in asked.operands]
    if not all(map(_DATE.fullmatch, dates)):
        return asked
    if asked.operator in ("$in", "$nin"):
        periods = [Period(one, f"{one}{_ALL_OF}") for one in dates]
        return asked._replace(operands=tuple(periods))
    begin = _FIRST_DAY.sub("", dates[0])  # "2024" itself is not before "2024-01-01"
    end = f"{dates[0]}{_ALL_OF}"
    period = {
        "$gte": Period(begin, _TO),
        "$gt": Period(end, _TO),
        "$lt": Period(_FROM, begin),
        "$lte": Period(_FROM, end),
    }[asked.operator]
    return FilterCondition(asked.key, "$in", (period,))


def _condition(key: str, sign: object, operand: object) -> FilterCondition:
    place = _place(key, str(sign))
    if sign not in _OPERATORS:
        raise RagraphsError(
            f"{place} is no operator; use {', '.join(nearest_first(str(sign), _OPERATORS))}."
        )
    if sign in get_args(Membership):
        if not isinstance(operand, Sequence) or isinstance(operand, str) or not operand:
            raise RagraphsError(f"{place} takes a list of at least one value.")
        values = tuple(_scalar(one, f"{place}[{at}]") for at, one in enumerate(operand))
        return FilterCondition(key, cast(Membership, sign), values)
    value = _scalar(operand, place)
    if sign in _ALONE:
        return FilterCondition(key, _ALONE[cast(str, sign)], (value,))
    if isinstance(value, bool):
        raise RagraphsError(
            f"{place} takes a number or a text, since true and false have no order."
        )
    return FilterCondition(key, cast(Comparison, sign), (value,))


def _place(*keys: str) -> str:
    """Where in a filter something stands, short enough for a sentence that can be sent."""
    shown = (key if len(key) <= _LONGEST_SHOWN else f"{key[:_LONGEST_SHOWN]}…" for key in keys)
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", ".".join(("where", *shown)))


def _scalar(value: object, place: str) -> Scalar:
    if isinstance(value, bool) or (isinstance(value, str) and _can_be_written(value)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int) and abs(value) < 2**63:
        return value
    if isinstance(value, list | tuple):
        raise RagraphsError(f'{place} takes one value; for any of several: {{"$in": [...]}}.')
    raise RagraphsError(f"{place} takes a text, a number, true or false, not {value!r:.60}.")


def _can_be_written(text: str) -> bool:
    """Whether ``text`` has a form in UTF-8: half of a surrogate pair has none."""
    return text.isascii() or not _SURROGATE.search(text)


def _holds(held: MetadataValue, condition: FilterCondition) -> bool:
    values = held if isinstance(held, list) else [held]
    if condition.operator in ("$in", "$nin"):
        named = any(_is_one(value, condition.operands) for value in values)
        return bool(values) and named is (condition.operator == "$in")
    compare, operand = COMPARE[condition.operator], condition.operands[0]
    return any(kind_of(value) == kind_of(operand) and compare(value, operand) for value in values)


def _is_one(value: Scalar, operands: Iterable[Operand]) -> bool:
    alike = (one for one in operands if kind_of(value) == kind_of(one))
    return any(
        one.first <= str(value) < one.end
        if isinstance(one, Period)
        else one.fits(str(value))
        if isinstance(one, PathPattern)
        else value == one
        for one in alike
    )


def _parsed(text: str) -> tuple[str, str, Any]:
    """The key, the operator and the value of one condition of the command line."""
    found = _ON_COMMAND_LINE.fullmatch(text)
    key = found["key"].strip() if found else ""
    if found is None or not key:
        raise RagraphsError(
            f"--where {text!r} is no condition; write for example author=Ada, year>=1990, "
            "tag=a,b or author!=Ada."
        )
    sign = _WORDS[found["sign"]]
    values = list(_values(found["value"], text, key == "date"))
    if len(values) == 1:
        return key, sign, values[0]
    if sign not in ("$eq", "$ne"):
        raise RagraphsError(
            f"--where {text!r} compares with several values; name one, in quotes if it has a comma."
        )
    return key, "$in" if sign == "$eq" else "$nin", values


def _values(written: str, text: str, as_text: bool) -> Iterable[Scalar]:
    at = 0
    while True:
        found = _VALUE.match(written, at)
        if found is None:
            raise RagraphsError(f"--where {text!r}: put the whole value in quotes, or none of it.")
        quoted = found[1] if found[1] is not None else found[2]
        word = (found[3] or "").strip()
        if quoted is None and not word:
            raise RagraphsError(f'--where {text!r} lacks a value; an empty one is written "".')
        yield quoted if quoted is not None else word if as_text else _recognised(word)
        at = found.end()
        if not found[0].endswith(","):
            return


def _recognised(word: str) -> Scalar:
    if word.casefold() in ("true", "false"):
        return word.casefold() == "true"
    if _INTEGER.fullmatch(word):
        return int(word)
    return float(word) if _NUMBER.fullmatch(word) and math.isfinite(float(word)) else word
