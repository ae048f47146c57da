"""Calibrating graders without a language model to an index, by what its passages answer.

HopRAG's in-coming questions are labels for free: a passage answers its own, others do not. The
questions of a set that was made from the index tell more, where there is one.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.crag.grading import Cosines, Features, GraderParameters, features, grade, rescaled
from ..algorithms.crag.strips import verdict
from ..evaluation.datasets import load_dataset
from ..index.grading import keep_grader
from ..index.layers import HOPS
from ..index.opening import Index
from ..index.retrieval import search
from ..models.graders import usual_parameters
from ..models.query_vectors import embed_queries
from ..state.errors import RagraphsError
from ..state.records import Evidence

_TOP_K = 10
_MOST_QUESTIONS = 300
_FEWEST_QUESTIONS = 20
_LEAST_GAP = 0.02
GOOD_LOST = 0.02


class CalibrationCase(NamedTuple):
    """A question's retrieved passages: their features, and which of them support it."""

    features: list[Features]
    support: list[bool]


class Graded(NamedTuple):
    """The grades of a question's retrieved passages, and which of them support it."""

    grades: list[float]
    support: list[bool]

    def stripped(self) -> Graded:
        """The same without its supporting passages: a retrieval that failed."""
        pairs = zip(self.grades, self.support, strict=True)
        kept = [grade for grade, supports in pairs if not supports]
        return Graded(kept, [False] * len(kept))


def calibrate(index: Index, folder: str | None = None) -> dict[str, Any]:
    """Calibrates the grader to ``index`` and keeps its parameters there, in the form of ``--json``.

    It uses the questions of the set in ``folder``, or else of the hops layer. Blocks. Raises
    RagraphsError where the index has no hops layer, where its passages answer too few questions,
    and where the embeddings do not tell which passage answers one.
    """
    cases = _cases(index, labelled_questions(index, folder))
    cosines = cosines_of(cases)
    if cosines["own"] - cosines["other"] < _LEAST_GAP:
        raise RagraphsError(
            f"The embeddings {index.embedder.name} do not tell the passage that answers a question "
            "from others; build an index with other --embeddings."
        )
    parameters = rescaled(usual_parameters(index.embedder), cosines)
    asyncio.run(keep_grader(index, parameters))
    return {
        "index": index.name,
        "embeddings": index.embedder.name,
        "questions": len(cases),
        "parameters": parameters,
        "verdicts": report(parameters, cases),
    }


def labelled_questions(index: Index, folder: str | None = None) -> Mapping[str, set[str]]:
    """Questions of the set in ``folder``, or of the hops layer, each with what answers it. Blocks.

    Raises RagraphsError where the index has no such layer, or its passages answer too few.
    """
    asked = _questions_of_hops(index) if folder is None else _questions_of_set(index, folder)
    embed_queries(index.embedder, list(asked))  # at once, since searching would ask one by one
    return asked


def _questions_of_hops(index: Index) -> Mapping[str, set[str]]:
    HOPS.stamp(index)
    asked = _sampled(index)
    _require_enough(asked, "questions", "index more documents first")
    return asked


def _questions_of_set(index: Index, folder: str) -> Mapping[str, set[str]]:
    """The set was made from the index, or its passages were indexed there."""
    dataset = load_dataset(folder)
    if dataset.is_made_from(index):
        dataset = dataset.asked_in(index)
    support = zip(dataset.questions, dataset.support_in(index), strict=True)
    asked = {one.question: passages for one, passages in support if passages}
    _require_enough(asked, f"questions of {dataset.name}", "make a larger set first")
    return asked


def _require_enough(asked: Mapping[str, set[str]], noun: str, remedy: str) -> None:
    if len(asked) < _FEWEST_QUESTIONS:
        raise RagraphsError(
            f"The passages answer {len(asked)} {noun}, and calibrating takes {_FEWEST_QUESTIONS}; "
            f"{remedy}."
        )


def _cases(index: Index, asked: Mapping[str, set[str]]) -> list[CalibrationCase]:
    return [case_of(index, question, passages) for question, passages in asked.items()]


