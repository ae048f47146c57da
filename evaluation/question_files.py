"""Files of questions without answers: JSON lines, a JSON list, or a question a line."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..index.opening import Index
from ..state.errors import RagraphsError
from .results import FOLDER


def kept_file(index: Index) -> Path:
    """The file of the questions that are kept with ``index``."""
    return index.folder / FOLDER / "questions.jsonl"


def read_question_file(file: Path, limit: int | None = None) -> list[str]:
    """The questions in ``file``, or the first ``limit``, as ``read_question_rows`` reads them."""
    return [row["question"] for row in read_question_rows(file)][:limit]


def read_question_rows(file: Path) -> list[dict[str, Any]]:
    """The rows of ``file`` with their ``question``, each question once and in order.

    Rows of JSON have a ``question``; other lines are questions themselves. Raises RagraphsError.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RagraphsError(
            f"The questions in {file} cannot be read ({error}); name another file, or save it as "
            "UTF-8."
        ) from error
    rows: dict[str, dict[str, Any]] = {}
    for number, given in _rows(file, text):
        row = _row(file, number, given)
        rows.setdefault(row["question"], row)
    if not rows:
        raise RagraphsError(f"{file} has no question; write one on each line.")
    return list(rows.values())


def _rows(file: Path, text: str) -> list[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        try:
            return list(enumerate(json.loads(text), start=1))
        except ValueError as error:
            raise RagraphsError(f"{file} is no JSON list ({error}); correct it.") from error
    lines = enumerate(text.split("\n"), start=1)
    return [(number, line.strip()) for number, line in lines if line.strip()]


def _row(file: Path, number: int, given: Any) -> dict[str, Any]:
    with suppress(ValueError, KeyError, TypeError):
        row = json.loads(given) if isinstance(given, str) and given.startswith("{") else given
        row = {"question": row} if isinstance(row, str) else row
        question = row["question"]
        if isinstance(question, str) and question.strip():
            return {**row, "question": question.strip()}
    raise RagraphsError(
        f"Row {number} of {file} is no question; a row is a question, or an object with 'question'."
    )
