"""Question sets: a folder of ``passages.jsonl`` and ``questions.jsonl``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..state.errors import RagraphsError
from ..state.index import IndexInput
from ..stores.loading.sources import document_path

T = TypeVar("T")


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

    @property
    def sources(self) -> IndexInput:
        """The input of the index graph."""
        return {"sources": [str(self.passages)]}

    def prefix(self, home: Path) -> str:
        """The text before a passage's id in its document's id, in an index of that ``home``."""
        return document_path(self.passages, home) + "#"


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
    fields = "'question', 'answer' and 'supporting'"
    return Dataset(path.name, files[0], tuple(read_questions(path, _question, fields, limit)))


def read_questions(
    folder: Path, parse: Callable[[Any], T], fields: str, limit: int | None = None
) -> list[T]:
    """``parse(row)`` for each row, or the first ``limit``, of ``questions.jsonl`` in ``folder``.

    Raises RagraphsError where the file cannot be read, or a row lacks ``fields``.
    """
    file = folder / "questions.jsonl"
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise RagraphsError(f"{file} cannot be read ({error}); name another folder.") from error
    rows = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    found = []
    for number, line in rows[:limit]:
        try:
            found.append(parse({"id": number, **json.loads(line)}))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RagraphsError(
                f"{file.name}, line {number} is no question; each line needs a JSON object with "
                f"{fields}."
            ) from error
    return found


def _question(row: Any) -> LabelledQuestion:
    answers = [row.get("answer") or "", *(row.get("aliases") or [])]
    return LabelledQuestion(
        id=str(row["id"]),
        question=row["question"],
        answers=tuple(answer for answer in answers if answer),
        kind=row.get("type") or "",
        supporting=frozenset(str(id) for id in row.get("supporting") or []),
    )
