"""Looking up the entities of an index, and the merges that made them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..index.corrections import _meant
from ..index.layers import ENTITIES
from ..index.opening import Index
from ..language.mentions import normalised
from ..state.errors import RagraphsError
from ..stores.entities import StoredEntity
from ..stores.queries import batches

_MOST_RELATIONS = 200
_BATCH = 1000


def listed(index: Index, most: int, containing: str = "") -> list[dict[str, Any]]:
    """At most ``most`` entities, those that most passages speak of first. Blocks.

    Raises RagraphsError where there is no entities layer, or no such name.
    """
    ENTITIES.stamp(index)
    found = index.entities.largest(most, normalised(containing) or containing)
    if containing and not found:
        raise RagraphsError(f"No entity has {containing!r} in its name.")
    return [{**entity._asdict(), "passages": passages} for entity, passages in found]


def searched(index: Index, containing: str, most: int) -> list[dict[str, Any]]:
    """At most ``most`` entities with ``containing`` in a name: those called so first. Blocks.

    The others by the number of their passages. Raises RagraphsError without the layer.
    """
    ENTITIES.stamp(index)
    name, store = normalised(containing) or containing, index.entities
    exact = store.named([name]).get(name, [])[:most] if name else []
    passages = store.passages_of(exact)
    found = [
        {**entity._asdict(), "passages": len(passages.get(entity.id, ()))}
        for entity in store.get(exact).values()
    ]
    found.sort(key=lambda one: (-one["passages"], one["id"]))
    others = store.largest(most, name)
    found += [
        {**entity._asdict(), "passages": spread}
        for entity, spread in others
        if entity.id not in exact
    ]
    return found[:most]


def looked_up(index: Index, name: str) -> list[dict[str, Any]]:
    """The entities with this name or id: aliases, relations, claims and passages. Blocks.

    Raises RagraphsError where there is none.
    """
    found = index.entities.get(sorted(_meant(index, name)))
    return [
        {
            **entity._asdict(),
            "aliases": aliases,
            "relations": _relations(index, entity.id),
            "claims": [dict(claim.claim) for claim in index.entities.claims_of([entity.id])],
            "passages": index.catalogue.passages(passages),
        }
        for entity, aliases, passages in with_passages(index, found.values())
    ]


def with_passages(
    index: Index, entities: Iterable[StoredEntity]
) -> Iterator[tuple[StoredEntity, list[str], list[str]]]:
    """Each of ``entities`` with its aliases and the ids of the passages that mention it. Blocks."""
    for batch in batches(entities, _BATCH):
        ids = [entity.id for entity in batch]
        aliases, passages = index.entities.aliases_of(ids), index.entities.passages_of(ids)
        for entity in batch:
            yield entity, aliases.get(entity.id, []), passages.get(entity.id, [])


def merges(index: Index) -> list[dict[str, Any]]:
    """Every merge of names, with its reason. Blocks; raises RagraphsError without the layer."""
    ENTITIES.stamp(index)
    return [merge._asdict() for merge in index.entities.merges()]


def _relations(index: Index, entity: str) -> list[dict[str, Any]]:
    """The strongest relations of an entity, with the names of both ends."""
    store = index.entities
    found = sorted(store.relations_of([entity]), key=lambda one: (-one.weight, one.id))
    found = found[:_MOST_RELATIONS]
    names = store.get({end for one in found for end in (one.source, one.target)})
    return [
        {
            "source": names[one.source].name,
            "relation": one.relation,
            "target": names[one.target].name,
            "weight": round(one.weight, 4),
        }
        for one in found
    ]
