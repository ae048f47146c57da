"""Outcomes of questions, kept so that an interrupted evaluation goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from ..context import QuestionContext
from ..index.grading import FITTED
from ..index.opening import Index
from ..nodes.router.handing import looked_up
from ..settings import Settings
from ..state.errors import RagraphsError
from ..state.found import LookedUp
from ..state.records import Citation, Evidence
from ..views.status import export_lines

FILE = "answers.jsonl"

_PROGRAM = (
    *("graphs", "nodes", "index", "offline", "models", "prompts"),
    *("stores", "algorithms", "language", "state"),
)
_INDIFFERENT = {"index", "timeout", "max_retries", "concurrency"}
_FIT = "grader"
_GRADED = ("crag", "graphrag", "router")  # they read how graders were fitted to the index
_KINDS_OF_LAYER = {
    "hops": {"questions", "hop"},
    "entities": {"facts", "entity", "relation", "correction"},
}


class EvidencePiece(TypedDict):
    """A piece of the evidence: the characters of a passage, as places in its document.

    ``text`` is empty where the index has it, and the text of a page on the web.
    """

    passage: str
    start: int
    end: int
    text: str


class Outcome(TypedDict):
    """The outcome of a question by one method, or by the router.

    ``missing`` are the questions that the evidence does not answer, ``looked_up`` sub-questions;
    ``documents`` are the documents of the ``evidence``, best first; ``tried`` the methods that
    answered one after another. ``calls`` and ``tokens`` count the replies ``reused`` as if they had
    been asked for. ``retrievals`` are the searches in the index, ``retrieved_tokens`` the part of
    the tokens that were texts of documents, ``hops`` the result of ``hops_of``; None where it is
    not known. ``error`` is why the question failed, or empty.
    """

    answer: str
    missing: list[str]
    citations: list[Citation]
    looked_up: list[LookedUp]
    documents: list[str]
    evidence: list[EvidencePiece]
    tried: list[str]
    sufficient: bool
    stop_reason: str
    calls: int
    reused: int
    tokens: int
    retrievals: int | None
    retrieved_tokens: int | None
    hops: int | None
    seconds: float
    error: str


def failures_of(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """How many of ``outcomes`` are failures, and why the first is one, as results tell it."""
    errors = [outcome["error"] for outcome in outcomes if outcome["error"]]
    return {"failures": len(errors), "first_failure": errors[0] if errors else ""}


def hops_of(result: Mapping[str, Any]) -> int | None:
    """The hops from one finding to the next that the output of a method shows.

    The rounds of HopRAG's walk that led somewhere, the rounds of ToG-2's walk, the sub-questions of
    DeepRAG, the turns in which the agent used tools; for the router, the hops of the method whose
    answer it gives. None for other methods, which do not go on from what they found.
    """
    own = {**result, **result.get("details", {})}
    if "hops" in own:
        return max((hop["round"] for hop in own["hops"]), default=0)
    if "paths" in own:
        return max((path["round"] for path in own["paths"]), default=0)
    if "actions" in own:
        return len({action["turn"] for action in own["actions"]})
    return len(looked_up(own)) if "steps" in own else None


class Ledger:
    """Outcomes by key, in a file of JSON lines; without a file, in memory."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._outcomes = dict(_read(file)) if file is not None and file.exists() else {}

    def get(self, key: str) -> Outcome | None:
        """The outcome kept under ``key``."""
        return self._outcomes.get(key)

    def put(self, key: str, outcome: Outcome) -> None:
        """Keeps an outcome from now on."""
        self._outcomes[key] = outcome
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(_line(key, outcome))

    def forget(self, keys: Collection[str]) -> None:
        """Drops what is kept under ``keys``."""
        self._outcomes = {k: v for k, v in self._outcomes.items() if k not in keys}
        if self._file is not None and self._file.exists():
            rest = "".join(_line(key, outcome) for key, outcome in self._outcomes.items())
            written = self._file.with_suffix(".new")
            written.write_text(rest, encoding="utf-8")
            written.replace(self._file)


