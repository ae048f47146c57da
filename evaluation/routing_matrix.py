"""Routing as a decision problem over a question × method matrix: pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.router.decision import PRIOR

MEASURES = ("em", "f1", "support_recall", "calls", "tokens", "seconds")
_EQUAL = 1e-9
_PSEUDO_QUESTIONS = 5.0
_RESAMPLES = 2000
_TAIL = 2.5


class Cell(NamedTuple):
    """The outcome of one question by one method; ``support_recall`` is None without support."""

    em: float
    f1: float
    support_recall: float | None
    calls: float
    tokens: float
    seconds: float
    sufficient: bool


Row = Mapping[str, Cell]
Matrix = Sequence[Row]


class Strategy(NamedTuple):
    """A way to choose methods: what came of each question, and which method answered it."""

    name: str
    cells: list[Cell]
    chosen: list[str]


def always(matrix: Matrix, method: str) -> Strategy:
    """One method for all questions."""
    return Strategy(f"always {method}", [row[method] for row in matrix], [method] * len(matrix))


def chosen_by(name: str, matrix: Matrix, choices: Sequence[str]) -> Strategy:
    """A method for each question."""
    cells = [row[method] for row, method in zip(matrix, choices, strict=True)]
    return Strategy(name, cells, list(choices))


def random_choice(matrix: Matrix) -> Strategy:
    """The expected value of a method drawn at random for each question."""
    means = [[_mean(list(row.values()), name) for name in MEASURES] for row in matrix]
    return Strategy("random", [Cell._make([*row, False]) for row in means], [])


def oracle(matrix: Matrix) -> Strategy:
    """The best method by F1 for each question, of equals the cheapest."""
    choices = [
        min(row, key=lambda method: (-round(row[method].f1, 9), *cost(row[method])))
        for row in matrix
    ]
    return chosen_by("oracle", matrix, choices)


def escalating(name: str, matrix: Matrix, orders: Sequence[Sequence[str]], most: int) -> Strategy:
    """The first method of each order whose evidence suffices, at most ``most`` after the first.

    What all tried have cost adds up. Where none suffices, the answer of the first counts.
    """
    cells, chosen = [], []
    for row, order in zip(matrix, orders, strict=True):
        tried = list(order[: most + 1])
        ended = next((n for n, method in enumerate(tried) if row[method].sufficient), None)
        spent = [row[method] for method in tried[: None if ended is None else ended + 1]]
        method = tried[ended or 0]
        totals = {key: sum(getattr(cell, key) for cell in spent) for key in MEASURES[3:]}
        cells.append(row[method]._replace(**totals))
        chosen.append(method)
    return Strategy(name, cells, chosen)


def cost(cell: Cell) -> tuple[float, float]:
    """The cost of a cell, to be compared: calls, then tokens."""
    return cell.calls, cell.tokens


def with_cost(strategy: Strategy, calls: Sequence[float], tokens: Sequence[float]) -> Strategy:
    """``strategy`` with what the choosing itself has cost."""
    cells = [
        cell._replace(calls=cell.calls + more, tokens=cell.tokens + sent)
        for cell, more, sent in zip(strategy.cells, calls, tokens, strict=True)
    ]
    return strategy._replace(cells=cells)


def measured(strategy: Strategy, matrix: Matrix) -> dict[str, Any]:
    """Means of the measures, and how the strategy stands between the best single and the oracle.

    ``regret`` is the F1 that the oracle has more; ``gap_closed`` the share of the way from the
    best single method to the oracle, negative below that method, None where there is no way.
    """
    f1 = _mean(strategy.cells, "f1")
    best = _mean(best_single(matrix).cells, "f1")
    ideal = _mean(oracle(matrix).cells, "f1")
    gap = ideal - best
    means = {name: _mean(strategy.cells, name) for name in MEASURES}
    return {
        "strategy": strategy.name,
        **{name: mean and round(mean, 4) for name, mean in means.items()},
        "regret": round(ideal - f1, 4),
        "gap_closed": round((f1 - best) / gap, 4) if gap > _EQUAL else None,
        "chosen": {m: strategy.chosen.count(m) for m in sorted(set(strategy.chosen))},
    }


def best_single(matrix: Matrix, most_calls: float | None = None) -> Strategy:
    """The single method with the best F1, of equals the cheapest; within ``most_calls`` if any."""
    singles = [always(matrix, method) for method in matrix[0]]
    affordable = [
        s for s in singles if most_calls is None or _mean(s.cells, "calls") <= most_calls + _EQUAL
    ]
    return min(
        affordable or singles,
        key=lambda s: (-round(_mean(s.cells, "f1"), 9), _mean(s.cells, "calls")),
    )


def difference(one: Strategy, other: Strategy, seed: int) -> dict[str, float]:
    """The F1 that ``one`` has more, with a bootstrap interval of 95 % over the questions."""
    pairs = zip(one.cells, other.cells, strict=True)
    gains = np.array([mine.f1 - theirs.f1 for mine, theirs in pairs])
    draws = np.random.default_rng(seed).integers(0, len(gains), (_RESAMPLES, len(gains)))
    low, high = np.percentile(gains[draws].mean(axis=1), [_TAIL, 100 - _TAIL])
    return {
        "f1": round(float(gains.mean()), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
    }


def fitted_prior(
    matrix: Matrix, cases: Sequence[Mapping[str, float]]
) -> dict[str, tuple[str, ...]]:
    """For each case of a question the methods, best first, as they did on ``matrix``.

    ``cases`` are the probabilities of the cases for each question, by which it counts. Few
    questions say little: the mean over all questions counts as five more. Of equals the cheapest.
    """
    methods = list(matrix[0])
    overall = {method: mean(row[method].f1 for row in matrix) for method in methods}
    spent = {method: mean(row[method].calls for row in matrix) for method in methods}

    def expected(case: str, method: str) -> float:
        weights = [shares.get(case, 0.0) for shares in cases]
        gained = sum(w * row[method].f1 for w, row in zip(weights, matrix, strict=True))
        return (gained + _PSEUDO_QUESTIONS * overall[method]) / (sum(weights) + _PSEUDO_QUESTIONS)

    def order(case: str) -> tuple[str, ...]:
        gains = {method: round(expected(case, method), 9) for method in methods}
        return tuple(sorted(methods, key=lambda method: (-gains[method], spent[method])))

    return {case: order(case) for case in PRIOR}


def halves(count: int, seed: int) -> tuple[list[int], list[int]]:
    """The places 0..count−1 in two random halves."""
    order = np.random.default_rng(seed).permutation(count).tolist()
    return sorted(order[: count // 2]), sorted(order[count // 2 :])


def held_out(
    matrix: Matrix,
    cases: Sequence[Mapping[str, float]],
    choose: Callable[[int, Mapping[str, Sequence[str]]], str],
    seed: int,
) -> tuple[Strategy, Strategy]:
    """The router by a prior that was fitted to the other half, and the best single method of it.

    ``choose(place, prior)`` gives the method for a question.
    """
    choices, singles = [""] * len(matrix), [""] * len(matrix)
    one, other = halves(len(matrix), seed)
    for fitted, asked in ((one, other), (other, one)):
        known = [matrix[place] for place in fitted]
        prior = fitted_prior(known, [cases[place] for place in fitted])
        single = best_single(known).chosen[0]
        for place in asked:
            choices[place], singles[place] = choose(place, prior), single
    return (
        chosen_by("router, held out", matrix, choices),
        chosen_by("best single, held out", matrix, singles),
    )


def _mean(cells: Sequence[Cell], name: str) -> Any:
    known = [value for cell in cells if (value := getattr(cell, name)) is not None]
    return mean(known) if known else None
