"""Choosing the method for a question: mask, prior, decision."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from typing_extensions import TypedDict

from ...state.errors import RagraphsError

QuestionKind = Literal[
    "single", "bridge", "comparison", "several", "whole_corpus", "about", "fresh"
]
KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
FALLBACK = "crag"


class Needs(NamedTuple):
    """The layers of the index and the number of model calls that a method needs."""

    layers: tuple[str, ...]
    calls: int


NEEDS: dict[str, Needs] = {
    "basic": Needs((), 1),
    "crag": Needs((), 3),
    "hoprag": Needs(("hops",), 2),
    "tog2": Needs(("entities",), 3),
    "deeprag": Needs((), 3),
    "graphrag": Needs(("entities", "communities"), 2),
}

DESCRIPTIONS: dict[str, str] = {
    "basic": "One fact that one passage states. The cheapest.",
    "crag": "One fact, when it is doubtful whether the documents hold it, or when it is recent: it "
    "grades what was found and may look at the web.",
    "hoprag": "Facts to be chained over several passages of prose, from one to the next.",
    "tog2": "How named persons, places or works are related, over several steps.",
    "deeprag": "Comparisons, and questions with several parts or conditions, to be taken apart.",
    "graphrag": "The whole of the documents: themes, trends, summaries; all about one subject.",
}

# The methods for each kind of question, the best first; a bridge over entities that the index
# knows (by their names in the question) is a case of its own.
PRIOR: dict[str, tuple[str, ...]] = {
    "single": ("basic", "crag", "hoprag", "tog2", "deeprag", "graphrag"),
    "bridge": ("hoprag", "deeprag", "crag", "basic", "tog2", "graphrag"),
    "linked_bridge": ("tog2", "hoprag", "deeprag", "crag", "basic", "graphrag"),
    "comparison": ("deeprag", "tog2", "hoprag", "crag", "basic", "graphrag"),
    "several": ("deeprag", "hoprag", "crag", "basic", "tog2", "graphrag"),
    "whole_corpus": ("graphrag", "deeprag", "hoprag", "crag", "basic", "tog2"),
    "about": ("graphrag", "crag", "basic", "tog2", "hoprag", "deeprag"),
    "fresh": ("crag", "basic", "hoprag", "tog2", "deeprag", "graphrag"),
}

_NAMES: dict[str, str] = {
    "single": "one fact",
    "bridge": "a chain of facts",
    "linked_bridge": "a chain of facts from things that the index knows",
    "comparison": "a comparison",
    "several": "several facts or conditions",
    "whole_corpus": "the whole of the documents",
    "about": "all about one subject",
    "fresh": "something recent, or outside of the index",
}
_OUTSIDE_SHARE = 0.5
_NO_FACTS = frozenset({"whole_corpus", "about"})
_NEXT = 0.5


class KindClassifier(TypedDict):
    """Multinomial logistic regression: for each kind a bias and the weights of the features.

    Features are taken less ``mean`` and divided by ``scale``. ``margin``: a decision whose best
    method leads the second by less is abstained from.
    """

    features: list[str]
    mean: list[float]
    scale: list[float]
    weights: dict[str, list[float]]
    bias: dict[str, float]
    margin: float


class Features(NamedTuple):
    """The features of a question, and of an index's first findings for it.

    ``linked``: the question names an entity of the index. ``similarity`` is that of the best
    passage found; None where no index was asked.
    """

    question: Mapping[str, float]
    linked: bool = False
    similarity: float | None = None


class Prior(NamedTuple):
    """The classifier of kinds, and for each kind the methods that suit it, the best first.

    A best passage less similar than ``outside`` means that the index hardly holds the answer; None
    if that is not known.
    """

    classifier: KindClassifier
    methods: Mapping[str, Sequence[str]] = PRIOR
    outside: float | None = None


class MethodRanking(NamedTuple):
    """The best method for a question of a likely ``kind``, and a score in [0, 1] for each feasible.

    ``abstained``: the best method is hardly better than the second, so that others should decide.
    """

    method: str
    kind: str
    scores: dict[str, float]
    reason: str
    abstained: bool


def feasible(methods: Iterable[str], layers: Collection[str], calls_left: int) -> dict[str, str]:
    """For each method why it cannot be used, in one sentence; empty where it can."""
    return {method: _obstacle(method, layers, calls_left) for method in methods}


def _obstacle(method: str, layers: Collection[str], calls_left: int) -> str:
    needs = NEEDS[method]
    missing = [layer for layer in needs.layers if layer not in layers]
    if missing:
        return (
            f"{method} needs the layer {missing[0]}; build it with: ragraphs index --layers "
            f"{','.join(missing)}"
        )
    if needs.calls > calls_left:
        return f"{method} needs at least {needs.calls} calls of a model, and {calls_left} are left."
    return ""


def kind_probabilities(
    features: Mapping[str, float], classifier: KindClassifier
) -> dict[str, float]:
    """P(kind) by softmax over the standardised features."""
    columns = zip(classifier["features"], classifier["mean"], classifier["scale"], strict=True)
    row = [(features[name] - mean) / scale for name, mean, scale in columns]
    logits = {
        kind: classifier["bias"][kind] + sum(w * x for w, x in zip(weights, row, strict=True))
        for kind, weights in classifier["weights"].items()
    }
    top = max(logits.values())
    shares = {kind: math.exp(logit - top) for kind, logit in logits.items()}
    total = sum(shares.values())
    return {kind: share / total for kind, share in shares.items()}


def case_probabilities(features: Features, prior: Prior) -> dict[str, float]:
    """P(case) for the rows of ``PRIOR``: kinds, with what the index says of the question.

    A bridge whose names the index knows is a *linked* one. Where the best passage is less similar
    than ``outside``, half of the share of facts goes to ``fresh``: no single
    passage need be similar to a question about the whole.
    """
    cases = kind_probabilities(features.question, prior.classifier)
    if features.linked:
        cases["linked_bridge"] = cases.pop("bridge")
    outside, best = prior.outside, features.similarity
    if outside is not None and best is not None and best < outside:
        facts = {case: share for case, share in cases.items() if case not in _NO_FACTS}
        cases |= {case: (1 - _OUTSIDE_SHARE) * share for case, share in facts.items()}
        cases["fresh"] += _OUTSIDE_SHARE * sum(facts.values())
    return cases


def route(features: Features, obstacles: Mapping[str, str], prior: Prior) -> MethodRanking:
    """The decision among the methods without an obstacle (as ``feasible`` gives them).

    A case of probability p gives p/2 to the first feasible method of its row, p/4 to the second,
    and so on. Raises RagraphsError where no method is feasible.
    """
    usable = usable_methods(obstacles)
    cases = case_probabilities(features, prior)
    scores = dict.fromkeys(usable, 0.0)
    for case, share in cases.items():
        order = [method for method in prior.methods[case] if method in scores]
        for place, method in enumerate(order, start=1):
            scores[method] += share * _NEXT**place
    ranked = sorted(scores, key=lambda method: -scores[method])
    lead = scores[ranked[0]] - scores[ranked[1]] if len(ranked) > 1 else 1.0
    case = max(cases, key=lambda case: cases[case])
    return MethodRanking(
        method=ranked[0],
        kind=case,
        scores={method: round(scores[method], 4) for method in ranked},
        reason=f"It seems to ask for {_NAMES[case]} ({cases[case]:.0%}).",
        abstained=lead < prior.classifier["margin"],
    )


def usable_methods(obstacles: Mapping[str, str]) -> list[str]:
    """The methods without an obstacle. Raises RagraphsError where there is none."""
    usable = [method for method, reason in obstacles.items() if not reason]
    if not usable:
        raise RagraphsError(f"No method can be used: {' '.join(obstacles.values())}")
    return usable


def method_of_label(label: str, obstacles: Mapping[str, str]) -> tuple[str, str]:
    """The method that a model's ``label`` names, and why another was taken, or nothing.

    What is no feasible method falls back to CRAG, else to the first that is feasible.
    """
    usable = usable_methods(obstacles)
    named = label.strip().casefold()
    if named in usable:
        return named, ""
    instead = FALLBACK if FALLBACK in usable else usable[0]
    why = obstacles.get(named) or f"{label!r} is no method."
    return instead, f"{why} {instead} was taken instead."
