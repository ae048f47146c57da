"""The decision of the router by kinds: a classifier of seven kinds, and a table of methods."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib import resources
from typing import Any, NamedTuple

from ...algorithms.router.decision import usable_methods
from ...index.entities import named_topics
from ...index.grading import fitted_grader
from ...index.layers import built_layers
from ...index.opening import Index
from ...index.retrieval import search
from ...models.graders import SimilarityGrader
from ...models.lexical import LexicalEmbedder
from ...prompts.prompt import number_passages
from .form import question_features

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
_CLASSIFIER: dict[str, Any] = json.loads(
    resources.files(__package__).joinpath("classifier.json").read_text(encoding="utf-8")
)
_OUTSIDE_SHARE = 0.5
_NO_FACTS = frozenset({"whole_corpus", "about"})
_NEXT = 0.5
_PASSAGES = 5


class Signs(NamedTuple):
    """The findings of an index for a question.

    ``linked``: the question names an entity of the index. ``outside``: the best passage is too
    unlike the question to hold the answer.
    """

    linked: bool = False
    outside: bool = False


class Ranking(NamedTuple):
    """The methods for a question of a likely ``kind``, best first.

    ``abstained``: the first is hardly better than the second.
    """

    kind: str
    methods: list[str]
    abstained: bool


def signs_of(index: Index, question: str) -> Signs:
    """The findings of ``index`` for ``question``. Blocks."""
    texts = number_passages(search(index, question, "hybrid", _PASSAGES))
    grader = _grader(index)
    best = max(grader.scores(question, texts), default=0.0) if texts else 0.0
    linked = False
    if "entities" in built_layers(index):
        linked = bool(named_topics(index, question))
    return Signs(linked, best < grader.thresholds.lower)


def rank(question: str, obstacles: Mapping[str, str], signs: Signs) -> Ranking:
    """The methods without an obstacle, ranked for ``question``.

    A case of probability p gives p/2 to the first feasible method of its row in ``PRIOR``, p/4 to
    the second, and so on. Raises RagraphsError where no method is feasible.
    """
    cases = _case_probabilities(question, signs)
    scores = dict.fromkeys(usable_methods(obstacles), 0.0)
    for case, share in cases.items():
        order = [method for method in PRIOR[case] if method in scores]
        for place, method in enumerate(order, start=1):
            scores[method] += share * _NEXT**place
    ranked = sorted(scores, key=lambda method: -scores[method])
    lead = scores[ranked[0]] - scores[ranked[1]] if len(ranked) > 1 else 1.0
    likely = max(cases, key=lambda case: cases[case])
    return Ranking(likely, ranked, lead < _CLASSIFIER["margin"])


def _case_probabilities(question: str, signs: Signs) -> dict[str, float]:
    """P(case) for the rows of ``PRIOR``: the kinds, with what the index says of the question.

    Where the index hardly holds the answer, half of the share of facts goes to ``fresh``: no single
    passage need be similar to a question about the whole.
    """
    cases = _kind_probabilities(question)
    if signs.linked:
        cases["linked_bridge"] = cases.pop("bridge")
    if signs.outside:
        facts = {case: share for case, share in cases.items() if case not in _NO_FACTS}
        cases |= {case: (1 - _OUTSIDE_SHARE) * share for case, share in facts.items()}
        cases["fresh"] += _OUTSIDE_SHARE * sum(facts.values())
    return cases


def _kind_probabilities(question: str) -> dict[str, float]:
    """P(kind) by softmax over the standardised features."""
    features = question_features(question)
    columns = zip(*(_CLASSIFIER[part] for part in ("features", "mean", "scale")), strict=True)
    row = [(features[name] - mean) / scale for name, mean, scale in columns]
    logits = {
        kind: _CLASSIFIER["bias"][kind] + sum(w * x for w, x in zip(weights, row, strict=True))
        for kind, weights in _CLASSIFIER["weights"].items()
    }
    top = max(logits.values())
    shares = {kind: math.exp(logit - top) for kind, logit in logits.items()}
    total = sum(shares.values())
    return {kind: share / total for kind, share in shares.items()}


def _grader(index: Index) -> SimilarityGrader:
    """Grades without cost: by the index's embeddings if they are computed here, else by words."""
    if not index.embedder.local:
        return SimilarityGrader(LexicalEmbedder())
    return SimilarityGrader(index.embedder, fitted_grader(index))
