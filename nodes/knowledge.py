"""The entities layer as a walk reads it: in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..algorithms.tog2 import Edge
from .entities_layer import entities_stamp
from .keeping import Kept
from .opening import Index

if TYPE_CHECKING:
    from ..algorithms.entity_spans import SpellingIndex
    from ..stores.entities import StoredEntity


@dataclass(frozen=True)
class Knowledge:
    """Entities, the relations at each, heaviest first, and the passages that speak of each."""

    entities: Mapping[str, StoredEntity]
    spellings: SpellingIndex
    edges: Mapping[str, Sequence[Edge]]
    passages: Mapping[str, Sequence[str]]

    def name_of(self, entity: str) -> str:
        """The name of an entity."""
        return self.entities[entity].name

    def relations_of(self, entity: str) -> Sequence[Edge]:
        """All relations that leave or reach an entity."""
        return self.edges.get(entity, ())

    def passages_of(self, entity: str) -> Sequence[str]:
        """The ids of the passages that speak of an entity."""
        return self.passages.get(entity, ())


def load_knowledge(index: Index) -> Knowledge:
    """The entities of ``index``, kept in memory. Blocks; raises RagraphsError without a layer."""
    return _kept.of(index)


def _load(index: Index) -> Knowledge:
    from ..algorithms.entity_spans import SpellingIndex

    store = index.entities
    entities = {entity.id: entity for entity in store.all_entities()}
    spellings: dict[str, list[str]] = {}
    for entity, written in store.aliases_of(entities).items():
        for spelling in written:
            spellings.setdefault(spelling, []).append(entity)
    edges: dict[str, list[Edge]] = {}
    for relation in sorted(store.all_relations(), key=lambda found: (-found.weight, found.id)):
        edge = Edge(relation.id, relation.source, relation.relation, relation.target)
        for end in (relation.source, relation.target):
            edges.setdefault(end, []).append(edge)
    return Knowledge(entities, SpellingIndex(spellings), edges, store.passages_of(entities))


_kept = Kept(entities_stamp, _load)
