"""Shares and means with their number n and an interval of 95 %."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

_NORMAL_QUANTILE = 1.96  # of 95 %, two-sided
_RESAMPLES = 2000
_TAIL = 2.5


class Share(TypedDict):
    """A fraction of 1, or a mean of such fractions, over ``n``; None where there is nothing."""

    share: float | None
    n: int
    low: float | None
    high: float | None


_NOTHING: Share = {"share": None, "n": 0, "low": None, "high": None}


def share_of(flags: Iterable[bool]) -> Share:
    """The share of true ``flags``, with Wilson's interval."""
    held = list(flags)
    n, z = len(held), _NORMAL_QUANTILE
    if not n:
        return _NOTHING
    share = sum(held) / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return rounded(share, n, max(0.0, middle - reach), min(1.0, middle + reach))


def mean_of(values: Sequence[float], seed: int = 0) -> Share:
    """The mean of ``values`` in [0, 1], with a bootstrap interval."""
    if not values:
        return _NOTHING
    held = np.array(values, dtype=float)
    means = [held[draw].mean() for draw in draws(len(held), seed)]
    return rounded(float(held.mean()), len(held), *interval_of(means))


def draws(n: int, seed: int) -> Iterable[NDArray[np.int64]]:
    """The places of each resample of ``n`` items, drawn with replacement."""
    chance = np.random.default_rng(seed)
    return (chance.integers(0, n, n) for _ in range(_RESAMPLES))


def interval_of(resampled: Sequence[float]) -> tuple[float, float]:
    """The middle 95 % of a statistic over resamples; those where it has no value are left out."""
    low, high = np.nanpercentile(resampled, [_TAIL, 100 - _TAIL])
    return float(low), float(high)


def rounded(share: float, n: int, low: float, high: float) -> Share:
    """A share as results show it."""
    return {"share": round(share, 4), "n": n, "low": round(low, 4), "high": round(high, 4)}
