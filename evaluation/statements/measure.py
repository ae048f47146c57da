"""Means and shares over questions, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from typing_extensions import TypedDict

from ..bootstrap import Interval, interval, wilson
from ..plots import Bar


class Measure(TypedDict):
    """A mean or a share with its interval of 95 %, and the number n of cases; None without any."""

    value: float | None
    low: float | None
    high: float | None
    n: int


def mean_of(values: Iterable[float | None], seed: int, *, share: bool = False) -> Measure:
    """The mean of ``values``, one for a question; None is left out.

    Values of a ``share`` lie between 0 and 1.
    """
    known = [value for value in values if value is not None]
    return _measure(known, [1] * len(known), seed, share=share)


def share_of(parts: Sequence[int], wholes: Sequence[int], seed: int) -> Measure:
    """The sum of ``parts`` by that of ``wholes``; n is the latter.

    Both are given by question, and whole questions are drawn again for the interval.
    """
    pairs = [(part, whole) for part, whole in zip(parts, wholes, strict=True) if whole]
    return _measure([p / w for p, w in pairs], [w for _, w in pairs], seed, share=True)


def bar(name: str, measure: Measure) -> Bar:
    """``measure`` as a bar of a plot."""
    found: Bar = {"name": name, "value": measure["value"]}
    if measure["low"] is not None and measure["high"] is not None:
        found |= {"low": measure["low"], "high": measure["high"]}
    return found


def _measure(values: Sequence[float], weights: Sequence[int], seed: int, *, share: bool) -> Measure:
    if not values:
        return {"value": None, "low": None, "high": None, "n": 0}
    found = _interval(values, weights, seed, share=share)
    mean, low, high = (round(float(value), 4) for value in found[:3])
    return {"value": mean, "low": low, "high": high, "n": sum(weights)}


def _interval(
    values: Sequence[float], weights: Sequence[int], seed: int, *, share: bool
) -> Interval:
    """Wilson's interval where all questions have the share 0, or 1: no resample would differ."""
    if share and values[0] in (0.0, 1.0) and all(value == values[0] for value in values):
        return wilson(values[0], len(values))
    return interval(values, seed, weights)
