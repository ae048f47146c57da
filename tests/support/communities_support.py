"""A corpus whose entities form clear clusters, and a model that reads and reports on it."""

from __future__ import annotations

import json
import random
import re
import threading
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any, get_args

import numpy as np
from ragraphs.index.communities import load_communities
from ragraphs.stores import tables
from ragraphs.stores.chroma import ChromaVectors
from ragraphs.stores.vectors import Collection
from raw_sql import sql
from sqlalchemy import inspect

MODEL = "openai:stub"
_ONSETS = "B Br C Cl D Dr F Fl G Gr H J K Kl L M N P Pr R S St T Tr V W".split()
_VOWELS = "a e i o u ai ea ia oa".split()
_CODAS = "l ld lm m n nd nt r rn rt s sk st th x".split()


def _names(count: int, chance: random.Random) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found[f"{_word(chance)} {_word(chance)}"] = None
    return list(found)


def _word(chance: random.Random) -> str:
    first = chance.choice(_ONSETS) + chance.choice(_VOWELS)
    return first + chance.choice(_ONSETS).lower() + chance.choice(_VOWELS) + chance.choice(_CODAS)


NAMES = _names(200, random.Random(0))
CLUSTER = 10
_NAME = r"[^\W\d_]+(?: [^\W\d_]+)?"
_FACT = re.compile(rf"({_NAME}) (knows|met) ({_NAME})\.")
_LINE = re.compile(r"^(\d+)\. (\w+): ([^|]*) \| (.*)$", re.MULTILINE)
_TEXT = re.compile(r'<text id="(.*?)" title="(.*?)">\n(.*?)\n</text>', re.DOTALL)


def clustered(count: int, each: int = 1) -> list[dict[str, str]]:
    """Documents about ``count`` names, ten to a cluster, each of whom knows two of the cluster.

    The first of a cluster also met the first of the next. A document is about ``each`` of them.
    """
    said = []
    for number, name in enumerate(NAMES[:count]):
        first = number - number % CLUSTER
        known = [NAMES[first + (number + step) % CLUSTER] for step in (1, 2)]
        lines = [f"{name} knows {other}." for other in known]
        if number == first and number + CLUSTER < count:
            lines.append(f"{name} met {NAMES[number + CLUSTER]}.")
        said.append(" ".join(lines))
    return [
        {"id": f"d{at}", "title": NAMES[at], "text": " ".join(said[at : at + each])}
        for at in range(0, count, each)
    ]


class Script:
    """Answers by the name of the reply's schema; a test replaces single answers in ``answers``."""

    def __init__(self, openai: Any) -> None:
        openai.answer = self
        openai.modes = {"json_schema"}
        self.openai = openai
        self.answers: dict[str, Any] = {}
        self.asked: list[tuple[str, str]] = []

    def __call__(self, body: Any) -> Any:
        kind, human = body["response_format"]["json_schema"]["name"], body["messages"][1]["content"]
        self.asked.append((kind, human))
        answer = self.answers.get(kind) or getattr(self, kind.lower())
        return answer(human) if callable(answer) else answer

    def of(self, kind: str) -> list[str]:
        """Prompts of one ``kind``, in order."""
        return [human for asked, human in self.asked if asked == kind]

    @property
    def counts(self) -> Counter[str]:
        return Counter(kind for kind, _ in self.asked)

    def facts(self, human: str) -> Any:
        found = _FACT.findall(texts_of(human)[0][2])
        names = dict.fromkeys(name for source, _, target in found for name in (source, target))
        return {
            "entities": [
                {"name": name, "type": "person", "description": f"{name} is a person."}
                for name in names
            ],
            "relations": [
                {"source": a, "relation": relation, "target": b, "strength": 5}
                for a, relation, b in found
            ],
            "claims": [],
        }

    def passagequestions(self, human: str) -> Any:
        (_, title, said), *_ = _TEXT.findall(human)
        first = said.partition(".")[0]
        return {"incoming": [f"Who is {title}?", f"Is it true that {first}?"], "outgoing": ["Why?"]}

    def passagereading(self, human: str) -> Any:
        return {**self.passagequestions(human), **self.facts(human)}

    def description(self, human: str) -> Any:
        return {"description": " ".join(said for _, _, said in _TEXT.findall(human))}

    def samethings(self, human: str) -> Any:
        return {"same": []}

    def communityreport(self, human: str) -> Any:
        lines = lines_of(human)
        names = [title for _, kind, title, _ in lines if kind == "Entity"]
        stated = [(place, said) for place, kind, _, said in lines if kind != "Entity"]
        return {
            "title": f"Circle of {(names or [lines[0][2]])[0]}",
            "summary": f"{len(lines)} lines about {', '.join(names)}.",
            "rating": min(10, len(lines)),
            "findings": [{"statement": said, "evidence": [n]} for n, said in stated[:5]],
        }

    def answer(self, human: str) -> Any:
        """The first sentence of the first text."""
        id, _, said = texts_of(human)[0]
        quote = re.split(r"(?<=\.) ", said)[0]
        return {"quotes": [{"id": id, "quote": quote}], "sufficient": True, "answer": quote}

    def localanswer(self, human: str) -> Any:
        return {**self.answer(human), "score": 50, "follow_ups": []}

    def points(self, human: str) -> Any:
        """A point for each text."""
        return {
            "points": [
                {"point": said.splitlines()[-1].lstrip("- "), "score": 50, "evidence": [id]}
                for id, _, said in texts_of(human)
            ]
        }

    def primedanswer(self, human: str) -> Any:
        return {**self.points(human), "follow_ups": []}

    def combinedanswer(self, human: str) -> Any:
        shown = texts_of(human)
        said = " ".join(text for _, _, text in shown)
        used = [id for id, _, _ in shown]
        return {"answer": said, "used": used, "sufficient": True, "general": ""}

    def answercheck(self, human: str) -> Any:
        return {"unsupported": [], "sufficient": True}

    def kepttexts(self, human: str) -> Any:
        return {"keep": [id for id, _, _ in texts_of(human)]}


