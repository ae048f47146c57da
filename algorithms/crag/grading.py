"""Grading a text for a question without a model."""

from __future__ import annotations

import math
import re
from typing import TypedDict

from ...language.analyser import keywords, terms

_NAME = re.compile(r"\b[A-Z][\w'’-]*|\d[\d.,]*")


Features = tuple[float, float, float]


class Cosines(TypedDict):
    """Median cosines of HopRAG's in-coming questions with their own passages, and with others."""

    own: float
    other: float


class GraderParameters(TypedDict):
    """A calibrated grader: weights of the three features, bias, CRAG's two thresholds and its cut.

    ``cosines`` are the median cosines of the embeddings that it was calibrated for.
    """

    weights: list[float]
    bias: float
    upper: float
    lower: float
    cut: float
    cosines: Cosines


class CrossEncoderParameters(TypedDict):
    """A cross-encoder fitted to an index: its score is scaled and shifted (Platt's scaling).

    ``upper`` and ``lower`` are CRAG's thresholds, and ``cut`` is its cut.
    """

    scale: float
    shift: float
    upper: float
    lower: float
    cut: float


def features(question: str, title: str, text: str, cosine: float) -> Features:
    """Three features of how well a text fits a question.

    In [0, 1], the share of the question's keywords that the text or its title has, and the same
    share of its names and numbers (of all keywords where it has neither); in [−1, 1], the cosine
    of the embeddings.
    """
    present = keywords(f"{title} {text}")
    wanted = keywords(question)
    names = frozenset(terms(" ".join(_NAME.findall(question)))) or wanted
    return _share(wanted, present), _share(names, present), cosine


def grade(values: Features, parameters: GraderParameters) -> float:
    """A score in [−1, 1]: 2·P(relevant) − 1 by logistic regression over ``features``."""
    z = parameters["bias"] + sum(
        weight * value for weight, value in zip(parameters["weights"], values, strict=True)
    )
    return math.tanh(z / 2)


def platt(score: float, parameters: CrossEncoderParameters) -> float:
    """The score of a cross-encoder as a grade in [−1, 1]: 2·P(relevant) − 1."""
    return math.tanh((parameters["scale"] * score + parameters["shift"]) / 2)


def rescaled(parameters: GraderParameters, cosines: Cosines) -> GraderParameters:
    """The same grader, rescaled to the ``cosines`` of another index or embedding.

    A cosine is mapped so that both medians fall on the medians in ``parameters``; ``own`` must be
    above ``other``. Weights and thresholds are not fitted anew, since questions that were written
    from their passage share more words with it than people's do.
    """
    usual = parameters["cosines"]
    scale = (usual["own"] - usual["other"]) / (cosines["own"] - cosines["other"])
    *words, weight = parameters["weights"]
    shift = usual["other"] - scale * cosines["other"]
    return {
        **parameters,
        "weights": [*words, weight * scale],
        "bias": parameters["bias"] + weight * shift,
        "cosines": cosines,
    }


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0
