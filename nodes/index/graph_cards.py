"""A graph without documents: one card of statements for each entity that relations leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...algorithms.tog2.triple_sentences import triple_sentence
from ...language.analyser import one_line
from ...prompts.extraction_replies import Entity, Facts
from ...state.found import TRIPLE
from ...state.records import Document
from ...stores.catalogue import DocumentRow
from ...stores.loading.types import LONGEST_ID

Aliases = Mapping[str, list[str]]


class GraphLine(NamedTuple):
    """Facts that are given for no document, and the aliases of their entities, in ``file``."""

    file: str
    facts: Facts
    aliases: Aliases


class Card(NamedTuple):
    """An entity of a graph, and the facts that leave it."""

    name: str
    facts: Facts


def aliases_in(row: Mapping[str, Any]) -> Aliases:
    """The aliases of the entities in a line: ``{"name": ..., "aliases": [...]}``."""
    listed = row.get("entities")
    found: dict[str, list[str]] = {}
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and isinstance(one.get("aliases"), list):
            names = [one_line(name) for name in one["aliases"] if isinstance(name, str)]
            found[one_line(str(one.get("name", "")))] = [name for name in names if name]
    return found


def cards_of(lines: Iterable[GraphLine]) -> dict[str, Card]:
    """The cards by the ids of their documents: each has the facts that leave its entity."""
    cards: dict[str, Card] = {}

    def card(file: str, name: str) -> Facts:
        id = _card_id(file, one_line(name))
        empty = Facts.model_construct(entities=[], relations=[], claims=[])
        return cards.setdefault(id, Card(one_line(name), empty)).facts

    for file, facts, aliases in lines:
        for entity in facts.entities:
            others = aliases.get(one_line(entity.name), ())
            own = [entity, *(Entity(name=other, type=entity.type) for other in others)]
            card(file, entity.name).entities.extend(own)
        for relation in facts.relations:
            card(file, relation.source).relations.append(relation)
        for claim in facts.claims:
            card(file, claim.subject).claims.append(claim)
    return cards


def documents_of(cards: Mapping[str, Card]) -> Iterator[Document]:
    """The document of each card: what its facts say, a line each."""
    for id, (name, facts) in cards.items():
        others = (one_line(one.name) for one in facts.entities)
        lines = [f"{name} (also known as {other})." for other in others if other != name]
        lines += [one.description for one in facts.entities if one.description]
        lines += [triple_sentence(r.source, r.relation, r.target) for r in facts.relations]
        lines += [claim.description for claim in facts.claims]
        text = "\n\n".join(dict.fromkeys(lines)) or f"{name}."
        yield {"id": id, "title": name, "text": text, "metadata": dict(TRIPLE)}


def vanished_cards(
    stored: Iterable[DocumentRow], cards: Iterable[Document], files: Iterable[str]
) -> list[str]:
    """The ids of ``stored`` cards of ``files`` whose entities no relation leaves any more."""
    there, files = {card["id"] for card in cards}, list(files)
    return [
        row["id"]
        for row in stored
        if row["metadata"].get("kind") == TRIPLE["kind"]
        and row["id"] not in there
        and any(row["id"] == _card_id(file, row["title"]) for file in files)
    ]


def _card_id(file: str, name: str) -> str:
    return f"{file}#{name}"[:LONGEST_ID]
