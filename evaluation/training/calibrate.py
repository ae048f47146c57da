"""Calibrates the grader without a model.

``python -m ragraphs.evaluation.training.calibrate SET... --semantic EMBEDDINGS --out FILE``

Logistic regression of "this retrieved passage supports the question" on the grader's features, and
CRAG's two thresholds. The retrieved lists of half of the questions lose their supporting passages,
so that there is something to call incorrect. Tells how well the verdict does on sets that it was
not fitted to (each set in turn left out), on stderr, then writes the parameters to FILE, or prints
them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from ...algorithms.crag.grading import GraderParameters, features, grade
from ...algorithms.crag.strips import verdict
from ...context import IndexContext
from ...index.retrieval import search
from ...index.vectors import passage_text
from ..command import Out, Sets, run
from ..datasets import load_dataset
from ..extra import evaluate_extra
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
        pairs = zip(self.features, self.support, strict=True)
        kept = [row for row, supports in pairs if not supports]
        return Case(kept, [False] * len(kept))


def main(
    sets: Sets,
    semantic: Annotated[str, typer.Option(help="Embeddings for the semantic grader.")],
    out: Out = None,
) -> None:
    """Reports how well each set is graded by parameters from the others, then fits them to all."""
    written = {}
    for kind, embeddings in (("semantic", semantic), ("lexical", "lexical")):
        cases = [collect(folder, embeddings) for folder in sets]
        for place, folder in enumerate(sets):
            others = list(chain(*cases[:place], *cases[place + 1 :]))
            told = json.dumps(report(fit(others), cases[place]))
            typer.echo(f"{kind} {Path(folder).name} {told}", err=True)
        written[kind] = fit(list(chain(*cases)))
    print(json.dumps(written, indent=2), file=out)


def collect(folder: str, embeddings: str) -> list[Case]:
    """The retrieved passages of every question of a set, as features."""
    dataset = load_dataset(folder)
    cases = []
    with indexed(dataset.sources, IndexContext(embeddings=embeddings)) as (index, _):
        prefix = dataset.prefix(index.folder)
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
    with evaluate_extra():
        from sklearn.linear_model import LogisticRegression

    rows = list(chain.from_iterable(case.features for case in cases))
    labels = list(chain.from_iterable(case.support for case in cases))
    regression = LogisticRegression(C=1 / _RIDGE, class_weight="balanced", max_iter=1000)
    fitted = regression.fit(rows, labels)
    parameters: GraderParameters = {
        "weights": fitted.coef_[0].round(4).tolist(),
        "bias": round(float(fitted.intercept_[0]), 4),
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


def best(case: Case, parameters: GraderParameters) -> float:
    """The best grade among the retrieved passages."""
    return max((grade(row, parameters) for row in case.features), default=-1.0)


def report(parameters: GraderParameters, cases: Sequence[Case]) -> dict[str, Any]:
    """How the verdicts fall for retrievals that found support and for those that lost it."""
    retrievals = {
        "with_support": [case for case in cases if any(case.support)],
        "without_support": [case.stripped() for case in cases],
    }
    shares = {}
    for name, shown in retrievals.items():
        grades = [[grade(row, parameters) for row in case.features] for case in shown]
        verdicts = [verdict(each, parameters["upper"], parameters["lower"]) for each in grades]
        shares[name] = {
            kind: round(verdicts.count(kind) / len(verdicts), 3)
            for kind in ("correct", "ambiguous", "incorrect")
        }
    right = shares["with_support"]["correct"] + 1 - shares["without_support"]["correct"]
    return {"balanced_accuracy": round(right / 2, 3), **shares}


if __name__ == "__main__":
    run(main)
