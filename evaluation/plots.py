"""Results of experiments as plots: plain data, which the page and matplotlib draw alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

Unit = Literal["share", "number", "seconds", "dollars"]
_SHARES = {
    "em": "EM",
    "f1": "F1",
    "containment": "contains",
    "support_recall": "recall",
    "support_precision": "precision",
    "support_f1": "F1 of evidence",
}
_SEARCH = ("set", "retriever", "rerank", "embeddings")
_AT_CUTOFFS = {
    "recall": "recall",
    "precision": "precision",
    "f1": "F1",
    "all_support": "all support",
}


class Bar(TypedDict):
    """A value with its interval, if it has one; None where nothing was measured."""

    name: str
    value: float | None
    low: NotRequired[float]
    high: NotRequired[float]


class Bars(TypedDict):
    """Values beside each other, in ``groups`` of bars; ``share`` is a fraction of 1."""

    kind: Literal["bars"]
    title: str
    unit: Unit
    groups: dict[str, list[Bar]]


class Matrix(TypedDict):
    """A value for every row and column, such as the share of wins of the row over the column."""

    kind: Literal["matrix"]
    title: str
    unit: Unit
    rows: list[str]
    columns: list[str]
    values: list[list[float | None]]


class Spot(TypedDict):
    """A point of a plot, with the interval of its ``y``, if it has one."""

    x: float
    y: float
    name: NotRequired[str]
    low: NotRequired[float]
    high: NotRequired[float]


class Curves(TypedDict):
    """Points by name: joined to lines where ``joined``, else each with its own name."""

    kind: Literal["curves"]
    title: str
    joined: bool
    x_label: str
    y_label: str
    x_unit: Unit
    y_unit: Unit
    curves: dict[str, list[Spot]]


Plot = Bars | Matrix | Curves


def bars(title: str, groups: Mapping[str, Iterable[Bar]], unit: Unit = "share") -> Bars:
    return {
        "kind": "bars",
        "title": title,
        "unit": unit,
        "groups": {name: list(group) for name, group in groups.items()},
    }


def recall_curve(result: Mapping[str, Any]) -> Curves:
    """The measures at each cutoff against the number of passages, from ``evaluate_retrieval``."""
    return {
        "kind": "curves",
        "title": ", ".join(filter(None, (result[name] for name in _SEARCH))),
        "joined": True,
        "x_label": "passages",
        "y_label": "share",
        "x_unit": "number",
        "y_unit": "share",
        "curves": {
            said: [{"x": int(k), "y": y} for k, y in result[name].items()]
            for name, said in _AT_CUTOFFS.items()
        },
    }


def answer_bars(results: Sequence[Mapping[str, Any]]) -> list[Plot]:
    """Quality and cost of every method, from ``evaluate_answers``."""
    first = results[0]
    title = f"{first['set']}, {first['model']}, {first['questions']} questions"
    shares: dict[str, list[Bar]] = {
        one["method"]: [{"name": said, "value": one[name]} for name, said in _SHARES.items()]
        for one in results
    }
    calls: list[Bar] = [
        {"name": one["method"], "value": one["calls"] / one["questions"]} for one in results
    ]
    return [bars(title, shares), bars(f"{title}: calls a question", {"calls": calls}, "number")]


def closed_book_bars(result: Mapping[str, Any]) -> list[Plot]:
    """Quality without documents: of all answers, of known ones and of guesses; by type."""
    parts = {"all": result, "known": result["if_known"], "guessed": result["if_guessed"]}
    names = {"em": "EM", "f1": "F1", "containment": "contains"}
    shares = {
        part: [measured_bar(said, one[name]) for name, said in names.items()]
        for part, one in parts.items()
    }
    types = {
        kind or "all": [measured_bar("known", one["known"]), measured_bar("F1", one["f1"])]
        for kind, one in result["by_type"].items()
    }
    title = f"{result['set']}, {result['model']} without documents"
    return [bars(title, shares), bars(f"{title}, by type", types)]


def measured_bar(name: str, measure: Mapping[str, Any]) -> Bar:
    """A measure with its interval, as a bar."""
    bar: Bar = {"name": name, "value": measure["value"]}
    if measure["low"] is not None:
        bar |= {"low": measure["low"], "high": measure["high"]}
    return bar
