"""Documents that come, change, move and go at random, and an index that is brought up to date."""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

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

from .comparing import compare

ChangeKind = Literal["add", "change", "remove", "rename"]

_LAYERS = list(get_args(LayerName))
_HISTORY = ("hierarchy", "hierarchy_by")  # properties from which communities start
_RETRIEVERS = ("hybrid", "graph", "hoprag", "tog2")
_CUTOFF = 5
_HELD_BACK = 0.1  # of a set that has no more passages than are wanted
_MOVED = "~"  # at the end of the id of a document that was renamed
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class LivingDocuments:
    """Documents by their ids, and others that have not come yet."""

    def __init__(self, documents: list[Document], most: int, chance: random.Random) -> None:
        held = min(most, max(1, round(len(documents) * (1 - _HELD_BACK))))
        self.now = {one["id"]: one for one in documents[:held]}
        self._others, self._chance = documents[held:], chance
        self.kinds: Counter[ChangeKind] = Counter()

    def change(self, number: int) -> IndexInput:
        """The input of a run that makes so many changes at random."""
        before = dict(self.now)
        for _ in range(number):
            kind = self._chance.choice(get_args(ChangeKind))
            if len(self.now) > 1 or kind == "add":
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


def live_with_changes(
    source: Path,
    place: Path,
    context: IndexContext,
    how: tuple[int, int, int, int],
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Changes the documents of ``source`` at random, and compares the index with a fresh one.

    ``how`` is the number of changes, those of a run at most, the documents to begin with, and the
    seed. Raises RagraphsError where ``source`` holds no documents.
    """
    number, together, most, seed = how
    chance = random.Random(seed)
    living = LivingDocuments(_documents(source), most, chance)
    context = context.model_copy(update={"model": OFFLINE, "layers": _LAYERS})
    own = context.model_copy(update={"index": str(place / "index")})
    _run(own, {"documents": list(living.now.values())})
    history, runs, started = None, 0, time.process_time()
    while (left := number - living.kinds.total()) > 0:
        history = open_index(own).catalogue.properties(*_HISTORY)
        _run(own, living.change(min(left, chance.randrange(1, together + 1))))
        runs += 1
        tell(f"{living.kinds.total()} changes in {runs} runs")
    used = time.process_time() - started
    fresh = context.model_copy(update={"index": str(place / "fresh")})
    _build_like(fresh, living, history)
    one, other = open_index(own), open_index(fresh)
    found = compare(one, other)
    return {
        "source": source.name,
        "embeddings": one.embedder.name,
        "documents": len(living.now),
        "passages": one.catalogue.count_passages(),
        "changes": dict(living.kinds),
        "runs": runs,
        "processor_seconds_a_run": round(used / max(1, runs), 2),
        "edges": found.edges,
        "other_edges": found.other_edges,
        "recall_at_5": _recalls(source, living, one, other),
        "problems": found.sentences,
    }


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
    return [
        {"id": file.name, "title": file.stem, "text": file.read_text(encoding="utf-8")}
        for file in texts
    ]


def _run(context: IndexContext, given: IndexInput) -> None:
    index_graph.invoke(given, context=context)


def _build_like(context: IndexContext, living: LivingDocuments, history: Any) -> None:
    """A fresh index, whose communities start from the ``history`` of the other one."""
    layers = [layer for layer in _LAYERS if layer != "communities"]
    _run(context.model_copy(update={"layers": layers}), {"documents": list(living.now.values())})
    if history is not None:
        catalogue = open_index(context).catalogue
        catalogue.set_properties(dict(zip(_HISTORY, history, strict=True)))
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
