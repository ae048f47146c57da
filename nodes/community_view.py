"""The communities layer as questions read it: in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..state.communities import Report
from ..state.sensemaking import CommunityReference
from ..stores.communities import StoredCommunity
from .communities_layer import communities_stamp
from .keeping import Kept
from .opening import Index


@dataclass(frozen=True)
class CommunityView:
    """Communities by id, and the children of each."""

    communities: Mapping[str, StoredCommunity]
    children: Mapping[str, Sequence[str]]

    def at(self, level: int) -> list[str]:
        """The partition at a level: its communities, and those above without children."""
        return [
            community.id
            for community in self.communities.values()
            if community.level == level
            or (community.level < level and not self.children.get(community.id))
        ]

    def report(self, id: str) -> Report:
        """The report on a community; every one has one once the layer is built."""
        report = self.communities[id].report
        assert report is not None
        return report

    def reference(self, id: str) -> CommunityReference:
        """What is said of a community in an answer's output."""
        return {
            "id": id,
            "level": self.communities[id].level,
            "title": self.report(id)["title"],
        }


def load_communities(index: Index) -> CommunityView:
    """The communities of ``index``, kept in memory. Blocks; raises RagraphsError without layer."""
    return _kept.of(index)


def _load(index: Index) -> CommunityView:
    communities = {one.id: one for one in index.communities.all() if one.report is not None}
    children: defaultdict[str, list[str]] = defaultdict(list)
    for community in communities.values():
        children[community.parent].append(community.id)
    return CommunityView(communities, dict(children))


_kept = Kept(communities_stamp, _load)
