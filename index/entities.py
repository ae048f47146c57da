"""The entities layer of the index: one graph of the facts in all passages (ToG-2, GraphRAG)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..algorithms.tog2.topics import LINK_FLOOR, link_question, unlinked_names
from ..algorithms.tog2.walk import Edge
from ..context import Context
from ..models.query_vectors import embed_queries
from ..state.tog2 import TopicEntity
from ..stores.chroma import Entry
from .layers import ENTITIES
from .opening import Index, Kept
from .progress import progress_of
from .vectors import embed_entries, owned_id, owner_of

if TYPE_CHECKING:
    from ..algorithms.entities.spans import SpellingIndex
    from ..stores.entities import StoredEntity


async def embed_entities(index: Index, context: Context) -> None:
    """Gives every entity the vector of its name and description, and takes away all others."""
    wanted = await asyncio.to_thread(
        lambda: [_entry(entity).id for entity in index.entities.all_entities()]
    )
    await embed_entries(index, context, "entities", wanted, _entries, progress_of("embed_entities"))


def _entries(index: Index, ids: Sequence[str]) -> list[Entry]:
    return list(map(_entry, index.entities.get(map(owner_of, ids)).values()))


def _entry(entity: StoredEntity) -> Entry:
    text = f"{entity.name}: {entity.description}" if entity.description else entity.name
    return Entry(owned_id(entity.id, text), text, {"entity": entity.id, "type": entity.type})


@dataclass(frozen=True)
class LoadedEntities:
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


def load_entities(index: Index) -> LoadedEntities:
    """The entities of ``index``, kept in memory. Blocks; raises RagraphsError without a layer.

    Of an index that a filter narrows, those that its passages speak of, and what these say.
    """
    return _kept.of(index)


def _load(index: Index) -> LoadedEntities:
    from ..algorithms.entities.spans import SpellingIndex

    store = index.entities
    entities = {entity.id: entity for entity in store.all_entities()}
    spellings: dict[str, list[str]] = {}
    for entity, written in store.aliases_of(entities).items():
        for spelling in written:
            spellings.setdefault(spelling, []).append(entity)
    edges: dict[str, list[Edge]] = {}
    for relation in sorted(store.all_relations(), key=lambda found: (-found.weight, found.id)):
        edge = Edge(relation.id, relation.source, relation.relation, relation.target)
        if not entities.keys() >= {relation.source, relation.target}:
            continue  # an end that no passage speaks of, which meets the filter
        for end in (relation.source, relation.target):
            edges.setdefault(end, []).append(edge)
    return LoadedEntities(entities, SpellingIndex(spellings), edges, store.passages_of(entities))


_kept = Kept(ENTITIES.stamp, _load, by_filter=True)
_NEAR_NAMES = 20  # are looked at where a filter may leave out the nearest


def linked_topics(index: Index, question: str) -> list[TopicEntity]:
    """The entities that a question names: exactly, by an alias, or by a near name. Blocks."""
    graph = load_entities(index)
    links = link_question(graph, graph.spellings, question)
    places = unlinked_names(question, links)
    names = [question[start:end] for start, end in places]
    vectors = embed_queries(index.embedder, names) if names else ()
    for (start, end), vector in zip(places, vectors, strict=True):
        near = index.vectors.search("entities", vector, _NEAR_NAMES if index.where else 1)
        for id, cosine in [one for one in near if owner_of(one[0]) in graph.entities][:1]:
            if cosine >= LINK_FLOOR:
                links.append(
                    {
                        "entity": owner_of(id),
                        "start": start,
                        "end": end,
                        "how": "embedding",
                        "score": round(min(cosine, 1.0), 4),
                        "name": graph.name_of(owner_of(id)),
                    }
                )
    return links
