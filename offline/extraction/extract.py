"""Entities and relations of a passage without a language model, as GraphRAG's fast indexing.

From names, noun phrases, numbers and dates, and what stands between them in a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...language.analyser import is_korean, keywords, sentences
from ...language.markup import prose
from ...language.mentions import topic_title
from ...state.facts import EntityFact, PassageFacts, RelationFact
from .english import read_english
from .entities import Found, Thing
from .korean import read_korean

_MOST_RELATIONS = 60
_MERE = 2.0
_LONGEST_DESCRIPTION = 300
_LONGEST_SUMMARY = 60


def extract_facts(title: str, text: str) -> PassageFacts:
    """The facts of the passage ``text``, English or Korean, which stands under ``title``.

    The entity that the passage is about comes first; there are no claims.
    """
    text = prose(text)
    read = read_korean if is_korean(text) else read_english
    found = read(topic_title(title, text), text)
    grouped: dict[str, list[Thing]] = {}
    for thing in found.things:
        grouped.setdefault(thing.key, []).append(thing)
    entities = {same: _entity(things, found.sentences) for same, things in grouped.items()}
    once: dict[str, EntityFact] = {}
    for entity in entities.values():
        once.setdefault(entity["name"], entity)
    return {
        "entities": list(once.values()),
        "relations": _relations(found, {same: fact["name"] for same, fact in entities.items()}),
        "claims": [],
    }


def _entity(things: Sequence[Thing], whole: Sequence[str]) -> EntityFact:
    """One entity out of its mentions: the longest name, the commonest type, a description."""
    types = Counter(thing.type for thing in things if thing.type)
    told = [thing.sentence for thing in things if thing.leads] or [t.sentence for t in things]
    described = whole[told[0]] if whole else ""
    if len(described) > _LONGEST_DESCRIPTION:
        described = described[:_LONGEST_DESCRIPTION].rpartition(" ")[0] + " …"
    return {
        "name": max((thing.name for thing in things), key=len),
        "type": types.most_common(1)[0][0] if types else "thing",
        "description": described,
    }


def _relations(found: Found, names: dict[str, str]) -> list[RelationFact]:
    """The relations, each once; a mere connection only where nothing more is known of a pair."""
    best: dict[tuple[str, str, str], RelationFact] = {}
    said = {frozenset((link.source, link.target)) for link in found.links if link.strength > _MERE}
    for link in found.links:
        known = link.strength <= _MERE and frozenset((link.source, link.target)) in said
        if known or names[link.source] == names[link.target]:
            continue
        fact: RelationFact = {
            "source": names[link.source],
            "target": names[link.target],
            "relation": link.relation,
            "strength": link.strength,
        }
        first = best.setdefault((link.source, link.relation.lower(), link.target), fact)
        first["strength"] = max(first["strength"], link.strength)
    kept = sorted(best.values(), key=lambda fact: -fact["strength"])[:_MOST_RELATIONS]
    return [fact for fact in best.values() if any(fact is one for one in kept)]


def summarise(descriptions: Sequence[str]) -> str:
    """The most informative distinct sentences of ``descriptions``, in order, in about 60 words.

    At least one sentence, cut where it is longer alone.
    """
    whole = [
        " ".join(text.split())
        for description in descriptions
        for text in [span.text for span in sentences(description)] or [description]
        if text.strip()
    ]
    terms_of = {sentence: keywords(sentence) for sentence in whole}
    kept: list[str] = []
    covered: frozenset[str] = frozenset()
    room = _LONGEST_SUMMARY
    while True:
        left = [s for s in terms_of if s not in kept and len(s.split()) <= room]
        best = max(left, key=lambda s: len(terms_of[s] - covered), default="")
        # Two new terms are worth a sentence; one is mostly another wording.
        if not best or (kept and len(terms_of[best] - covered) < 2):
            break
        kept.append(best)
        covered |= terms_of[best]
        room -= len(best.split())
    if not kept and whole:
        return " ".join(whole[0].split()[:_LONGEST_SUMMARY]) + " …"
    return " ".join(sentence for sentence in terms_of if sentence in kept)
