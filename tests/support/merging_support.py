"""Facts of passages to merge, and what became of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ragraphs.algorithms.entities.merging import Merging
from ragraphs.algorithms.entities.senses import FoundFacts
from ragraphs.state.entities import Correction, Entity, EntityGraph
from ragraphs.state.facts import ClaimFact, EntityFact, RelationFact


def merge_facts(
    found: Iterable[FoundFacts], corrections: Sequence[Correction] = (), embed: Any = None
) -> EntityGraph:
    """One graph of the facts of all passages, whose names are merged by rules."""
    order = sorted(found, key=lambda one: (one.title, one.start, one.passage))
    return Merging(order, corrections, embed).graph()


def facts(
    passage: str,
    entities: Iterable[str | Sequence[str]],
    relations: Iterable[Sequence[Any]] = (),
    claims: Iterable[ClaimFact] = (),
    title: str = "",
    text: str | None = None,
) -> FoundFacts:
    """``entities`` are names or (name, type[, description]); ``relations`` (a, phrase, b[, n])."""
    whole = [(e,) if isinstance(e, str) else e for e in entities]
    return FoundFacts(
        passage,
        title or f"title {passage}",
        ", ".join(e[0] for e in whole) if text is None else text,
        {
            "entities": [
                EntityFact(name=name, type=type, description=description)
                for name, type, description in ((*e, "", "")[:3] for e in whole)
            ],
            "relations": [
                RelationFact(source=a, relation=phrase, target=b, strength=strength)
                for a, phrase, b, strength in ((*r, 5.0)[:4] for r in relations)
            ],
            "claims": list(claims),
        },
    )


def claim(subject: str, description: str, object: str = "") -> ClaimFact:
    return {
        "subject": subject,
        "object": object,
        "type": "claim",
        "status": "true",
        "description": description,
        "quote": description,
        "start_date": "",
        "end_date": "",
    }


def groups(graph: EntityGraph) -> set[frozenset[str]]:
    return {frozenset(entity.aliases) for entity in graph.entities}


def merged(*names: str, type: str = "", **kwargs: Any) -> bool:
    """Whether names, each in a passage of its own, become one entity."""
    found = [facts(f"p{i}", [(name, type)]) for i, name in enumerate(names)]
    return len(merge_facts(found, **kwargs).entities) == 1


def entity(graph: EntityGraph, name: str) -> Entity:
    return next(e for e in graph.entities if name in e.aliases)
