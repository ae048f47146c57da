"""The facts of one passage: entities, relations, claims. Plain data."""

from __future__ import annotations

from typing_extensions import TypedDict


class EntityFact(TypedDict):
    """An entity as one passage describes it; ``type`` is a lower-case noun such as ``person``."""

    name: str
    type: str
    description: str


class RelationFact(TypedDict):
    """A directed relation between two entities of one passage.

    ``relation`` is a short phrase for which "source relation target" reads as a sentence
    ("was the partner of"); ``strength`` is in (0, 10].
    """

    source: str
    target: str
    relation: str
    strength: float


class ClaimFact(TypedDict):
    """A claim about an entity (GraphRAG's covariate).

    ``object`` may be empty; ``status`` is ``true``, ``false`` or ``suspected``; ``quote`` is the
    source text; the dates are as written, empty where there are none.
    """

    subject: str
    object: str
    type: str
    status: str
    description: str
    quote: str
    start_date: str
    end_date: str


class PassageFacts(TypedDict):
    """Everything found in one passage; names in relations and claims are names of entities."""

    entities: list[EntityFact]
    relations: list[RelationFact]
    claims: list[ClaimFact]
