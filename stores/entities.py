"""The entities of an index, what relates them, and what people corrected about them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Engine, Select, Table, bindparam, delete, func, or_, select

from ..language.mentions import normalised
from ..state.entities import Correction, Entity, EntityClaim, EntityGraph, EntityMention, Merge
from . import schema
from .catalogue import batches

_BATCH = 500
_ROWS = 10_000


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


class EntityStore:
    """Entities, relations, claims and merges of one index, and its corrections.

    All methods block, are safe to call from several threads, and ask for many ids at once; ids that
    there are not are left out.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def replace(self, graph: EntityGraph) -> None:
        """Puts ``graph`` in the place of all there is but corrections, in one transaction."""
        with self._engine.begin() as connection:
            for table in _DERIVED:
                connection.execute(delete(table))
            for table, rows in _rows(graph):
                for batch in batches(rows, _ROWS):
                    connection.execute(table.insert(), batch)

    def get(self, ids: Iterable[str]) -> dict[str, StoredEntity]:
        """Entities by id, in the order of ``ids``."""
        ids = list(ids)
        table = schema.entities
        found = {row.id: _entity(row) for row in self._where(select(table), table.c.id, ids)}
        return {id: found[id] for id in ids if id in found}

    def named(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The ids of the entities that bear each of the normalised ``names``, homonyms by id."""
        table = schema.aliases
        query = select(table.c.name, table.c.entity)
        return _grouped(self._where(query, table.c.name, names))

    def aliases_of(self, ids: Iterable[str]) -> dict[str, list[str]]:
        """All spellings of each entity, the most frequent first."""
        table = schema.aliases
        query = select(table.c.entity, table.c.spelling).order_by(table.c.entity, table.c.place)
        found: defaultdict[str, list[str]] = defaultdict(list)
        for entity, spelling in self._where(query, table.c.entity, ids):
            found[entity].append(spelling)
        return dict(found)

    def relations_of(self, ids: Iterable[str]) -> list[StoredRelation]:
        """The relations that begin or end at one of the entities, each once, by id."""
        table = schema.relations
        found: dict[str, StoredRelation] = {}
        with self._engine.connect() as connection:
            for batch in batches(dict.fromkeys(ids), _BATCH):
                ends = or_(table.c.source.in_(batch), table.c.target.in_(batch))
                for row in connection.execute(select(table).where(ends)):
                    found[row.id] = StoredRelation(*row)
        return [found[id] for id in sorted(found)]

    def passages_of(self, ids: Iterable[str]) -> dict[str, list[str]]:
        """The ids of the passages that speak of each entity."""
        table = schema.entity_passages
        return _grouped(self._where(select(table), table.c.entity, ids))

    def relation_passages_of(self, relations: Iterable[str]) -> dict[str, list[str]]:
        """The ids of the passages that state each relation."""
        table = schema.relation_passages
        return _grouped(self._where(select(table), table.c.relation, relations))

    def mentions_of(self, passages: Iterable[str]) -> list[EntityMention]:
        """Where the texts of passages name entities, by passage and place."""
        table = schema.mentions
        found = [
            EntityMention(row.entity, row.passage, row.start, row.end)
            for row in self._where(select(table), table.c.passage, passages)
        ]
        return sorted(found, key=lambda one: (one.passage, one.start, one.end, one.entity))

    def claims_of(self, ids: Iterable[str]) -> list[EntityClaim]:
        """The claims about the entities, by id."""
        table = schema.claims
        found = [
            EntityClaim(row.id, row.subject, row.object, row.passage, json.loads(row.claim))
            for row in self._where(select(table), table.c.subject, ids)
        ]
        return sorted(found, key=lambda claim: claim.id)

    def largest(self, most: int, containing: str = "") -> list[tuple[StoredEntity, int]]:
        """Entities with the number of passages that speak of them, the most spoken of first.

        Only those one of whose names, normalised, has the text ``containing`` in it.
        """
        entities, pairs, aliases = schema.entities, schema.entity_passages, schema.aliases
        spread = func.count(pairs.c.passage)
        query = (
            select(entities, spread.label("spread"))
            .outerjoin(pairs, pairs.c.entity == entities.c.id)
            .group_by(entities.c.id)
            .order_by(spread.desc(), entities.c.name, entities.c.id)
            .limit(most)
        )
        if containing:
            fitting = select(aliases.c.entity).where(
                aliases.c.name.contains(containing, autoescape=True)
            )
            query = query.where(entities.c.id.in_(fitting))
        return [(_entity(row), row.spread) for row in self._all(query)]

    def all_entities(self) -> Iterator[StoredEntity]:
        """Every entity, by id."""
        table = schema.entities
        for row in self._all(select(table).order_by(table.c.id)):
            yield _entity(row)

    def all_relations(self) -> Iterator[StoredRelation]:
        """Every relation, by id."""
        table = schema.relations
        for row in self._all(select(table).order_by(table.c.id)):
            yield StoredRelation(*row)

    def merges(self) -> list[Merge]:
        """What was taken for one entity, and why."""
        table = schema.merges
        return [Merge(*row[1:]) for row in self._all(select(table).order_by(table.c.number))]

    def counts(self) -> dict[str, int]:
        """How many entities, relations, claims, merges and corrections there are."""
        tables = (
            schema.entities,
            schema.relations,
            schema.claims,
            schema.merges,
            schema.corrections,
        )
        with self._engine.connect() as connection:
            return {
                table.name: connection.scalar(select(func.count()).select_from(table)) or 0
                for table in tables
            }

    def undescribed(self, described_too: bool = False) -> dict[str, list[str]]:
        """The ids of the entities that await one description in place of several, with these.

        With ``described_too``, of all that have several.
        """
        table, pending = schema.descriptions, schema.entities
        query = (
            select(table.c.entity, table.c.text)
            .join(pending, pending.c.id == table.c.entity)
            .where(pending.c.pending | described_too)
            .order_by(table.c.entity, table.c.place)
        )
        found: defaultdict[str, list[str]] = defaultdict(list)
        for entity, text in self._all(query):
            found[entity].append(text)
        return dict(found)

    def describe(self, descriptions: Mapping[str, str]) -> None:
        """Gives entities, by id, the one description that they awaited."""
        if not descriptions:
            return
        table = schema.entities
        statement = (
            table.update()
            .where(table.c.id == bindparam("at"))
            .values(description=bindparam("text"), pending=False)
        )
        with self._engine.begin() as connection:
            rows = [{"at": id, "text": text} for id, text in descriptions.items()]
            connection.execute(statement, rows)

    def corrections(self) -> list[Correction]:
        """What people decided, in the order of deciding."""
        table = schema.corrections
        return [Correction(*row[1:]) for row in self._all(select(table).order_by(table.c.number))]

    def correct(self, action: Literal["merge", "split"], a: str, b: str) -> None:
        """Records that ``a`` is another name of ``b``, or is not; names or ids.

        It takes the place of what was decided about the two before.
        """
        table = schema.corrections
        with self._engine.begin() as connection:
            _forget(connection, a, b)
            connection.execute(table.insert().values(action=action, a=a, b=b))

    def _where(self, query: Select[Any], column: Any, values: Iterable[str]) -> Iterator[Any]:
        with self._engine.connect() as connection:
            for batch in batches(dict.fromkeys(values), _BATCH):
                yield from connection.execute(query.where(column.in_(batch)))

    def _all(self, query: Select[Any]) -> Iterator[Any]:
        with self._engine.connect() as connection:
            yield from connection.execution_options(yield_per=_ROWS).execute(query)


_DERIVED = (
    schema.entities,
    schema.descriptions,
    schema.aliases,
    schema.entity_passages,
    schema.mentions,
    schema.relations,
    schema.relation_passages,
    schema.claims,
    schema.merges,
)


def _rows(graph: EntityGraph) -> Iterator[tuple[Table, Iterator[dict[str, Any]]]]:
    """What each table holds of ``graph``."""
    yield schema.entities, map(_entity_row, graph.entities)
    yield (
        schema.descriptions,
        (
            {"entity": entity.id, "place": place, "text": text}
            for entity in graph.entities
            if len(entity.descriptions) > 1
            for place, text in enumerate(entity.descriptions)
        ),
    )
    yield (
        schema.aliases,
        (
            {"entity": entity.id, "place": place, "spelling": alias, "name": normalised(alias)}
            for entity in graph.entities
            for place, alias in enumerate(entity.aliases)
        ),
    )
    yield schema.entity_passages, _pairs("entity", graph.entities)
    yield schema.mentions, (mention._asdict() for mention in graph.mentions)
    yield (
        schema.relations,
        (StoredRelation(*relation[:5])._asdict() for relation in graph.relations),
    )
    yield schema.relation_passages, _pairs("relation", graph.relations)
    yield (
        schema.claims,
        (
            claim._asdict() | {"claim": json.dumps(claim.claim, ensure_ascii=False)}
            for claim in graph.claims
        ),
    )
    yield schema.merges, (merge._asdict() for merge in graph.merges)


def _entity_row(entity: Entity) -> dict[str, Any]:
    return {
        "id": entity.id,
        "name": entity.name,
        "type": entity.type,
        "description": next(iter(entity.descriptions), ""),
        "pending": len(entity.descriptions) > 1,
    }


def _pairs(name: str, items: Iterable[Any]) -> Iterator[dict[str, Any]]:
    return ({name: item.id, "passage": passage} for item in items for passage in item.passages)


def _entity(row: Any) -> StoredEntity:
    return StoredEntity(row.id, row.name, row.type, row.description)


def _grouped(rows: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Distinct second values by first, in order."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for first, second in rows:
        found[first].add(second)
    return {first: sorted(seconds) for first, seconds in sorted(found.items())}


def _forget(connection: Connection, a: str, b: str) -> None:
    table = schema.corrections
    pair = (table.c.a == a) & (table.c.b == b)
    turned = (table.c.a == b) & (table.c.b == a)
    connection.execute(delete(table).where(pair | turned))
