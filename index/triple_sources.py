"""The sentences of an index that its relations were read from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from ..algorithms.tog2.sources import ScoredSentence, stating_sentence
from ..algorithms.tog2.triple_sentences import CO_OCCURRENCE
from ..algorithms.tog2.walk import EntityEdge
from ..language.analyser import keywords, one_line
from .entities import EntityPart
from .opening import Index
from .size import is_large

_MOST = 20


class SourceSentence(NamedTuple):
    """The sentence ``text`` of a passage that names both ends of a relation read in it, if any."""

    passage: str
    text: str


def passages_stating(index: Index, relations: Iterable[str]) -> dict[str, list[str]]:
    """The ids of the passages that state each relation. Blocks.

    Of a large index those are the first 20 of a relation.
    """
    return index.entities.relation_passages_of(relations, _MOST if is_large(index) else None)


def sources_of(index: Index, edges: Iterable[EntityEdge]) -> dict[str, SourceSentence]:
    """The sentence of each relation by the relation's id, or the first passage alone. Blocks."""
    wanted = {edge.id: edge for edge in edges}
    read = passages_stating(index, wanted)
    passages = {id for ids in read.values() for id in ids}
    texts = {found["id"]: found["text"] for found in index.catalogue.passages(sorted(passages))}
    named: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for mention in index.entities.mentions_of(texts):
        named[mention.passage, mention.entity].append((mention.start, mention.end))
    sources: dict[str, SourceSentence] = {}
    for id, stating in read.items():
        edge = wanted[id]
        known: list[tuple[str, ScoredSentence]] = []
        for passage in filter(texts.__contains__, stating):
            ends = named[passage, edge.source], named[passage, edge.target]
            found = stating_sentence(texts[passage], *ends, keywords(edge.relation))
            if found:
                known.append((passage, found))
        if known:
            passage, best = max(known, key=lambda one: one[1].words)
            sources[id] = SourceSentence(passage, best.sentence.text)
        elif stating:
            sources[id] = SourceSentence(stating[0], "")
    return sources


def described(index: Index, part: EntityPart, edges: Collection[EntityEdge]) -> dict[str, str]:
    """The description of each relation by its id: the sentence that names both ends. Blocks.

    It stands behind the relation's statement where that has other words; without one the statement
    stands alone, but of names that only stand together there is none.
    """
    sources = sources_of(index, edges)
    told: dict[str, str] = {}
    for one in edges:
        stated = f"{part.name_of(one.source)} {one.relation} {part.name_of(one.target)}."
        sentence = one_line(sources[one.id].text) if one.id in sources else ""
        if one.relation in CO_OCCURRENCE or keywords(stated) <= keywords(sentence):
            stated = sentence
        elif sentence:
            stated = f"{stated[:-1]}: {sentence}"
        if stated:
            told[one.id] = stated
    return told
