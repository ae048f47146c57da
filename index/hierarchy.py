"""The hierarchy of an index's entities, and the one that is to take its place (GraphRAG)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..algorithms.graphrag.communities import Membership, find_communities, remembered
from ..models.protocol import OFFLINE
from ..stores.communities import BEGUN
from ..stores.untold import UNTOLD
from .layers import COMMUNITIES, ENTITIES, HIERARCHY
from .opening import Index
from .prompt_words import known_as

_CLUSTERING = "2"  # to be raised when the same entities give other communities, or other rows
_FOUND_BY = "hierarchy_by"  # property: the reader that found the entities of the hierarchy
_HIERARCHY = "hierarchy"  # property: the place of each entity in it, for the next to start from
_BESIDE = {name: f"{name}_beside" for name in (_HIERARCHY, _FOUND_BY)}
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
    entities = [entity.id for entity in index.entities.all_entities()]
    weights = _weights(index)
    reader, before = index.catalogue.properties("reader", _FOUND_BY)
    afresh = afresh or (reader == OFFLINE and before != known_as(reader))
    stored = {} if afresh else index.catalogue.property(_HIERARCHY) or {}
    previous = {id: Membership(*map(tuple, known)) for id, known in stored.items()}
    communities = find_communities(entities, weights, max_cluster_size=size, previous=previous)
    made = {_HIERARCHY: remembered(communities, weights), _FOUND_BY: known_as(reader)}
    if COMMUNITIES.is_built(index):
        # Reports beside that an interrupted run wrote may tell of what was then.
        interrupted = {UNTOLD: None} if is_begun(index) else {}
        made = {_BESIDE[name]: value for name, value in made.items()}
        index.communities.beside.replace(communities, {BEGUN: stamp, **made, **interrupted})
    else:
        recorded = {HIERARCHY.kept_as: stamp, WRITTEN: uuid.uuid4().hex}
        index.communities.replace(communities, made | recorded)
    HIERARCHY.log(time.monotonic() - started, {"communities": len(communities)})


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
        **left,
    }
    index.communities.take_place(recorded, {beside: name for name, beside in _BESIDE.items()})


def _give_up_begun(index: Index) -> None:
    """Deletes the hierarchy beside, since the one in use is of the same entities again."""
    if is_begun(index):
        index.communities.give_up_beside(_BESIDE.values())


def _weights(index: Index) -> dict[tuple[str, str], float]:
    """How strongly two entities are related: the sum of their relations' weights."""
    weights: dict[tuple[str, str], float] = {}
    for relation in index.entities.all_relations():
        a, b = sorted((relation.source, relation.target))
        if a != b:
            weights[a, b] = round(weights.get((a, b), 0.0) + relation.weight, 9)
    return weights
