"""The rows of all tables that hold a graph of entities."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import Any, TypeAlias

from sqlalchemy import Column, Connection, Engine, Table, select

from ..language.mentions import normalised
from ..state.entities import Entity, EntityGraph, Relation
from . import tables
from .queries import batches, rows_with

Described: TypeAlias = Mapping[tuple[str, str, str, tuple[str, ...]], str]
"""The one description of entities by id, name, type and their several descriptions."""
Changed: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]] | None]
"""The rows of each table that went, and then those that came; None where all did."""
_SAME = 1e-6  # by which part a weight may differ that is the same
_TELLING = {
    "entities": ["id"],
    "entity_passages": ["entity"],
    "relations": ["source", "target"],
    "claims": ["subject"],
}  # the columns of a table that hold the entities of which it tells
OWNERS: Mapping[str, Sequence[Column[Any]]] = {
    "entities": [tables.entities.c.id],
    "descriptions": [tables.descriptions.c.entity],
    "aliases": [tables.aliases.c.entity],
    "entity_passages": [tables.entity_passages.c.entity],
    "mentions": [tables.mentions.c.passage],
    "relations": [tables.relations.c.id],
    "relation_passages": [tables.relation_passages.c.relation],
    "merges": [tables.merges.c.kept_id, tables.merges.c.merged_id],
}  # the columns of a table of which one holds the owner of a row
_OF_RELATION = ("id", "source", "target", "relation", "weight")


def described_in(engine: Engine, ids: Iterable[str] | None = None) -> Described:
    """The one description of entities that have several, or of some, by what it rests on."""
    table, texts = tables.entities, tables.descriptions
    query = (
        select(table.c.id, table.c.name, table.c.type, table.c.description, texts.c.text)
        .join(texts, texts.c.entity == table.c.id)
        .where(~table.c.pending)
        .order_by(table.c.id, texts.c.place)
    )
    groups = groupby(rows_with(engine, query, table.c.id, ids), key=lambda row: tuple(row[:4]))
    return {
        (id, name, type, tuple(row.text for row in own)): description
        for (id, name, type, description), own in groups
    }


def rows_of_graph(
    graph: EntityGraph, described: Described
) -> Iterator[tuple[Table, Iterator[dict[str, Any]]]]:
    """Each table with the rows that make it hold ``graph``."""
    yield tables.entities, (_entity_row(entity, described) for entity in graph.entities)
    yield (
        tables.descriptions,
        (
            {"entity": entity.id, "place": place, "text": text}
            for entity in graph.entities
            if len(entity.descriptions) > 1
            for place, text in enumerate(entity.descriptions)
        ),
    )
    yield (
        tables.aliases,
        (
            {"entity": entity.id, "place": place, "spelling": alias, "name": normalised(alias)}
            for entity in graph.entities
            for place, alias in enumerate(entity.aliases)
        ),
    )
    yield tables.entity_passages, _pairs("entity", graph.entities)
    yield tables.mentions, (mention._asdict() for mention in graph.mentions)
    yield (
        tables.relations,
        ({name: getattr(relation, name) for name in _OF_RELATION} for relation in graph.relations),
    )
    yield tables.relation_passages, _pairs("relation", graph.relations)
    yield (
        tables.claims,
        (
            claim._asdict() | {"claim": json.dumps(claim.claim, ensure_ascii=False)}
            for claim in graph.claims
        ),
    )
    yield tables.merges, (merge._asdict() for merge in dict.fromkeys(graph.merges))


def touched_by(changed: Changed, graph: EntityGraph) -> set[str] | None:
    """The entities of which other things are told since rows changed, by table, to ``graph``.

    None where all rows of a table did.
    """
    found: set[str] = set()
    for name, columns in _TELLING.items():
        if (rows := changed[name]) is None:
            return None
        found.update(row[column] for row in rows for column in columns)
    stated = changed[tables.relation_passages.name]
    if stated is None:
        return None
    again = {row["relation"] for row in stated}
    relations = [one for one in graph.relations if one.id in again] if again else []
    return found.union(*((one.source, one.target) for one in relations))


def named_otherwise(connection: Connection, changed: Changed) -> set[str] | None:
    """The passages that name other entities since rows changed, or the same ones by other names.

    None where all rows of a table changed.
    """
    entities, mentioned = changed[tables.entities.name], changed[tables.mentions.name]
    if entities is None or mentioned is None:
        return None
    names = {(row["id"], row["name"]) for row in entities}
    renamed = [id for id, count in Counter(id for id, _ in names).items() if count > 1]
    table = tables.mentions.c
    found = {row["passage"] for row in mentioned}
    for batch in batches(renamed):
        query = select(table.passage).where(table.entity.in_(batch))
        found.update(connection.scalars(query))
    return found


def related_otherwise(changed: Changed, all_of: EntityGraph | None = None) -> set[str] | None:
    """The entities that came or went with rows that changed, or have another relation.

    Where the graph is ``all_of`` it, the weights of most relations may have been divided by one
    number: those have changed that were not. None where all rows of a table changed.
    """
    entities, rows = changed[tables.entities.name], changed[tables.relations.name]
    if entities is None or rows is None:
        return None
    counts = Counter(row["id"] for row in entities)
    found = {id for id, count in counts.items() if count == 1}
    weights = defaultdict[str, list[float]](list)
    for row in rows:
        weights[row["id"]].append(row["weight"])
    ratios = {id: both[1] / both[0] for id, both in weights.items() if len(both) > 1 and both[0]}
    by, others = 1.0, list[Relation]()
    if all_of is not None and 2 * len(ratios) > len(all_of.relations):
        by = median(ratios.values())
        others = [one for one in all_of.relations if one.id not in weights and by != 1.0]
    same = {id for id, ratio in ratios.items() if abs(ratio / by - 1) < _SAME}
    ends = [(row["source"], row["target"]) for row in rows if row["id"] not in same]
    return found.union(*ends, *((one.source, one.target) for one in others))


def _entity_row(entity: Entity, described: Described) -> dict[str, Any]:
    told = entity.descriptions
    written = described.get((entity.id, entity.name, entity.type, told))
    return {
        "id": entity.id,
        "name": entity.name,
        "type": entity.type,
        "description": next(iter(told), "") if written is None else written,
        "pending": len(told) > 1 and written is None,
    }


def _pairs(name: str, items: Iterable[Any]) -> Iterator[dict[str, Any]]:
    return ({name: item.id, "passage": passage} for item in items for passage in item.passages)
