"""How well questions are split without a model.

``python -m lab.benchmarks.decomposition SET [--record FILE]``

A set's ``questions.jsonl`` gives the gold parts of a question: ``decomposition`` (sub-questions) or
``triples`` (a part for each fact asked: a subject and a relation). The share of questions with the
right number of sub-questions, and with the right names in them: for each gold part one sub-question
of its own that mentions the names which the part has from the question.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from ragraphs.evaluation.datasets import QUESTIONS, read_questions
from ragraphs.evaluation.extra import evaluate_extra
from ragraphs.evaluation.figures import check_record, manifest_of, record
from ragraphs.language.analyser import words
from ragraphs.language.name_masking import mask
from ragraphs.offline.decomposition.decompose import decompose
from ragraphs.state.errors import RagraphsError

from ..command import run

Part = frozenset[str]


class DecompositionCase(NamedTuple):
    """A question with its type and the names in each of its gold parts, in plain words."""

    question: str
    kind: str
    parts: tuple[Part, ...]


def main(dataset: str, kept: Annotated[Path | None, typer.Option("--record")] = None) -> None:
    """Shares of questions that are split rightly, of all and by type."""
    print(json.dumps(evaluate(Path(dataset), kept), ensure_ascii=False, indent=2))


def evaluate(folder: Path, outputs: Path | None = None) -> dict[str, Any]:
    """The shares of all questions and by type. Raises RagraphsError where none has gold parts.

    The marks of each question are added to the file ``outputs`` of figures, if one is named.
    """
    check_record(outputs)
    rows = read_questions(folder / QUESTIONS, _case, "'question' and 'decomposition' or 'triples'")
    cases = [case for case in rows if case.parts]
    if not cases:
        raise RagraphsError(f"No question of {folder} has a 'decomposition' or 'triples'.")
    marks = [marks_of(case) for case in cases]
    if outputs is not None:
        name, program = folder.resolve().name, "python -m lab.benchmarks.decomposition"
        record(outputs, manifest_of(name, [folder / QUESTIONS], (), program), _kept(cases, marks))
    by_type: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for case, mark in zip(cases, marks, strict=True):
        by_type[case.kind].append(mark)
    types = {kind: _shares(by_type[kind]) for kind in sorted(by_type)}
    left_out = {"without_gold": len(rows) - len(cases)}
    return {"set": folder.resolve().name, **_shares(marks), **left_out, "by_type": types}


def marks_of(case: DecompositionCase) -> tuple[bool, bool]:
    """Whether the sub-questions are as many as the gold parts, and whether they name the same."""
    leaves = [_plain(part.text) for part in decompose(case.question)]
    return len(leaves) == len(case.parts), _all_matched(case.parts, leaves)


def _kept(
    cases: Sequence[DecompositionCase], marks: Sequence[tuple[bool, bool]]
) -> Iterator[dict[str, Any]]:
    for case, (leaves, entities) in zip(cases, marks, strict=True):
        scores = {"leaves": leaves, "entities": entities, "both": leaves and entities}
        about = {"method": "offline", "id": case.question, "kind": case.kind}
        yield {**about, "scores": {name: float(mark) for name, mark in scores.items()}}


def _case(row: Mapping[str, Any]) -> DecompositionCase:
    question = row["question"]
    if row.get("decomposition"):
        named = [_names_in(part["question"], question) for part in row["decomposition"]]
    else:
        named = _facts(row.get("triples") or [], question)
    return DecompositionCase(question, row.get("type") or "", tuple(named))


def _names_in(part: str, question: str) -> Part:
    """The names of a gold sub-question, or of "subject >> relation", that the question has too."""
    text = part.partition(" >> ")[0] if ">>" in part else part
    names = {_plain(name) for name in ([text] if ">>" in part else mask(text).names)}
    return frozenset(name for name in names if name and _has(_plain(question), name))


def _facts(triples: Sequence[Sequence[str]], question: str) -> list[Part]:
    """A part for every fact: (subject, relation), where subjects found the same way are one."""
    asked = _plain(question)
    ways: dict[str, tuple[str, ...]] = {}
    parts: dict[tuple[str, ...], Part] = {}
    for _ in triples:
        for subject, relation, object in triples:
            name = _plain(re.sub(r"\s*\(.*?\)", "", subject))
            named = _has(asked, name)
            way = (name,) if named else ways.get(name)
            if way is None:
                continue
            parts[*way, relation] = frozenset({name} if named else ())
            ways.setdefault(_plain(re.sub(r"\s*\(.*?\)", "", object)), (*way, relation))
    return list(parts.values())


def _all_matched(parts: Sequence[Part], leaves: Sequence[str]) -> bool:
    """Whether every part with names has a leaf of its own that mentions them."""
    with evaluate_extra():
        from scipy.optimize import linear_sum_assignment

    named = [part for part in parts if part]
    fits = np.array([[all(_has(leaf, n) for n in part) for leaf in leaves] for part in named])
    return not named or bool(fits[linear_sum_assignment(fits, maximize=True)].sum() == len(named))


def _plain(text: str) -> str:
    """``text`` in lower-case words, without articles and possessives."""
    kept = (re.sub(r"['’]s?$", "", word) for word in words(text))
    return " ".join(word for word in kept if word not in {"the", "a", "an"})


def _has(text: str, name: str) -> bool:
    return f" {name} " in f" {text} "


def _shares(marks: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    total = len(marks)
    return {
        "questions": total,
        "leaves": round(sum(leaves for leaves, _ in marks) / total, 4),
        "entities": round(sum(entities for _, entities in marks) / total, 4),
        "both": round(sum(all(mark) for mark in marks) / total, 4),
    }


if __name__ == "__main__":
    run(main)
