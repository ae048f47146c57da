"""The map of an index's communities: circles in circles, with the entities inside."""

from __future__ import annotations

import math
import random
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..index.layers import ENTITIES, HIERARCHY
from ..index.opening import CachedValue, Index
from ..stores.communities import StoredCommunity
from .circles import Circle, nested

if TYPE_CHECKING:
    import igraph

_MOST_CIRCLES = 3_000
_MOST_ENTITIES = 10_000
_MOST_EDGES = 30_000
_SPACE = 24.0  # to an entity, so that names are not over each other when they are shown
_MARGIN = 16.0
_GAP = 14.0
_ROUNDS = 200
_SMALL = 60
_PAIR = 2
_SEED = 0
_RANDOMNESS = threading.Lock()

Pair = tuple[str, str]


@dataclass(frozen=True)
class _MapLayout:
    """Where every community and entity stands.

    ``leaf`` is the smallest community of each entity, ``pairs`` are related entities, the most
    strongly related first.
    """

    circles: Mapping[str, Circle]
    places: Mapping[str, tuple[float, float]]
    leaf: Mapping[str, str]
    pairs: Sequence[Pair]


def community_map(index: Index, within: str = "", *, orphans: bool = False) -> dict[str, Any]:
    """Communities as circles, each in its parent's, and entities in the smallest ones.

    Of a large index come the largest communities, and the entities of as many of them as fit;
    members of the community ``within`` come first; ``left_out`` counts the others. Entities that
    are related to none, and pairs, are ``orphans``, shown where they are asked for. An entity is
    ``[id, name, x, y, community]`` and an edge ``[entity, entity]``, both by their numbers, as a
    map may have thousands; the community is -1 where it is left out. The same index gives the same
    map. Blocks.
    Raises RagraphsError where the index has no communities layer.
    """
    layout = _kept.of(index)
    every = {one.id: one for one in index.communities.all() if one.id in layout.circles}
    # One entity, or two that are related to no others.
    small = {id for id, one in every.items() if one.size <= _PAIR and not one.parent}
    hidden = set() if orphans or len(small) == len(every) else small
    communities = {id: one for id, one in every.items() if id not in hidden}
    largest = sorted(communities.values(), key=lambda one: (-one.size, one.level, one.id))
    path = {id: _path(communities, id) for id in communities} if within in communities else {}
    largest.sort(key=lambda one: within not in path.get(one.id, ()))
    shown = {one.id: one for one in largest[:_MOST_CIRCLES]}
    shown |= {id: communities[id] for id in path.get(within, ())}
    inside = _detailed(layout, communities, shown, within)
    entities = index.entities.get(inside)
    number = {id: at for at, id in enumerate(shown)}
    return {
        "levels": sorted({one.level for one in shown.values()}),
        "communities": [_circle(one, layout.circles[one.id]) for one in shown.values()],
        "entities": [
            [id, one.name, *layout.places[id], number.get(layout.leaf[id], -1)]
            for id, one in entities.items()
        ],
        "edges": _edges(layout, entities.keys()),
        "orphans": len(small) if len(small) < len(every) else 0,
        "left_out": {
            "communities": len(communities) - len(shown),
            "entities": sum(layout.leaf[id] in communities for id in layout.places) - len(inside),
        },
    }


def _path(communities: Mapping[str, StoredCommunity], id: str) -> list[str]:
    """A community and those that it is in."""
    found = []
    while id in communities:
        found.append(id)
        id = communities[id].parent
    return found


def _circle(one: StoredCommunity, circle: Circle) -> dict[str, Any]:
    return {
        "id": one.id,
        "level": one.level,
        "parent": one.parent,
        "title": one.report["title"] if one.report else "",
        "rating": one.report["rating"] if one.report else 0.0,
        "entities": one.size,
        "x": round(circle.x, 1),
        "y": round(circle.y, 1),
        "r": round(circle.r, 1),
    }


def _detailed(
    layout: _MapLayout,
    communities: Mapping[str, StoredCommunity],
    shown: Iterable[str],
    within: str,
) -> list[str]:
    """The entities of the first communities of ``shown``, those inside of ``within`` before all."""
    members: defaultdict[str, list[str]] = defaultdict(list)
    for entity, leaf in layout.leaf.items():
        members[leaf].append(entity)
    first = [id for id in members if within and within in _path(communities, id)]
    found: list[str] = []
    for leaf in dict.fromkeys([*first, *shown]):
        if len(found) + len(members.get(leaf, ())) > _MOST_ENTITIES:
            room = _MOST_ENTITIES - len(found) if leaf in first else 0
            found += members[leaf][:room]
            break
        found += members.get(leaf, ())
    return found


