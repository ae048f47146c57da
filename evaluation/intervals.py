"""Shares, means and other measures with intervals of 95 %, as results show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from .bootstrap import Interval, interval, resampled, wilson


class Share(TypedDict):
    """A fraction of 1, or a mean of such fractions, over ``n``; None where there is nothing."""

    share: float | None
    n: int
    low: float | None
    high: float | None


class Measured(TypedDict):
    """A value with the bounds of its interval."""

    value: float
    low: float
    high: float


def share_of(flags: Iterable[bool]) -> Share:
    """The share of true ``flags``, with Wilson's interval."""
    held = list(flags)
    return share_over(wilson(sum(held) / len(held), len(held)) if held else None)


def mean_of(values: Sequence[float], seed: int = 0) -> Share:
    """The mean of ``values`` in [0, 1], with a bootstrap interval."""
    return share_over(interval(values, seed) if values else None)


def share_over(found: Interval | None) -> Share:
    """``found`` as a share, rounded; None is a share of nothing."""
    if found is None:
        return {"share": None, "n": 0, "low": None, "high": None}
    share, low, high = (round(value, 4) for value in found[:3])
    return {"share": share, "n": found.n, "low": low, "high": high}


def measured(
    rows: NDArray[Any], measure: Callable[[NDArray[Any]], NDArray[Any]], seed: int
) -> Measured:
    """``measure`` of ``rows`` with its bootstrap interval, as ``resampled`` takes them."""
    value, low, high = (round(each, 4) for each in resampled(rows, measure, seed)[:3])
    return {"value": value, "low": low, "high": high}


def measured_mean(values: Sequence[float], seed: int) -> Measured:
    """The mean of ``values``, one for each question, with its bootstrap interval."""
    return measured(np.array(values), lambda drawn: drawn.mean(axis=-1), seed)
