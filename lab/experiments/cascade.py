"""The router's cascade with nothing handed on, from outcomes of single methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ragraphs.algorithms.router.decision import (
    Choice,
    feasible,
    first_method,
    kind_probabilities,
    next_method,
)
from ragraphs.algorithms.router.features import question_features
from ragraphs.evaluation.outcomes import Outcome
from ragraphs.graphs.methods import METHODS
from ragraphs.models.router import KIND_CLASSIFIER
from ragraphs.nodes.router.handing import handed_on, has_moved, worth
from ragraphs.nodes.router.lacking import lack_of, parts_of
from ragraphs.state.found import NOTHING


class CascadeLimits(NamedTuple):
    """The router's settings: calls a question, further methods, and whether it has the web."""

    max_calls: int
    escalations: int
    web: bool


class Course(NamedTuple):
    """The methods tried for a question, and the one whose answer is kept."""

    tried: list[str]
    kept: str


def course_alone(question: str, outcomes: Mapping[str, Outcome], limits: CascadeLimits) -> Course:
    """The course of the cascade where every method begins anew, with its outcome of ``outcomes``.

    The decisions are the router's own; a method costs as much as alone, which may be more calls
    than are left.
    """
    kinds = kind_probabilities(question_features(question), KIND_CLASSIFIER)
    tried: list[str] = []
    kept, found, left = "", NOTHING, limits.max_calls
    choice: Choice | None = first_method(kinds, METHODS, _obstacles(outcomes, left), limits.web)
    while choice is not None:
        outcome = outcomes[choice.method]
        tried.append(choice.method)
        if not kept or worth(outcome) >= worth(outcomes[kept]):
            kept = choice.method
        if outcome["sufficient"] or len(tried) > limits.escalations:
            break
        before, found = found, handed_on(found, {**outcome, "evidence": []})
        found["answers"] = [*found["answers"], *outcome["looked_up"]]
        left -= outcome["calls"]
        lack = lack_of(None, question, parts_of(question), found)
        moved, obstacles = has_moved(before, found), _obstacles(outcomes, left)
        choice = next_method(kinds, found, tried, obstacles, limits.web, lack, moved)
    return Course(tried, kept)


def _obstacles(outcomes: Mapping[str, Outcome], left: int) -> dict[str, str]:
    """Why methods are out; those with an outcome have their layers."""
    layers = {layer for needs in METHODS.values() for layer in needs.layers}
    others = {method: f"{method} is not compared." for method in METHODS if method not in outcomes}
    return feasible(METHODS, layers, left) | others
