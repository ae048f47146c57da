"""Documents that come, change, move and go at random, and an index that is brought up to date."""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from ragraphs.context import IndexContext, LayerName
from ragraphs.evaluation.datasets import load_dataset, supported
from ragraphs.evaluation.metrics import recall_at
from ragraphs.evaluation.retrieval import rankings_of
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import Index, open_index
from ragraphs.models.protocol import OFFLINE
from ragraphs.state.errors import RagraphsError
from ragraphs.state.index import IndexInput
from ragraphs.state.records import Document

from .comparing import Differences, compare
from .history import History

ChangeKind = Literal["add", "change", "remove", "rename"]

_LAYERS = list(get_args(LayerName))
_RETRIEVERS = ("hybrid", "graph", "hoprag", "tog2")
_CUTOFF = 5
_HELD_BACK = 0.1  # of a set that has no more passages than are wanted
_PART = 2000
_MOVED = "~"  # at the end of the id of a document that was renamed
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class LivingDocuments:
    """Documents by their ids, and others that have not come yet."""

    def __init__(self, documents: list[Document], most: int, chance: random.Random) -> None:
        held = min(most, max(1, round(len(documents) * (1 - _HELD_BACK))))
        self._least = held // 2
        self.now = {one["id"]: one for one in documents[:held]}
        self._others, self._chance = documents[held:], chance
        self.kinds: Counter[ChangeKind] = Counter()

    def change(self, number: int) -> IndexInput:
        """The input of a run that makes so many changes at random."""
        before = dict(self.now)
        for _ in range(number):
            kind: ChangeKind = self._chance.choice(get_args(ChangeKind))
            if kind == "remove" and len(self.now) <= self._least:
                kind = "add"
            self.kinds[kind] += 1
            getattr(self, f"_{kind}")()
        given = [one for id, one in self.now.items() if before.get(id) != one]
        return {"documents": given, "remove": [id for id in before if id not in self.now]}

    def _add(self) -> None:
        """One that has not come yet or has gone; where there is none, a mixture of others."""
        if not self._others:
            mixed = " ".join(self._sentence() for _ in range(self._chance.randrange(1, 6)))
            id = f"mixture {self.kinds.total()}"
            self._others.append({"id": id, "title": id, "text": mixed})
        one = self._others.pop(self._chance.randrange(len(self._others)))
        self.now[one["id"]] = one

    def _change(self) -> None:
        """A sentence goes, or one of another document comes."""
        one = self.now[self._some()]
        sentences = _SENTENCE.split(one["text"])
        place = self._chance.randrange(len(sentences))
        if self._chance.random() < 0.5 and len(sentences) > 1:
            del sentences[place]
        else:
            sentences.insert(place, self._sentence())
        self.now[one["id"]] = {**one, "text": " ".join(sentences)}

    def _remove(self) -> None:
        self._others.append(self.now.pop(self._some()))

    def _rename(self) -> None:
        one = self.now.pop(self._some())
        self.now[one["id"] + _MOVED] = {**one, "id": one["id"] + _MOVED}

    def _some(self) -> str:
        return self._chance.choice(list(self.now))

    def _sentence(self) -> str:
        return self._chance.choice(_SENTENCE.split(self.now[self._some()]["text"]))


class Plan(NamedTuple):
    """The changes in all, and the most in a run; documents to begin with; comparisons."""

    changes: int
    together: int
    documents: int
    comparisons: int
    seed: int


