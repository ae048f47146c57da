"""GraphRAG-Bench (Xiang et al. 2025, arXiv 2506.05690): its files of questions and of corpora.

A question has ``id``, ``source`` (the name of a corpus), ``question``, ``answer``,
``question_type`` and ``evidence`` (sentences); a corpus ``corpus_name`` and ``context``. Both files
are a JSON list, JSON lines, or one object.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ...state.errors import RagraphsError

T = TypeVar("T")
KINDS = ("Fact Retrieval", "Complex Reasoning", "Contextual Summarize", "Creative Generation")
_ENDINGS = {".json", ".jsonl"}
_FIRST_WORDS = {kind.split()[0].casefold(): kind for kind in KINDS}
_QUESTION = "a question needs 'question' and 'answer'"
_CORPUS = "a corpus needs 'corpus_name' and 'context'"


class BenchQuestion(NamedTuple):
    """A question on the corpus ``source``, its gold answer, and sentences that support that."""

    id: str
    source: str
    question: str
    answer: str
    kind: str
    evidence: tuple[str, ...]


class Corpus(NamedTuple):
    """A text by its name."""

    name: str
    text: str


class BenchSet(NamedTuple):
    """The questions of a set, by corpus, and the files that they were read from."""

    name: str
    parts: list[tuple[Corpus, list[BenchQuestion]]]
    files: list[Path]


def load_bench(
    place: str | Path,
    corpus: str | Path | None = None,
    sources: Collection[str] = (),
    limit: int | None = None,
) -> BenchSet:
    """The questions in the file ``place``, or in the folder, with the corpora that they are about.

    Without a file ``corpus``, it is sought in the folder. Only questions on ``sources`` are taken,
    if any are named, and of each type the first ``limit``. Raises RagraphsError.
    """
    path = Path(place).expanduser().resolve()
    questions_file = _only(path, "question", "questions") if path.is_dir() else path
    if corpus is None and not path.is_dir():
        raise RagraphsError(f"Name the corpus of {path.name} with --corpus.")
    corpus_file = _only(path, "corpus", "corpora") if corpus is None else Path(corpus).expanduser()
    texts = dict(_read(corpus_file, _corpus, _CORPUS))
    questions = _read(questions_file, _parser(list(texts)), _QUESTION)
    named = [one for one in questions if not sources or one.source in sources]
    if not named:
        known = ", ".join(sorted({one.source for one in questions}))
        raise RagraphsError(f"No question is about {', '.join(sources)}; there are {known}.")
    parts: dict[str, list[BenchQuestion]] = {}
    for one in _first_of_each_kind(named, limit):
        parts.setdefault(one.source, []).append(one)
    if missing := [name for name in parts if name not in texts]:
        raise RagraphsError(
            f"{corpus_file.name} has no corpus {missing[0]!r}, which questions are about; name "
            "another file with --corpus."
        )
    found = [(Corpus(name, texts[name]), asked) for name, asked in parts.items()]
    return BenchSet(questions_file.stem, found, [questions_file, corpus_file])


def _only(folder: Path, word: str, wanted: str) -> Path:
    """The only JSON file in ``folder`` whose path below it has ``word``."""
    files = sorted(file for file in folder.rglob("*") if file.suffix.casefold() in _ENDINGS)
    found = [one for one in files if word in str(one.relative_to(folder)).casefold()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise RagraphsError(f"{folder} has no JSON file of {wanted}; name the file itself.")
    names = ", ".join(str(one.relative_to(folder)) for one in found)
    raise RagraphsError(f"{folder} has several files of {wanted} ({names}); name one of them.")


def _first_of_each_kind(
    questions: Sequence[BenchQuestion], limit: int | None
) -> list[BenchQuestion]:
    seen: Counter[str] = Counter()
    kept = []
    for one in questions:
        seen[one.kind] += 1
        if limit is None or seen[one.kind] <= limit:
            kept.append(one)
    return kept


def _read(file: Path, parse: Callable[[Any, int], T], form: str) -> list[T]:
    """``parse(row, number)`` of all rows of a file."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RagraphsError(f"{file} cannot be read ({error}); name another file.") from error
    found = []
    for number, row in enumerate(_rows(file, text), start=1):
        try:
            found.append(parse(row, number))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise RagraphsError(f"Row {number} of {file} cannot be used; {form}.") from error
    return found


def _rows(file: Path, text: str) -> list[Any]:
    try:
        whole = json.loads(text)
    except ValueError:
        return _lines(file, text)
    return whole if isinstance(whole, list) else [whole]


def _lines(file: Path, text: str) -> list[Any]:
    try:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except ValueError as error:
        raise RagraphsError(
            f"{file} is neither JSON nor JSON lines ({error}); name another file."
        ) from error


def _parser(corpora: Sequence[str]) -> Callable[[Any, int], BenchQuestion]:
    """Reads a question; one that names no corpus is about the only one, if there is only one."""

    def parse(row: Any, number: int) -> BenchQuestion:
        source = row.get("source") or (corpora[0] if len(corpora) == 1 else None)
        kind = str(row.get("question_type") or row.get("type") or "").strip()
        answer = row.get("answer") or row.get("ground_truth")
        if source is None:
            raise ValueError(f"no source in row {number}")
        return BenchQuestion(
            str(row.get("id") or number),
            str(source),
            _text(row["question"]),
            _text(answer),
            _FIRST_WORDS.get(kind.split()[0].casefold() if kind else "", kind or "other"),
            tuple(_texts(row.get("evidence"))),
        )

    return parse


def _corpus(row: Any, number: int) -> tuple[str, str]:
    text = row["context"]
    joined = "\n\n".join(text) if isinstance(text, list) else text
    return str(row.get("corpus_name") or row["name"]), _text(joined)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("no text")
    return value.strip()


def _texts(value: Any) -> list[str]:
    """One sentence, or a list of them."""
    given = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [one.strip() for one in given if isinstance(one, str) and one.strip()]
