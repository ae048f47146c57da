"""Trains what tells kinds of questions apart.

``python -m ragraphs.evaluation.training.train_router SET...``

Multinomial logistic regression on the features of a question's form; words play no part. The sets'
``type`` fields and the decompositions that some have give the kinds, with a few examples of our own
for what no set has. Prints macro-F1 for each source left out, then writes ``models/router.json``.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]

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
from .routing_examples import EXAMPLES

FILE = Path(__file__).parents[2] / "models" / "router.json"
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
_RIDGE = 1.0
_AGREEMENT = 0.75
_MARGINS = tuple(step / 50 for step in range(25))


class Case(NamedTuple):
    """The features of a question and its kind."""

    features: Mapping[str, float]
    kind: QuestionKind


def main() -> None:
    """Reads the sets, reports, and writes the parameters."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", help="folders of questions.jsonl with types")
    sources = read_sources(parser.parse_args().sets)
    for name in sources:
        print(name, json.dumps(report(train(sources, name), sources[name])))
    trained = train(sources)
    trained["margin"] = margin_of(sources)
    lines = (f" {json.dumps(name)}: {json.dumps(value)}" for name, value in trained.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"margin {trained['margin']}")


def read_sources(folders: Sequence[str]) -> dict[str, list[Case]]:
    """The cases of the sets and of our own examples, by the name of their source."""
    sources = {Path(folder).name: read_cases(folder) for folder in folders}
    for language, examples in EXAMPLES.items():
        own = [Case(question_features(text), kind) for text, kind in examples]
        sources[f"own examples, {language}"] = own
    return sources


def read_cases(folder: str) -> list[Case]:
    """The questions of a set whose kind its type tells, and the single facts they are made of."""
    file = Path(folder) / "questions.jsonl"
    lines = file.read_text(encoding="utf-8").split("\n")
    labelled: dict[str, QuestionKind] = {}
    for row in map(json.loads, filter(None, lines)):
        kind = TYPES.get(row["type"], "bridge" if row["type"][1:4] == "hop" else None)
        if kind is not None:
            labelled[row["question"]] = kind
        labelled |= dict.fromkeys(_single_facts(row.get("decomposition") or []), "single")
    return [Case(question_features(question), kind) for question, kind in labelled.items()]


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
    kept = [(name, case) for name, part in sources.items() if name != left_out for case in part]
    rows = np.array([[*case.features.values()] for _, case in kept])
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale == 0] = 1.0
    labels = np.array([KINDS.index(case.kind) for _, case in kept])
    groups = Counter((case.kind, name) for name, case in kept)
    parts = Counter(kind for kind, _ in groups)
    weight = np.array([1 / (groups[c.kind, name] * parts[c.kind]) for name, c in kept])
    solution = _fit((rows - mean) / scale, labels, weight / weight.mean())
    kinds = [kind for kind in KINDS if parts[kind]]
    return {
        "features": list(FEATURES),
        "mean": [round(float(value), 4) for value in mean],
        "scale": [round(float(value), 4) for value in scale],
        "weights": {k: [round(float(v), 3) for v in solution[KINDS.index(k), :-1]] for k in kinds},
        "bias": {kind: round(float(solution[KINDS.index(kind), -1]), 3) for kind in kinds},
        "margin": 0.0,
    }


def _fit(rows: NDArray[Any], labels: NDArray[Any], weight: NDArray[Any]) -> NDArray[Any]:
    """Weights and bias of every kind that minimise the weighted log loss with an L2 penalty."""
    design = np.column_stack([rows, np.ones(len(rows))])
    truth = np.eye(len(KINDS))[labels]

    def loss(flat: NDArray[Any]) -> tuple[float, NDArray[Any]]:
        solution = flat.reshape(len(KINDS), -1)
        logits = design @ solution.T
        logits -= logits.max(axis=1, keepdims=True)
        shares = np.exp(logits)
        shares /= shares.sum(axis=1, keepdims=True)
        penalised = solution.copy()
        penalised[:, -1] = 0
        value = -(weight * np.log((shares * truth).sum(axis=1) + 1e-12)).sum()
        gradient = ((shares - truth) * weight[:, None]).T @ design + _RIDGE * penalised
        return float(value + _RIDGE / 2 * (penalised**2).sum()), gradient.ravel()

    start = np.zeros(len(KINDS) * design.shape[1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x).reshape(len(KINDS), -1)


def report(classifier: KindClassifier, cases: Sequence[Case]) -> dict[str, Any]:
    """Accuracy and macro-F1 over the kinds that the cases have, and the F1 of each."""
    told = [_told(classifier, case) for case in cases]
    scores: dict[str, float] = {}
    for kind in KINDS:
        right = sum(case.kind == kind == seen for case, seen in zip(cases, told, strict=True))
        both = sum(case.kind == kind for case in cases) + told.count(kind)
        if any(case.kind == kind for case in cases):
            scores[kind] = round(2 * right / both, 3)
    return {
        "questions": len(cases),
        "accuracy": round(
            sum(c.kind == seen for c, seen in zip(cases, told, strict=True)) / len(cases), 3
        ),
        "macro_f1": round(sum(scores.values()) / len(scores), 3),
        **scores,
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
            print(f"decides {len(kept) / len(outcomes):.1%}, {sum(kept) / len(kept):.1%} as told")
            return margin
    return _MARGINS[-1]


def _told(classifier: KindClassifier, case: Case) -> str:
    shares = kind_probabilities(case.features, classifier)
    return max(shares, key=lambda kind: shares[kind])


if __name__ == "__main__":
    main()
