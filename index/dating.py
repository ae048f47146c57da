"""The documents of the time that a question names: a filter on their dates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..language.analyser import keywords
from ..language.dates import as_date
from ..language.times import Range, TimeAsked, time_asked
from ..models.meter import current_meter
from ..state.filters import conditions_of, joined, matches
from .narrowing import narrowed
from .opening import CachedValue, Index, passages_stamp

EXACT, FUZZY = 4.0, 1.5  # weights of the documents of a time against 1 for all
_MOST_DATED = 0.5  # the share of dated documents from which on a year speaks of them
_LOOKED_AT = 300  # passages
_RELEVANT = 0.8  # of the best document's score


class TimeWanted(NamedTuple):
    """A filter on dates, and the weight of the documents that meet it against 1 for all."""

    where: Mapping[str, Any]
    weight: float


class _Dates(NamedTuple):
    """The dates of documents in ISO form, and whether most documents have one."""

    of: dict[str, str]
    are_usual: bool


def _load(index: Index) -> _Dates:
    stored = index.catalogue.document_dates()
    dates = {document: as_date(written) for document, written in stored.items()}
    of = {document: written for document, written in dates.items() if written}
    return _Dates(of, len(of) >= _MOST_DATED * len(stored))


_dates = CachedValue(passages_stamp, _load, by_filter=True)


def time_wanted(index: Index, question: str) -> TimeWanted | None:
    """The time of documents that ``question`` asks for, where the index has such. Blocks.

    A day or a month counts wherever a document is dated so; a year, "since" and "the latest" only
    where most documents have dates, since else they are the time of a fact. None as well where the
    caller's filter is on dates.
    """
    where = json.loads(index.where or "{}")
    if time_asked(question) is None or any(one.key == "date" for one in conditions_of(where)):
        return None
    dates = _dates.of(index)
    newest = max(dates.of.values(), default="")
    asked = time_asked(question, newest[:10]) if newest else None
    if asked is None:
        return None
    span, weight = _fitting(asked.ranges, dates)
    if asked.order and dates.are_usual:
        return TimeWanted({"date": _extreme(index, asked, span or {}, dates)}, EXACT)
    return TimeWanted(span, weight) if span else None


def of_time(index: Index, wanted: TimeWanted) -> Index:
    """``index`` as if it held only the documents of a time. Blocks."""
    where = joined(json.loads(index.where or "{}"), wanted.where)
    return narrowed(index.whole or index, where)


def _fitting(ranges: Iterable[Range], dates: _Dates) -> tuple[dict[str, Any] | None, float]:
    """The filter for ``ranges`` and its weight; None where no document, or every one, meets it.

    In the place of a day without documents stands its month, and in that of a month its year. Warns
    where no document is of the time asked for.
    """
    ranges, missed = list(ranges), ""
    while ranges:
        is_exact = all(first == last and len(first) > 4 for first, last in ranges)
        where = {"date": _condition(ranges)}
        met = sum(matches({"date": written}, where) for written in dates.of.values())
        if met and (is_exact or dates.are_usual):
            if missed:
                current_meter().warn(f"{missed}; those of {_told(ranges)} go first.")
            return (where, EXACT if is_exact else FUZZY) if met < len(dates.of) else (None, 0.0)
        missed = missed or f"No document is dated {_told(ranges)}"
        if not is_exact:
            break
        ranges = [(first.rpartition("-")[0],) * 2 for first, _ in ranges]
    # A year before all documents is rather that of a fact.
    oldest = min(dates.of.values())
    if missed and dates.are_usual and any(not last or last >= oldest for _, last in ranges):
        current_meter().warn(f"{missed}; those of other times are shown.")
    return None, 0.0


def _told(ranges: Iterable[Range]) -> str:
    """``ranges`` in words: "2024-01", "since 2024-03", "2023-01 to 2023-06"."""

    def words(first: str, last: str) -> str:
        if not last:
            return f"since {first}"
        if not first:
            return f"until {last}"
        return first if first == last else f"{first} to {last}"

    return ", ".join(words(*one) for one in ranges)


def _condition(ranges: list[Range]) -> Any:
    if all(first == last for first, last in ranges):
        return {"$in": [first for first, _ in ranges]}
    first, last = ranges[0]
    return {sign: end for sign, end in (("$gte", first), ("$lte", last)) if end}


def _extreme(index: Index, asked: TimeAsked, where: Mapping[str, Any], dates: _Dates) -> str:
    """The date of the first or the latest document that is about the question's subject."""
    part = of_time(index, TimeWanted(where, EXACT)) if where else index
    found = part.catalogue.search_terms(asked.topic, _LOOKED_AT) if keywords(asked.topic) else []
    scores = dict(found)
    best: dict[str, float] = {}
    for passage in index.catalogue.passages(list(scores)):
        document = passage["document"]
        best[document] = max(best.get(document, 0.0), scores[passage["id"]])
    least = _RELEVANT * max(best.values(), default=0.0)
    about = [dates.of[one] for one, score in best.items() if score >= least and one in dates.of]
    fitting = about or [one for one in dates.of.values() if matches({"date": one}, where)]
    return max(fitting) if asked.order == "newest" else min(fitting)