def _edges(layout: _MapLayout, shown: Iterable[str]) -> list[tuple[int, int]]:
    """The related pairs among entities: of one community first, then the most strongly related."""
    number = {id: at for at, id in enumerate(shown)}
    pairs = [pair for pair in layout.pairs if pair[0] in number and pair[1] in number]
    pairs.sort(key=lambda pair: layout.leaf[pair[0]] != layout.leaf[pair[1]])
    return [(number[a], number[b]) for a, b in pairs[:_MOST_EDGES]]


def _stamp(index: Index) -> str:
    return f"{HIERARCHY.stamp(index)} {ENTITIES.stamp(index)}"


def _load(index: Index) -> _MapLayout:
    entities = {entity.id for entity in index.entities.all_entities()}
    communities = {one.id: one for one in index.communities.all()}
    leaf: dict[str, str] = {}
    for community, entity in index.communities.members():
        before = communities.get(leaf.get(entity, ""))
        if entity in entities and (not before or before.level < communities[community].level):
            leaf[entity] = community
    members: defaultdict[str, list[str]] = defaultdict(list)
    for entity in sorted(leaf):
        members[leaf[entity]].append(entity)
    children: defaultdict[str, list[str]] = defaultdict(list)
    for one in sorted(communities.values(), key=lambda one: (-one.size, one.id)):
        children[one.parent].append(one.id)
    radii = {
        id: _SPACE * math.sqrt(len(members.get(id, ())) or 1) + _MARGIN
        for id in communities
        if id not in children
    }
    circles = nested(radii, children, _GAP)
    pairs = _pairs(index)
    places = _places(circles, members, pairs)
    return _MapLayout(circles, places, leaf, pairs)


def _pairs(index: Index) -> list[Pair]:
    """The pairs of related entities, the most strongly related first."""
    weights: Counter[Pair] = Counter()
    for one in index.entities.all_relations():
        if one.source != one.target:
            pair = min(one.source, one.target), max(one.source, one.target)
            weights[pair] += one.weight  # type: ignore[assignment]
    return sorted(weights, key=lambda pair: (-weights[pair], pair))


def _places(
    circles: Mapping[str, Circle], members: Mapping[str, Sequence[str]], pairs: Sequence[Pair]
) -> dict[str, tuple[float, float]]:
    """Where each entity stands in its circle: related ones near each other."""
    import igraph

    leaf = {entity: id for id, some in members.items() for entity in some}
    related: defaultdict[str, list[Pair]] = defaultdict(list)
    for a, b in pairs:
        if a in leaf and leaf[a] == leaf.get(b):
            related[leaf[a]].append((a, b))
    places: dict[str, tuple[float, float]] = {}
    with _repeatable():
        for id, some in sorted(members.items()):
            numbers = {entity: number for number, entity in enumerate(some)}
            graph = igraph.Graph(len(some), [(numbers[a], numbers[b]) for a, b in related[id]])
            points = _layout(graph).coords
            places.update(zip(some, _inside(circles[id], points), strict=True))
    return places


def _layout(graph: igraph.Graph) -> igraph.Layout:
    """Points for a small graph by Kamada and Kawai, for a large one by Fruchterman and Reingold."""
    if graph.vcount() <= _SMALL:
        return graph.layout_kamada_kawai()
    return graph.layout_fruchterman_reingold(niter=_ROUNDS, grid="nogrid")


@contextmanager
def _repeatable() -> Iterator[None]:
    """Makes igraph's layouts the same every time; it has one generator for the whole process."""
    import igraph

    with _RANDOMNESS:
        igraph.set_random_number_generator(random.Random(_SEED))
        try:
            yield
        finally:
            igraph.set_random_number_generator(random)


def _inside(circle: Circle, points: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """``points`` moved and scaled so that they fill a circle; outliers do not crowd the others."""
    across, down = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    away = [math.hypot(x - across, y - down) for x, y in points]
    furthest = max(away)
    room = circle.r - _MARGIN
    found = []
    for (x, y), far in zip(points, away, strict=True):
        scale = room * (far / furthest) ** 0.7 / far if far and len(points) > 1 else 0.0
        placed = circle.x + (x - across) * scale, circle.y + (y - down) * scale
        found.append((round(placed[0], 1), round(placed[1], 1)))
    return found


_kept = CachedValue(_stamp, _load)
