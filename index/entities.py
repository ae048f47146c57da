"""The entities layer of the index: one graph of the facts in all passages (ToG-2, GraphRAG)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..algorithms.entities.merging import merge_facts
from ..algorithms.entities.senses import FoundFacts
from ..algorithms.tog2.topics import LINK_FLOOR, link_question, unlinked_names
from ..algorithms.tog2.walk import Edge
from ..context import Context, wants_refresh
from ..language.analyser import count_tokens
from ..models.meter import current_meter
from ..models.protocol import LanguageModel, NoReplyError
from ..models.query_vectors import embed_queries
from ..prompts.library import SUMMARISE_DESCRIPTION
from ..prompts.prompt import number
from ..state.tog2 import TopicEntity
from ..stores.catalogue import FORGETTING
from ..stores.chroma import Entry
from .concurrency import Patience, Storing, in_parallel
from .layers import ENTITIES
from .opening import Index, Kept, language_model
from .progress import progress_of
from .vectors import embed_entries, owned_id, owner_of

if TYPE_CHECKING:
    from ..algorithms.entities.spans import SpellingIndex
    from ..stores.entities import StoredEntity

_MERGING = "1"  # to be raised when merging gives other entities for the same facts
_SUMMARY_TOKENS = 3000


def resolve_entities(index: Index) -> None:
    """Makes the entities anew, if facts or corrections have changed since. Blocks."""
    embedder = index.embedder if index.embedder.semantic else None
    ENTITIES.renew(
        index,
        _resolve_entities,
        _MERGING,
        index.catalogue.property("reader"),
        embedder and embedder.name,
        index.readings.stamp("facts"),
        index.entities.corrections(),
    )


def _resolve_entities(index: Index) -> None:
    embed = index.embedder.embed if index.embedder.semantic else None
    index.entities.replace(merge_facts(_found(index), index.entities.corrections(), embed))


def _found(index: Index) -> Iterator[FoundFacts]:
    facts = dict(index.readings.values("facts"))
    for passage in index.catalogue.all_passages():
        if passage["id"] in facts:
            yield FoundFacts(
                passage["id"], passage["document"], passage["text"], facts[passage["id"]]
            )


async def summarise(index: Index, context: Context) -> None:
    """Replaces several descriptions of an entity by one of the model, where that is not done.

    After texts were removed all are gone through, to tell which replies are still of use.
    """
    forgetting = await asyncio.to_thread(index.catalogue.property, FORGETTING)
    everything = bool(forgetting) or wants_refresh(context)
    waiting = await asyncio.to_thread(index.entities.undescribed, everything)
    named = await asyncio.to_thread(index.entities.get, waiting)
    reader = await asyncio.to_thread(index.catalogue.property, "reader")
    model = await language_model(index, context, reader)
    report, patience, done = progress_of("summarise"), Patience(context.concurrency), 0

    async def describe(id: str) -> None:
        nonlocal done
        try:
            written = await _summary(model, named[id].name, waiting[id])
        except NoReplyError as error:
            patience.note(error)
        else:
            patience.note()
            await storing.add((id, written))
        done += 1
        report(done, len(waiting))

    storing = Storing[tuple[str, str]](lambda rows: index.entities.describe(dict(rows)))
    async with storing:
        await in_parallel(patience.while_it_lasts(waiting), describe, context.concurrency)
    if undescribed := len(await asyncio.to_thread(index.entities.undescribed)):
        current_meter().warn(
            f"The model {model.name} wrote no summary of the descriptions of {undescribed} "
            "entities; the first one stands for all until the next run of: ragraphs index"
        )


async def _summary(model: LanguageModel, name: str, descriptions: Sequence[str]) -> str:
    """One description; more than fit in a request are summarised in groups first."""
    while len(descriptions) > 1:
        descriptions = [
            group[0]
            if len(group) == 1
            else (
                await model.run(
                    SUMMARISE_DESCRIPTION, texts=number([(name, text) for text in group])
                )
            ).description
            for group in _groups(descriptions)
        ]
    return descriptions[0]


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts of about ``_SUMMARY_TOKENS`` together, but at least two where there are two."""
    group: list[str] = []
    tokens = 0
    for text in texts:
        size = count_tokens(text)
        if len(group) > 1 and tokens + size > _SUMMARY_TOKENS:
            yield group
            group, tokens = [], 0
        group.append(text)
        tokens += size
    if group:
        yield group


async def embed_entities(index: Index, context: Context) -> None:
    """Gives every entity the vector of its name and description, and takes away all others."""
    entries = await asyncio.to_thread(lambda: list(map(_entry, index.entities.all_entities())))
    await embed_entries(index, context, "entities", entries, progress_of("embed_entities"))


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
    """The entities of ``index``, kept in memory. Blocks; raises RagraphsError without a layer."""
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
        for end in (relation.source, relation.target):
            edges.setdefault(end, []).append(edge)
    return LoadedEntities(entities, SpellingIndex(spellings), edges, store.passages_of(entities))


_kept = Kept(ENTITIES.stamp, _load)


def linked_topics(index: Index, question: str) -> list[TopicEntity]:
    """The entities that a question names: exactly, by an alias, or by a near name. Blocks."""
    graph = load_entities(index)
    links = link_question(graph, graph.spellings, question)
    places = unlinked_names(question, links)
    names = [question[start:end] for start, end in places]
    vectors = embed_queries(index.embedder, names) if names else ()
    for (start, end), vector in zip(places, vectors, strict=True):
        for id, cosine in index.vectors.search("entities", vector, 1):
            if cosine >= LINK_FLOOR and owner_of(id) in graph.entities:
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
