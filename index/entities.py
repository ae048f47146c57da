"""The entities layer of the index: one graph of the facts in all passages (ToG-2, GraphRAG)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..algorithms.tog2.topics import LINK_FLOOR, link_question, unlinked_names
from ..algorithms.tog2.walk import EntityEdge
from ..context import Context
from ..models.query_vectors import embed_queries
from ..state.errors import RagraphsError
from ..state.tog2 import TopicEntity
from ..stores.untold import UNEMBEDDED, nothing_untold
from ..stores.vectors import Entry
from .layers import ENTITIES
from .opening import Index
from .progress import progress_of
from .size import is_large
from .vectors import embed_entries, fitted, owned_id, owner_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..stores.entities import EntityStore, StoredEntity


async def embed_entities(index: Index, context: Context) -> None:
    """Gives every entity the vector of its name and description, and takes away all others.

    Where all of before are there, only entities that have changed since are looked at.
    """
    wanted, present = await asyncio.to_thread(_changed_vectors, index)
    report = progress_of("embed_entities")
    await embed_entries(index, context, "entities", wanted, _entries, report, present)
    await asyncio.to_thread(index.catalogue.set_property, UNEMBEDDED, nothing_untold(None))


def _changed_vectors(index: Index) -> tuple[list[str], set[str] | None]:
    """The ids of vectors that entities need, and which are there of the same entities.

    Of all entities, and None, where more than the changed ones may lack theirs.
    """
    noted = index.catalogue.property(UNEMBEDDED)
    if noted and index.in_use is None and not index.anew:
        changed = set(noted["entities"])
        wanted = [_entry(entity).id for entity in index.entities.get(changed).values()]
        present = index.vectors.owned("entities", changed)
        others = index.vectors.count("entities") - len(present)
        if others + len(wanted) == index.entities.count():
            return wanted, present
    return [_entry(entity).id for entity in index.entities.all_entities()], None


def _entries(index: Index, ids: Sequence[str]) -> list[Entry]:
    return list(map(_entry, index.entities.get(map(owner_of, ids)).values()))


def _entry(entity: StoredEntity) -> Entry:
    text = f"{entity.name}: {entity.description}" if entity.description else entity.name
    return Entry(owned_id(entity.id, text), text, {})


@dataclass(frozen=True)
class EntityPart:
    """Some entities of an index, the relations at each, heaviest first, and their passages.

    part = read_entities(index, ["ada"], relations=True)
    for edge in part.relations_of("ada"):
        print(part.name_of(edge.source), edge.relation, part.name_of(edge.target))
    """

    entities: Mapping[str, StoredEntity]
    edges: Mapping[str, Sequence[EntityEdge]]
    passages: Mapping[str, Sequence[str]]

    def name_of(self, entity: str) -> str:
        """The name of an entity. Raises RagraphsError where the index has it no more."""
        if entity not in self.entities:
            raise RagraphsError("The index was changed while it was asked; ask again.")
        return self.entities[entity].name

    def relations_of(self, entity: str) -> Sequence[EntityEdge]:
        """The relations that leave or reach an entity."""
        return self.edges.get(entity, ())

    def passages_of(self, entity: str) -> Sequence[str]:
        """The ids of the passages that speak of an entity."""
        return self.passages.get(entity, ())


def read_entities(
    index: Index,
    ids: Iterable[str],
    *,
    relations: bool = False,
    passages_near: Iterable[str] | None = None,
) -> EntityPart:
    """The entities ``ids`` that ``index`` has; with ``relations``, also those at their other ends.

    Given ``passages_near``, with the passages that speak of them. Of a large index come the
    heaviest 300 relations of each entity; and of one with over 100 passages those that are among
    ``passages_near``. Of an index that a filter narrows come those that its passages speak of, and
    what these say. Blocks.
    """
    store, ids = index.entities, list(dict.fromkeys(ids))
    large = (relations or passages_near is not None) and is_large(index)
    found = store.heaviest_of(ids, _MOST_RELATIONS if large else None) if relations else {}
    ends = (end for own in found.values() for one in own for end in (one.source, one.target))
    entities = store.get(dict.fromkeys([*ids, *ends]))
    edges = {
        id: [
            EntityEdge(one.id, one.source, one.relation, one.target, one.weight)
            for one in own
            # An end that no passage speaks of, which meets the filter, is not there.
            if one.source in entities and one.target in entities
        ]
        for id, own in found.items()
        if id in entities
    }
    here = [id for id in ids if id in entities]
    passages = {} if passages_near is None else _passages(store, here, large, passages_near)
    return EntityPart(entities, edges, passages)


def _passages(
    store: EntityStore, ids: Iterable[str], large: bool, near: Iterable[str]
) -> dict[str, list[str]]:
    if not large:
        return store.passages_of(ids)
    found = store.passages_of(ids, _MOST_PASSAGES + 1)
    many = [id for id, own in found.items() if len(own) > _MOST_PASSAGES]
    if many:
        nearest = store.passages_of(many, among=list(near))
        found |= {id: nearest.get(id, []) for id in many}
    return found


_MOST_RELATIONS = 300
_MOST_PASSAGES = 100
_MORE = 20  # than are wanted are compared in full, where vectors of entities are short
_NEAR_NAMES = 20  # are looked at where a filter may leave out the nearest


def named_topics(index: Index, question: str) -> list[TopicEntity]:
    """The entities that a question names exactly or by an alias. Blocks.

    Raises RagraphsError without the layer.
    """
    from ..algorithms.entities.spans import SpellingIndex, possible_names

    ENTITIES.stamp(index)
    spelled = index.entities.spelled(possible_names(question))
    part = read_entities(index, (id for ids in spelled.values() for id in ids))
    shown = {
        spelling: [id for id in ids if id in part.entities] for spelling, ids in spelled.items()
    }
    spellings = SpellingIndex({spelling: ids for spelling, ids in shown.items() if ids})
    return link_question(part, spellings, question)


def near_entities(index: Index, vector: NDArray[np.float32], most: int) -> list[tuple[str, float]]:
    """The entities whose texts are nearest to ``vector``, and their cosines, best first. Blocks."""
    [asked] = fitted(index, "entities", vector[None])
    if len(asked) == len(vector):
        found = index.vectors.search("entities", asked, most)
        return [(owner_of(id), cosine) for id, cosine in found]
    near = index.vectors.search("entities", asked, most + _MORE)
    entities = index.entities.get(owner_of(id) for id, _ in near)
    vectors = index.embedder.embed([_entry(entity).text for entity in entities.values()])
    cosines = zip(entities, map(float, vectors @ vector), strict=True)
    return sorted(cosines, key=lambda one: (-one[1], one[0]))[:most]


def linked_topics(index: Index, question: str) -> list[TopicEntity]:
    """The entities that a question names: exactly, by an alias, or by a near name. Blocks.

    Raises RagraphsError without the layer.
    """
    links = named_topics(index, question)
    places = unlinked_names(question, links)
    names = [question[start:end] for start, end in places]
    vectors = embed_queries(index.embedder, names) if names else ()
    for (start, end), vector in zip(places, vectors, strict=True):
        found = near_entities(index, vector, _NEAR_NAMES if index.where else 1)
        near = [(id, cosine) for id, cosine in found if cosine >= LINK_FLOOR]
        part = read_entities(index, (entity for entity, _ in near))
        for entity, cosine in [one for one in near if one[0] in part.entities][:1]:
            links.append(
                {
                    "entity": entity,
                    "start": start,
                    "end": end,
                    "how": "embedding",
                    "score": round(min(cosine, 1.0), 4),
                    "name": part.name_of(entity),
                }
            )
    return links
