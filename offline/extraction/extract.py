"""Entities and relations of a passage without a language model: few, and true as far as words tell.

Named things, and the verb phrases between two of them in a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...algorithms.quotable import is_whole
from ...language.analyser import is_korean, keywords, sentences
from ...language.markup import prose
from ...language.mentions import topic_title
from ...state.facts import EntityFact, PassageFacts, RelationFact
from .english import read_english
from .entities import Mark, MarkedPassage
from .korean import read_korean

_MOST_RELATIONS = 60
_LONGEST_DESCRIPTION = 300
_LONGEST_SUMMARY = 60
_OPENING = 5


def extract_facts(title: str, text: str) -> PassageFacts:
    """The facts of a passage, English or Korean: no claims, and no types that are not known."""
    text = prose(text)
    read = read_korean if is_korean(text) else read_english
    found = read(topic_title(title, text), text)
    marks: dict[str, list[tuple[Mark, str]]] = {}
    for some, sentence in zip(found.marks, found.sentences, strict=True):
        for mark in some:
            marks.setdefault(mark.key, []).append((mark, sentence))
    linked = {end for link in found.links for end in (link.source, link.target)}
    entities = {
        same: _entity(own)
        for same, own in marks.items()
        # A single word met once, beside no other name, is mostly none.
        if own[0][0].type or own[1:] or same in linked or " " in same
    }
    names = {same: entity["name"] for same, entity in entities.items()}
    distinct = {entity["name"]: entity for entity in entities.values()}
    return {"entities": [*distinct.values()], "relations": _relations(found, names), "claims": []}


def _entity(own: Sequence[tuple[Mark, str]]) -> EntityFact:
    """One entity out of its marks: its longest name, and a sentence, if one, that opens with it."""
    opening = [sentence for mark, sentence in own if mark.start < _OPENING]
    told = [*opening, *(sentence for _, sentence in own)]
    described = next(filter(is_whole, told), told[0])  # rather than a row or a list of names
    if len(described) > _LONGEST_DESCRIPTION:
        described = described[:_LONGEST_DESCRIPTION].rpartition(" ")[0] + " …"
    return {
        "name": max((mark.name for mark, _ in own), key=len),
        "type": own[0][0].type,
        "description": described,
    }


def _relations(found: MarkedPassage, names: dict[str, str]) -> list[RelationFact]:
    """The relations, each once, the strongest if there are too many; never of a thing to itself."""
    once: dict[tuple[str, str, str], RelationFact] = {}
    said = {frozenset((link.source, link.target)) for link in found.links if link.strength > 1}
    for link in found.links:
        source, target = names.get(link.source), names.get(link.target)
        mere = link.strength <= 1 and frozenset((link.source, link.target)) in said
        if source and target and source != target and not mere:
            _, relation, _, strength = link
            fact = RelationFact(source=source, target=target, relation=relation, strength=strength)
            once.setdefault((source, relation, target), fact)
    return sorted(once.values(), key=lambda fact: -fact["strength"])[:_MOST_RELATIONS]


def summarise(
    descriptions: Sequence[str], longest: int = _LONGEST_SUMMARY, least_new: int = 2
) -> str:
    """The most informative distinct sentences of ``descriptions``, in order.

    They have at most ``longest`` words. A sentence needs ``least_new`` terms that those before it
    do not have: one is mostly another wording. Rows and lists stand only where no sentence does.
    """
    said = dict.fromkeys(
        " ".join(sentence.split())
        for text in descriptions
        for sentence in [span.text for span in sentences(text)] or [text]
        if sentence.strip()
    )
    said = dict.fromkeys(filter(is_whole, said)) or said
    kept: list[str] = []
    covered, room = frozenset[str](), longest
    told = {sentence: keywords(sentence) for sentence in said}
    for sentence in sorted(told, key=lambda one: -len(told[one])):
        new = not kept or len(told[sentence] - covered) >= least_new
        if new and len(sentence.split()) <= room:
            kept.append(sentence)
            covered |= told[sentence]
            room -= len(sentence.split())
    if not kept and said:
        return " ".join(next(iter(said)).split()[:longest]) + " …"
    return " ".join(sentence for sentence in said if sentence in kept)