def _sampled(index: Index) -> Mapping[str, set[str]]:
    """At most 300 of the questions that passages answer, spread evenly, each with its passages."""
    answered: dict[str, set[str]] = defaultdict(set)
    for passage, value in index.readings.values("questions"):
        for question in value["incoming"]:
            answered[question].add(passage)
    step = max(-(-len(answered) // _MOST_QUESTIONS), 1)
    return {question: answered[question] for question in sorted(answered)[::step]}


def case_of(index: Index, question: str, supporting: set[str]) -> CalibrationCase:
    """Retrieval case of ``question``, which the passages ``supporting`` answer. Blocks."""
    found = retrieved(index, question)
    vectors = index.vectors.get("passages", [passage["id"] for passage in found])
    cosines = vectors @ embed_queries(index.embedder, [question])[0]
    return CalibrationCase(
        features_of(question, found, cosines), [passage["id"] in supporting for passage in found]
    )


def retrieved(index: Index, question: str) -> list[Evidence]:
    """The passages that a grader sees of ``question``, best first. Blocks."""
    return search(index, question, "hybrid", _TOP_K)


def features_of(
    question: str, texts: Sequence[Evidence], cosines: Sequence[float]
) -> list[Features]:
    """The grader's features of each text, whose ``cosines`` with the question are given."""
    return [
        features(question, text["title"], text["text"], float(cosine))
        for text, cosine in zip(texts, cosines, strict=True)
    ]


def cosines_of(cases: Sequence[CalibrationCase]) -> Cosines:
    """The median cosine of questions with passages that answer them, and with others found."""
    rows = [pair for case in cases for pair in zip(case.features, case.support, strict=True)]
    own = [row[2] for row, supports in rows if supports]
    other = [row[2] for row, supports in rows if not supports]
    return {
        "own": round(float(np.median(own)), 4) if own else 0.0,
        "other": round(float(np.median(other)), 4) if other else 0.0,
    }


def thresholds_between(good: Sequence[float], bad: Sequence[float]) -> tuple[float, float]:
    """``upper`` and ``lower`` by the best grades of retrievals, ``good`` ones and ``bad`` ones.

    ``upper`` tells the good from the bad best; 2 % of the good come out below ``lower``.
    """
    found, lost = np.sort(good), np.sort(bad)
    cuts = np.unique(np.concatenate([found, lost]))
    accuracy = [((found >= cut).mean() + (lost < cut).mean()) / 2 for cut in cuts]
    upper = round(float(cuts[int(np.argmax(accuracy))]), 4)
    return upper, round(min(float(np.quantile(found, GOOD_LOST)), upper), 4)


def report(parameters: GraderParameters, cases: Sequence[CalibrationCase]) -> dict[str, Any]:
    """How the verdicts fall for retrievals that found support and for those that lost it."""
    return verdict_shares(graded(cases, parameters), parameters["upper"], parameters["lower"])


def graded(cases: Sequence[CalibrationCase], parameters: GraderParameters) -> list[Graded]:
    """The grades of ``cases`` by a grader with those ``parameters``."""
    return [
        Graded([grade(row, parameters) for row in case.features], case.support) for case in cases
    ]


def verdict_shares(cases: Sequence[Graded], upper: float, lower: float) -> dict[str, Any]:
    """How the verdicts fall for retrievals that found support and for those that lost it."""
    retrievals = {
        "with_support": [case for case in cases if any(case.support)],
        "without_support": [case.stripped() for case in cases],
    }
    shares = {}
    for name, shown in retrievals.items():
        verdicts = [verdict(case.grades, upper, lower) for case in shown]
        shares[name] = {
            kind: round(verdicts.count(kind) / max(len(verdicts), 1), 3)
            for kind in ("correct", "ambiguous", "incorrect")
        }
    right = shares["with_support"]["correct"] + 1 - shares["without_support"]["correct"]
    return {"balanced_accuracy": round(right / 2, 3), **shares}
