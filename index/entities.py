"""The entities layer of the index: one graph of what all passages say (ToG-2, GraphRAG)."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..algorithms.entities.merging import merge_facts
from ..algorithms.entities.senses import FoundFacts
from ..algorithms.tog2.topics import LINK_FLOOR, link_question, unlinked_names
from ..algorithms.tog2.walk import Edge
from ..context import Context
from ..language.analyser import count_tokens
from ..models.meter import current_meter
from ..models.protocol import LanguageModel, NoReplyError
from ..prompts.library import SUMMARISE_DESCRIPTION
from ..prompts.prompt import number
from ..state.errors import RagraphsError
from ..state.tog2 import TopicEntity
from ..stores.catalogue import FORGETTING
from ..stores.chroma import Entry
from ..stores.entities import StoredEntity
from .opening import Index, Kept, language_model_at
from .progress import Progress
from .vectors import embed_missing, entries_of, owner_of, workers_for

if TYPE_CHECKING:
    from ..algorithms.entities.spans import SpellingIndex
    from ..stores.entities import StoredEntity

_MERGING = "1"  # to be raised when merging gives other entities for the same facts
_BATCH = 64
_SILENT = 8
_SUMMARY_TOKENS = 3000


def entities_stamp(index: Index) -> str:
    """What changes when entities were merged anew. Blocks; raises RagraphsError without layer."""
    stamp: str | None = index.catalogue.property("merged")
    if stamp is None:
        raise RagraphsError(
            "The index has no entities layer; build it with: ragraphs index --layers entities "
            f"--index {index.folder}"
        )
    return stamp


def merge(index: Index) -> None:
    """Makes the entities anew, if facts or corrections have changed since. Blocks."""
    semantic = index.embedder.semantic
    corrections = index.entities.corrections()
    parts = [
        _MERGING,
        index.catalogue.property("reader"),
        index.embedder.name if semantic else None,
        index.readings.stamp("facts"),
        corrections,
    ]
    stamp = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    if index.catalogue.property("merged") == stamp:
        return
    embed = index.embedder.embed if semantic else None
    index.entities.replace(merge_facts(_found(index), corrections, embed))
    index.catalogue.set_property("merged", stamp)


def _found(index: Index) -> Iterator[FoundFacts]:
    facts = dict(index.readings.values("facts"))
    for passage in index.catalogue.all_passages():
        if passage["id"] in facts:
            yield FoundFacts(
                passage["id"], passage["document"], passage["text"], facts[passage["id"]]
            )


async def prepare_descriptions(
    index: Index, context: Context, report: Progress
) -> Coroutine[Any, Any, None]:
    """What replaces several descriptions of an entity by their summary, where that is not done.

    After texts were removed all are gone through, to tell which replies are still of use.
    """
    forgetting = await asyncio.to_thread(index.catalogue.property, FORGETTING)
    waiting = await asyncio.to_thread(index.entities.undescribed, bool(forgetting))
    named = await asyncio.to_thread(index.entities.get, waiting)
    names = {id: entity.name for id, entity in named.items()}
    reader = await asyncio.to_thread(index.catalogue.property, "reader")
    model = await language_model_at(index, context, reader)
    return _Describing(index, model, waiting, names, report).run(context.concurrency)


class _Describing:
    """One pass over the entities with several descriptions."""

    def __init__(
        self,
        index: Index,
        model: LanguageModel,
        waiting: dict[str, list[str]],
        names: dict[str, str],
        report: Progress,
    ) -> None:
        self._index = index
        self._model = model
        self._waiting = waiting
        self._names = names
        self._report = report
        self._left = deque(waiting)
        self._written: dict[str, str] = {}
        self._silent = 0

    async def run(self, workers: int) -> None:
        """Describes all, ``workers`` at once; gives up when the model does not reply any more."""
        try:
            await asyncio.gather(*(self._work(max(_SILENT, workers)) for _ in range(workers)))
        finally:
            await self._store()
        if undescribed := len(await asyncio.to_thread(self._index.entities.undescribed)):
            current_meter().warn(
                f"The model {self._model.name} wrote no summary of the descriptions of "
                f"{undescribed} entities; the first one stands for all until the next run of: "
                "ragraphs index"
            )

    async def _work(self, silence: int) -> None:
        while self._left and self._silent < silence:
            id = self._left.popleft()
            try:
                self._written[id] = await _summary(self._model, self._names[id], self._waiting[id])
                self._silent = 0
            except NoReplyError as error:
                self._silent += error.cause == "unreachable"
            if len(self._written) >= _BATCH:
                await self._store()
            self._report(len(self._waiting) - len(self._left), len(self._waiting))

    async def _store(self) -> None:
        written, self._written = self._written, {}
        await asyncio.to_thread(self._index.entities.describe, written)


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


async def embed_described(index: Index, context: Context, report: Progress) -> None:
    """Makes the vectors of the collection ``entities`` those of all entities as described now."""
    entries = await asyncio.to_thread(_entries, index.entities.all_entities())
    await _embed(index, context, entries, sorted(entries), report)


async def embed_settled(index: Index, context: Context, report: Progress) -> None:
    """Gives the entities that await no description their vectors; no vector is taken away."""
    waiting = await asyncio.to_thread(index.entities.undescribed)
    settled = (each for each in index.entities.all_entities() if each.id not in waiting)
    entries = await asyncio.to_thread(_entries, settled)
    present = await asyncio.to_thread(index.vectors.ids, "entities")
    await _embed(index, context, entries, sorted(present.union(entries)), report)


async def _embed(
    index: Index,
    context: Context,
    entries: dict[str, Entry],
    wanted: Sequence[str],
    report: Progress,
) -> None:
    workers = workers_for(index, context)
    await embed_missing(index, "entities", wanted, partial(entries_of, entries), workers, report)


def _entries(entities: Iterable[StoredEntity]) -> dict[str, Entry]:
    """What is embedded of every entity; another text has another id, so that it is made anew."""
    entries: dict[str, Entry] = {}
    for entity in entities:
        text = f"{entity.name}: {entity.description}" if entity.description else entity.name
        id = f"{entity.id}-{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}"
        entries[id] = Entry(id, text, {"entity": entity.id, "type": entity.type})
    return entries


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
    return Knowledge(entities, SpellingIndex(spellings), edges, store.passages_of(entities))


_kept = Kept(entities_stamp, _load)


def linked_topics(index: Index, question: str) -> list[TopicEntity]:
    """The entities that a question names: exactly, by an alias, or by a near name. Blocks."""
    graph = load_knowledge(index)
    links = link_question(graph, graph.spellings, question)
    places = unlinked_names(question, links)
    vectors = index.embedder.embed([question[start:end] for start, end in places])
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
