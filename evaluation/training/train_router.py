"""Trains the classifier that tells kinds of questions apart.

``python -m ragraphs.evaluation.training.train_router SET... --out FILE``

Multinomial logistic regression on the features of a question's form; words play no part. The sets'
``type`` fields and the decompositions that some have give the kinds, with a few examples of our own
for what no set has. Tells macro-F1 for each source left out, on stderr, then writes the parameters
to FILE, or prints them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

from ...algorithms.router.decision import (
    KINDS,
    NEEDS,
    Features,
    KindClassifier,
    Prior,
    QuestionKind,
    kind_probabilities,
    route,
)
from ...algorithms.router.features import FEATURES, question_features
from ..command import Out, Sets, run
from ..datasets import read_questions
from ..extra import evaluate_extra
from .routing_examples import EXAMPLES

TYPES: dict[str, QuestionKind] = {
    "bridge": "bridge",
    "compositional": "bridge",
    "inference": "bridge",
    "comparison": "comparison",
    "bridge_comparison": "comparison",
    "Fact Retrieval": "single",
    "Complex Reasoning": "several",
    "Contextual Summarize": "about",
    "Creative Generation": "about",
}
_AGREEMENT = 0.75
_MARGINS = tuple(step / 50 for step in range(25))


class Case(NamedTuple):
    """The features of a question and its kind."""

    features: Mapping[str, float]
    kind: QuestionKind


def main(sets: Sets, out: Out = None) -> None:
    """Reports how well each source is told by parameters from the others, then fits them to all."""
    sources = read_sources(sets)
    for name in sources:
        told = report(train(sources, name), sources[name])
        typer.echo(f"{name} {json.dumps(told)}", err=True)
    trained = train(sources)
    trained["margin"] = margin_of(sources)
    lines = (f" {json.dumps(name)}: {json.dumps(value)}" for name, value in trained.items())
    print("{\n" + ",\n".join(lines) + "\n}", file=out)


def read_sources(folders: Sequence[str]) -> dict[str, list[Case]]:
    """The cases of the sets and of our own examples, by the name of their source."""
    sources = {Path(folder).name: read_cases(folder) for folder in folders}
    for language, examples in EXAMPLES.items():
        own = [Case(question_features(text), kind) for text, kind in examples]
        sources[f"own examples, {language}"] = own
    return sources


def read_cases(folder: str) -> list[Case]:
    """The questions of a set whose kind its type tells, and the single facts they are made of."""
    labelled: dict[str, QuestionKind] = {}
    for kinds in read_questions(Path(folder), _kinds, "'question' and 'type'"):
        labelled |= kinds
    return [Case(question_features(question), kind) for question, kind in labelled.items()]


def _kinds(row: Any) -> dict[str, QuestionKind]:
    facts = _single_facts(row.get("decomposition") or [])
    kind = TYPES.get(row["type"], "bridge" if row["type"][1:4] == "hop" else None)
    return ({row["question"]: kind} if kind else {}) | dict.fromkeys(facts, "single")


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


def train(sources: Mapping[str, Sequence[Case]], left_out: str = "") -> KindClassifier:
    """Parameters from all sources but one; every kind weighs the same, and in it every source."""
    with evaluate_extra():
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler

    kept = [(name, case) for name, part in sources.items() if name != left_out for case in part]
    labels = [KINDS.index(case.kind) for _, case in kept]
    groups = Counter((case.kind, name) for name, case in kept)
    parts = Counter(kind for kind, _ in groups)
    weight = np.array([1 / (groups[c.kind, name] * parts[c.kind]) for name, c in kept])
    scaler = StandardScaler()
    rows = scaler.fit_transform([[*case.features.values()] for _, case in kept])
    fitted = LogisticRegression(max_iter=1000).fit(rows, labels, weight / weight.mean())
    kinds = [KINDS[label] for label in fitted.classes_]
    return {
        "features": list(FEATURES),
        "mean": scaler.mean_.round(4).tolist(),
        "scale": scaler.scale_.round(4).tolist(),
        "weights": dict(zip(kinds, fitted.coef_.round(3).tolist(), strict=True)),
        "bias": dict(zip(kinds, fitted.intercept_.round(3).tolist(), strict=True)),
        "margin": 0.0,
    }


def report(classifier: KindClassifier, cases: Sequence[Case]) -> dict[str, Any]:
    """Accuracy and macro-F1 over the kinds that the cases have, and the F1 of each."""
    with evaluate_extra():
        from sklearn.metrics import accuracy_score, f1_score

    true, told = [case.kind for case in cases], [_told(classifier, case) for case in cases]
    kinds = [kind for kind in KINDS if kind in true]
    scores = f1_score(true, told, labels=kinds, average=None).round(3).tolist()
    return {
        "questions": len(cases),
        "accuracy": round(float(accuracy_score(true, told)), 3),
        "macro_f1": round(sum(scores) / len(scores), 3),
        **dict(zip(kinds, scores, strict=True)),
    }


def margin_of(sources: Mapping[str, Sequence[Case]]) -> float:
    """The least margin from which the decisions on sources left out agree with the prior enough."""
    outcomes = []
    for name, cases in sources.items():
        prior = Prior(train(sources, name))
        for case in cases:
            decided = route(Features(case.features), dict.fromkeys(NEEDS, ""), prior)
            first, second = list(decided.scores.values())[:2]
            outcomes.append((first - second, decided.method == prior.methods[case.kind][0]))
    for margin in _MARGINS:
        kept = [right for lead, right in outcomes if lead >= margin]
        if kept and sum(kept) / len(kept) >= _AGREEMENT:
            told = f"decides {len(kept) / len(outcomes):.1%}, {sum(kept) / len(kept):.1%} as told"
            typer.echo(told, err=True)
            return margin
    return _MARGINS[-1]


def _told(classifier: KindClassifier, case: Case) -> str:
    shares = kind_probabilities(case.features, classifier)
    return max(shares, key=lambda kind: shares[kind])


if __name__ == "__main__":
    run(main)
