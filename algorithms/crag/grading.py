"""Grading a text for a question without a model."""

from __future__ import annotations

import math
import re
from typing import TypedDict

from ...language.analyser import keywords, terms

_NAME = re.compile(r"\b[A-Z][\w'’-]*|\d[\d.,]*")


class GraderParameters(TypedDict):
    """A calibrated grader: weights of the three features, bias, CRAG's two thresholds, its cut."""

    weights: list[float]
    bias: float
    upper: float
    lower: float
    cut: float


def features(question: str, title: str, text: str, cosine: float) -> tuple[float, float, float]:
    """Three features of how well a text fits a question.

    In [0, 1], the share of the question's keywords that the text or its title has, and the same
    share of its names and numbers (of all keywords where it has neither); in [−1, 1], the cosine
    of the embeddings.
    """
    present = keywords(f"{title} {text}")
    wanted = keywords(question)
    names = frozenset(terms(" ".join(_NAME.findall(question)))) or wanted
    return _share(wanted, present), _share(names, present), cosine


def grade(values: tuple[float, float, float], parameters: GraderParameters) -> float:
    """A score in [−1, 1]: 2·P(relevant) − 1 by logistic regression over ``features``."""
    z = parameters["bias"] + sum(
        weight * value for weight, value in zip(parameters["weights"], values, strict=True)
    )
    return math.tanh(z / 2)


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0
