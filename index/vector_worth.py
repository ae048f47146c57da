"""The worth of the vectors of an index, measured on its own passages."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from heapq import nsmallest
from typing import NamedTuple

from ..language.analyser import sentences
from ..state.records import Passage
from .opening import Index

_PROPERTY = "vector_worth_by_rank"
_MOST_PASSAGES = 200  # of a script
_MOST_DRAWN = 2000
_MOST_SENTENCES = 64
_SHORTEST = 20  # characters; shorter sentences say little of their passage
_NO_WORTH, _FULL_WORTH = 0.8, 0.95  # of the other passages, before which the own one is found
_UNSEMANTIC_WORTH = 0.3


def worth_for(index: Index, question: str) -> float:
    """The worth in [0, 1] of vectors for a question of this script, against 1 for BM25. Blocks.

    Vectors that only repeat the words are worth little, whatever they find.
    """
    if not index.embedder.semantic:
        return _UNSEMANTIC_WORTH
    found = index.catalogue.property(_PROPERTY) or {}
    worth: float = found.get("worth", {}).get(script_of(question), 1.0)
    return worth


def measure_worth(index: Index) -> None:
    """Measures and keeps the worth of the vectors for each script of the passages. Blocks.

    A sample of sentences is asked for among at most 200 passages of the script: a model that knows
    the language finds the own passage before 96 % of the others and more, in novels as in a few
    pages; an English one finds that of a Korean sentence before 63 to 81 %. Only 2,000 passages are
    looked at, drawn by chance of their ids; where they are the same, nothing is done, and a script
    is measured anew only where its sample changed.
    """
    if not index.embedder.semantic:
        return
    drawn = nsmallest(_MOST_DRAWN, index.catalogue.passage_ids(), key=_hash)
    stamp = _hash(json.dumps([index.embedder.name, *drawn]))
    known = {} if index.anew else index.catalogue.property(_PROPERTY) or {}
    if known.get("stamp") == stamp:
        return
    samples = _sampled(index.catalogue.passages(drawn))
    stamps, worth = {}, {}
    for script, passages in samples.items():
        ids = [passage["id"] for passage in passages]
        stamps[script] = _hash(json.dumps([index.embedder.name, *ids]))
        if known.get("stamps", {}).get(script) == stamps[script]:
            found = known["worth"].get(script)
        else:
            found = _worth(index, passages)
        if found is not None:
            worth[script] = found
    index.catalogue.set_property(_PROPERTY, {"stamp": stamp, "stamps": stamps, "worth": worth})


def _sampled(passages: Iterable[Passage]) -> Mapping[str, list[Passage]]:
    """The first passages of each script, at most so many."""
    found: defaultdict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        of_script = found[script_of(passage["text"])]
        if len(of_script) < _MOST_PASSAGES:
            of_script.append(passage)
    return found


class _Sample(NamedTuple):
    """A sentence and the row of its passage, in the ``order`` of chance."""

    order: str
    row: int
    text: str


def _worth(index: Index, passages: list[Passage]) -> float | None:
    """The worth of the vectors of ``passages``; None where there is too little to measure."""
    import numpy as np

    samples = sorted(_samples(passages))[:_MOST_SENTENCES]
    if len(passages) < 2 or not samples:
        return None
    vectors = index.vectors.get("passages", [passage["id"] for passage in passages])
    asked = index.embedder.embed([sample.text for sample in samples])
    rows = [sample.row for sample in samples]
    cosines = asked @ vectors.T
    own = cosines[np.arange(len(rows)), rows]
    before = (cosines < own[:, None]).sum() / (len(rows) * (len(passages) - 1))
    return round(float(np.clip((before - _NO_WORTH) / (_FULL_WORTH - _NO_WORTH), 0, 1)), 3)


def _samples(passages: Iterable[Passage]) -> Iterable[_Sample]:
    for row, passage in enumerate(passages):
        found = [each.text for each in sentences(passage["text"]) if len(each.text) >= _SHORTEST]
        if len(found) > 1:  # a passage of one sentence is found by being the same
            for text in found:
                yield _Sample(_hash(passage["id"] + text), row, text)


def script_of(text: str) -> str:
    """The script of most letters of ``text``, as Unicode names it (LATIN, HANGUL); "" for none."""
    scripts = Counter(map(_script, filter(str.isalpha, text)))
    return min(scripts, key=lambda name: (-scripts[name], name), default="")


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()
