"""Fits the confidence of the short answers that are given without a model.

``python -m lab.training.fit_finder SET... --out FILE``

Logistic regression of "this span answers the question" on ``offline.finder.features``. Where a set
has decompositions, their questions are asked, earlier answers filled in: once with the passages
found, and once without those that support them, when every answer is wrong. The questions of other
sets are asked as they are. Tells on stderr, for each set by weights from the others and by those
from all, how many questions get an answer and how many of these are right, at several thresholds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from ragraphs.context import IndexContext
from ragraphs.evaluation.datasets import QUESTIONS, load_dataset, read_questions
from ragraphs.evaluation.extra import evaluate_extra
from ragraphs.evaluation.metrics import containment
from ragraphs.evaluation.retrieval import indexed
from ragraphs.index.opening import Index
from ragraphs.index.retrieval import search
from ragraphs.offline.finder import confidence, features
from ragraphs.offline.lines import lines_of
from ragraphs.prompts.prompt import number_passages

from ..command import Out, Sets, run

_TOP_K = 10
_PENALTY = 10.0  # scikit-learn's C
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8)
_RELATIONS = {
    "author": "Who is the author of {}?",
    "composer": "Who is the composer of {}?",
    "country": "In which country is {}?",
    "director": "Who is the director of {}?",
    "father": "Who is the father of {}?",
    "location": "Where is {}?",
    "performer": "Who is the performer of {}?",
    "place of birth": "Where was {} born?",
    "place of death": "Where did {} die?",
    "producer": "Who is the producer of {}?",
    "spouse": "Who is the spouse of {}?",
}


class FinderCase(NamedTuple):
    """Features that the confidence of an answer depends on, and whether the answer is right."""

    features: tuple[float, ...]
    right: bool


class Single(NamedTuple):
    """A question with its answers, and the ids of the passages that support them."""

    question: str
    answers: tuple[str, ...]
    supporting: frozenset[str]


def main(
    sets: Sets,
    embeddings: Annotated[str, typer.Option(help="Embeddings to retrieve by.")] = "lexical",
    out: Out = None,
) -> None:
    """Reports how right the answers of each set are, then writes the weights from all sets."""
    cases = [list(collect(folder, embeddings)) for folder in sets]
    everything = [case for group in cases for case in group]
    for place, folder in enumerate(sets):
        others = [case for k, group in enumerate(cases) if k != place for case in group]
        for name, fitted in (("others", others), ("all", everything)):
            told = report(fit(fitted), cases[place])
            typer.echo(f"{Path(folder).name}, weights from {name}: {json.dumps(told)}", err=True)
    print(json.dumps(fit(everything)), file=out)


def collect(folder: str, embeddings: str) -> Iterator[FinderCase]:
    """The best span for every question of a set, where there is one."""
    dataset = load_dataset(folder)
    parts = read_questions(
        Path(folder, QUESTIONS), _singles, "'question', 'answer' and 'supporting'"
    )
    with indexed(dataset.sources, IndexContext(embeddings=embeddings)) as (index, _):
        prefix = dataset.prefix(index.home)
        for single in (single for singles in parts for single in singles):
            yield from _cases(index, prefix, single)


def _cases(index: Index, prefix: str, single: Single) -> Iterator[FinderCase]:
    found = search(index, single.question, "hybrid", _TOP_K)
    useless = [p for p in found if p["document"].removeprefix(prefix) not in single.supporting]
    for passages, answerable in ((found, True), (useless, False)):
        told = features(single.question, lines_of(number_passages(passages)))
        if told:
            yield FinderCase(told[1], answerable and _is_right(told[0].text, single.answers))


def _is_right(answer: str, known: Sequence[str]) -> bool:
    """Whether one of ``known`` stands in the answer, or the answer in one of them."""
    return any(containment(answer, [one]) or containment(one, [answer]) for one in known)


def _singles(row: Any) -> list[Single]:
    """The questions of a row's decomposition, with earlier answers; else its own question."""
    supporting = frozenset(row["supporting"])
    if "decomposition" not in row:
        return [Single(row["question"], (row["answer"],), supporting)]
    answers: list[str] = []
    found = []
    for step in row["decomposition"]:
        text = step["question"]
        for place, answer in enumerate(answers, start=1):
            text = text.replace(f"#{place}", answer)
        answers.append(step["answer"])
        subject, _, relation = map(str.strip, text.partition(">>"))
        question = _RELATIONS.get(relation, "").format(subject) if relation else subject
        if question:
            question = re.sub(r" (?=[?,'])", "", question)
            found.append(Single(question, (step["answer"],), supporting))
    return found


def fit(cases: Sequence[FinderCase]) -> list[float]:
    """The bias, then the factors of the features."""
    with evaluate_extra():
        from sklearn.linear_model import LogisticRegression

    rows, labels = [case.features for case in cases], [case.right for case in cases]
    if len(set(labels)) < 2:
        return []
    fitted = LogisticRegression(C=_PENALTY, max_iter=2000).fit(rows, labels)
    return [round(float(value), 2) for value in (*fitted.intercept_, *fitted.coef_[0])]


def report(fitted: Sequence[float], cases: Sequence[FinderCase]) -> dict[str, Any]:
    """By threshold the number of answers and of right ones; at 0 of all that were found."""
    told = {"0": [len(cases), sum(case.right for case in cases)]}
    for threshold in _THRESHOLDS if fitted else ():
        given = [c for c in cases if confidence(c.features, fitted) >= threshold]
        told[str(threshold)] = [len(given), sum(case.right for case in given)]
    return told


if __name__ == "__main__":
    run(main)