def piece_of(evidence: Evidence) -> EvidencePiece:
    """The place of ``evidence`` in the index, or its text, where it was found on the web."""
    return {
        "passage": evidence["id"],
        "start": evidence["start"],
        "end": evidence["end"],
        "text": evidence["text"] if evidence["found"] == "web" else "",
    }


def texts_of(index: Index, pieces: Sequence[EvidencePiece]) -> list[tuple[str, str]]:
    """Title and text of each of ``pieces``; those that ``index`` has no more are left out. Blocks.

    Pages of the web have no title.
    """
    known = {one["id"]: one for one in index.catalogue.passages([p["passage"] for p in pieces])}
    found = []
    for piece in pieces:
        passage = known.get(piece["passage"])
        if piece["text"]:
            found.append(("", piece["text"]))
        elif passage is not None:
            first = piece["start"] - passage["start"]
            text = passage["text"][first : first + piece["end"] - piece["start"]]
            found.append((passage["title"], text))
    return found


def key_of(base: str, question: str) -> str:
    """The key of a question's outcome; ``base`` stands for all that is the same for a method."""
    return _digest([base, question])


def base_of(
    method: str, context: QuestionContext, index: Index, layers: Collection[str], stamps: Stamps
) -> str:
    """A hash of all that decides what ``method`` does, but for the question.

    ``layers`` are those that it reads.
    """
    unread = {
        kind for layer, kinds in _KINDS_OF_LAYER.items() if layer not in layers for kind in kinds
    }
    if method not in _GRADED:
        unread.add(_FIT)
    content = {kind: digest for kind, digest in stamps["content"].items() if kind not in unread}
    chosen = context.model_dump(exclude=_INDIFFERENT)
    return _digest(
        [method, chosen, index.embedder.name, sorted(content.items()), stamps["program"]]
    )


class Stamps(TypedDict):
    """Hashes of an index's content, by kind of record, and of the program that reads it."""

    content: dict[str, str]
    program: str


def stamps_of(index: Index) -> Stamps:
    """The stamps of ``index`` as it is now, and of the program with the operator's settings."""
    hashes: dict[str, Any] = {}
    for line in export_lines(index):
        hashes.setdefault(json.loads(line)["kind"], hashlib.sha256()).update(line.encode())
    content = {kind: found.hexdigest() for kind, found in hashes.items()}
    content[_FIT] = _digest(list(index.catalogue.properties(*FITTED)))
    return {"content": content, "program": _program_stamp(index.operator)}


def _program_stamp(operator: Settings) -> str:
    """Changes with the code, the prompts and the servers asked: another program, other answers."""
    root = Path(__file__).parents[1]
    files = [file for room in _PROGRAM for file in (root / room).rglob("*.*")]
    if operator.prompts is not None:
        files += operator.prompts.glob("*.md")
    stamp = hashlib.sha256()
    for file in sorted(files):
        if file.suffix in {".py", ".md", ".json"}:
            stamp.update(file.read_bytes())
    web = operator.tavily_api_key is not None and (operator.tavily_base_url or True)
    return _digest([stamp.hexdigest(), operator.openai_base_url, web])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def _line(key: str, outcome: Outcome) -> str:
    return json.dumps({"key": key, **outcome}, ensure_ascii=False) + "\n"


def _read(file: Path) -> Iterable[tuple[str, Outcome]]:
    """The outcomes in ``file`` without torn lines; the file is made to end with a line's end."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
        if text and not text.endswith("\n"):
            with file.open("a", encoding="utf-8") as lines:
                lines.write("\n")
    except OSError as error:
        raise RagraphsError(
            f"The finished questions in {file} cannot be read ({error}); remove the file."
        ) from error
    for line in text.split("\n"):
        try:
            row = json.loads(line)
            key = row.pop("key")
            if row.keys() == Outcome.__annotations__.keys():
                yield key, row
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
