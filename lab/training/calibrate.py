"""Calibrates the grader without a model.

``python -m lab.training.calibrate SET... --embeddings EMBEDDINGS --out FILE``

Logistic regression of "this retrieved passage supports the question" on the grader's features, and
the thresholds. The retrieved lists of half of the questions lose their supporting passages, so that
there is something to call incorrect. Tells how well the verdict does on sets that it was not fitted
to (each set in turn left out), on stderr, then writes the parameters to FILE, or prints them: for
each of the embeddings, which may be several. The cosines of the questions that HopRAG asks are
measured as well, so that an index with other embeddings can be calibrated by its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer
from ragraphs.algorithms.crag.grading import Features, GraderParameters, grade
from ragraphs.algorithms.crag.strips import decompose
from ragraphs.cli.calibration import (
    GOOD_LOST,
    CalibrationCase,
    case_of,
    cosines_of,
    features_of,
    graded,
    labelled_questions,
    report,
    thresholds_between,
)
from ragraphs.context import CragContext, IndexContext
from ragraphs.evaluation.datasets import load_dataset
from ragraphs.evaluation.extra import evaluate_extra
from ragraphs.evaluation.retrieval import indexed
from ragraphs.index.opening import Index
from ragraphs.index.retrieval import search
from ragraphs.index.vectors import passage_text
from ragraphs.models.embeddings import identity
from ragraphs.models.query_vectors import embed_queries

from ..command import Out, Sets, run

_RIDGE = 1e-3


class Collected(NamedTuple):
    """A set's questions, the strips of each supporting passage, and the questions of its hops."""

    cases: list[CalibrationCase]
    strips: list[list[Features]]
    hops: list[CalibrationCase]


def main(
    sets: Sets,
    embeddings: Annotated[list[str], typer.Option(help="Embeddings to fit to; may be repeated.")],
    out: Out = None,
) -> None:
    """Reports how well each set is graded by parameters from the others, then fits them to all."""
    written = {}
    for name in embeddings:
        collected = [collect(folder, name) for folder in sets]
        for place, folder in enumerate(sets):
            others = [*collected[:place], *collected[place + 1 :]]
            told = json.dumps(report(fit(others), collected[place].cases))
            typer.echo(f"{name} {Path(folder).name} {told}", err=True)
        written[identity(name)] = fit(collected)
    print(json.dumps(written, indent=2), file=out)


def collect(folder: str, embeddings: str) -> Collected:
    """The features of what is retrieved for the questions of a set."""
    dataset = load_dataset(folder)
    collected = Collected([], [], [])
    context = IndexContext(embeddings=embeddings, layers=["passages", "hops"])
    with indexed(dataset.sources, context) as (index, _):
        support = dataset.support_in(index)
        for asked, supporting in zip(dataset.questions, support, strict=True):
            collected.cases.append(case_of(index, asked.question, supporting))
            collected.strips.extend(_strips(index, asked.question, supporting))
        answered = labelled_questions(index)
        collected.hops.extend(case_of(index, *pair) for pair in answered.items())
    return collected


def _strips(index: Index, question: str, supporting: set[str]) -> list[list[Features]]:
    asked = embed_queries(index.embedder, [question])[0]
    size = CragContext().strip_sentences
    found = [p for p in search(index, question, "hybrid", 10) if p["id"] in supporting]
    strips = [decompose(passage, size) for passage in found]
    return [
        features_of(question, cut, index.embedder.embed([passage_text(s) for s in cut]) @ asked)
        for cut in strips
    ]


def fit(collected: Sequence[Collected]) -> GraderParameters:
    """Weights and bias by class-balanced logistic regression, then the thresholds and the cut.

    ``upper`` tells retrievals that found support best from those that lost it; of the first, 2 %
    come out below ``lower``, and of the best strips of supporting passages 2 % below ``cut``.
    """
    with evaluate_extra():
        from sklearn.linear_model import LogisticRegression

    cases = list(chain.from_iterable(one.cases for one in collected))
    rows = list(chain.from_iterable(case.features for case in cases))
    labels = list(chain.from_iterable(case.support for case in cases))
    regression = LogisticRegression(C=1 / _RIDGE, class_weight="balanced", max_iter=1000)
    fitted = regression.fit(rows, labels)
    parameters: GraderParameters = {
        "weights": fitted.coef_[0].round(4).tolist(),
        "bias": round(float(fitted.intercept_[0]), 4),
        "upper": 0.0,
        "lower": 0.0,
        "cut": 0.0,
        "cosines": cosines_of([case for one in collected for case in one.hops]),
    }
    found = graded(cases, parameters)
    good = [max(case.grades) for case in found if any(case.support)]
    bad = [max(case.stripped().grades, default=-1.0) for case in found]
    parameters["upper"], parameters["lower"] = thresholds_between(good, bad)
    strips = [
        max((grade(row, parameters) for row in rows), default=-1.0)
        for one in collected
        for rows in one.strips
    ]
    parameters["cut"] = round(float(np.quantile(strips, GOOD_LOST)), 4)
    return parameters


if __name__ == "__main__":
    run(main)
