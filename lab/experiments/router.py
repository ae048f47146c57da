"""The router's cascade, measured against every other way to choose a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from ragraphs.algorithms.router.decision import feasible, usable_methods
from ragraphs.context import QuestionContext, RouterContext
from ragraphs.evaluation.answering import Answerer, AnsweringPlan, contexts_of, ways_of
from ragraphs.evaluation.answers import Scored, answerable, asked_by
from ragraphs.evaluation.datasets import load_dataset
from ragraphs.evaluation.plots import Curves
from ragraphs.graphs.methods import METHODS
from ragraphs.models.protocol import OFFLINE
from ragraphs.models.web import web_search
from ragraphs.settings import settings

from .cascade import CascadeLimits, Course, course_alone
from .recorded import read_recorded
from .routing_matrix import (
    Cell,
    Matrix,
    Strategy,
    always,
    best_single,
    difference,
    handing_over,
    measured,
    oracle,
    random_choice,
    summed,
)


class Compared(NamedTuple):
    """Outcomes of every method, and the decisions on the same questions, in their order.

    ``cascade`` are the outcomes of the router, if there are any; ``courses`` its decisions where
    nothing is handed on, by the most further methods, the first by its setting. ``notes`` say what
    is left out.
    """

    set: str
    model: str
    scored: dict[Answerer, list[Scored]]
    cascade: list[Scored] | None
    courses: dict[int, list[Course]]
    notes: list[str]


def evaluate_router(folder: str, plan: AnsweringPlan, *, seed: int = 0) -> dict[str, Any]:
    """Every feasible method and the router on every question, and every way to choose among them.

    Raises RagraphsError for what concerns all questions.
    """
    contexts = contexts_of(plan._replace(methods=[*plan.methods, "router"]))
    obstacles = _obstacles({name: contexts[name] for name in plan.methods})
    usable = [method for method in plan.methods if method in usable_methods(obstacles)]
    ways = ways_of(plan._replace(methods=[*usable, "router"]))
    with asked_by(ways, load_dataset(folder, plan.limit), answerable, plan) as asked:
        compared = _compared(
            asked.dataset.name,
            plan.context.model,
            asked.scored,
            _limits(contexts, plan.context.model),
            [*(reason for reason in obstacles.values() if reason), *asked.dataset.notes],
        )
    return _result(compared, seed)


def evaluate_recorded(
    folder: str, file: Path, plan: AnsweringPlan, *, seed: int = 0
) -> dict[str, Any]:
    """The same comparison of outcomes that ``file`` has; nobody is asked.

    Raises RagraphsError where the outcomes do not fit the set in ``folder``.
    """
    dataset = load_dataset(folder, plan.limit)
    scored, notes = read_recorded(file, answerable(dataset), [*plan.methods, "router"])
    limits = _limits(contexts_of(plan._replace(methods=["router"])), "")
    return _result(_compared(dataset.name, file.name, scored, limits, notes), seed)


def _compared(
    name: str,
    model: str,
    scored: Mapping[Answerer, list[Scored]],
    limits: CascadeLimits,
    notes: list[str],
) -> Compared:
    singles: dict[Answerer, list[Scored]] = {
        method: rows for method, rows in scored.items() if method != "router"
    }
    asked = [
        (rows[0].question.question, {str(m): r.outcome for m, r in zip(singles, rows, strict=True)})
        for rows in zip(*singles.values(), strict=True)
    ]
    numbers = dict.fromkeys([limits.escalations, *range(len(singles) if limits.escalations else 0)])
    courses = {
        most: [course_alone(*one, limits._replace(escalations=most)) for one in asked]
        for most in numbers
    }
    return Compared(name, model, singles, scored.get("router"), courses, notes)


def quality_against_cost(result: Mapping[str, Any]) -> Curves:
    """F1 against calls a question: a point for each way to choose methods, from a router's result.

    ``result`` comes from ``evaluate_router``.
    """
    return {
        "kind": "curves",
        "title": f"{result['set']}, {result['model']}",
        "joined": False,
        "x_label": "calls a question",
        "y_label": "F1",
        "x_unit": "number",
        "y_unit": "share",
        "curves": {
            one["strategy"]: [{"x": one["calls"], "y": one["f1"]}] for one in result["strategies"]
        },
    }


def matrix_of(scored: Mapping[Answerer, Sequence[Scored]]) -> Matrix:
    """The cells of every question, by method."""
    columns = {method: [cell_of(row) for row in rows] for method, rows in scored.items()}
    count = len(next(iter(columns.values())))
    return [{method: cells[place] for method, cells in columns.items()} for place in range(count)]


def cell_of(row: Scored) -> Cell:
    """The measures of an outcome.

    Wrong is an answer that is no gold one and holds none: a right answer in a sentence is not
    wrong. One in other words counts as wrong all the same, so that the shares are upper bounds.
    """
    outcome = row.outcome
    wrong = not row.em and not row.containment
    return Cell(
        row.em,
        row.f1,
        row.support_recall,
        outcome["calls"],
        outcome["tokens"],
        outcome["seconds"],
        float(outcome["sufficient"]),
        float(outcome["sufficient"] and wrong),
    )


def _obstacles(contexts: Mapping[Answerer, QuestionContext]) -> dict[str, str]:
    """Why methods are left out: missing layers will be built, but budgets stay as they are."""
    layers = {layer for method in contexts for layer in METHODS[method].layers}
    obstacles: dict[str, str] = {}
    for method, chosen in contexts.items():
        obstacles |= feasible({method: METHODS[method]}, layers, chosen.max_calls)
    return obstacles


def _limits(contexts: Mapping[Answerer, QuestionContext], model: str) -> CascadeLimits:
    """The router's limits; without a model it tries one method."""
    chosen = cast(RouterContext, contexts["router"])
    most = 0 if model == OFFLINE else chosen.escalations
    return CascadeLimits(chosen.max_calls, most, web_search(settings()) is not None)


