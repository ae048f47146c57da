"""Outcomes of a model that were recorded elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from ragraphs.evaluation.answering import Answerer
from ragraphs.evaluation.answers import Scored, score
from ragraphs.evaluation.datasets import LabelledQuestion
from ragraphs.evaluation.figures import read_figures
from ragraphs.evaluation.outcomes import Outcome
from ragraphs.state.errors import RagraphsError
from ragraphs.state.records import Citation

_UNKNOWN: Citation = {"passage": "", "document": "", "title": "", "start": 0, "end": 0, "quote": ""}


class Recorded(NamedTuple):
    """The outcomes of the questions that every method has, and sentences on what is left out."""

    scored: dict[Answerer, list[Scored]]
    notes: list[str]


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    method: str
    id: str = ""
    question: str = ""
    answer: str | None
    sufficient: bool
    calls: Annotated[int, Field(ge=0)]
    tokens: Annotated[int, Field(ge=0)] | None = None
    seconds: Annotated[float, Field(ge=0)] = 0.0
    missing: list[str] | str | None = None
    citations: Annotated[int, Field(ge=0)] | list[Any] | None = None
    documents: list[str] = []
    tried: list[str] = []


def read_recorded(
    file: Path, questions: Sequence[LabelledQuestion], methods: Sequence[Answerer]
) -> Recorded:
    """The outcomes in ``file``, of figures, a JSON list or JSON lines, of ``questions``.

    A row has method, id or question, answer, sufficient and calls; it may have tokens, missing,
    citations (or their number), documents, seconds and the methods tried. Of two rows on the same
    question by the same method the later counts. Raises RagraphsError.
    """
    known = {text: one for one in questions for text in (one.question, one.id)}
    found: dict[Answerer, dict[str, Scored]] = {}
    notes: dict[str, int] = {}

    def note(sentence: str) -> None:
        notes[sentence] = notes.get(sentence, 0) + 1

    for row in _rows(file):
        method = next((name for name in methods if name == row.method), None)
        question = known.get(row.id) or known.get(row.question)
        if method is None:
            note(f"are of {row.method!r}, which is not compared")
        elif question is None:
            note("are of no question of the set that has an answer")
        else:
            if row.tokens is None:
                note("do not say how many tokens were taken, and count as none")
            if row.missing is None and not row.sufficient:
                note("do not say what is missing; the question itself is taken for it")
            found.setdefault(method, {})[question.id] = score(
                question, _outcome(row), row.documents
            )
    told = [f"{count} rows of {file.name} {sentence}." for sentence, count in notes.items()]
    scored, left_out = _shared(file, questions, methods, found)
    return Recorded(scored, [*told, *left_out])


def _shared(
    file: Path,
    questions: Sequence[LabelledQuestion],
    wanted: Sequence[Answerer],
    found: Mapping[Answerer, Mapping[str, Scored]],
) -> tuple[dict[Answerer, list[Scored]], list[str]]:
    """The outcomes of the questions that all methods have, in their order, and what lacks."""
    methods = [method for method in wanted if method in found]
    if not set(methods) - {"router"}:
        raise RagraphsError(
            f"{file} has no outcome of a single method for a question of the set; name the file "
            "that was recorded with it."
        )
    ids = [one.id for one in questions if all(one.id in found[method] for method in methods)]
    counts = ", ".join(f"{method} {len(found[method])}" for method in methods)
    if not ids:
        raise RagraphsError(
            f"No question has an outcome by every method of {file} ({counts}); record the same "
            "questions for all."
        )
    notes = []
    if len(ids) < len(questions):
        notes.append(
            f"{len(ids)} of {len(questions)} questions were recorded for every method ({counts}); "
            "the others are left out."
        )
    lacking = [method for method in wanted if method not in methods]
    if lacking:
        notes.append(f"{file.name} has no outcomes of {', '.join(lacking)}.")
    return {method: [found[method][id] for id in ids] for method in methods}, notes


def _outcome(row: _Row) -> Outcome:
    """``row`` as an outcome; citations of which only the number is known are empty ones."""
    given = (row.question or row.id) if row.missing is None else row.missing
    missing = [given] if isinstance(given, str) else given
    cited = bool(row.answer) if row.citations is None else bool(row.citations)
    return {
        "answer": row.answer or "",
        "missing": [] if row.sufficient else [one for one in missing if one],
        "citations": [_UNKNOWN] if cited else [],
        "looked_up": [],
        "documents": row.documents,
        "evidence": [],
        "tried": row.tried or [row.method],
        "sufficient": row.sufficient,
        "stop_reason": "answered" if row.sufficient else "insufficient",
        "calls": row.calls,
        "reused": 0,
        "tokens": row.tokens or 0,
        "retrievals": None,
        "retrieved_tokens": None,
        "hops": None,
        "seconds": row.seconds,
        "error": "",
    }


def _rows(file: Path) -> Iterator[_Row]:
    form = "a row needs method, id or question, answer, sufficient and calls"
    if file.suffix == ".gz":
        measured = read_figures(file)
        yield from (_Row.model_validate(one.model_dump()) for m in measured for one in m.outputs)
        return
    try:
        text = file.read_text(encoding="utf-8-sig")
        lines = [line for line in text.split("\n") if line.strip()]
        rows = json.loads(text) if text.lstrip()[:1] == "[" else [json.loads(one) for one in lines]
    except OSError as error:
        raise RagraphsError(f"{file} cannot be read ({error}); name another file.") from error
    except ValueError as error:
        raise RagraphsError(
            f"{file} is neither a JSON list nor JSON lines ({error}); {form}."
        ) from error
    for number, row in enumerate(rows, start=1):
        try:
            yield _Row.model_validate(row)
        except ValidationError as error:
            [problem, *_] = error.errors()
            place = ".".join(map(str, problem["loc"])) or "it"
            raise RagraphsError(
                f"Row {number} of {file}: {place}: {problem['msg']}; {form}."
            ) from error
