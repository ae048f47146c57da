"""Choosing the method that begins, and the one that goes on from what was found."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, get_args

from typing_extensions import TypedDict

from ...state.errors import RagraphsError
from ...state.found import Found
from ...state.records import Citation

QuestionKind = Literal["fact", "whole", "about", "fresh"]
KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
# Several parts, a fact that can be looked up, a relation of named things, or a text in between.
Lack = Literal["parts", "fact", "relation", "bridge"]
LACKS: tuple[Lack, ...] = get_args(Lack)
# A question about the whole that begins with facts is still handed to graphrag; a fact that begins
# with graphrag has paid for all the reports, and nothing follows.
_LIKELY = 0.65
_POSSIBLE = 0.4
_CERTAIN = 0.9  # nearly; below this a search comes first, since a passage may answer


class Needs(Protocol):
    """The layers of the index and the least number of model calls that a method needs.

    ``calls`` is the number when a method begins, ``further`` when it goes on from findings.
    """

    @property
    def layers(self) -> tuple[str, ...]: ...
    @property
    def calls(self) -> int: ...
    @property
    def further(self) -> int: ...


_NAMES: dict[QuestionKind, str] = {
    "fact": "facts that a few passages state",
    "whole": "the whole of the documents",
    "about": "one subject as a whole",
    "fresh": "something recent, or outside of the documents",
}


class KindClassifier(TypedDict):
    """Multinomial logistic regression: for each kind a bias and the weights of the features.

    Features are taken less ``mean`` and divided by ``scale``. ``wording`` has the weights of parts
    of a question's wording, in the order of ``KINDS``, to be added where they occur.
    """

    features: list[str]
    mean: list[float]
    scale: list[float]
    weights: dict[str, list[float]]
    bias: dict[str, float]
    wording: dict[str, list[float]]


class Choice(NamedTuple):
    """A method, and why it is tried, in one sentence."""

    method: str
    reason: str


def feasible(
    methods: Mapping[str, Needs], layers: Collection[str], calls_left: int, further: bool = False
) -> dict[str, str]:
    """For each method why it cannot be used, in one sentence; empty where it can.

    ``further`` says that the method goes on from what others found.
    """
    return {
        method: _obstacle(method, needs, layers, calls_left, further)
        for method, needs in methods.items()
    }


def _obstacle(
    method: str, needs: Needs, layers: Collection[str], calls_left: int, further: bool
) -> str:
    missing = [layer for layer in needs.layers if layer not in layers]
    if missing:
        return (
            f"{method} needs the layer {missing[0]}; build it with: ragraphs index --layers "
            f"{','.join(missing)}"
        )
    calls = needs.further if further else needs.calls
    if calls > calls_left:
        return f"{method} needs at least {calls} calls of a model, and {calls_left} are left."
    return ""


def kind_probabilities(
    features: Mapping[str, float], classifier: KindClassifier
) -> dict[QuestionKind, float]:
    """P(kind) by softmax over the standardised features and the wording."""
    columns = zip(classifier["features"], classifier["mean"], classifier["scale"], strict=True)
    row = [(features[name] - mean) / scale for name, mean, scale in columns]
    parts = [classifier["wording"][name] for name in features if name in classifier["wording"]]
    logits = {
        kind: classifier["bias"][kind]
        + sum(w * x for w, x in zip(classifier["weights"][kind], row, strict=True))
        + sum(weights[place] for weights in parts)
        for place, kind in enumerate(KINDS)
    }
    top = max(logits.values())
    shares = {kind: math.exp(logit - top) for kind, logit in logits.items()}
    total = sum(shares.values())
    return {kind: share / total for kind, share in shares.items()}


def first_method(
    kinds: Mapping[QuestionKind, float],
    methods: Mapping[str, Needs],
    obstacles: Mapping[str, str],
    web: bool,
    others_follow: bool = False,
) -> Choice:
    """The method that begins: the cheapest, unless the kind of question calls for another.

    ``obstacles`` come from ``feasible``, and ``web`` says whether the web can be searched. Where
    ``others_follow``, a question that is not nearly certain to be broad is searched for first.
    Raises RagraphsError where no method is feasible.
    """
    kind = likely_kind(kinds)
    usable = usable_methods(obstacles)
    suited = {"whole": "graphrag", "about": "graphrag", "fresh": "crag" if web else ""}.get(kind)
    cheapest = min(usable, key=lambda method: methods[method].calls)
    asks = f"Taken for a question about {_NAMES[kind]}."
    if suited == "graphrag" in usable and others_follow and broadness(kinds) < _CERTAIN:
        return Choice(cheapest, f"{asks} A search comes first: one text may answer.")
    return Choice(suited if suited in usable else cheapest, asks)


def answers_alone(kinds: Mapping[QuestionKind, float], citations: Sequence[Citation]) -> bool:
    """Whether a sufficient answer with ``citations`` ends a question of these ``kinds``.

    Several documents are no whole: of a broad question, a search knows the nearest ones alone.
    """
    documents = {citation["document"] for citation in citations}
    return len(documents) < 2 or broadness(kinds) < _LIKELY


def likely_kind(kinds: Mapping[QuestionKind, float]) -> QuestionKind:
    """The kind that the question is taken for: of facts, unless another is likely.

    The whole and one subject count together, because the same method reads for both.
    """
    if broadness(kinds) >= _LIKELY:
        return "whole" if kinds["whole"] >= kinds["about"] else "about"
    return "fresh" if kinds["fresh"] >= _LIKELY else "fact"


def broadness(kinds: Mapping[QuestionKind, float]) -> float:
    """P(the question asks for more than a few passages say)."""
    return kinds["whole"] + kinds["about"]


def next_method(
    kinds: Mapping[QuestionKind, float],
    found: Found,
    tried: Collection[str],
    obstacles: Mapping[str, str],
    web: bool,
    lack: Lack = "fact",
    moved: bool = True,
    at_length: bool = False,
) -> Choice | None:
    """The method that goes on from what was ``found``, which did not suffice; None for none.

    Facts that can be looked up by name go to deeprag, one by one. What was searched for in vain is
    a relation (tog2) or a hop (hoprag) away from what was found; after one walk deeprag takes the
    question apart. Where nothing was found, the index may not hold it (crag's web). No walk follows
    a look-up after which the same is missing as before, unless the lack has ``moved``. Nothing
    follows graphrag, which has read more than all others.
    """
    if "graphrag" in tried:
        return None
    missing = " ".join(found["missing"])
    lacks = f"Still missing: {missing}" if missing else "It may have several parts."
    cited, answers = bool(found["citations"]), found["answers"]
    read = bool(found["evidence"] or missing)
    in_vain = bool(answers) and not any(one["answer"] for one in answers)
    fresh = kinds["fresh"] >= _POSSIBLE
    walks = cited and lack in ("relation", "bridge") and not {"hoprag", "tog2"} & set(tried)
    related = ("tog2", walks, "Named things may be related by a way that no search finds.")
    options = [
        ("graphrag", broadness(kinds) >= _POSSIBLE, "It may ask for more than a few passages say."),
        ("crag", web and fresh, "It may ask for something recent, or outside of the documents."),
        ("crag", web and not cited, "No text of the index speaks of it."),
        *([related] if lack == "relation" else []),
        ("hoprag", walks, "The texts name nothing more to search for; a hop may lead on."),
        related,
        ("deeprag", read, lacks),
        ("crag", web and in_vain, "The index tells nothing of what is missing."),
        ("hoprag", cited and moved, "The next passage may be a hop away."),
        ("tog2", cited and moved, "The next passage may be a relation away."),
        ("crag", web, "The index does not seem to hold it."),
        ("agent", at_length, "Searches of its own choice may find it."),
    ]
    for method, suits, reason in options:
        if suits and method not in tried and obstacles.get(method) == "":
            return Choice(method, reason)
    return None


def usable_methods(obstacles: Mapping[str, str]) -> list[str]:
    """The methods without an obstacle. Raises RagraphsError where there is none."""
    usable = [method for method, reason in obstacles.items() if not reason]
    if not usable:
        raise RagraphsError(f"No method can be used: {' '.join(obstacles.values())}")
    return usable
