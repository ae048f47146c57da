"""The router's choices, measured against every other way to choose a method."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..algorithms.router.decision import (
    NEEDS,
    Features,
    MethodRanking,
    Prior,
    case_probabilities,
    feasible,
    route,
    usable_methods,
)
from ..context import MethodName, QuestionContext
from ..index.opening import language_model
from ..models.meter import start_meter
from ..models.protocol import LanguageModel
from ..nodes.router.features import features_of, prior_of
from ..nodes.router.route import chosen_by_model
from ..state.usage import total_calls, total_tokens
from .answers import Asked, Plan, Scored, asked_set, contexts_of
from .routing_matrix import (
    Cell,
    Matrix,
    Strategy,
    always,
    best_single,
    chosen_by,
    difference,
    escalating,
    held_out,
    measured,
    oracle,
    random_choice,
    with_cost,
)

_MOST_ESCALATIONS = 2


class Choice(NamedTuple):
    """The method that the router settles on, by the model where the classifier abstains."""

    decision: MethodRanking
    method: str
    calls: int = 0
    tokens: int = 0

    @property
    def order(self) -> list[str]:
        """The methods to try: the one chosen, then the others by their scores."""
        return list(dict.fromkeys([self.method, *self.decision.scores]))


class Routed(NamedTuple):
    """The router at work on the questions of a set; ``features`` and ``choices`` in their order."""

    obstacles: dict[str, str]
    prior: Prior
    features: list[Features]
    choices: list[Choice]

    def refitted(self, place: int, methods: Mapping[str, Sequence[str]]) -> str:
        """The method for the question at ``place``, had the prior these ``methods`` by case."""
        prior = self.prior._replace(methods=methods)
        return route(self.features[place], self.obstacles, prior).method


def evaluate_router(
    folder: str, plan: Plan, *, fit_halves: bool = False, seed: int = 0
) -> dict[str, Any]:
    """Every feasible method on every question, and every way to choose among them.

    With ``fit_halves`` also the router by a prior that is fitted to half of the questions, on the
    other half. Raises RagraphsError for what concerns all questions.
    """
    obstacles = _obstacles(contexts_of(plan))
    usable = [method for method in plan.methods if method in usable_methods(obstacles)]
    with asked_set(folder, plan._replace(methods=usable)) as asked:
        routed = asyncio.run(_route(asked, plan, obstacles))
    matrix, choices = matrix_of(asked.scored), routed.choices
    router = _at_cost(chosen_by("router", matrix, [choice.method for choice in choices]), choices)
    strategies = [
        *(always(matrix, method) for method in usable),
        random_choice(matrix),
        router,
        _at_cost(_escalated(matrix, choices), choices),
        *(_held_out(matrix, routed, seed) if fit_halves else ()),
        oracle(matrix),
    ]
    return {
        "set": asked.dataset.name,
        "model": plan.context.model,
        "questions": len(choices),
        "excluded": {method: reason for method, reason in obstacles.items() if reason},
        "strategies": [measured(strategy, matrix) for strategy in strategies],
        "kinds": Counter(choice.decision.kind for choice in choices),
        "abstained": sum(choice.decision.abstained for choice in choices),
        **_verdict(matrix, router, seed),
        "matrix": _rows(asked.scored, choices),
    }


def matrix_of(scored: Mapping[MethodName, Sequence[Scored]]) -> Matrix:
    """The cells of every question, by method."""
    columns = {method: [_cell(row) for row in rows] for method, rows in scored.items()}
    count = len(next(iter(columns.values())))
    return [{method: cells[place] for method, cells in columns.items()} for place in range(count)]


def _cell(row: Scored) -> Cell:
    outcome = row.outcome
    return Cell(
        row.em,
        row.f1,
        row.support_recall,
        outcome["calls"],
        outcome["tokens"],
        outcome["seconds"],
        outcome["sufficient"],
    )


def _obstacles(contexts: Mapping[MethodName, QuestionContext]) -> dict[str, str]:
    """Why methods are left out: missing layers will be built, but budgets stay as they are."""
    layers = {layer for method in contexts for layer in NEEDS[method].layers}
    obstacles: dict[str, str] = {}
    for method, chosen in contexts.items():
        obstacles |= feasible([method], layers, chosen.max_calls)
    return obstacles


async def _route(asked: Asked, plan: Plan, obstacles: dict[str, str]) -> Routed:
    """Routes every question as the product does, by the model where the classifier abstains."""
    model = await language_model(asked.index, plan.context)
    questions = [row.question.question for row in next(iter(asked.scored.values()))]
    routed = Routed(obstacles, prior_of(asked.index), [], [])
    for done, question in enumerate(questions, start=1):
        features = features_of(asked.index, question)
        decision = route(features, obstacles, routed.prior)
        choice = Choice(decision, decision.method)
        if decision.abstained:
            choice = await _by_model(model, question, obstacles, choice)
        routed.features.append(features)
        routed.choices.append(choice)
        plan.report("route", done, len(questions))
    return routed


async def _by_model(
    model: LanguageModel, question: str, obstacles: Mapping[str, str], choice: Choice
) -> Choice:
    """The model's choice; without a reply the classifier's stays."""
    meter = start_meter(None)
    chosen = await chosen_by_model(model, question, obstacles)
    usage = meter.usage()
    reused = sum(used["reused"] for used in meter.models.values())
    return choice._replace(
        method=chosen[0] if chosen else choice.method,
        calls=total_calls(usage) + reused,
        tokens=total_tokens(usage),
    )


def _escalated(matrix: Matrix, choices: Sequence[Choice]) -> Strategy:
    orders = [choice.order for choice in choices]
    return escalating("router, escalating", matrix, orders, _MOST_ESCALATIONS)


def _held_out(matrix: Matrix, routed: Routed, seed: int) -> tuple[Strategy, Strategy]:
    cases = [case_probabilities(features, routed.prior) for features in routed.features]
    return held_out(matrix, cases, routed.refitted, seed)


def _at_cost(strategy: Strategy, choices: Sequence[Choice]) -> Strategy:
    return with_cost(strategy, [c.calls for c in choices], [c.tokens for c in choices])


def _verdict(matrix: Matrix, router: Strategy, seed: int) -> dict[str, Any]:
    """Whether the router beats the best single method, and the best that costs no more calls."""
    calls = sum(cell.calls for cell in router.cells) / len(router.cells)
    best, equal = best_single(matrix), best_single(matrix, calls)
    gain, at_cost = difference(router, best, seed), difference(router, equal, seed)
    beats = "beats" if gain["low"] > 0 else "does not beat"
    verdict = f"The router {beats} {best.chosen[0]}, the best single method: {_said(gain)}."
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


def _said(gain: Mapping[str, float]) -> str:
    f1, low, high = (f"{100 * gain[name]:+.1f}" for name in ("f1", "low", "high"))
    return f"{f1} F1 (95 % interval {low} to {high})"


def _rows(
    scored: Mapping[MethodName, Sequence[Scored]], choices: Sequence[Choice]
) -> list[dict[str, Any]]:
    columns = zip(*scored.values(), strict=True)
    return [
        {
            "id": row[0].question.id,
            "question": row[0].question.question,
            "type": row[0].question.kind,
            "kind": choice.decision.kind,
            "router": choice.method,
            "abstained": choice.decision.abstained,
            "scores": choice.decision.scores,
            "reason": choice.decision.reason,
            "methods": {
                method: {"answer": one.outcome["answer"], **_cell(one)._asdict()}
                for method, one in zip(scored, row, strict=True)
            },
        }
        for row, choice in zip(columns, choices, strict=True)
    ]
