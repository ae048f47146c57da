"""The communities of an index, for a fresh index to start from as well."""

from __future__ import annotations

from typing import Any

from ragraphs.index.layers import COMMUNITIES, HIERARCHY
from ragraphs.index.opening import Index
from ragraphs.state.entities import EntityGraph, Relation
from ragraphs.state.reports import Community
from ragraphs.stores.entity_rows import related_otherwise
from ragraphs.stores.untold import UNCLUSTERED, nothing_untold

_FOUND_BY = "hierarchy_by"
_BEFORE = "of before"


class History:
    """The communities of an index as they are now, with the graph that they were found in.

    history = History(index)
    history.begin(fresh)  # which has the documents of the index after its next run
    """

    def __init__(self, index: Index) -> None:
        stored = index.communities
        self._communities = [
            Community(one.id, one.level, one.parent, tuple(stored.members_of(one.id)))
            for one in stored.all()
        ]
        self._found_by, self._clustering = index.catalogue.properties(_FOUND_BY, "clustering")
        self._rows = _rows(index)

    def begin(self, fresh: Index) -> None:
        """Gives a fresh index these communities, without reports, if there are any. Blocks."""
        if not self._communities:
            return
        rows = _rows(fresh)
        changed = {
            name: [own[id] for own, other in ((was, now), (now, was)) for id in own
                   if other.get(id) != own[id]]
            for name, now in rows.items() for was in [self._rows[name]]
        }  # fmt: skip
        relations = tuple(Relation(**row, passages=()) for row in rows["relations"].values())
        touched = related_otherwise(changed, EntityGraph(relations=relations)) or ()
        size = self._clustering["max_cluster_size"]
        fresh.communities.replace(self._communities)
        HIERARCHY.record(fresh, _BEFORE)
        COMMUNITIES.record(fresh, _BEFORE)
        unclustered = {**nothing_untold(size), "entities": sorted(touched)}
        fresh.catalogue.set_properties({_FOUND_BY: self._found_by, UNCLUSTERED: unclustered})


def _rows(index: Index) -> dict[str, dict[str, dict[str, Any]]]:
    store = index.entities
    return {
        "entities": {row.id: row._asdict() for row in store.all_entities()},
        "relations": {row.id: row._asdict() for row in store.all_relations()},
    }
