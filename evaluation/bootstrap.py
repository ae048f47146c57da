"""How sure means over questions are: bootstrap intervals, sign-flip tests, Holm's correction."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_RESAMPLES = 2000
_TAIL = 2.5
_NORMAL_QUANTILE = 1.96  # of 95 %, two-sided
_MOST_EXACT = 16  # values whose signs are flipped in all ways
_FLIPS = 20_000
_AT_ONCE = 2000
_EQUAL = 1e-12


class Interval(NamedTuple):
    """A mean of ``n`` values, with an interval of 95 %."""

    mean: float
    low: float
    high: float
    n: int


def interval(
    values: Sequence[float], seed: int, weights: Sequence[float] | None = None
) -> Interval:
    """The mean of at least one value, with a percentile bootstrap interval of 95 %.

    The values are drawn again as a whole: where each stands for the ``weights`` it has of
    judgements on one question, the interval is clustered by question.
    """
    known = np.asarray(values, dtype=float)
    shares = np.ones_like(known) if weights is None else np.asarray(weights, dtype=float)
    places = draws(len(known), seed)
    means = (known * shares)[places].sum(axis=1) / shares[places].sum(axis=1)
    mean = float((known * shares).sum() / shares.sum())
    return Interval(mean, *middle(means), len(known))


def draws(n: int, seed: int) -> NDArray[np.int64]:
    """The places of ``n`` items in each resample, drawn with replacement: a row for each.

    With the same ``seed`` as many items are drawn alike.
    """
    return np.random.default_rng(seed).integers(0, n, (_RESAMPLES, n))


def middle(found: Sequence[float] | NDArray[Any]) -> tuple[float, float]:
    """The middle 95 % of a statistic over resamples; those where it has no value are left out."""
    low, high = np.nanpercentile(found, [_TAIL, 100 - _TAIL])
    return float(low), float(high)


def share_interval(
    values: Sequence[float], seed: int, weights: Sequence[float] | None = None
) -> Interval:
    """The mean of values from 0 to 1, with an interval of 95 %.

    Where all are 0, or all 1, no resample differs: Wilson's interval stands in for the bootstrap's.
    """
    if all(value == values[0] for value in values) and values[0] in (0.0, 1.0):
        return wilson(values[0], len(values))
    return interval(values, seed, weights)


def wilson(share: float, n: int) -> Interval:
    """A share of ``n`` independent cases, with Wilson's interval of 95 %."""
    z = _NORMAL_QUANTILE
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(share, max(0.0, middle - reach), min(1.0, middle + reach), n)


def sign_flip_p(deviations: Sequence[float], seed: int) -> float:
    """The two-sided p value of the mean of ``deviations``, one a question, being other than 0.

    Tests whether the sign of each is by chance: with all ways to flip the signs where these are
    few, else with a random sample of them, in which the observed one is counted.
    """
    moved = np.array([value for value in deviations if abs(value) > _EQUAL])
    if not len(moved):
        return 1.0
    bound = abs(moved.sum()) - _EQUAL * len(moved)
    if len(moved) <= _MOST_EXACT:
        ways = np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved)) & 1
        return float((np.abs((1 - 2 * ways) @ moved) >= bound).mean())
    chance, found = np.random.default_rng(seed), 1
    for _ in range(_FLIPS // _AT_ONCE):
        signs = 1 - 2 * chance.integers(0, 2, (_AT_ONCE, len(moved)), dtype=np.int8)
        found += int((np.abs(signs @ moved) >= bound).sum())
    return found / (_FLIPS + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values of tests that are made together, by Holm's step-down procedure, in their order.

    A test is significant at 5 % where its value is below 0.05.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    raised = [(len(order) - place) * p_values[test] for place, test in enumerate(order)]
    adjusted = dict(zip(order, accumulate(raised, max), strict=True))
    return [min(1.0, adjusted[test]) for test in range(len(p_values))]
