"""Question sets: a folder of ``passages.jsonl`` and ``questions.jsonl``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from ..state.errors import RagraphsError


@dataclass(frozen=True)
class LabelledQuestion:
    """A question with its gold answers and the ids of the passages that support them."""

    id: str
    question: str
    answers: tuple[str, ...]
    kind: str
    supporting: frozenset[str]


@dataclass(frozen=True)
class Dataset:
    """A question set; ``passages`` is the file that an index is built from."""

    name: str
    passages: Path
    questions: tuple[LabelledQuestion, ...]


def load_dataset(folder: str | Path, limit: int | None = None) -> Dataset:
    """The question set in ``folder``, or its first ``limit`` questions. Raises RagraphsError."""
    path = Path(folder).expanduser().resolve()
    files = [path / "passages.jsonl", path / "questions.jsonl"]
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise RagraphsError(
            f"{folder} is no question set: it has no {' and no '.join(missing)}; name a folder "
            "that has both."
        )
    questions = tuple(_question(line, files[1]) for line in _rows(files[1])[:limit])
    return Dataset(path.name, files[0], questions)


def _rows(file: Path) -> list[tuple[int, str]]:
    lines = file.read_text(encoding="utf-8").split("\n")
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def _question(line: tuple[int, str], file: Path) -> LabelledQuestion:
    number, text = line
    try:
        row = json.loads(text)
        answers = [row.get("answer") or "", *(row.get("aliases") or [])]
        return LabelledQuestion(
            id=str(row.get("id", number)),
            question=row["question"],
            answers=tuple(answer for answer in answers if answer),
            kind=row.get("type") or "",
            supporting=frozenset(str(id) for id in row.get("supporting") or []),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RagraphsError(
            f"{file.name}, line {number} is no question; each line needs a JSON object with "
            "'question', 'answer' and 'supporting'."
        ) from error
