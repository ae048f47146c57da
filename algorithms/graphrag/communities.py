"""Communities of entities: Leiden, again inside each large community, to a hierarchy.

Traag, Waltman and van Eck 2019; GraphRAG's use of it. Level 0 is the root. At every level the
communities partition all entities, whatever component they are in.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...state.reports import Community

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Weights: TypeAlias = Mapping[tuple[str, str], float]

_SEED = 0
_ITERATIONS = 3
WAVES = 4


class Previous(NamedTuple):
    """A hierarchy to start from, and what the graph has lost or got since.

    ``paths`` are the communities of every entity, level by level down to its leaf. ``touched`` are
    entities with other relations than then.
    """

    paths: Mapping[str, Sequence[str]]
    touched: Collection[str] = ()


@dataclass(frozen=True)
class _WeightedGraph:
    """Edges ``source[e] < target[e]`` between the entities 0..n-1, in order."""

    ids: list[str]
    source: Ints
    target: Ints
    weight: Floats

    def within(self, scope: Ints) -> _WeightedGraph:
        """With only the edges whose ends are of one scope; -1 is none."""
        kept = self.inside(scope)
        edges = self.source[kept], self.target[kept], self.weight[kept]
        return _WeightedGraph(self.ids, *edges)

    def inside(self, scope: Ints) -> Flags:
        """Whether both ends of each edge are of one scope."""
        inside: Flags = (scope[self.source] == scope[self.target]) & (scope[self.source] >= 0)
        return inside


def find_communities(
    entities: Sequence[str],
    weights: Weights,
    *,
    max_cluster_size: int = 10,
    previous: Previous | None = None,
    roots: Mapping[str, str] | None = None,
    levels: float = inf,
) -> list[Community]:
    """The hierarchy of communities, level by level, the largest of a level first.

    A function of its arguments, in whatever order they come; ``weights`` are of undirected pairs.
    A community of more than ``max_cluster_size`` is divided further where modularity gains by it.
    Given a ``previous`` hierarchy, only communities near changes change. Given ``roots``, a name of
    its community at level 0 for each entity, these are only divided further, and where they have
    fallen apart. Only the first ``levels`` are made.
    """
    graph = _graph(entities, weights)
    scope = np.zeros(len(graph.ids), dtype=np.int64)
    before = scope
    parents = [""]
    found: list[Community] = []
    level = 0
    while (scope >= 0).any() and level < levels:
        inner = graph.within(scope)
        labels, changed = _earlier(graph, scope, before, level, previous)
        before = labels
        if roots is not None and not level:
            labels = _connected(inner, _numbered([roots[id] for id in graph.ids]))
        else:
            labels = _divide(inner, scope, labels, changed)
        scope, communities = _stand(graph.ids, scope, labels, parents, level, max_cluster_size)
        parents = [community.id for community in communities]
        found += sorted(communities, key=lambda one: (-len(one.members), one.id))
        level += 1
    return found


def paths_of(communities: Iterable[Community]) -> dict[str, list[str]]:
    """The communities of each entity, level by level."""
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for community in sorted(communities, key=lambda one: one.level):
        for member in community.members:
            paths[member].append(community.id)
    return dict(paths)


def community_id(members: Sequence[str]) -> str:
    """The id of the community of these members, which must be sorted."""
    return hashlib.blake2b("\n".join(members).encode(), digest_size=8).hexdigest()


def _graph(entities: Sequence[str], weights: Weights) -> _WeightedGraph:
    ids = sorted(set(entities))
    number = {id: place for place, id in enumerate(ids)}
    rows = [
        (number[a], number[b], weight)
        for (a, b), weight in weights.items()
        if a in number and b in number and a != b and weight > 0
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    ends = np.sort(table[:, :2].astype(np.int64), axis=1)
    keys = ends[:, 0] * len(ids) + ends[:, 1]
    order = np.lexsort((table[:, 2], keys))
    distinct, place = np.unique(keys[order], return_inverse=True)
    sums: Floats = np.bincount(place, table[order, 2], len(distinct)).astype(np.float64)
    count = max(len(ids), 1)
    return _WeightedGraph(ids, distinct // count, distinct % count, sums)


def _earlier(
    graph: _WeightedGraph, scope: Ints, before: Ints, level: int, previous: Previous | None
) -> tuple[Ints, Flags]:
    """Each entity's label at ``level`` of an earlier hierarchy, -1 for none; what has changed.

    That is what was touched, and who has another neighbour within its ``scope`` than it had within
    the one of ``before``.
    """
    if previous is None:
        return np.full(len(scope), -1, dtype=np.int64), np.ones(len(scope), dtype=np.bool_)
    paths = [previous.paths.get(id, ()) for id in graph.ids]
    labels = _numbered([path[level] if level < len(path) else "" for path in paths])
    if not level:
        before = np.array([0 if path else -1 for path in paths], dtype=np.int64)
    changed = np.array([id in previous.touched for id in graph.ids], dtype=np.bool_)
    other = graph.inside(scope) != graph.inside(before)
    changed[graph.source[other]] = changed[graph.target[other]] = True
    return np.where(scope >= 0, labels, -1), changed | (labels < 0)


def _numbered(names: Sequence[str]) -> Ints:
    """A number for each name, the same for the same one; -1 for an empty one."""
    numbers: dict[str, int] = {"": -1}
    return np.array([numbers.setdefault(name, len(numbers) - 1) for name in names], dtype=np.int64)


def _divide(inner: _WeightedGraph, scope: Ints, earlier: Ints, changed: Flags) -> Ints:
    """A label for each entity that has a scope; one label is connected and within one scope."""
    order = np.argsort(scope, kind="stable")
    order = order[np.searchsorted(scope[order], 0) :]
    local = np.empty(len(scope), dtype=np.int64)
    edge_order = np.argsort(scope[inner.source], kind="stable")
    edge_scope = scope[inner.source][edge_order]
    labels = np.full(len(scope), -1, dtype=np.int64)
    used = 0
    for members in _runs(order, scope[order]):
        local[members] = np.arange(len(members))
        edges = edge_order[
            slice(*np.searchsorted(edge_scope, scope[members[0]] + np.array([0, 1])))
        ]
        pairs = np.column_stack([local[inner.source[edges]], local[inner.target[edges]]])
        found = _cluster(pairs, inner.weight[edges], earlier[members], changed[members])
        labels[members] = found + used
        used += int(found.max()) + 1
    return _connected(inner, labels)


def _stand(
    ids: Sequence[str],
    scope: Ints,
    labels: Ints,
    parents: Sequence[str],
    level: int,
    max_cluster_size: int,
) -> tuple[Ints, list[Community]]:
    """The community that each entity is to be divided in further, -1 for none; the new communities.

    New are those that stand first at ``level``.
    """
    order = np.argsort(labels, kind="stable")
    order = order[np.searchsorted(labels[order], 0) :]
    further = np.full(len(ids), -1, dtype=np.int64)
    sizes = np.bincount(scope[scope >= 0])
    found: list[Community] = []
    for members in _runs(order, labels[order]):
        whole = scope[members[0]]
        if level and len(members) == sizes[whole]:
            continue
        if len(members) > max_cluster_size:
            further[members] = len(found)
        names = tuple(ids[number] for number in members)
        found.append(Community(community_id(names), level, parents[whole], names))
    return further, found


def _runs(values: Ints, keys: Ints) -> Iterator[Ints]:
    """``values`` cut where their sorted ``keys`` change."""
    return iter(np.split(values, np.flatnonzero(np.diff(keys)) + 1) if len(values) else [])


def _connected(inner: _WeightedGraph, labels: Ints) -> Ints:
    """``labels`` with each connected part of a label on its own."""
    import igraph

    kept = inner.within(labels)
    pairs = np.column_stack([kept.source, kept.target])
    parts = igraph.Graph(len(labels), pairs).connected_components().membership
    return np.where(labels < 0, -1, np.array(parts, dtype=np.int64))


def _cluster(pairs: Ints, weight: Floats, labels: Ints, changed: Flags) -> Ints:
    """Leiden's labels 0..k-1 for entities 0..n-1, warm-started where most have earlier ``labels``.

    An earlier label is -1 where there is none. Unchanged entities keep theirs, unless a neighbour
    that had to move sets them free.
    """
    if not len(pairs):
        return np.arange(len(labels))
    new = labels < 0
    if 2 * new.sum() > len(labels):
        return _renumbered(leiden(pairs, weight, np.arange(len(labels)), None))
    free = changed | new
    start = np.where(new, labels.max() + 1 + np.cumsum(new), labels)
    for _ in range(WAVES):
        if not free.any():
            break
        before, start = start, _moving(pairs, weight, _renumbered(start), free)
        moved = _moved(before, start)
        reached = np.concatenate([pairs[moved[pairs[:, 0]], 1], pairs[moved[pairs[:, 1]], 0]])
        if free[reached].all():
            break
        free[reached] = True
    return _renumbered(start)


def _moved(before: Ints, after: Ints) -> Flags:
    """Whether each entity left the largest part of its former group."""
    old, new = _renumbered(before), _renumbered(after)
    groups, place, counts = np.unique(old * len(old) + new, return_inverse=True, return_counts=True)
    order = np.lexsort((-counts, groups // len(old)))
    stay = np.zeros(len(groups), dtype=np.bool_)
    stay[order[np.unique(groups[order] // len(old), return_index=True)[1]]] = True
    return ~stay[place]


def _moving(pairs: Ints, weight: Floats, start: Ints, free: Flags) -> Ints:
    """The labels, beginning with ``start``, once the ``free`` entities have moved as Leiden has it.

    All others of a label are one vertex, and so are all labels that no free entity is near, since
    where they stand tells nothing but their weight: the work is that of the free ones.
    """
    labels = int(start.max()) + 1
    vertex = np.where(free, labels + np.cumsum(free) - 1, start)
    ends = vertex[pairs]
    near = np.unique(
        np.concatenate([ends[free[pairs].any(axis=1)].ravel(), start[free], vertex[free]])
    )
    local = np.full(labels + int(free.sum()), len(near))
    local[near] = np.arange(len(near))
    keys = np.sort(local[ends], axis=1) @ np.array([len(near) + 1, 1])
    distinct, place = np.unique(keys, return_inverse=True)
    joined = np.column_stack(np.divmod(distinct, len(near) + 1))
    sums = np.bincount(place, weight, len(distinct)).astype(np.float64)
    own = np.append(near, labels + len(start))  # the label that each vertex begins with
    own[local[vertex[free]]] = start[free]
    stays = np.append(near < labels, True)
    found = leiden(joined, sums, _renumbered(own), stays)
    names = labels + np.arange(int(found.max()) + 1)
    names[found[stays]] = own[stays]
    after = start.copy()
    after[free] = names[found[local[vertex[free]]]]
    return after


def leiden(pairs: Ints, weight: Floats, start: Ints, stays: Flags | None) -> Ints:
    """Leiden's labels, beginning with ``start``; the vertices of ``stays`` keep theirs."""
    import igraph
    import leidenalg

    partition = leidenalg.ModularityVertexPartition(
        igraph.Graph(len(start), pairs), initial_membership=start.tolist(), weights=weight.tolist()
    )
    optimiser = leidenalg.Optimiser()
    optimiser.set_rng_seed(_SEED)
    optimiser.optimise_partition(
        partition,
        n_iterations=_ITERATIONS,
        is_membership_fixed=None if stays is None else stays.tolist(),
    )
    return np.array(partition.membership, dtype=np.int64)


def _renumbered(labels: Ints) -> Ints:
    return np.unique(labels, return_inverse=True)[1]
