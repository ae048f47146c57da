"""An index of a made-up graph with thousands of entities, as triples that were found elsewhere."""

from __future__ import annotations

import json
import random
from itertools import islice
from pathlib import Path

from ragraphs import IndexContext, index_graph
from ragraphs.state.records import Document

from lab.benchmarks.community_growth import planted

_SOUNDS = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "ar", "en", "il")]
_TOGETHER = 30


def index_large_graph(folder: Path, entities: int, relations: int) -> None:
    """Makes an index in ``folder`` with that many entities, each of them related."""
    names = _names(entities)
    pairs = [(names[int(a[1:])], names[int(b[1:])]) for a, b in _pairs(entities, relations)]
    documents: list[Document] = []
    lines: list[str] = []
    for start in range(0, relations, _TOGETHER):
        id = f"register {start}"
        triples = [[a, "works with", b] for a, b in pairs[start : start + _TOGETHER]]
        documents.append({"id": id, "title": id, "text": f"The {id} lists who worked with whom."})
        lines.append(json.dumps({"passage": id, "triples": triples}))
    triples_file = folder.with_suffix(".jsonl")
    triples_file.write_text("\n".join(lines), encoding="utf-8")
    context = IndexContext(
        index=str(folder), embeddings="lexical", layers=["entities", "communities"]
    )
    index_graph.invoke({"documents": documents, "triples": [str(triples_file)]}, context=context)


def _names(count: int) -> list[str]:
    """Different names of four made-up words, so that none is taken for another."""
    chance = random.Random(0)
    words = ("".join(chance.choices(_SOUNDS, k=3)).capitalize() for _ in range(20 * count))
    made = (" ".join(some) for some in zip(words, words, words, words, strict=True))
    return list(islice(dict.fromkeys(made), count))


def _pairs(entities: int, relations: int) -> list[tuple[str, str]]:
    """Related pairs of a graph with groups; first so many that every entity has one."""
    pairs = sorted(planted(entities))
    random.Random(0).shuffle(pairs)
    seen: set[str] = set()
    first: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    for pair in pairs:
        (others if seen.issuperset(pair) else first).append(pair)
        seen.update(pair)
    return (first + others)[:relations]