class Together:
    """Holds the first ``count`` requests back until all of them are there."""

    def __init__(self, count: int, answer: Callable[[str], Any]) -> None:
        self._barrier = threading.Barrier(count)
        self._left = iter(range(count))
        self._answer = answer

    def __call__(self, human: str) -> Any:
        if next(self._left, None) is not None:
            self._barrier.wait(20)
        return self._answer(human)


def triples_in(said: str) -> list[list[str]]:
    """Triples that a text of ``clustered`` states."""
    return [list(fact) for fact in _FACT.findall(said)]


def lines_of(human: str) -> list[tuple[str, str, str, str]]:
    """The lines that a report is to be written from: number, kind, title and text."""
    return _LINE.findall(human)


def texts_of(human: str) -> list[tuple[str, str, str]]:
    """The numbered texts of a request: id, title and text."""
    return _TEXT.findall(human)


def build(indexing: Any, given: Any = (), layers: Any = ("communities",), **context: Any) -> Any:
    """Indexes with clusters small enough for two levels."""
    settings = {"layers": list(layers), "model": MODEL, "max_retries": 0, "max_cluster_size": 5}
    return indexing.run(documents=list(given), context={**settings, **context})


def build_from_triples(indexing: Any, given: Any, **context: Any) -> Any:
    """Indexes ``clustered`` documents whose facts were found elsewhere, without their reports."""
    file = indexing.folder / f"{len(given)}.jsonl"
    lines = [{"passage": one["id"], "triples": triples_in(one["text"])} for one in given]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    settings = {"layers": ["entities"], "model": MODEL, **context}
    return indexing.run(documents=list(given), triples=[str(file)], context=settings)


def partitions(indexing: Any) -> list[list[str]]:
    """The ids of the communities at every level."""
    view = load_communities(indexing.index)
    deepest = max(one.level for one in view.communities.values())
    return [view.at(level) for level in range(deepest + 1)]


def everything_stored(indexing: Any) -> dict[str, str]:
    """All that an index holds, by place: tables, collections, arrays of this machine."""
    index = indexing.index
    found: dict[str, str] = {}
    with index.catalogue._engine.connect() as connection:
        schema = connection.get_execution_options().get("schema")
        for name in inspect(connection).get_table_names(schema):
            place = f'"{schema}".{name}' if schema else name
            rows = sql(connection, f"SELECT * FROM {place}")
            found[name] = "\n".join(" | ".join(map(_legible, row)) for row in rows)
    assert set(tables.metadata.tables) <= set(found)
    for collection in get_args(Collection):
        if not isinstance(index.vectors, ChromaVectors):
            break  # they stand in tables of the schema
        with index.vectors._opened(collection) as store:
            kept = store.get(include=["documents", "metadatas"])
        found[f"chroma {collection}"] = str((kept["ids"], kept["documents"], kept["metadatas"]))
    for file in index.folder.glob("*.arrays/*.npy"):
        found[f"{file.parent.name}/{file.name}"] = _legible(np.load(file).tobytes())
    return found


def places_of(word: str, indexing: Any) -> list[str]:
    """Where in an index a word stands, in whatever case."""
    stored = everything_stored(indexing)
    return sorted(place for place, said in stored.items() if word.casefold() in said.casefold())


def _legible(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def chain(*names: str) -> str:
    """A text in which each name knows the next, and the last the first."""
    return " ".join(f"{a} knows {b}." for a, b in pairwise([*names, names[0]]))
