"""Question sets: a folder of ``passages.jsonl`` and ``questions.jsonl``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from typing_extensions import TypedDict

from ..index.opening import Index
from ..state.errors import RagraphsError
from ..state.index import IndexInput
from ..stores.loading.sources import document_path

T = TypeVar("T")

PASSAGES, QUESTIONS = "passages.jsonl", "questions.jsonl"
MADE_FROM = "set.json"
UNANSWERABLE = "unanswerable"
_NAMED = 3


class Origin(TypedDict):
    """The index that a set was made from, and the content hashes that its documents had."""

    index: str
    documents: dict[str, str]


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
    """A question set; ``passages`` is the file that an index is built from.

    A set that was made from an index has an ``origin``. Where that index itself is asked,
    ``is_in_index``: passages have the same ids there, and ``notes`` tell what has changed since.
    """

    name: str
    passages: Path
    questions: tuple[LabelledQuestion, ...]
    origin: Origin | None = None
    is_in_index: bool = False
    notes: tuple[str, ...] = ()

    @property
    def sources(self) -> IndexInput:
        """The input of the index graph."""
        return {"sources": [str(self.passages)]}

    def prefix(self, home: Path) -> str:
        """The text before a passage's id in its document's id, in an index of that ``home``."""
        return document_path(self.passages, home) + "#"

    def ids(self, documents: Iterable[str], passages: Iterable[str], home: Path) -> list[str]:
        """The set's ids of passages found in an index at ``home``, each once.

        ``documents`` are the documents of the ``passages`` that were found.
        """
        if self.is_in_index:
            return list(dict.fromkeys(passages))
        prefix = self.prefix(home)
        return list(dict.fromkeys(document.removeprefix(prefix) for document in documents))

    def support_in(self, index: Index) -> list[set[str]]:
        """The passages of ``index`` that support each question. Blocks."""
        if self.is_in_index:
            return [set(question.supporting) for question in self.questions]
        prefix = self.prefix(index.home)
        documents = {prefix + id for question in self.questions for id in question.supporting}
        found = index.catalogue.passages_of(sorted(documents))
        return [
            {passage["id"] for id in one.supporting for passage in found.get(prefix + id, [])}
            for one in self.questions
        ]

    def asked_in(self, index: Index) -> Dataset:
        """The set as it is asked in the ``index`` that it was made from. Blocks.

        Questions on passages that are gone are left out. Raises RagraphsError where none is left.
        """
        assert self.origin is not None
        supporting = {id for question in self.questions for id in question.supporting}
        held = {passage["id"] for passage in index.catalogue.passages(sorted(supporting))}
        kept = tuple(one for one in self.questions if one.supporting <= held)
        if supporting and not held:
            raise RagraphsError(
                f"The index at {index.name} holds no passage of {self.name}, which was made from "
                f"the index {self.origin['index']}; name that index, or a new one for the set."
            )
        documents = self.origin["documents"]
        now = index.catalogue.contents(documents)
        changed = [name for name, content in documents.items() if now.get(name) != content]
        notes = _changes(changed, len(documents), len(self.questions) - len(kept))
        return replace(self, questions=kept, is_in_index=True, notes=tuple(notes))

    def beside_others(self, index: Index) -> Dataset:
        """The set with a note on the documents of ``index`` that are not of it, if any. Blocks."""
        prefix = self.prefix(index.home)
        notes = strangers(index, lambda document: document.startswith(prefix), self.name)
        return replace(self, notes=(*self.notes, *notes))

    def is_made_from(self, index: Index) -> bool:
        """Whether the set was made from an index such as ``index``: not from the set. Blocks."""
        if self.origin is None or not index.catalogue.count_documents():
            return False
        return not index.catalogue.documents(document_path(self.passages, index.home))


def strangers(index: Index, is_own: Callable[[str], bool], name: str) -> list[str]:
    """A sentence on the documents of ``index`` that are not of the set ``name``, if any. Blocks."""
    found = [one["id"] for one in index.catalogue.documents() if not is_own(one["id"])]
    if not found:
        return []
    named = _named(found)
    return [
        f"Documents of the index that are not of {name}: {len(found)} ({named}). The figures are "
        "of all together; name another --index for the set alone."
    ]


def load_dataset(folder: str | Path, limit: int | None = None) -> Dataset:
    """The question set in ``folder``, or its first ``limit`` questions. Raises RagraphsError."""
    path = Path(folder).expanduser().resolve()
    files = [path / PASSAGES, path / QUESTIONS]
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise RagraphsError(
            f"{folder} is no question set: it has no {' and no '.join(missing)}; name a folder "
            "that has both."
        )
    fields = "'question', 'answer' and 'supporting'"
    questions = tuple(read_questions(files[1], _question, fields, limit))
    return Dataset(path.name, files[0], questions, _origin(path / MADE_FROM))


def supported(dataset: Dataset) -> list[LabelledQuestion]:
    """The questions that name supporting passages. Raises RagraphsError where none does."""
    asked = [question for question in dataset.questions if question.supporting]
    if not asked:
        raise RagraphsError(f"No question of {dataset.name} names supporting passages.")
    return asked


def read_questions(
    file: Path, parse: Callable[[Any], T], fields: str, limit: int | None = None
) -> list[T]:
    """``parse(row)`` for each row, or the first ``limit``, of the ``file`` of JSON lines.

    Raises RagraphsError where the file cannot be read, or a row lacks ``fields``.
    """
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise RagraphsError(f"{file} cannot be read ({error}); name another one.") from error
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


def _origin(file: Path) -> Origin | None:
    """The origin of a set as ``file`` tells it; None where there is no such file."""
    if not file.exists():
        return None
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        documents = {str(name): str(content) for name, content in found["documents"].items()}
        return {"index": str(found["index"]), "documents": documents}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RagraphsError(
            f"{file} does not say which index the set was made from; make the set again, or remove "
            "the file to have its passages indexed."
        ) from error


def _changes(changed: Sequence[str], documents: int, left_out: int) -> list[str]:
    """Sentences on the ``changed`` of the ``documents`` of a set, and questions ``left_out``."""
    notes = []
    if changed:
        notes.append(
            f"{len(changed)} of the {documents} documents that the set asks about have changed "
            f"since it was made ({_named(changed)}); make the set again."
        )
    if left_out:
        notes.append(f"{left_out} questions are left out: passages that support them are gone.")
    return notes


def _named(documents: Sequence[str]) -> str:
    return ", ".join(documents[:_NAMED]) + " and others" * (len(documents) > _NAMED)
