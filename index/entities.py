"""The entities layer of the index: one graph of the facts in all passages (ToG-2, GraphRAG)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..algorithms.entities.candidates import Shown
from ..algorithms.entities.merging import Merging
from ..algorithms.entities.senses import FoundFacts
from ..algorithms.tog2.topics import LINK_FLOOR, link_question, unlinked_names
from ..algorithms.tog2.walk import Edge
from ..context import Context
from ..language.analyser import count_tokens, one_line
from ..models.meter import current_meter
from ..models.protocol import OFFLINE, LanguageModel, NoReplyError
from ..models.query_vectors import embed_queries
from ..prompts.library import RESOLVE_ENTITIES, SUMMARISE_DESCRIPTION
from ..prompts.prompt import Excerpt, number, numbered
from ..state.tog2 import TopicEntity
from ..stores.catalogue import FORGETTING
from ..stores.chroma import Entry
from .concurrency import Patience, Storing, in_parallel, to_its_end
from .layers import ENTITIES
from .opening import Index, Kept, language_model
from .progress import progress_of
from .vectors import embed_entries, owned_id, owner_of

if TYPE_CHECKING:
    from ..algorithms.entities.spans import SpellingIndex
    from ..stores.entities import StoredEntity

_MERGING = "1"  # to be raised when merging gives other entities for the same facts
_SUMMARY_TOKENS = 3000


async def resolve_entities(index: Index, context: Context) -> None:
    """Makes the entities anew, if facts or corrections have changed since.

    Where a model read the passages, it decides which of the names that may be one thing are one.
    """
    reader = await asyncio.to_thread(index.catalogue.property, "reader")
    model = await language_model(index, context, reader)
    stamp = await asyncio.to_thread(_stamp, index, reader)
    if await asyncio.to_thread(ENTITIES.is_current, index, stamp):
        return
    merging = await asyncio.to_thread(_merging, index, model.name != OFFLINE)
    same, unanswered = await _decided(model, merging, context.concurrency)
    await to_its_end(lambda index: index.entities.replace(merging.graph(same)), index)
    # What was left open is asked again by the next run, to which this stamp is another one.
    await asyncio.to_thread(
        ENTITIES.record, index, f"{stamp}+{unanswered}" if unanswered else stamp
    )


def _stamp(index: Index, reader: str | None) -> str:
    embedder = index.embedder if index.embedder.semantic else None
    return ENTITIES.stamp_of(
        _MERGING,
        reader,
        embedder and embedder.name,
        index.readings.stamp("facts"),
        index.entities.corrections(),
    )


def _merging(index: Index, by_model: bool) -> Merging:
    embed = index.embedder.embed if index.embedder.semantic else None
    return Merging(_found(index), index.entities.corrections(), embed, by_model)


async def _decided(
    model: LanguageModel, merging: Merging, workers: int
) -> tuple[list[list[str]], int]:
    """The ids of names that the model takes for one thing, and the groups that it left open."""
    groups = await asyncio.to_thread(merging.groups) if model.name != OFFLINE else []
    report, patience, done = progress_of("resolve_entities"), Patience(workers), 0
    same: list[list[str]] = []

    async def decide(group: Sequence[Shown]) -> None:
        nonlocal done
        try:
            reply = await model.run(RESOLVE_ENTITIES, texts=_listed(group))
        except NoReplyError as error:
            patience.note(error)
        else:
            patience.note()
            same.extend([one.id for one in numbered(numbers, group)] for numbers in reply.same)
            done += 1
            report(done, len(groups))

    await in_parallel(patience.while_it_lasts(groups), decide, workers)
    if left := len(groups) - done:
        current_meter().warn(
            f"The model {model.name} did not say which names are one thing in {left} of "
            f"{len(groups)} groups; these stay apart until the next run of: ragraphs index"
        )
    return same, left


def _listed(group: Sequence[Shown]) -> list[Excerpt]:
    """The names of a group, a line each, under the titles of their documents."""
    lines: dict[str, list[str]] = {}
    for place, one in enumerate(group, start=1):
        sentence = f" “{one.sentence}”" if one.sentence else ""
        line = f"{place} | {one.name} | {one.type} | {' / '.join(one.said)}{sentence}"
        lines.setdefault(one.title.rpartition("/")[2], []).append(one_line(line))
    return number([(title, "\n".join(rows)) for title, rows in lines.items()])


def _found(index: Index) -> Iterator[FoundFacts]:
    facts = dict(index.readings.values("facts"))
    for passage in index.catalogue.all_passages():
        if passage["id"] in facts:
            yield FoundFacts(
                passage["id"],
                passage["document"],
                passage["text"],
                facts[passage["id"]],
                passage["start"],
            )


async def summarise(index: Index, context: Context) -> None:
    """Replaces several descriptions of an entity by one of the model, where that is not done.

    After texts were removed all are gone through, to tell which replies are still of use.
    """
    forgetting = await asyncio.to_thread(index.catalogue.property, FORGETTING)
    waiting = await asyncio.to_thread(index.entities.undescribed, bool(forgetting))
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
