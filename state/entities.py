"""Records of entities, their relations, claims, merges and corrections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .facts import ClaimFact

Reason = Literal[
    "correction", "model", "same normalised name", "alias in text", "short name", "fuzzy",
    "embedding", "shared neighbours",
]  # fmt: skip


class Entity(NamedTuple):
    """An entity: ``id`` is ``entity_id`` of its fullest name, ``name`` its most frequent spelling.

    Surnames alone do not count for ``name``, nor do names by another ("Fred's wife") of persons who
    have one of their own. ``type`` is the most frequent type, empty if none is known;
    ``descriptions`` are distinct, by document and passage; ``aliases`` are all spellings, the most
    frequent first, and after them the names of one word that texts use for a person.
    """

    id: str
    name: str
    type: str
    descriptions: tuple[str, ...]
    aliases: tuple[str, ...]
    passages: tuple[str, ...]


class EntityMention(NamedTuple):
    """Characters ``[start, end)`` of a passage's text that name an entity."""

    entity: str
    passage: str
    start: int
    end: int


class Relation(NamedTuple):
    """A directed relation; parallel ones have other phrases.

    ``weight`` in (0, 1] is Σ over its passages of strength / 10 (the greatest in the passage),
    divided by the greatest such sum in the corpus.
    """

    id: str
    source: str
    target: str
    relation: str
    weight: float
    passages: tuple[str, ...]


class EntityClaim(NamedTuple):
    """A claim about the entity ``subject``; ``object`` is an entity too, or empty."""

    id: str
    subject: str
    object: str
    passage: str
    claim: ClaimFact


@dataclass(frozen=True)
class EntityGraph:
    """The entities of a corpus, with mentions, relations, claims and merges; all in order."""

    entities: tuple[Entity, ...] = ()
    mentions: tuple[EntityMention, ...] = ()
    relations: tuple[Relation, ...] = ()
    claims: tuple[EntityClaim, ...] = ()
    merges: tuple[Merge, ...] = ()


class SaidName(NamedTuple):
    """A name in a passage: its ids by itself, by short names, and by explained aliases; its entity.

    ``own`` and ``short`` are empty for an alias that a text explains.
    """

    passage: str
    place: int
    spelling: str
    slot: str
    own: str
    short: str
    name: str
    entity: str


class KnownName(NamedTuple):
    """The most frequent spelling of a name, and its kinds in one text, the first one first."""

    id: str
    spelling: str
    kinds: str


@dataclass(frozen=True)
class KeptNames:
    """All that merging the names of some passages rests on, as it is kept for the next time.

    ``related`` are names, others and passages, ``forms`` hashes with names, ``explained`` passages,
    aliases and names. ``generic`` are generic names with the word that makes them so.
    """

    said: Sequence[SaidName]
    related: Sequence[tuple[str, str, str]]
    names: Sequence[KnownName]
    forms: Sequence[tuple[int, str]]
    explained: Sequence[tuple[str, str, str]]
    generic: Mapping[str, str]
    greatest: float


class Correction(NamedTuple):
    """A person's decision about two names; ``a`` and ``b`` are spellings or ids.

    "merge" makes ``a`` another name of ``b``, "split" keeps them apart; of several decisions about
    one pair the last counts.
    """

    action: Literal["merge", "split"]
    a: str
    b: str


class Parting(NamedTuple):
    """A normalised name means another thing in some passages than elsewhere."""

    name: str
    passages: tuple[str, ...]


class Merge(NamedTuple):
    """``merged`` was taken for another name of ``kept``; splitting their names or ids undoes it."""

    kept: str
    kept_id: str
    merged: str
    merged_id: str
    reason: Reason
    score: float
