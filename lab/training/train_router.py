"""Trains the classifier that tells what a question asks for.

``python -m lab.training.train_router SET... --out FILE``

Multinomial logistic regression on the features of a question's form and on its wording. The sets
give facts, by their ``type`` and their decompositions; our own examples give facts, and all of the
other kinds. Tells on stderr which share of each kind is told right where its source, or half of our
own examples, was left out, then writes the parameters to FILE, or prints them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer
from ragraphs.algorithms.router.decision import (
    KINDS,
    KindClassifier,
    QuestionKind,
    kind_probabilities,
    likely_kind,
)
from ragraphs.algorithms.router.features import FEATURES, question_features
from ragraphs.evaluation.datasets import QUESTIONS, read_questions
from ragraphs.evaluation.extra import evaluate_extra

from ..command import Out, Sets, run
from .routing_examples import EXAMPLES

# "Contextual Summarize" asks for one side of a disease, which a few passages state. "Creative
# Generation", tasks of several sentences and no questions, is left out.
FACTS = frozenset(
    {"bridge", "compositional", "inference", "comparison", "bridge_comparison", "Fact Retrieval",
     "Complex Reasoning", "Contextual Summarize"}
)  # fmt: skip
_HALVES = 3
_STRENGTH = 0.1
_HEED = 2.0  # of a part of the wording, beside a feature's standard deviation
_LEAST = 2  # of our own examples that have a part of the wording
_SLIGHT = 0.05  # weights below are left out
_SET = 50  # questions: the weight of a set
_KIND = {"whole": 1.4, "about": 3.0, "fresh": 6.0}


class RouterCase(NamedTuple):
    """The features of a question and its kind."""

    features: Mapping[str, float]
    kind: QuestionKind


def main(sets: Sets, out: Out = None) -> None:
    """Reports how well left-out questions are told, then fits the parameters to all."""
    sources = read_sources(sets)
    for name in sources:
        told = report([(train(sources, name), sources[name])])
        typer.echo(f"without {name}: {json.dumps(told)}", err=True)
    for name in EXAMPLES:
        typer.echo(f"without half of {name}: {json.dumps(halved(sources, name))}", err=True)
    trained = train(sources)
    lines = (
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in trained.items()
    )
    print("{\n" + ",\n".join(lines) + "\n}", file=out)


def read_sources(folders: Sequence[str]) -> dict[str, list[RouterCase]]:
    """The cases of the sets and of our own examples, by the name of their source."""
    sources = {Path(folder).name: read_facts(folder) for folder in folders}
    for language, examples in EXAMPLES.items():
        sources[language] = [RouterCase(question_features(text), kind) for text, kind in examples]
    return sources


def read_facts(folder: str) -> list[RouterCase]:
    """The questions of a set that ask for facts, and the single facts they are made of."""
    rows = read_questions(Path(folder, QUESTIONS), _facts, "'question' and 'type'")
    facts = dict.fromkeys(text for row in rows for text in row)
    return [RouterCase(question_features(text), "fact") for text in facts]


def _facts(row: Any) -> list[str]:
    known = row["type"] in FACTS or row["type"][1:4] == "hop"
    return [row["question"]] * known + _single_facts(row.get("decomposition") or [])


def _single_facts(steps: Sequence[Mapping[str, str]]) -> list[str]:
    """The steps that are questions in words, with earlier answers put in for "#1" and so on."""
    found = []
    for step in steps:
        text = step["question"]
        for number, earlier in enumerate(steps, start=1):
            text = text.replace(f"#{number}", earlier["answer"])
        if text.rstrip().endswith("?") and ">>" not in text:
            found.append(" ".join(text.split()).replace(" ?", "?"))
    return found


def train(sources: Mapping[str, Sequence[RouterCase]], left_out: str = "") -> KindClassifier:
    """Parameters from all sources but one; sets weigh less than our own examples.

    Kinds with fewer examples weigh more.
    """
    with evaluate_extra():
        from scipy.sparse import csr_matrix, hstack
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler
        from threadpoolctl import threadpool_limits

    kept = [(name, case) for name, part in sources.items() if name != left_out for case in part]
    labels = [KINDS.index(case.kind) for _, case in kept]
    sizes = Counter(name for name, _ in kept)
    share = {name: 1.0 if name in EXAMPLES else _SET / size for name, size in sizes.items()}
    weight = np.array([share[name] * _KIND.get(case.kind, 1.0) for name, case in kept])
    own = Counter(part for name, case in kept if name in EXAMPLES for part in _wording(case))
    scaler, parts = StandardScaler(), DictVectorizer()
    forms = scaler.fit_transform([[case.features[name] for name in FEATURES] for _, case in kept])
    worded = [{part: _HEED for part in _wording(case) if own[part] >= _LEAST} for _, case in kept]
    rows = hstack([csr_matrix(forms), parts.fit_transform(worded)])
    with threadpool_limits(1):  # so few numbers that threads cost more than they bring
        fitted = LogisticRegression(C=_STRENGTH, max_iter=1000, tol=1e-3)
        fitted.fit(rows, labels, weight / weight.mean())
    by_form, by_part = np.split(fitted.coef_, [len(FEATURES)], axis=1)
    kinds = [KINDS[label] for label in fitted.classes_]
    by_part = _HEED * by_part[[kinds.index(kind) for kind in KINDS]].T
    return {
        "features": list(FEATURES),
        "mean": scaler.mean_.round(4).tolist(),
        "scale": scaler.scale_.round(4).tolist(),
        "weights": dict(zip(kinds, by_form.round(3).tolist(), strict=True)),
        "bias": dict(zip(kinds, fitted.intercept_.round(3).tolist(), strict=True)),
        "wording": {
            name: weights.round(2).tolist()
            for name, weights in zip(parts.feature_names_, by_part, strict=True)
            if abs(weights).max() >= _SLIGHT
        },
    }


def _wording(case: RouterCase) -> list[str]:
    return [name for name in case.features if name.startswith("=")]


def halved(sources: Mapping[str, Sequence[RouterCase]], name: str) -> dict[str, Any]:
    """Reports on one half of a source by parameters from the other half, over three divisions."""
    draw, tested = np.random.default_rng(0), []
    for _ in range(_HALVES):
        places = draw.permutation(len(sources[name]))
        halves = [[sources[name][place] for place in half] for half in np.array_split(places, 2)]
        for kept, left in (halves, reversed(halves)):
            tested.append((train({**sources, name: kept}), left))
    return report(tested)


def report(tested: Sequence[tuple[KindClassifier, Sequence[RouterCase]]]) -> dict[str, Any]:
    """The number of cases that classifiers were tested on, and the share told of each kind."""
    told = [
        (case.kind, likely_kind(kind_probabilities(case.features, classifier)))
        for classifier, cases in tested
        for case in cases
    ]
    asked = Counter(kind for kind, _ in told)
    right = Counter(kind for kind, taken in told if kind == taken)
    return {"questions": len(told)} | {kind: round(right[kind] / asked[kind], 3) for kind in asked}


if __name__ == "__main__":
    run(main)