def _result(compared: Compared, seed: int) -> dict[str, Any]:
    """The comparison in the form of ``--json``."""
    matrix, handed = matrix_of(compared.scored), _cascade(compared)
    alone, *others = _alone(compared)
    strategies = [
        *(always(matrix, method) for method in compared.scored),
        random_choice(matrix),
        alone,
        *([handed] if handed else []),
        *others,
        oracle(matrix),
    ]
    return {
        "set": compared.set,
        "model": compared.model,
        "questions": len(matrix),
        "notes": compared.notes,
        "strategies": [measured(strategy, matrix) for strategy in strategies],
        **_verdict(matrix, handed or alone, seed),
        "matrix": _rows(compared),
    }


def _cascade(compared: Compared) -> Strategy | None:
    rows = compared.cascade
    if rows is None:
        return None
    tried = [row.outcome["tried"] for row in rows]
    return handing_over("cascade", [cell_of(row) for row in rows], tried)


def _alone(compared: Compared) -> list[Strategy]:
    """The cascades with nothing handed on: by the setting, then with so many further methods."""
    matrix, made = matrix_of(compared.scored), list[Strategy]()
    for most, courses in compared.courses.items():
        cells = [summed(row, *one) for row, one in zip(matrix, courses, strict=True)]
        name = f"from scratch, {most} further" if made else "cascade, from scratch"
        made.append(handing_over(name, cells, [one.tried for one in courses]))
    return made


def _verdict(matrix: Matrix, cascade: Strategy, seed: int) -> dict[str, Any]:
    """Whether the cascade beats the best single method, and the best that costs no more calls."""
    calls = _calls(cascade)
    best, equal = best_single(matrix), best_single(matrix, calls)
    gain, at_cost = difference(cascade, best, seed), difference(cascade, equal, seed)
    name = cascade.name + ("," if "," in cascade.name else "")
    beats = "beats" if gain["low"] > 0 else "does not beat"
    verdict = (
        f"The {name} {beats} {best.chosen[0]}, the best single method: {_said(gain)}, at "
        f"{calls:.1f} calls a question instead of {_calls(best):.1f}."
    )
    if equal.chosen[0] != best.chosen[0]:
        verdict += (
            f" Of the single methods that cost no more calls, {equal.chosen[0]} is the best: "
            f"{_said(at_cost)}."
        )
    return {
        "best_single": best.chosen[0],
        "best_single_at_equal_cost": equal.chosen[0],
        "beyond_best_single": gain,
        "beyond_best_single_at_equal_cost": at_cost,
        "verdict": verdict,
    }


def _calls(strategy: Strategy) -> float:
    return sum(cell.calls for cell in strategy.cells) / len(strategy.cells)


def _said(gain: Mapping[str, float]) -> str:
    f1, low, high = (f"{100 * gain[name]:+.1f}" for name in ("f1", "low", "high"))
    return f"{f1} F1 (95 % interval {low} to {high})"


def _rows(compared: Compared) -> list[dict[str, Any]]:
    columns = list(zip(*compared.scored.values(), strict=True))
    alone = next(iter(compared.courses.values()))
    cascade: Sequence[Scored | None] = compared.cascade or [None] * len(columns)
    return [
        {
            "id": row[0].question.id,
            "question": row[0].question.question,
            "type": row[0].question.kind,
            "cascade_alone": course._asdict(),
            "cascade": handed and _shown(handed),
            "methods": {
                method: _shown(one) for method, one in zip(compared.scored, row, strict=True)
            },
        }
        for row, course, handed in zip(columns, alone, cascade, strict=True)
    ]


def _shown(row: Scored) -> dict[str, Any]:
    outcome = row.outcome
    told = {name: outcome[name] for name in ("answer", "missing", "tried")}
    return {**told, **cell_of(row)._asdict()}
