"""Answers in the files that the scripts of GraphRAG-Bench score."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...state.errors import RagraphsError
from .bench_set import BenchQuestion


def prediction(question: BenchQuestion, answer: str, texts: Sequence[str]) -> dict[str, Any]:
    """A row of the files: ``answer`` with the ``texts`` that it was written from."""
    return {
        "id": question.id,
        "question": question.question,
        "source": question.source,
        "question_type": question.kind,
        "evidence": list(question.evidence),
        "gold_answer": question.answer,
        "ground_truth": question.answer,
        "generated_answer": answer,
        "context": list(texts),
    }


def check_place(file: Path) -> None:
    """Raises RagraphsError where ``file`` could not be written when all is answered and paid."""
    if file.is_dir() or not file.parent.is_dir():
        raise RagraphsError(f"{file} cannot be written; name a .json file in a folder that exists.")


def write_predictions(file: Path, by_condition: Mapping[str, Sequence[dict[str, Any]]]) -> None:
    """Writes the rows of each condition in the two forms that the benchmark's scripts have had.

    ``file`` has a list for each type of question, and beside it NAME.list.json one list. Of several
    conditions, each has files of its own, with its name behind that of ``file``.
    Raises RagraphsError.
    """
    for name, rows in by_condition.items():
        own = "-" + re.sub(r"[^\w-]+", "-", name) if len(by_condition) > 1 else ""
        place = file.with_stem(file.stem + own)
        by_type: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            by_type.setdefault(row["question_type"], []).append(row)
        for target, content in ((place, by_type), (place.with_suffix(".list.json"), rows)):
            try:
                target.write_text(
                    json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8"
                )
            except OSError as error:
                raise RagraphsError(
                    f"The answers cannot be written to {target} ({error}); name another file."
                ) from error
