"""Calibrates the grader without a model.

``python -m ragraphs.evaluation.training.calibrate SET...``

Logistic regression of "this retrieved passage supports the question" on the grader's features, and
CRAG's two thresholds. The retrieved lists of half of the questions lose their supporting passages,
so that there is something to call incorrect. Prints how well the verdict does on sets that it was
not fitted to (each set in turn left out), then writes ``models/grader.json``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algorithms.crag.grading import GraderParameters, features, grade
from ...algorithms.crag.strips import verdict
from ...context import IndexContext
from ...index.retrieval import search
from ...index.vectors import passage_text
from ...stores.loading.sources import document_path
from ..datasets import load_dataset
from ..retrieval import indexed

_TOP_K = 10
_RIDGE = 1e-3
_GOOD_CALLED_INCORRECT = 0.02

Features = tuple[float, float, float]


class Case(NamedTuple):
    """A question's retrieved passages: their features, and which of them support it."""

    features: list[Features]
    support: list[bool]

    def stripped(self) -> Case:
        """The same without its supporting passages: a retrieval that failed."""
        kept = [
            row for row, supports in zip(self.features, self.support, strict=True) if not supports
        ]
        return Case(kept, [False] * len(kept))


def main() -> None:
    """Reads the sets, fits, reports, and writes the parameters."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", help="folders of passages.jsonl and questions.jsonl")
    parser.add_argument("--semantic", required=True, help="embeddings for the semantic grader")
    arguments = parser.parse_args()
    file = Path(__file__).parents[2] / "models" / "grader.json"
    written = {}
    for kind, embeddings in (("semantic", arguments.semantic), ("lexical", "lexical")):
        cases = [collect(folder, embeddings) for folder in arguments.sets]
        for left_out, folder in enumerate(arguments.sets):
            others = [
                case for place, part in enumerate(cases) if place != left_out for case in part
            ]
            print(kind, Path(folder).name, json.dumps(report(fit(others), cases[left_out])))
        written[kind] = fit([case for part in cases for case in part])
    file.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(written, indent=2))


def collect(folder: str, embeddings: str) -> list[Case]:
    """The retrieved passages of every question of a set, as features."""
    dataset = load_dataset(folder)
    cases = []
    with indexed(dataset, IndexContext(embeddings=embeddings), keep_index=False) as (index, _):
        prefix = document_path(dataset.passages, index.folder) + "#"
        for question in dataset.questions:
            found = search(index, question.question, "hybrid", _TOP_K)
            texts = [question.question, *(passage_text(passage) for passage in found)]
            vectors = index.embedder.embed(texts)
            rows = [
                features(question.question, passage["title"], passage["text"], float(cosine))
                for passage, cosine in zip(found, vectors[1:] @ vectors[0], strict=True)
            ]
            support = [p["document"].removeprefix(prefix) in question.supporting for p in found]
            cases.append(Case(rows, support))
    return cases


def fit(cases: Sequence[Case]) -> GraderParameters:
    """Weights and bias by class-balanced logistic regression, then the two thresholds."""
    rows = np.array([row for case in cases for row in case.features])
    labels = np.array([float(supports) for case in cases for supports in case.support])
    weights = _logistic(np.column_stack([rows, np.ones(len(rows))]), labels)
    parameters: GraderParameters = {
        "weights": [round(float(weight), 4) for weight in weights[:-1]],
        "bias": round(float(weights[-1]), 4),
        "upper": 0.0,
        "lower": 0.0,
    }
    good = np.sort([best(case, parameters) for case in cases if any(case.support)])
    bad = np.sort([best(case.stripped(), parameters) for case in cases])
    cuts = np.unique(np.concatenate([good, bad]))
    accuracy = [((good >= cut).mean() + (bad < cut).mean()) / 2 for cut in cuts]
    parameters["upper"] = round(float(cuts[int(np.argmax(accuracy))]), 4)
    lower = float(np.quantile(good, _GOOD_CALLED_INCORRECT))
    parameters["lower"] = round(min(lower, parameters["upper"]), 4)
    return parameters


def _logistic(rows: NDArray[Any], labels: NDArray[Any], rounds: int = 50) -> NDArray[Any]:
    """Newton's method; both classes weigh the same in all, with a small ridge."""
    share = labels.mean()
    weight = np.where(labels == 1, 0.5 / share, 0.5 / (1 - share))
    solution = np.zeros(rows.shape[1])
    for _ in range(rounds):
        predicted = 1 / (1 + np.exp(-rows @ solution))
        gradient = rows.T @ (weight * (labels - predicted)) - _RIDGE * solution
        curvature = (rows.T * (weight * predicted * (1 - predicted))) @ rows
        solution = solution + np.linalg.solve(curvature + _RIDGE * np.eye(len(solution)), gradient)
    return solution


def best(case: Case, parameters: GraderParameters) -> float:
    """The best grade among the retrieved passages."""
    return max((grade(row, parameters) for row in case.features), default=-1.0)


def report(parameters: GraderParameters, cases: Sequence[Case]) -> dict[str, Any]:
    """How the verdicts fall for retrievals that found support and for those that lost it."""
    drawn: dict[str, list[str]] = {"with_support": [], "without_support": []}
    for case in cases:
        pairs = [("without_support", case.stripped())]
        if any(case.support):
            pairs.append(("with_support", case))
        for name, shown in pairs:
            grades = [grade(row, parameters) for row in shown.features]
            drawn[name].append(verdict(grades, parameters["upper"], parameters["lower"]))
    shares = {
        name: {
            kind: round(verdicts.count(kind) / len(verdicts), 3)
            for kind in ("correct", "ambiguous", "incorrect")
        }
        for name, verdicts in drawn.items()
    }
    right = shares["with_support"]["correct"] + 1 - shares["without_support"]["correct"]
    return {"balanced_accuracy": round(right / 2, 3), **shares}


if __name__ == "__main__":
    main()
