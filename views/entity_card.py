"""All that is known of one entity, with the places that say it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..algorithms.tog2.walk import EntityEdge
from ..index.layers import ENTITIES, built_layers
from ..index.opening import Index
from ..index.triple_sources import sources_of
from ..language.claims import told_claim
from ..state.entities import EntityClaim, Merge
from ..state.errors import RagraphsError
from ..state.records import Passage
from ..stores.entities import StoredEntity, StoredRelation
from ..stores.queries import batches
from .quotation import quoted, shown

_MOST_RELATIONS = 100
_MOST_PASSAGES = 50
_TOGETHER = 200


def entity_card(index: Index, id: str) -> dict[str, Any]:
    """The entity's names, relations, claims, passages, communities and merges. Blocks.

    Relations and claims come with the sentence that states them; ``told`` is a claim with its
    status and dates. There are at most 100 relations, the heaviest, and 50 passages;
    ``relation_count`` and ``passage_count`` tell of how many.
    Raises RagraphsError where there is no such entity.
    """
    ENTITIES.stamp(index)
    found = list(entity_cards(index, [id]))
    if not found:
        raise RagraphsError("There is no such entity any more; search for it by its name.")
    return found[0]


def entity_cards(index: Index, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Cards of the entities among ``ids``. Blocks."""
    merges: defaultdict[str, list[Merge]] = defaultdict(list)
    for one in index.entities.merges() if ids else ():
        merges[one.kept_id].append(one)
    for some in batches(ids, _TOGETHER):
        yield from _cards(index, some, merges)


def _cards(
    index: Index, ids: Sequence[str], merges: Mapping[str, Sequence[Merge]]
) -> Iterator[dict[str, Any]]:
    store = index.entities
    heaviest, spoken, aliases = (
        store.heaviest_of(ids),
        store.passages_of(ids),
        store.aliases_of(ids),
    )
    told = {one for found in heaviest.values() for one in found[:_MOST_RELATIONS]}
    relations = _relations(index, sorted(told))
    claims, communities = _claims(index, store.claims_of(ids)), _communities(index, ids)
    passages = _by_id(index, (one for found in spoken.values() for one in found[:_MOST_PASSAGES]))
    for id, entity in store.get(ids).items():
        near, said = heaviest.get(id, []), spoken.get(id, [])
        yield {
            **entity._asdict(),
            "aliases": aliases.get(id, []),
            "relations": [relations[one.id] for one in near[:_MOST_RELATIONS]],
            "relation_count": len(near),
            "claims": claims.get(id, []),
            "passages": [shown(passages[one]) for one in said[:_MOST_PASSAGES] if one in passages],
            "passage_count": len(said),
            "communities": communities.get(id, []),
            "merges": [one._asdict() for one in merges.get(id, ())],
        }


def _relations(index: Index, relations: Sequence[StoredRelation]) -> dict[str, dict[str, Any]]:
    """Relations by their ids, each with the names of both ends and the sentence that states it."""
    names = index.entities.get({end for one in relations for end in (one.source, one.target)})
    edges = (
        EntityEdge(one.id, one.source, one.relation, one.target, one.weight) for one in relations
    )
    sources = sources_of(index, edges)
    passages = _by_id(index, (source.passage for source in sources.values()))
    return {
        one.id: {
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
    }


def _name(names: Mapping[str, StoredEntity], id: str) -> str:
    return names[id].name if id in names else ""


def _claims(index: Index, claims: list[EntityClaim]) -> Mapping[str, list[dict[str, Any]]]:
    """Claims by the entities that they are about."""
    passages = _by_id(index, (one.passage for one in claims))
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in claims:
        known = passages.get(one.passage)
        cited = quoted(known, one.claim["quote"]) if known else None
        said = {**dict(one.claim), "told": told_claim(one.claim), "citation": cited}
        found[one.subject].append(said)
    return found


def _communities(index: Index, ids: Sequence[str]) -> Mapping[str, list[dict[str, Any]]]:
    """The communities that each entity is in, from the root down."""
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    if "communities" not in built_layers(index):
        return found
    pairs = index.communities.communities_of(ids)
    known = index.communities.get([community for community, _ in pairs])
    rooted = ((known[community], entity) for community, entity in pairs if community in known)
    for one, entity in sorted(rooted, key=lambda pair: (pair[0].level, pair[0].id)):
        title = one.report["title"] if one.report else ""
        found[entity].append({"id": one.id, "level": one.level, "title": title})
    return found


def _by_id(index: Index, ids: Iterable[str]) -> dict[str, Passage]:
    wanted = list(dict.fromkeys(ids))
    return {passage["id"]: passage for passage in index.catalogue.passages(wanted)}
