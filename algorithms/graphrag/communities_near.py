"""Communities near a change: the work is that of the communities that change.

The hierarchy is the one that ``find_communities`` would follow with, but for the order in which
Leiden meets the entities.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import NamedTuple, Protocol

import numpy as np

from ...state.reports import Community
from .communities import WAVES, Previous, Weights, find_communities, leiden


class Clustered(Protocol):
    """The hierarchy as it was, and the graph as it is."""

    def paths(self, entities: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """The communities of each of the entities, level by level."""
        ...

    def members(self, communities: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """The entities that were in each community."""
        ...

    def parts(self, communities: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """The entities that were in each community that one of these was divided into."""
        ...

    def sizes(self, communities: Iterable[str]) -> Mapping[str, int]:
        """How many entities were in each community."""
        ...

    def weights(self, entities: Iterable[str]) -> Weights:
        """The weights of all pairs of which one is among the entities."""
        ...

    def weights_within(self, entities: Collection[str]) -> Weights:
        """The weights of all pairs of which both are among the entities."""
        ...

    def degrees(self, communities: Iterable[str]) -> Mapping[str, float]:
        """The sum of the weights at all members of each community."""
        ...

    def total(self) -> float:
        """The sum of all weights."""
        ...


class NearCommunities(NamedTuple):
    """Communities that may have changed, and those that are in their place."""

    before: set[str]
    after: list[Community]


def communities_near(
    touched: Collection[str], there: Collection[str], clustered: Clustered, max_cluster_size: int
) -> NearCommunities:
    """The communities around the ``touched`` entities, of which only those ``there`` are left."""
    gone = set(touched) - set(there)
    moving = _Moving(there, gone, clustered)
    moving.settle()
    old = clustered.paths(touched)
    dirty = {path[0] for path in old.values()}
    for id in moving.free:
        was, now = moving.root(id), moving.labels[id]
        if id in touched or was != now:
            dirty |= {was, now}
    members = clustered.members(dirty - {""})
    roots = {id: label for label, own in members.items() for id in own if id not in gone}
    roots |= {id: label for id, label in moving.labels.items() if label in dirty}
    paths = {id: [label] for label, own in members.items() for id in own}
    for part, own in clustered.parts(members).items():
        for id in own:
            paths[id].append(part)
    return _divided(roots, paths, old, touched, clustered, max_cluster_size)


def _divided(
    roots: Mapping[str, str],
    paths: Mapping[str, Sequence[str]],
    old: Mapping[str, Sequence[str]],
    touched: Collection[str],
    clustered: Clustered,
    max_cluster_size: int,
) -> NearCommunities:
    """The communities in which ``roots``, by their entities, are divided now.

    ``paths`` are the first two former communities of each entity, ``old`` all of those touched. A
    community of level 1 that is as it was stands with all that it is divided into.
    """
    weights, changed = clustered.weights_within(roots), frozenset(touched)
    upper = find_communities(
        sorted(roots),
        weights,
        max_cluster_size=max_cluster_size,
        previous=Previous(paths, changed),
        roots=roots,
        levels=2,
    )
    lower = [one for one in upper if one.level]
    stand = {
        one.id
        for one in lower
        if changed.isdisjoint(one.members) and one.id in paths.get(one.members[0], ())[1:]
    }
    standing = {id for one in lower if one.id in stand for id in one.members}
    former = clustered.paths(roots.keys() - standing)
    own = {id: one.id for one in lower if one.id not in stand for id in one.members}
    below = find_communities(
        sorted(own),
        weights,
        max_cluster_size=max_cluster_size,
        previous=Previous({id: former[id][1:] for id in own if id in former}, changed),
        roots=own,
    )
    found = [*upper, *(one._replace(level=one.level + 1) for one in below if one.level)]
    before = {id for known in (paths, former, old) for path in known.values() for id in path}
    return NearCommunities(before, found)


class _Moving:
    """Entities that may move to other communities of level 0, among others that stand.

    ``labels`` are the communities of the ``free`` ones; of those that stand, where they were.
    """

    def __init__(self, free: Collection[str], gone: Set[str], clustered: Clustered) -> None:
        self._clustered = clustered
        # The gone ones of each community.
        self._gone = Counter(path[0] for path in clustered.paths(gone).values())
        self._weights: dict[str, dict[str, float]] = {}
        self._sizes: dict[str, int] = {}
        self._degrees: dict[str, float] = {}
        self.paths: dict[str, Sequence[str]] = {}
        self.labels: dict[str, str] = {}
        self.free: list[str] = []
        self._release(sorted(free))

    def _release(self, ids: Sequence[str]) -> None:
        """Lets entities move."""
        near = defaultdict[str, dict[str, float]](dict)
        for (a, b), weight in self._clustered.weights(ids).items():
            near[a][b] = near[b][a] = weight
        self._weights |= {id: near[id] for id in ids}
        unknown = {*ids, *(other for id in ids for other in near[id])} - self.paths.keys()
        self.paths |= {id: () for id in unknown} | dict(self._clustered.paths(unknown))
        # One that is new begins alone.
        self.labels |= {id: self.root(id) or f"new {id}" for id in ids}
        self.free += ids
        standing = {self.root(id) for id in unknown} - self._sizes.keys() - {""}
        sizes = self._clustered.sizes(standing)
        self._sizes |= {label: sizes[label] - self._gone[label] for label in standing}
        self._degrees |= self._clustered.degrees(standing)

    def root(self, id: str) -> str:
        """The community of level 0 where an entity was; empty of a new one."""
        path = self.paths[id]
        return path[0] if path else ""

    def settle(self) -> None:
        """Moves the free entities, and those around each that had to."""
        for _ in range(WAVES):
            if not self.free:
                return
            before = dict(self.labels)
            self._move()
            moved = self._moved(before)
            reached = {other for id in moved for other in self._weights[id]} - self.labels.keys()
            if not reached:
                return
            self._release(sorted(reached))

    def _moved(self, before: Mapping[str, str]) -> list[str]:
        """The free entities that have left the largest part of their former community."""
        parts = defaultdict[str, Counter[str]](Counter)
        for id, former in before.items():
            parts[former][self.labels[id]] += 1
        free = Counter(map(self.root, self.free))
        for label, size in self._sizes.items():
            parts[label][label] += size - free[label]
        largest = {
            former: min(own, key=lambda label: (-own[label], label))
            for former, own in parts.items()
        }
        return [id for id, former in before.items() if self.labels[id] != largest[former]]

    def _move(self) -> None:
        """Moves the free entities as Leiden has it, among communities that stand as one vertex.

        Of one that stands it matters only how much weight it has.
        """
        ends = self._ends()
        labels = sorted(self._sizes)
        vertex = {name: number for number, name in enumerate([*labels, *self.free])}
        pairs = {(vertex[a], vertex[b]): weight for (a, b), weight in ends.items()}
        degrees = dict(self._degrees)
        for id in self.free:
            if label := self.root(id):
                degrees[label] -= sum(self._weights[id].values())
        for (a, b), weight in ends.items():
            for end in (a, b):
                if end in degrees:
                    degrees[end] -= weight
        rest = len(vertex)
        loops = {(vertex[label], vertex[label]): max(degrees[label], 0) / 2 for label in labels}
        left = self._clustered.total() - sum(pairs.values()) - sum(loops.values())
        pairs |= loops | {(rest, rest): max(left, 0.0)}
        own = [*labels, *(self.labels[id] for id in self.free), ""]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(own))}
        kept = {pair: weight for pair, weight in pairs.items() if weight > 0}
        found = leiden(
            np.array(list(kept), dtype=np.int64).reshape(-1, 2),
            np.array(list(kept.values())),
            np.array([numbers[name] for name in own]),
            np.array([*(True for _ in labels), *(False for _ in self.free), True]),
        )
        names = {int(found[vertex[label]]): label for label in labels}
        for id in self.free:
            number = int(found[vertex[id]])
            self.labels[id] = names.setdefault(number, f"new {id}")

    def _ends(self) -> dict[tuple[str, str], float]:
        """The weights between free entities, and from each to the communities of others."""
        ends = defaultdict[tuple[str, str], float](float)
        for id in self.free:
            for other, weight in self._weights[id].items():
                if other in self._weights:
                    ends[min(id, other), max(id, other)] = weight
                elif label := self.root(other):
                    ends[id, label] += weight
        return ends
