"""Choosing the method that begins, and the one that goes on from what was found."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from typing_extensions import TypedDict

from ...state.errors import RagraphsError
from ...state.found import Found

QuestionKind = Literal["fact", "whole", "about", "fresh"]
KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
CHEAPEST = "basic"
_LIKELY = 0.5
_POSSIBLE = 0.25


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

_NAMES: dict[QuestionKind, str] = {
    "fact": "facts that a few passages state",
    "whole": "the whole of the documents",
    "about": "all about one subject",
    "fresh": "something recent, or outside of the documents",
}


class KindClassifier(TypedDict):
    """Multinomial logistic regression: for each kind a bias and the weights of the features.

    Features are taken less ``mean`` and divided by ``scale``.
    """

    features: list[str]
    mean: list[float]
    scale: list[float]
    weights: dict[str, list[float]]
    bias: dict[str, float]


class Choice(NamedTuple):
    """A method, and why it is tried, in one sentence."""

    method: str
    reason: str


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
) -> dict[QuestionKind, float]:
    """P(kind) by softmax over the standardised features."""
    columns = zip(classifier["features"], classifier["mean"], classifier["scale"], strict=True)
    row = [(features[name] - mean) / scale for name, mean, scale in columns]
    logits = {
        kind: classifier["bias"][kind]
        + sum(w * x for w, x in zip(classifier["weights"][kind], row, strict=True))
        for kind in KINDS
    }
    top = max(logits.values())
    shares = {kind: math.exp(logit - top) for kind, logit in logits.items()}
    total = sum(shares.values())
    return {kind: share / total for kind, share in shares.items()}


def first_method(
    kinds: Mapping[QuestionKind, float], obstacles: Mapping[str, str], web: bool
) -> Choice:
    """The method that begins: the cheapest, but for what its passages cannot answer by its nature.

    ``obstacles`` are those of ``feasible``, and ``web`` says whether the web can be searched.
    Raises RagraphsError where no method is feasible.
    """
    kind = likely_kind(kinds)
    reason = f"It seems to ask for {_NAMES[kind]} ({kinds[kind]:.0%})."
    wanted = {"whole": "graphrag", "about": "graphrag", "fresh": "crag" if web else CHEAPEST}
    usable = usable_methods(obstacles)
    for method in (wanted.get(kind, CHEAPEST), CHEAPEST):
        if method in usable:
            return Choice(method, reason)
    return Choice(usable[0], reason)


def likely_kind(kinds: Mapping[QuestionKind, float]) -> QuestionKind:
    """The kind that the question is taken for: of facts, unless another is likely."""
    best = max(KINDS, key=lambda kind: kinds[kind])
    return best if kinds[best] >= _LIKELY else "fact"


def next_method(
    kinds: Mapping[QuestionKind, float],
    found: Found,
    tried: Sequence[str],
    obstacles: Mapping[str, str],
    web: bool,
) -> Choice | None:
    """The method that goes on from what was ``found``, which did not suffice; None for none.

    The questions that are missing are looked up one by one (deeprag). What no search finds may be
    a hop away from what was found (hoprag, tog2), or not in the index at all (crag's web). Nothing
    follows graphrag, which has read more than all others.
    """
    missing = " ".join(found["missing"])
    broad = kinds["whole"] + kinds["about"] >= _POSSIBLE
    options = [
        ("graphrag", broad, "It may ask for more than a few passages say."),
        ("crag", web and not found["citations"], "No text of the index speaks of it."),
        ("deeprag", True, f"Still missing: {missing}" if missing else "It may have several parts."),
        ("hoprag", bool(found["citations"]), "The next passage may be a hop away."),
        ("tog2", bool(found["citations"]), "The next passage may be a relation away."),
        ("crag", web, "The index does not seem to hold it."),
    ]
    if "graphrag" in tried:
        return None
    for method, suits, reason in options:
        if suits and method not in tried and not obstacles[method]:
            return Choice(method, reason)
    return None


def usable_methods(obstacles: Mapping[str, str]) -> list[str]:
    """The methods without an obstacle. Raises RagraphsError where there is none."""
    usable = [method for method, reason in obstacles.items() if not reason]
    if not usable:
        raise RagraphsError(f"No method can be used: {' '.join(obstacles.values())}")
    return usable
