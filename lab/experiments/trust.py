"""Whether "sufficient" can be believed: of readers that agree with everything, and of good ones.

Questions of a set are asked, the last of them with their supporting passages taken out of the
index, so that nothing answers them. The index is read by rules: only the reader is tried.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragraphs.algorithms.doubts import Doubt, doubt
from ragraphs.evaluation.answering import AnsweringPlan, indexing, outcomes_in, ways_of
from ragraphs.evaluation.answers import refusals
from ragraphs.evaluation.datasets import LabelledQuestion, load_dataset
from ragraphs.evaluation.intervals import share_of
from ragraphs.evaluation.metrics import containment
from ragraphs.evaluation.outcomes import Outcome
from ragraphs.evaluation.retrieval import indexed
from ragraphs.models.protocol import OFFLINE
from ragraphs.state.errors import RagraphsError
from ragraphs.state.records import Document


def evaluate_trust(folder: str, plan: AnsweringPlan, unanswerable: int) -> dict[str, Any]:
    """By method, the shares of wrong answers marked sufficient and of refusals, with all rows.

    The last ``unanswerable`` questions of the set lose their support. Raises RagraphsError.
    """
    dataset = load_dataset(folder)
    asked, open_ones = divided(dataset.questions, unanswerable, plan.limit)
    lost = {id for one in open_ones for id in one.supporting}
    given = [one for one in _documents(dataset.passages) if one["id"] not in lost]
    ways = ways_of(plan)
    reading = plan.context.model_copy(update={"model": OFFLINE})
    questions = [*asked, *open_ones]
    with indexed({"documents": given}, indexing(reading, ways.values()), plan.report) as (index, _):
        outcomes = outcomes_in(index, [one.question for one in questions], ways, plan)
    rows = [
        _row(method, one, outcome, place < len(asked))
        for method, found in outcomes.items()
        for place, (one, outcome) in enumerate(zip(questions, found, strict=True))
    ]
    return {
        "set": dataset.name,
        "model": plan.context.model,
        "questions": len(asked),
        "unanswerable": len(open_ones),
        "methods": {
            method: _measures(rows, method, found[len(asked) :])
            for method, found in outcomes.items()
        },
        "rows": rows,
    }


def replayed(file: str) -> dict[str, Any]:
    """Counts of the reasons that rules find against kept answers, right and sufficient ones.

    Each line of ``file`` is a row of ``evaluate_trust``, or any object with question, answer and
    citations (title, quote). Raises RagraphsError.
    """
    try:
        rows = [json.loads(line) for line in Path(file).read_text("utf-8").splitlines() if line]
        found = [(row, _doubted(row)) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RagraphsError(
            f"{file} cannot be replayed ({error}); each line needs a JSON object with 'question', "
            "'answer' and 'citations' (objects with 'title' and 'quote')."
        ) from error
    kept = [(row, told) for row, told in found if row.get("right", True)]
    return {
        "file": Path(file).name,
        "answers": len(kept),
        "refused": share_of(bool(told and told.certain) for _, told in kept),
        "doubted": share_of(bool(told and not told.certain) for _, told in kept),
        "reasons": dict(Counter(told.why for _, told in kept if told)),
        "rows": [
            {**row, "doubt": told.why, "certain": told.certain, "missing": told.missing}
            for row, told in kept
            if told
        ],
    }


def _doubted(row: Mapping[str, Any]) -> Doubt | None:
    quotes: dict[str, list[str]] = {}
    for one in row["citations"]:
        quotes.setdefault(one["title"], []).append(one["quote"])
    cited = [f"{title}: {' … '.join(said)}" for title, said in quotes.items()]
    return doubt(row["answer"], row["question"], cited)


def divided(
    questions: Sequence[LabelledQuestion], unanswerable: int, limit: int | None
) -> tuple[list[LabelledQuestion], list[LabelledQuestion]]:
    """The first ``limit`` questions that keep their support, and the last that lose it."""
    known = [one for one in questions if one.answers and one.supporting]
    open_ones = known[len(known) - unanswerable :] if unanswerable else []
    lost = {id for one in open_ones for id in one.supporting}
    asked = [one for one in known if not one.supporting & lost][:limit]
    if not asked:
        raise RagraphsError("No question of the set keeps its support; take fewer from them.")
    return asked, open_ones


def _documents(file: Path) -> list[Document]:
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    return [{"id": str(row["id"]), "title": row["title"], "text": row["text"]} for row in rows]


def _row(
    method: str, question: LabelledQuestion, outcome: Outcome, answerable: bool
) -> dict[str, Any]:
    right = answerable and bool(containment(outcome["answer"], question.answers))
    kept = ("answer", "sufficient", "missing", "citations", "looked_up", "stop_reason", "calls")
    return {
        "method": method,
        "id": question.id,
        "question": question.question,
        "gold": list(question.answers) if answerable else [],
        "right": right,
        **{name: outcome[name] for name in (*kept, "tokens")},  # type: ignore[literal-required]
    }


def _measures(
    rows: Sequence[Mapping[str, Any]], method: str, open_ones: Sequence[Outcome]
) -> dict[str, Any]:
    own = [row for row in rows if row["method"] == method and row["answer"]]
    wrong = [row["sufficient"] for row in own if not row["right"]]
    every = [row for row in rows if row["method"] == method]
    return {
        "sufficient": sum(row["sufficient"] for row in own),
        "right_and_sufficient": sum(row["sufficient"] and row["right"] for row in own),
        "believed": share_of(wrong),
        "refused": refusals(open_ones)["refused"],
        "calls": round(sum(row["calls"] for row in every) / len(every), 2),
        "tokens": round(sum(row["tokens"] for row in every) / len(every)),
    }
