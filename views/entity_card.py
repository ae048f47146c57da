"""All that is known of one entity, with the places that say it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..algorithms.tog2.walk import EntityEdge
from ..index.layers import ENTITIES, built_layers
from ..index.opening import Index
from ..index.triple_sources import sources_of
from ..language.claims import told_claim
from ..state.entities import EntityClaim
from ..state.errors import RagraphsError
from ..state.records import Passage
from ..stores.entities import StoredEntity, StoredRelation
from .quotation import quoted, shown

_MOST_RELATIONS = 100
_MOST_PASSAGES = 50


def entity_card(index: Index, id: str) -> dict[str, Any]:
    """The entity's names, relations, claims, passages, communities and merges. Blocks.

    Relations and claims come with the sentence that states them; ``told`` is a claim with its
    status and dates. There are at most 100 relations, the heaviest, and 50 passages;
    ``relation_count`` and ``passage_count`` tell of how many.
    Raises RagraphsError where there is no such entity.
    """
    ENTITIES.stamp(index)
    store = index.entities
    entity = store.get([id]).get(id)
    if entity is None:
        raise RagraphsError("There is no such entity any more; search for it by its name.")
    relations = store.heaviest_of([id]).get(id, [])
    spoken = store.passages_of([id]).get(id, [])
    return {
        **entity._asdict(),
        "aliases": store.aliases_of([id]).get(id, []),
        "relations": _relations(index, relations[:_MOST_RELATIONS]),
        "relation_count": len(relations),
        "claims": _claims(index, store.claims_of([id])),
        "passages": [shown(one) for one in index.catalogue.passages(spoken[:_MOST_PASSAGES])],
        "passage_count": len(spoken),
        "communities": _communities(index, id),
        "merges": [one._asdict() for one in store.merges() if one.kept_id == id],
    }


def _relations(index: Index, relations: Iterable[StoredRelation]) -> list[dict[str, Any]]:
    relations = list(relations)
    names = index.entities.get({end for one in relations for end in (one.source, one.target)})
    edges = (
        EntityEdge(one.id, one.source, one.relation, one.target, one.weight) for one in relations
    )
    sources = sources_of(index, edges)
    passages = _by_id(index, (source.passage for source in sources.values()))
    return [
        {
            "source": one.source,
            "source_name": _name(names, one.source),
            "relation": one.relation,
            "target": one.target,
            "target_name": _name(names, one.target),
            "weight": round(one.weight, 4),
            "citation": quoted(passages[sources[one.id].passage], sources[one.id].text)
            if one.id in sources
            else None,
        }
        for one in relations
    ]


def _name(names: Mapping[str, StoredEntity], id: str) -> str:
    return names[id].name if id in names else ""


def _claims(index: Index, claims: list[EntityClaim]) -> list[dict[str, Any]]:
    passages = _by_id(index, (one.passage for one in claims))
    return [
        {
            **dict(one.claim),
            "told": told_claim(one.claim),
            "citation": quoted(passages[one.passage], one.claim["quote"])
            if one.passage in passages
            else None,
        }
        for one in claims
    ]


def _communities(index: Index, id: str) -> list[dict[str, Any]]:
    """The communities that an entity is in, from the root down."""
    if "communities" not in built_layers(index):
        return []
    ids = [community for community, _ in index.communities.communities_of([id])]
    found = sorted(index.communities.get(ids).values(), key=lambda one: (one.level, one.id))
    return [
        {"id": one.id, "level": one.level, "title": one.report["title"] if one.report else ""}
        for one in found
    ]


def _by_id(index: Index, ids: Iterable[str]) -> dict[str, Passage]:
    wanted = list(dict.fromkeys(ids))
    return {passage["id"]: passage for passage in index.catalogue.passages(wanted)}
