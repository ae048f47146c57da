"""Files of questions without answers: JSON lines, a JSON list, or a question a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..state.errors import RagraphsError


def read_question_file(file: Path, limit: int | None = None) -> list[str]:
    """The questions in ``file``, or the first ``limit``, each once and in order.

    Rows of JSON have a ``question``; other lines are questions themselves. Raises RagraphsError.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RagraphsError(f"{file} cannot be read ({error}); name another file.") from error
    found = [_question(file, number, row) for number, row in _rows(file, text)]
    questions = list(dict.fromkeys(found))[:limit]
    if not questions:
        raise RagraphsError(f"{file} has no question; write one on each line.")
    return questions


def _rows(file: Path, text: str) -> list[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        try:
            return list(enumerate(json.loads(text), start=1))
        except ValueError as error:
            raise RagraphsError(f"{file} is no JSON list ({error}); correct it.") from error
    lines = enumerate(text.split("\n"), start=1)
    return [(number, line.strip()) for number, line in lines if line.strip()]


def _question(file: Path, number: int, row: Any) -> str:
    try:
        row = json.loads(row) if isinstance(row, str) and row.startswith("{") else row
        question = row if isinstance(row, str) else row["question"]
        if isinstance(question, str) and question.strip():
            return question.strip()
    except (ValueError, KeyError, TypeError):
        pass
    raise RagraphsError(
        f"Row {number} of {file} is no question; a row is a question, or an object with 'question'."
    )
