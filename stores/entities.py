"""The entities of an index with their relations and claims, and people's corrections."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any, Literal, NamedTuple

import sqlalchemy as sql
from sqlalchemy import ColumnElement, Engine, Table, delete, exists, func, select

from ..state.entities import Correction, EntityClaim, EntityGraph, EntityMention, KeptNames, Merge
from . import tables
from .conditions import passage_condition, spoken_by
from .degrees import note_degrees
from .entity_rows import described_in, named_otherwise, related_otherwise, rows_of_graph, touched_by
from .kept_names import replace_kept
from .queries import (
    count_rows,
    delete_with,
    first_rows_with,
    is_one_of,
    persistent,
    plain_rows_with,
    replace_all,
    rows,
    rows_with,
    update_rows,
)
from .untold import note_unclustered, note_unembedded, note_unlinked, note_untold

_SPREAD = func.count(tables.entity_passages.c.passage)
_SIZED = (
    select(tables.entities, _SPREAD.label("spread"))
    .outerjoin(tables.entity_passages, tables.entity_passages.c.entity == tables.entities.c.id)
    .group_by(tables.entities.c.id)
)


class StoredEntity(NamedTuple):
    """An entity; where several descriptions await their summary, ``description`` is the first."""

    id: str
    name: str
    type: str
    description: str


class StoredRelation(NamedTuple):
    """A directed relation between two entities: "source relation target" reads as a sentence."""

    id: str
    source: str
    target: str
    relation: str
    weight: float


@persistent
class EntityStore:
    """Entities, relations, claims and merges of one index, and its corrections.

    All methods block and are safe to call from several threads. Methods that take ids take many at
    once, and leave out unknown ones.

    >>> entities = EntityStore(engine)
    >>> [ann] = entities.named(["ann"])["ann"]
    >>> relations = entities.relations_of([ann])
    """

    def __init__(self, engine: Engine, where: ColumnElement[bool] | None = None) -> None:
        self._engine = engine
        self._where = where

    def only(self, where: Mapping[str, Any]) -> EntityStore:
        """The same store, which shows what the passages that meet a filter say, and no more.

        Entities then have no description, since that may rest on other passages too; the names are
        those that all passages together gave. Raises RagraphsError for a filter of another form.
        """
        return EntityStore(self._engine, passage_condition(self._engine, where))

    def _said_in(self, passage: ColumnElement[str]) -> list[ColumnElement[bool]]:
        """The condition that the passage in the column ``passage`` is shown; none if all are."""
        return [] if self._where is None else [spoken_by(passage, self._where)]

    def _said_of(self, owner: ColumnElement[str], pairs: Table) -> list[ColumnElement[bool]]:
        """The condition that ``pairs`` join the entity or relation ``owner`` to a shown passage."""
        if self._where is None:
            return []
        own, passage = pairs.primary_key.columns
        return [exists(select(1).where(own == owner, spoken_by(passage, self._where)))]

    def _entity(self, row: Sequence[str]) -> StoredEntity:
        id, name, type, description = row[:4]
        return StoredEntity(id, name, type, description if self._where is None else "")

    def replace(
        self, graph: EntityGraph, *, keep_described: bool = False, kept: KeptNames | None = None
    ) -> None:
        """Stores ``graph`` in place of everything but corrections, in one transaction.

        Rows that are there already are not written. With ``keep_described``, an entity that stays
        the same with its several descriptions keeps the one in their place. ``kept`` is all that
        merging names rests on.
        """
        described = described_in(self._engine) if keep_described else {}
        with self._engine.begin() as connection:
            changed = {
                table.name: replace_all(connection, table, new)
                for table, new in rows_of_graph(graph, described)
            }
            note_degrees(connection, None)
            note_untold(connection, touched_by(changed, graph))
            note_unclustered(connection, related_otherwise(changed, graph))
            note_unembedded(connection, changed[tables.entities.name])
            note_unlinked(connection, named_otherwise(connection, changed))
            replace_kept(connection, kept)

    def get(self, ids: Iterable[str]) -> dict[str, StoredEntity]:
        """Entities by id, in the order of ``ids``."""
        ids, table = list(ids), tables.entities
        query = select(table).where(*self._said_of(table.c.id, tables.entity_passages))
        stored = map(self._entity, plain_rows_with(self._engine, query, table.c.id, ids))
        found = {one.id: one for one in stored}
        return {id: found[id] for id in ids if id in found}

    def named(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The ids of the entities that bear each of the normalised ``names``, homonyms by id."""
        table = tables.aliases
        query = select(table.c.name, table.c.entity).distinct().order_by(table.c.entity)
        return _grouped(rows_with(self._engine, query, table.c.name, names))

    def spelled(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The entities that bear one of the normalised ``names``, by the spellings that have it."""
        table = tables.aliases
        query = select(table.c.spelling, table.c.entity).distinct().order_by(table.c.entity)
        return _grouped(rows_with(self._engine, query, table.c.name, names))

    def aliases_of(self, ids: Iterable[str]) -> dict[str, list[str]]:
        """All spellings of each entity, the most frequent first."""
        table = tables.aliases
        query = select(table.c.entity, table.c.spelling).order_by(table.c.entity, table.c.place)
        return _grouped(rows_with(self._engine, query, table.c.entity, ids))

    def relations_of(self, ids: Iterable[str]) -> list[StoredRelation]:
        """The relations that begin or end at one of the entities, each once, by id."""
        ids = list(ids)
        both = self.relations_from(ids), self.relations_to(ids)
        found = {one.id: one for ways in both for one in ways}
        return [found[id] for id in sorted(found)]

    def relations_from(self, ids: Iterable[str]) -> Iterator[StoredRelation]:
        """The relations that begin at one of the entities."""
        return starmap(StoredRelation, self._relations_at(tables.relations.c.source, ids))

    def relations_to(self, ids: Iterable[str]) -> Iterator[StoredRelation]:
        """The relations that end at one of the entities."""
        return starmap(StoredRelation, self._relations_at(tables.relations.c.target, ids))

    def related_to(self, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Both ends of each of the ``relations_to`` the entities."""
        return self._relations_at(tables.relations.c.target, ids, "source", "target")

    def _relations_at(
        self, end: ColumnElement[str], ids: Iterable[str], *columns: str
    ) -> Iterator[Any]:
        table = tables.relations.c
        shown = self._said_of(table.id, tables.relation_passages)
        query = select(*(table[name] for name in columns or table.keys())).where(*shown)
        return plain_rows_with(self._engine, query, end, ids)

    def heaviest_of(
        self, ids: Iterable[str], most: int | None = None
    ) -> dict[str, list[StoredRelation]]:
        """The relations at each entity, the heaviest first, then by id; ``most`` at either end."""
        table, ids = tables.relations, list(ids)
        query = select(table).where(*self._said_of(table.c.id, tables.relation_passages))
        order = (table.c.weight.desc(), table.c.id)
        found: defaultdict[str, set[StoredRelation]] = defaultdict(set)
        for end in (table.c.source, table.c.target):
            for row in first_rows_with(self._engine, query, end, ids, most, order):
                found[getattr(row, end.name)].add(StoredRelation(*row[:5]))
        return {
            id: sorted(relations, key=lambda one: (-one.weight, one.id))[:most]
            for id, relations in found.items()
        }

    def passages_of(
        self, ids: Iterable[str], most: int | None = None, among: Sequence[str] | None = None
    ) -> dict[str, list[str]]:
        """The ids of the passages that speak of each entity: the first ``most``, or ``among``."""
        table = tables.entity_passages
        query = select(table).where(*self._said_in(table.c.passage))
        if among is not None:
            query = query.where(is_one_of(self._engine, table.c.passage, among))
        found = first_rows_with(
            self._engine, query, table.c.entity, ids, most, tuple(table.primary_key)
        )
        return _grouped(row[:2] for row in found)

    def names_in(self, passages: Iterable[str]) -> dict[str, list[str]]:
        """The names of the entities that each passage speaks of, by its id."""
        table, entities = tables.entity_passages, tables.entities
        query = (
            select(table.c.passage, entities.c.name)
            .join(entities, entities.c.id == table.c.entity)
            .where(*self._said_in(table.c.passage))
            .order_by(table.c.passage, entities.c.name)
        )
        return _grouped(rows_with(self._engine, query, table.c.passage, passages))

    def relation_passages_of(
        self, relations: Iterable[str], most: int | None = None
    ) -> dict[str, list[str]]:
        """The ids of the passages that state each relation, the first ``most`` of each."""
        table = tables.relation_passages
        query = select(table).where(*self._said_in(table.c.passage))
        found = first_rows_with(
            self._engine, query, table.c.relation, relations, most, tuple(table.primary_key)
        )
        return _grouped(row[:2] for row in found)

    def spans_in(self, passages: Iterable[str]) -> Iterator[tuple[str, int, int, str]]:
        """Where each of ``passages`` names entities, with the name of each: passage, start, end."""
        table, entities = tables.mentions, tables.entities
        query = (
            select(table.c.passage, table.c.start, table.c.end, entities.c.name)
            .join(entities, entities.c.id == table.c.entity)
            .where(*self._said_in(table.c.passage))
            .order_by(*table.primary_key.columns)
        )
        return map(tuple, rows_with(self._engine, query, table.c.passage, passages))

    def naming(self, passages: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """Each passage that names entities, with a text of where it does, and of their names.

        Of ``passages`` alone, if they are given.
        """
        table, name = tables.mentions.c, tables.entities.c.name
        place = sql.cast(table.start, sql.String) + " " + sql.cast(table.end, sql.String) + " "
        query = (
            select(table.passage, func.aggregate_strings(place + name, "\n"))
            .join(tables.entities, tables.entities.c.id == table.entity)
            .where(*self._said_in(table.passage))
            .group_by(table.passage)
        )  # the places of a passage come in any order
        found = rows_with(self._engine, query, table.passage, passages)
        return ((id, "\n".join(sorted(places.split("\n")))) for id, places in found)

    def mentions_of(self, passages: Iterable[str]) -> list[EntityMention]:
        """Where the texts of passages name entities, by passage and place."""
        table = tables.mentions
        query = select(table).where(*self._said_in(table.c.passage))
        found = [
            EntityMention(row.entity, row.passage, row.start, row.end)
            for row in rows_with(self._engine, query, table.c.passage, passages)
        ]
        return sorted(found, key=lambda one: (one.passage, one.start, one.end, one.entity))

    def claims_of(self, ids: Iterable[str]) -> list[EntityClaim]:
        """The claims about the entities, by id."""
        table = tables.claims
        query = select(table).where(*self._said_in(table.c.passage))
        found = [
            EntityClaim(row.id, row.subject, row.object, row.passage, json.loads(row.claim))
            for row in rows_with(self._engine, query, table.c.subject, ids)
        ]
        return sorted(found, key=lambda claim: claim.id)

    def largest(self, most: int, containing: str = "") -> list[tuple[StoredEntity, int]]:
        """At most ``most`` entities with the number of their passages, the largest first.

        One of the entity's normalised names must contain the text ``containing``.
        """
        entities, aliases = tables.entities, tables.aliases
        query = _SIZED.order_by(_SPREAD.desc(), entities.c.name, entities.c.id).limit(most)
        if containing:
            fitting = select(aliases.c.entity).where(
                aliases.c.name.contains(containing, autoescape=True)
            )
            query = query.where(entities.c.id.in_(fitting))
        return [(self._entity(row), row.spread) for row in rows(self._engine, query)]

    def largest_of(self, ids: Sequence[str], most: int) -> list[tuple[StoredEntity, int]]:
        """Entities with the numbers of their passages, at most ``most``, the largest first."""
        found = rows_with(self._engine, _SIZED, tables.entities.c.id, ids)
        sized = [(self._entity(row), int(row.spread)) for row in found]
        return sorted(sized, key=lambda pair: (-pair[1], pair[0].name, pair[0].id))[:most]

    def all_entities(self) -> Iterator[StoredEntity]:
        """Every entity, by id."""
        shown = self._said_of(tables.entities.c.id, tables.entity_passages)
        query = select(tables.entities).where(*shown).order_by(tables.entities.c.id)
        return map(self._entity, rows(self._engine, query))

    def all_relations(self) -> Iterator[StoredRelation]:
        """Every relation, by id."""
        shown = self._said_of(tables.relations.c.id, tables.relation_passages)
        query = select(tables.relations).where(*shown).order_by(tables.relations.c.id)
        return starmap(StoredRelation, rows(self._engine, query))

    def all_aliases(self) -> Iterator[tuple[str, str]]:
        """Every entity with each of its spellings, the most frequent first."""
        table = tables.aliases.c
        query = select(table.entity, table.spelling).order_by(table.entity, table.place)
        return ((entity, spelling) for entity, spelling in rows(self._engine, query))

    def all_passages(self) -> Iterator[tuple[str, str]]:
        """Every entity with each of the passages that speak of it, in order."""
        pairs = tables.entity_passages
        query = select(pairs.c.entity, pairs.c.passage).order_by(*pairs.primary_key.columns)
        return ((entity, passage) for entity, passage in rows(self._engine, query))

    def all_mentions(self) -> Iterator[EntityMention]:
        """Every mention of an entity in a text."""
        query = select(*(tables.mentions.c[name] for name in EntityMention._fields))
        return starmap(EntityMention, rows(self._engine, query))

    def merges(self) -> list[Merge]:
        """The merges of names into one entity, each with its reason."""
        table = tables.merges
        query = select(table).order_by(*(table.c[name] for name in Merge._fields))
        return [Merge(*row[1:]) for row in rows(self._engine, query)]

    def counts(self) -> dict[str, int]:
        """The numbers of entities, relations, claims, merges and corrections, by these names."""
        counted = [tables.entities, tables.relations, tables.claims]
        counted += [tables.merges, tables.corrections]
        return {table.name: count_rows(self._engine, table) for table in counted}

    def count(self) -> int:
        return count_rows(self._engine, tables.entities)

    def undescribed(self, described_too: bool = False) -> dict[str, list[str]]:
        """The several descriptions of each entity that awaits one in their place, by id.

        With ``described_too``, of each entity that has several.
        """
        table, entities = tables.descriptions.c, tables.entities.c
        query = select(table.entity, table.text).order_by(table.entity, table.place)
        if not described_too:
            query = query.where(table.entity.in_(select(entities.id).where(entities.pending)))
        return _grouped(rows(self._engine, query))

    def describe(self, descriptions: Mapping[str, str]) -> None:
        """Gives entities, by id, the one description that they await."""
        changes = {id: {"description": text, "pending": False} for id, text in descriptions.items()}
        with self._engine.begin() as connection:
            update_rows(connection, tables.entities, changes)
            note_untold(connection, changes)
            note_unembedded(connection, [{"id": id} for id in changes])

    def corrections(self) -> list[Correction]:
        """The corrections by people, the earliest first."""
        return list(self.numbered_corrections().values())

    def numbered_corrections(self) -> dict[int, Correction]:
        """The corrections by people by their numbers, the earliest first."""
        query = select(tables.corrections).order_by(tables.corrections.c.number)
        return {row[0]: Correction(*row[1:]) for row in rows(self._engine, query)}

    def withdraw(self, number: int) -> None:
        """Deletes correction ``number``, if it exists."""
        with self._engine.begin() as connection:
            delete_with(connection, tables.corrections.c.number, [number])

    def correct(self, action: Literal["merge", "split"], a: str, b: str) -> int:
        """Records that ``a`` is another name of ``b``, or is not; names or ids.

        It takes the place of an earlier correction about the two. Returns its number.
        """
        table = tables.corrections
        same = sql.tuple_(table.c.a, table.c.b).in_([(a, b), (b, a)])
        with self._engine.begin() as connection:
            connection.execute(delete(table).where(same))
            new = table.insert().values(action=action, a=a, b=b).returning(table.c.number)
            number: int = connection.execute(new).scalar_one()
        return number


def _grouped(pairs: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Second values, in the order of ``pairs``, by first ones in ascending order."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for first, second in pairs:
        found[first].append(second)
    return dict(sorted(found.items()))