def live_with_changes(
    source: Path, place: Path, context: IndexContext, plan: Plan, tell: Callable[[str], None]
) -> dict[str, Any]:
    """Changes the documents of ``source`` at random, and compares the index with fresh ones.

    Raises RagraphsError where ``source`` holds no documents.
    """
    chance = random.Random(plan.seed)
    living = LivingDocuments(_documents(source), plan.documents, chance)
    context = context.model_copy(update={"model": OFFLINE, "layers": _LAYERS})
    own = context.model_copy(update={"index": str(place / "index")})
    _run(own, {"documents": list(living.now.values())})
    runs, used, compared = 0, 0.0, list[Differences]()
    while (left := plan.changes - living.kinds.total()) > 0:
        history = History(open_index(own))
        given = living.change(min(left, chance.randrange(1, plan.together + 1)))
        started = time.process_time()
        _run(own, given)
        runs, used = runs + 1, used + time.process_time() - started
        if living.kinds.total() * plan.comparisons // plan.changes > len(compared):
            fresh = context.model_copy(update={"index": str(place / f"fresh{len(compared)}")})
            _build_like(fresh, living, history)
            compared.append(compare(open_index(own), open_index(fresh)))
        tell(f"{living.kinds.total()} changes in {runs} runs: {_told(compared)}")
    one = open_index(own)
    return {
        "source": source.name,
        "embeddings": one.embedder.name,
        "documents": len(living.now),
        "passages": one.catalogue.count_passages(),
        "changes": dict(living.kinds),
        "runs": runs,
        "processor_seconds_a_run": round(used / runs, 2),
        "compared": len(compared),
        "edges": [each.edges for each in compared],
        "other_edges": [each.other_edges for each in compared],
        "recall_at_5": _recalls(source, living, one, open_index(fresh)),
        "problems": _told(compared),
    }


def _told(compared: list[Differences]) -> list[str]:
    """All differences but for HopRAG's edges, each with the number of the comparison."""
    return [f"{number}: {one}" for number, each in enumerate(compared) for one in each.sentences]


def _documents(source: Path) -> list[Document]:
    """The passages of a question set; else the texts in a folder, or one text."""
    if (file := source / "passages.jsonl").exists():
        with file.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return [{"id": str(row["id"]), "title": row["title"], "text": row["text"]} for row in rows]
    files = [source] if source.is_file() else sorted(source.rglob("*"))
    texts = [file for file in files if file.suffix in {".txt", ".md"}]
    if not texts:
        raise RagraphsError(f"{source} holds no passages.jsonl, and no .txt or .md file.")
    found: list[Document] = []
    for file in texts:
        parts = [file.read_text(encoding="utf-8")]
        parts = parts if len(texts) > 1 else _parts(parts[0])
        names = [file.stem, *(f"{file.stem} {n}" for n in range(2, len(parts) + 1))]
        found += [{"id": n, "title": n, "text": t} for n, t in zip(names, parts, strict=True)]
    return found


def _parts(text: str) -> list[str]:
    """A text in parts of whole paragraphs, each of so many characters or a little more."""
    parts = [""]
    for paragraph in text.split("\n\n"):
        if len(parts[-1]) > _PART:
            parts.append("")
        parts[-1] += paragraph + "\n\n"
    return parts


def _run(context: IndexContext, given: IndexInput) -> None:
    index_graph.invoke(given, context=context)


def _build_like(context: IndexContext, living: LivingDocuments, history: History) -> None:
    """Builds a fresh index, whose communities start from the ``history`` of the other one."""
    layers = [layer for layer in _LAYERS if layer != "communities"]
    _run(context.model_copy(update={"layers": layers}), {"documents": list(living.now.values())})
    history.begin(open_index(context))
    _run(context, {})


def _recalls(
    source: Path, living: LivingDocuments, one: Index, fresh: Index
) -> dict[str, list[float]]:
    """Recall in percent of both indexes, for questions whose passages are all there."""
    if not (source / "questions.jsonl").exists() or not (source / "passages.jsonl").exists():
        return {}
    held = {id.rstrip(_MOVED) for id in living.now}
    dataset = load_dataset(source)
    asked = [each for each in supported(dataset) if each.supporting <= held]
    if not asked:
        return {}

    def recall(index: Index, retriever: str) -> float:
        found = rankings_of(dataset, asked, index, retriever, {"rerank": ""})
        recalls = [
            recall_at([id.rstrip(_MOVED) for id in ids], each.supporting, _CUTOFF)
            for ids, each in zip(found, asked, strict=True)
        ]
        return round(100 * sum(recalls) / len(recalls), 2)

    return {name: [recall(index, name) for index in (one, fresh)] for name in _RETRIEVERS}
