"""Clustering names into entities.

A name joins a cluster only by its representative, so that chains of similar names do not become one
entity.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...state.entities import Reason
from .clusters import Link, Name, compatible

_ORDER: dict[Reason, int] = {
    "correction": 0, "model": 1, "same normalised name": 2, "alias in text": 3, "fuzzy": 4,
    "short name": 5, "embedding": 6, "shared neighbours": 7,
}  # fmt: skip
STRONG: frozenset[Reason] = frozenset(
    {"correction", "model", "same normalised name", "alias in text"}
)


@dataclass
class _Cluster:
    """Names taken for one; ``faces`` are the representative and its undoubted other names."""

    head: Name
    members: set[str]
    kinds: frozenset[str]
    faces: set[str] = field(default_factory=set)


def cluster(
    names: Sequence[Name],
    links: Iterable[Link],
    apart: Collection[frozenset[str]] = (),
    preferred: Collection[str] = (),
) -> tuple[dict[str, str], list[Link]]:
    """The head of each linked name's cluster, and the links that were followed, surest first.

    A link is followed if it joins the representatives of two clusters (or names that are theirs
    beyond doubt), if the other names that come over are like the new head too, if kinds agree,
    and if no pair in ``apart`` would come together.
    Corrections bind: they are stopped by ``apart`` only. Names in ``preferred`` become heads.
    """
    ranked = sorted(
        {link if link.a < link.b else Link(link.b, link.a, *link[2:]) for link in links},
        key=lambda link: (_ORDER[link.reason], -link.score, link.a, link.b),
    )
    linked = {id for link in ranked for id in link[:2]}
    of = {n.id: _Cluster(n, {n.id}, n.kinds, {n.id}) for n in names if n.id in linked}
    suggested = {frozenset(link[:2]) for link in ranked}
    strong = {frozenset(link[:2]) for link in ranked if link.reason in STRONG}
    enemies: defaultdict[str, set[str]] = defaultdict(set)
    for pair in apart:
        for id in pair:
            enemies[id] |= pair - {id}
    followed: list[Link] = []
    for link in ranked:
        left, right = of[link.a], of[link.b]
        if left is right or not _may_join(left, right, link, enemies):
            continue
        kept, other = sorted((left, right), key=lambda c: _precedence(c.head, preferred))
        if link.reason != "correction" and not _all_near(kept, other, suggested, strong):
            continue
        kept.members |= other.members
        kept.kinds = kept.kinds & other.kinds or kept.kinds or other.kinds
        faces = kept.faces | other.faces
        kept.faces = {
            f for f in faces if f == kept.head.id or frozenset((f, kept.head.id)) in strong
        }
        of.update(dict.fromkeys(other.members, kept))
        followed.append(link if link.a in other.members else Link(link.b, link.a, *link[2:]))
    return {id: found.head.id for id, found in of.items()}, followed


def _all_near(
    kept: _Cluster,
    other: _Cluster,
    suggested: Collection[frozenset[str]],
    strong: Collection[frozenset[str]],
) -> bool:
    """Whether each name of ``other`` is like the head of ``kept``, or beyond doubt like its own."""
    return all(
        id == other.head.id
        or frozenset((id, other.head.id)) in strong
        or frozenset((id, kept.head.id)) in suggested
        for id in other.members
    )


def _may_join(left: _Cluster, right: _Cluster, link: Link, enemies: Mapping[str, set[str]]) -> bool:
    if any(not enemies[id].isdisjoint(right.members) for id in left.members if id in enemies):
        return False
    if link.reason == "correction":
        return True
    return link.a in left.faces and link.b in right.faces and compatible(left.kinds, right.kinds)


def _precedence(head: Name, preferred: Collection[str]) -> tuple[bool, int, int, str]:
    return head.id not in preferred, -len(head.passages), -len(head.name), head.id
