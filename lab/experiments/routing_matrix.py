"""Routing as a decision problem over a question × method matrix: pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any, NamedTuple

from ragraphs.evaluation.bootstrap import interval

_EQUAL = 1e-9


class Cell(NamedTuple):
    """The outcome of one question by one method; ``support_recall`` is None without support.

    ``sufficient`` is 1 where the evidence was called so, and ``misleading`` where the answer is
    wrong besides; both are shares where several outcomes are averaged.
    """

    em: float
    f1: float
    support_recall: float | None
    calls: float
    tokens: float
    seconds: float
    sufficient: float
    misleading: float


MEASURES = Cell._fields
COSTS = ("calls", "tokens", "seconds")

Row = Mapping[str, Cell]
Matrix = Sequence[Row]


class Strategy(NamedTuple):
    """A way to choose methods: the outcome of each question, and the methods tried for it."""

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
    return Strategy("random", [Cell._make(row) for row in means], [])


def oracle(matrix: Matrix) -> Strategy:
    """The best method by F1 for each question, of equals the cheapest."""
    choices = [
        min(row, key=lambda method: (-round(row[method].f1, 9), *cost(row[method])))
        for row in matrix
    ]
    return chosen_by("oracle", matrix, choices)


def summed(row: Row, tried: Sequence[str], kept: str) -> Cell:
    """The outcome of the method ``kept``, at the cost of all ``tried``."""
    totals = {name: sum(getattr(row[method], name) for method in tried) for name in COSTS}
    return row[kept]._replace(**totals)


def handing_over(name: str, cells: Sequence[Cell], tried: Sequence[Sequence[str]]) -> Strategy:
    """The outcomes of a way that tries one method after another."""
    return Strategy(name, list(cells), [_path(methods) for methods in tried])


def cost(cell: Cell) -> tuple[float, float]:
    """The cost of a cell, to be compared: calls, then tokens."""
    return cell.calls, cell.tokens


def measured(strategy: Strategy, matrix: Matrix) -> dict[str, Any]:
    """Means of the measures, and how the strategy stands between the best single and the oracle.

    ``misleading`` is the share of the questions whose wrong answer was called sufficient, and
    ``misleading_of_sufficient`` their share of the answers called so, None without any. ``regret``
    is the F1 that the oracle has more; ``gap_closed`` the share of the way from the best single
    method to the oracle, negative below that method, None where there is no way.
    """
    f1 = _mean(strategy.cells, "f1")
    best = _mean(best_single(matrix).cells, "f1")
    ideal = _mean(oracle(matrix).cells, "f1")
    gap = ideal - best
    means = {name: _mean(strategy.cells, name) for name in MEASURES}
    return {
        "strategy": strategy.name,
        **{name: mean and round(mean, 4) for name, mean in means.items()},
        "misleading_of_sufficient": (
            round(means["misleading"] / means["sufficient"], 4) if means["sufficient"] else None
        ),
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
    gain, low, high, _ = interval([mine.f1 - theirs.f1 for mine, theirs in pairs], seed)
    return {"f1": round(gain, 4), "low": round(low, 4), "high": round(high, 4)}


def _mean(cells: Sequence[Cell], name: str) -> Any:
    known = [value for cell in cells if (value := getattr(cell, name)) is not None]
    return mean(known) if known else None


def _path(tried: Sequence[str]) -> str:
    return " → ".join(tried)
