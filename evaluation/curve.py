"""A method at every value of its settings: how good it is, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import mean
from typing import Any, NamedTuple

from ..models.protocol import OFFLINE
from .answering import AnsweringPlan, Way, unfinished, way_of
from .answers import Scored, answerable, asked_by, summary
from .asking import Estimate
from .cost import estimated
from .datasets import Dataset, LabelledQuestion, load_dataset, supported
from .intervals import mean_of
from .metrics import CUTOFFS, recall_at
from .outcomes import failures_of
from .plots import Bar, Plot, Spot, Unit, bars

QUALITY = {"em": "EM", "f1": "F1", "containment": "contains", "support_recall": "recall"}
_ALL = "all"


@dataclass(frozen=True)
class Vary:
    """A method, and values of its settings as they are written: each is tried with every other.

    ``retrieval`` measures the evidence alone, without a model.

    >>> Vary("hoprag", {"n_hop": ["0", "2", "4"], "top_k": ["10", "20"]}).ways(plan)
    """

    method: str
    values: Mapping[str, Sequence[str]]
    retrieval: bool = False

    def ways(self, plan: AnsweringPlan) -> dict[str, Way]:
        """The method with each combination of values, by a name such as ``n_hop=2, top_k=10``.

        Raises RagraphsError for a setting that the method lacks, ValidationError for a value out
        of its bounds.
        """
        ways, offline = {}, {"model": OFFLINE} if self.retrieval else {}
        for values in product(*self.values.values()):
            chosen = dict(zip(self.values, values, strict=True))
            way = way_of(self.method, plan, chosen | offline)
            ways[named(self.values_of(way))] = way
        return ways

    def values_of(self, way: Way) -> dict[str, Any]:
        """The values of the varied settings in ``way``, by name; a list in words."""
        values = {name: getattr(way.context, name) for name in self.values}
        return {n: ", ".join(v) if isinstance(v, list) else v for n, v in values.items()}

    def questions_of(self, dataset: Dataset) -> list[LabelledQuestion]:
        """The questions that can be measured. Raises RagraphsError where there is none."""
        return supported(dataset) if self.retrieval else answerable(dataset)


def evaluate_curve(
    folder: str, vary: Vary, plan: AnsweringPlan, *, seed: int = 0
) -> dict[str, Any]:
    """The measures of every combination of values on the set in ``folder``, as ``--json`` has them.

    Raises RagraphsError for what concerns all questions.
    """
    ways, dataset = vary.ways(plan), load_dataset(folder, plan.limit)
    with asked_by(ways, dataset, vary.questions_of, plan) as asked:
        dataset, questions = asked.dataset, vary.questions_of(asked.dataset)
        found = {
            name: _found(rows, seed) if vary.retrieval else answered(rows, seed)
            for name, rows in asked.scored.items()
        }
    return {
        "set": dataset.name,
        "method": vary.method,
        "model": OFFLINE if vary.retrieval else plan.context.model,
        "retrieval": vary.retrieval,
        "questions": len(questions),
        "left_out": len(dataset.questions) - len(questions),
        "notes": list(dataset.notes),
        "points": [
            {"values": vary.values_of(ways[name]), **measures} for name, measures in found.items()
        ],
    }


def curve_cost(folder: str, vary: Vary, plan: AnsweringPlan) -> Estimate:
    """Cost of ``evaluate_curve``; see ``estimated``."""
    ways = vary.ways(plan)
    asked = [one.question for one in vary.questions_of(load_dataset(folder, plan.limit))]
    return estimated(ways, unfinished(ways, asked, plan), asked, plan)


def answered(rows: Sequence[Scored], seed: int) -> dict[str, Any]:
    """The summary of ``rows``, with the interval of each measure of quality that is known."""
    columns = {name: [getattr(row, name) for row in rows] for name in QUALITY}
    known = {name: [v for v in column if v is not None] for name, column in columns.items()}
    intervals = {
        name: mean_of(column, seed, share=True) for name, column in known.items() if column
    }
    return {**summary(rows), "intervals": intervals}


def named(values: Mapping[str, Any]) -> str:
    """Values with the names of their settings."""
    return ", ".join(f"{name}={value}" for name, value in values.items())


def curve_plots(result: Mapping[str, Any]) -> list[Plot]:
    """Quality against the first setting that was varied, a line for the others; then the costs."""
    points = result["points"]
    several = len(points[0]["values"]) > 1
    if result["retrieval"]:
        cutoffs = [_ALL] if several else points[0]["recall"]
        recall = [{f"recall@{k}": point["recall"][k] for k in cutoffs} for point in points]
        return [_plot(result, "recall", "share", recall)]
    quality = {"f1": "F1"} if several else QUALITY
    shares = [
        {said: point["intervals"][name] for name, said in quality.items() if name in known}
        for point in points
        for known in [point["intervals"]]
    ]
    costs = {
        unit: [{unit: {"value": point[unit] / point["questions"]}} for point in points]
        for unit in ("calls", "tokens")
    }
    return [
        _plot(result, "F1" if several else "quality", "share", shares),
        *(_plot(result, f"{unit} a question", "number", one) for unit, one in costs.items()),
    ]


def _found(rows: Sequence[Scored], seed: int) -> dict[str, Any]:
    """Recall of the supporting passages among the first of the evidence, and in all of it."""
    found = [(row.found, row.question) for row in rows]
    cutoffs = {str(k): k for k in CUTOFFS} | {_ALL: max(len(ids) for ids, _ in found)}
    recall = {
        name: mean_of([recall_at(ids, one.supporting, k) for ids, one in found], seed, share=True)
        for name, k in cutoffs.items()
    }
    seconds = mean(row.outcome["seconds"] for row in rows)
    passages = round(mean(len(ids) for ids, _ in found), 2)
    return {
        "questions": len(rows),
        "recall": recall,
        "passages": passages,
        "seconds_per_question": round(seconds, 5),
        **failures_of(row.outcome for row in rows),
    }


class _Mark(NamedTuple):
    """A figure with its interval, if it has one, at a value of the first setting, on a line."""

    x: Any
    line: str
    figure: Any


def _marks(
    result: Mapping[str, Any], figures: Sequence[Mapping[str, Mapping[str, float]]]
) -> Iterator[_Mark]:
    """The ``figures`` of each point, by name; lines are named by the other settings."""
    for point, shown in zip(result["points"], figures, strict=True):
        (_, x), *others = point["values"].items()
        for name, figure in shown.items():
            line = [named(dict(others))] if others else []
            yield _Mark(x, ", ".join(line if others and len(shown) == 1 else [*line, name]), figure)


def _bounds(figure: Mapping[str, float]) -> dict[str, float]:
    return {name: figure[name] for name in ("low", "high") if name in figure}


def _plot(
    result: Mapping[str, Any], label: str, unit: Unit, figures: Sequence[Mapping[str, Any]]
) -> Plot:
    """Lines over the first setting; groups of bars where it is no number."""
    title = f"{result['set']}, {result['method']}, {result['model']}"
    marks = list(_marks(result, figures))
    if any(type(mark.x) not in (int, float) for mark in marks):
        groups: dict[str, list[Bar]] = {}
        for mark in marks:
            bar: Any = {"name": mark.line, "value": mark.figure["value"]}
            groups.setdefault(str(mark.x), []).append(bar | _bounds(mark.figure))
        return bars(f"{title}: {label}", groups, unit)
    curves: dict[str, list[Spot]] = {}
    for mark in sorted(marks, key=lambda mark: float(mark.x)):
        spot: Any = {"x": mark.x, "y": mark.figure["value"]}
        curves.setdefault(mark.line, []).append(spot | _bounds(mark.figure))
    return {
        "kind": "curves",
        "title": title,
        "joined": True,
        "x_label": next(iter(result["points"][0]["values"])),
        "y_label": label,
        "x_unit": "number",
        "y_unit": unit,
        "curves": curves,
    }
