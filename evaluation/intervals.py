"""Shares, means and other measures over questions with intervals of 95 %, as results show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from typing_extensions import TypedDict

from .bootstrap import Interval, interval, share_interval, wilson


class Measure(TypedDict):
    """A share of 1, a mean or another measure of ``n`` cases, with the bounds of its interval.

    Value and bounds are None where there is none.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int


def share_of(flags: Iterable[bool]) -> Measure:
    """The share of true ``flags``, with Wilson's interval."""
    held = list(flags)
    return measure_of(wilson(sum(held) / len(held), len(held)) if held else None)


def pooled_share(parts: Sequence[int], wholes: Sequence[int], seed: int) -> Measure:
    """The sum of ``parts`` divided by the sum of ``wholes``, which is n.

    Both are given by question, and whole questions are drawn again for the interval.
    """
    pairs = [(part, whole) for part, whole in zip(parts, wholes, strict=True) if whole]
    shares, weights = [part / whole for part, whole in pairs], [whole for _, whole in pairs]
    found = share_interval(shares, seed, weights) if pairs else None
    return {**measure_of(found), "n": sum(weights)}


def mean_of(values: Iterable[float | None], seed: int = 0, *, share: bool = False) -> Measure:
    """The mean of ``values``, one for a question, with a bootstrap interval; None is left out.

    Values of a ``share`` lie between 0 and 1.
    """
    known = [value for value in values if value is not None]
    of = share_interval if share else interval
    return measure_of(of(known, seed) if known else None)


def measure_of(found: Interval | None, n: int = 0) -> Measure:
    """``found`` as a result shows it, rounded; None is no value of ``n`` cases."""
    if found is None:
        return {"value": None, "low": None, "high": None, "n": n}
    value, low, high = (round(float(each), 4) for each in found[:3])
    return {"value": value, "low": low, "high": high, "n": found.n}
