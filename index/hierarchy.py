"""The hierarchy of an index's entities, and the one that is to take its place (GraphRAG)."""

from __future__ import annotations

import time
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algorithms.graphrag.communities import Previous, Weights, find_communities
from ..algorithms.graphrag.communities_near import communities_near
from ..models.protocol import OFFLINE
from ..state.reports import Community
from ..stores.communities import BEGUN
from ..stores.degrees import DEGREES
from ..stores.entities import StoredRelation
from ..stores.untold import UNCLUSTERED, UNEMBEDDED_REPORTS, UNTOLD, nothing_untold
from .layers import COMMUNITIES, ENTITIES, HIERARCHY
from .opening import Index
from .prompt_words import known_as

_CLUSTERING = "2"  # to be raised when the same entities give other communities, or other rows
_FOUND_BY = "hierarchy_by"  # property: the reader that found the entities of the hierarchy
_KEPT = "hierarchy"  # property of earlier versions
_SHARE = 10  # of the entities may change that part for communities near them to be enough
_SAME = 1e-3  # of the sum of all weights, which databases add in orders of their own
WRITTEN = "communities_written"  # property: another one whenever they, or their reports, changed


def detect_communities(index: Index, afresh: bool = False) -> None:
    """Makes the communities anew, if the entities have changed since. Blocks.

    They start from what they were, so that a small change touches few of them, unless ``afresh``,
    or an earlier version of the offline reader has found the entities. Where there are reports
    already, they stand beside those in use until they have reports too.
    """
    size = index.catalogue.property("clustering")["max_cluster_size"]
    stamp = HIERARCHY.stamp_of(_CLUSTERING, ENTITIES.stamp(index), size)
    if not afresh and index.catalogue.property(BEGUN) == stamp:
        return
    if not afresh and HIERARCHY.is_current(index, stamp):
        _give_up_begun(index)
        return
    started = time.monotonic()
    reader, before = index.catalogue.properties("reader", _FOUND_BY)
    afresh = afresh or (reader == OFFLINE and before != known_as(reader))
    former, communities = _found(index, size, afresh)
    if COMMUNITIES.is_built(index):
        # Reports beside that an interrupted run wrote may tell of what was then.
        interrupted = {UNTOLD: None} if is_begun(index) else {}
        made = {BEGUN: stamp, **interrupted}
        index.communities.beside.replace(communities, made, former=former)
    else:
        others = {WRITTEN: uuid.uuid4().hex, UNEMBEDDED_REPORTS: None}
        made = {HIERARCHY.kept_as: stamp, **others, **_as_found(index)}
        index.communities.replace(communities, made)
    HIERARCHY.log(time.monotonic() - started, {"communities": len(communities)})


def _found(index: Index, size: int, afresh: bool) -> tuple[set[str] | None, list[Community]]:
    """The communities, or those in the place of ``former`` ones, where these are known."""
    unclustered = None if afresh else index.catalogue.property(UNCLUSTERED)
    touched: list[str] = unclustered["entities"] if unclustered else []
    if unclustered and unclustered["made_by"] == size and COMMUNITIES.is_built(index):
        few = _SHARE * len(touched) <= index.entities.count()
        if few:
            there = index.entities.get(touched)
            return communities_near(set(touched), there, _ClusteredIndex(index), size)
    entities = [entity.id for entity in index.entities.all_entities()]
    weights = _weights(index.entities.all_relations())
    previous = None
    if not afresh and HIERARCHY.is_built(index):
        previous = Previous(index.communities.paths_of(), frozenset(touched))
    return None, find_communities(entities, weights, max_cluster_size=size, previous=previous)


def _as_found(index: Index) -> dict[str, Any]:
    """The properties of a hierarchy of the entities that there are."""
    reader, clustering = index.catalogue.properties("reader", "clustering")
    all_found = nothing_untold(clustering["max_cluster_size"])
    # Earlier versions have kept the whole hierarchy once more.
    emptied = {_KEPT: None, f"{_KEPT}_beside": None, f"{_FOUND_BY}_beside": None}
    return {_FOUND_BY: known_as(reader), UNCLUSTERED: all_found, **emptied}


class _ClusteredIndex:
    """The hierarchy in use of an index, and its graph of entities. All methods block."""

    def __init__(self, index: Index) -> None:
        self._entities, self._communities = index.entities, index.communities
        self._catalogue = index.catalogue
        self._total = self._communities.total_weight()

    def paths(self, entities: Iterable[str]) -> Mapping[str, Sequence[str]]:
        return self._communities.paths_of(entities)

    def members(self, communities: Iterable[str]) -> Mapping[str, Sequence[str]]:
        members: defaultdict[str, list[str]] = defaultdict(list)
        for community, entity in self._communities.members(communities):
            members[community].append(entity)
        return members

    def parts(self, communities: Iterable[str]) -> Mapping[str, Sequence[str]]:
        return self.members(self._communities.children_of(communities))

    def sizes(self, communities: Iterable[str]) -> Mapping[str, int]:
        return self._communities.sizes_of(communities)

    def weights(self, entities: Iterable[str]) -> Weights:
        return _weights(self._entities.relations_of(entities))

    def weights_within(self, entities: Collection[str]) -> Weights:
        found = self._entities.relations_from(entities)
        return _weights(sorted(one for one in found if one.target in entities))

    def degrees(self, communities: Iterable[str]) -> Mapping[str, float]:
        wanted, kept = set(communities), self._catalogue.property(DEGREES)
        known: dict[str, float] = {}
        if kept and abs(kept["total"] - self._total) < _SAME:  # else another version has changed it
            known = kept["of"]
        if missing := wanted - known.keys():
            known |= self._communities.degrees_of(missing)
            self._catalogue.set_property(DEGREES, {"total": self._total, "of": known})
        return {id: known[id] for id in wanted}

    def total(self) -> float:
        return self._total


def is_begun(index: Index) -> bool:
    """Whether another hierarchy stands beside the one in use, and awaits its reports. Blocks."""
    return index.catalogue.property(BEGUN) is not None


def as_reported(index: Index) -> Index:
    """The index as a writer of reports sees it: with the hierarchy beside, if there is one. Blocks.

    The communities of any other index are those in use.
    """
    return replace(index, communities=index.communities.beside) if is_begun(index) else index


def stamp_as_reported(index: Index) -> str:
    """The stamp of the hierarchy that is to be reported on. Blocks."""
    return index.catalogue.property(BEGUN) or HIERARCHY.stamp(index)


def put_in_use(index: Index, reported: str, left: Mapping[str, Any]) -> None:
    """Puts the hierarchy beside, with its reports, in use; readers see the old or the new one.

    ``reported`` is the stamp of its reports, ``left`` the property of what they lack. Blocks.
    """
    recorded = {
        HIERARCHY.kept_as: index.catalogue.property(BEGUN),
        COMMUNITIES.kept_as: reported,
        WRITTEN: uuid.uuid4().hex,
        **_as_found(index),
        **left,
    }
    index.communities.take_place(recorded)


def _give_up_begun(index: Index) -> None:
    """Deletes the hierarchy beside, since the one in use is of the same entities again."""
    if is_begun(index):
        index.communities.give_up_beside()


def _weights(relations: Iterable[StoredRelation]) -> dict[tuple[str, str], float]:
    """How strongly two entities are related: the sum of their relations' weights."""
    weights: dict[tuple[str, str], float] = {}
    for relation in relations:
        a, b = sorted((relation.source, relation.target))
        if a != b:
            weights[a, b] = round(weights.get((a, b), 0.0) + relation.weight, 9)
    return weights
