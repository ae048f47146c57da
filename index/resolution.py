"""Which names are one thing: merged by rules, or decided by the model that read the passages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from ..algorithms.entities.candidates import ShownName
from ..algorithms.entities.known_mentions import KnownMentions
from ..algorithms.entities.merging import Merging
from ..algorithms.entities.senses import FoundFacts
from ..context import Context, wants_refresh
from ..language.analyser import one_line
from ..models.meter import current_meter
from ..models.protocol import OFFLINE, LanguageModel, NoReplyError
from ..prompts.indexing import RESOLVE_ENTITIES
from ..prompts.prompt import Excerpt, number, numbered
from ..state.entities import Parting
from ..stores.catalogue import FORGETTING
from ..stores.queries import batches
from .concurrency import Patience, in_parallel, to_its_end
from .layers import ENTITIES
from .near_graph import merge_near
from .opening import Index
from .progress import progress_of
from .prompt_words import known_as
from .readers import language_model
from .size import is_large

_MERGING = "2"  # to be raised when merging gives other entities for the same facts
_PARTED = "parted"  # property: names that their descriptions tell apart
_MADE_BY = "entities_made_by"  # property: the reader and the version of the package, and the stamp


@dataclass
class _Decided:
    """Lines that a model takes for one thing, lines that are homonyms, groups without a reply."""

    same: list[list[ShownName]] = field(default_factory=list)
    others: list[ShownName] = field(default_factory=list)
    unanswered: int = 0


async def resolve_entities(index: Index, context: Context) -> None:
    """Makes the entities anew, if facts or corrections have changed since.

    Where a model read the passages, it decides which of the names that may be one thing are one.
    After texts were removed they are made anew as well, to tell which replies are still of use, and
    so they are for a repair.
    """
    reader = await asyncio.to_thread(index.catalogue.property, "reader")
    model = await language_model(index, context, reader)
    facts = await asyncio.to_thread(index.readings.stamp, "facts")
    stamp = await asyncio.to_thread(_stamp, index, facts)
    forgetting = await asyncio.to_thread(index.catalogue.property, FORGETTING)
    again = bool(forgetting) or wants_refresh(context) or index.anew
    if not again and await asyncio.to_thread(ENTITIES.is_current, index, stamp):
        return
    fresh = wants_refresh(context) or index.anew or model.name != OFFLINE
    if not fresh and await to_its_end(_stored_near, index, facts):
        return
    merging = await asyncio.to_thread(_merging, index, model.name != OFFLINE)
    decided = await _decided(model, merging, context.concurrency)
    await to_its_end(_store, index, facts, merging, decided, ())


async def part(
    index: Index, context: Context, model: LanguageModel, described: Mapping[str, Collection[str]]
) -> bool:
    """Parts from entities, by id, the names that the given texts describe.

    False where all of them have been parted before, and a person put them together again.
    """
    known = await asyncio.to_thread(_parted, index)
    merging = await asyncio.to_thread(_merging, index, model.name != OFFLINE)
    decided = await _decided(model, merging, context.concurrency)
    await asyncio.to_thread(merging.graph, decided.same, decided.others, known)
    found = [one for one in merging.partings(described) if one not in known]
    if found:
        merging = await asyncio.to_thread(_merging, index, model.name != OFFLINE)
        facts = await asyncio.to_thread(index.readings.stamp, "facts")
        await to_its_end(_store, index, facts, merging, decided, [*known, *found])
    return bool(found)


def _store(
    index: Index, facts: str, merging: Merging, decided: _Decided, parted: Sequence[Parting]
) -> None:
    started = time.monotonic()
    same = _made_alike(index)
    store, offline = index.entities, index.catalogue.property("reader") == OFFLINE
    known = (store.all_aliases(), store.all_passages(), store.all_mentions())
    mentions = KnownMentions(*known) if same and not index.anew else None
    graph = merging.graph(decided.same, decided.others, parted, mentions)
    index.catalogue.set_property(_PARTED, [list(one) for one in parted] or None)
    near = offline and not (parted or graph.claims or store.corrections())
    # What a model wrote was paid for.
    store.replace(
        graph,
        keep_described=same and not (index.anew and offline),
        kept=merging.kept() if near else None,
    )
    _record(index, started, facts, decided.unanswered)


def _stored_near(index: Index, facts: str) -> bool:
    """Merges the names near a change alone; False where all have to be merged."""
    started = time.monotonic()
    if not _made_alike(index) or _parted(index) or index.entities.corrections():
        return False
    found = merge_near(index, index.embedder.embed if index.embedder.semantic else None)
    if found:
        _record(index, started, facts)
    return found


def _made_by(index: Index) -> str:
    return f"{known_as(index.catalogue.property('reader'))} {version('ragraphs')}"


def _made_alike(index: Index) -> bool:
    """Whether this version of the package has made what is stored, with the same reader."""
    made, before = index.catalogue.properties(ENTITIES.kept_as, _MADE_BY)
    return bool(before == [_made_by(index), made])


def _record(index: Index, started: float, facts: str, unanswered: int = 0) -> None:
    # What was left open is asked again by the next run, to which this stamp is another one.
    stamp = _stamp(index, facts) + (f"+{unanswered}" if unanswered else "")
    ENTITIES.record(index, stamp)
    index.catalogue.set_property(_MADE_BY, [_made_by(index), stamp])
    ENTITIES.log(time.monotonic() - started, index.entities.counts())


def _parted(index: Index) -> list[Parting]:
    stored = index.catalogue.property(_PARTED) or []
    return [Parting(name, tuple(passages)) for name, passages in stored]


def _stamp(index: Index, facts: str) -> str:
    embedder = index.embedder if index.embedder.semantic else None
    return ENTITIES.stamp_of(
        _MERGING,
        known_as(index.catalogue.property("reader")),
        embedder and embedder.name,
        facts,
        index.entities.corrections(),
        index.catalogue.property(_PARTED),
    )


def _merging(index: Index, by_model: bool) -> Merging:
    embed = index.embedder.embed if index.embedder.semantic else None
    return Merging(_AllFacts(index), index.entities.corrections(), embed, by_model)


async def _decided(model: LanguageModel, merging: Merging, workers: int) -> _Decided:
    """The model's decisions on every group of names that may be one thing."""
    groups = await asyncio.to_thread(merging.groups) if model.name != OFFLINE else []
    report, patience, done = progress_of("resolve_entities"), Patience(workers), 0
    decided = _Decided()

    async def decide(group: Sequence[ShownName]) -> None:
        nonlocal done
        try:
            reply = await model.run(RESOLVE_ENTITIES, texts=_listed(group))
        except NoReplyError as error:
            patience.note(error)
        else:
            patience.note()
            decided.same.extend(numbered(numbers, group) for numbers in reply.same)
            decided.others.extend(numbered(reply.other, group))
            done += 1
            report(done, len(groups))

    await in_parallel(patience.while_it_lasts(groups), decide, workers)
    decided.unanswered = len(groups) - done
    if left := decided.unanswered:
        current_meter().warn(
            f"The model {model.name} did not say which names are one thing in {left} of "
            f"{len(groups)} groups; these stay apart until the next run of: ragraphs index"
        )
    return decided


def _listed(group: Sequence[ShownName]) -> list[Excerpt]:
    """The names of a group, a line each, under the titles of their documents."""
    lines: list[str] = []
    title = ""
    for place, one in enumerate(group, start=1):
        if one.title != title:
            title = one.title
            lines.append(f"# {one_line(title)}")
        sentence = f" “{one.sentence or '…'}”" if one.generic else ""
        line = f"{place} | {one.name} | {one.type} | {' / '.join(one.said)}{sentence}"
        lines.append(one_line(line))
    return number([("names", "\n".join(lines))])


class _AllFacts:
    """The facts of all passages in the order of their texts, read once where the index is small."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._kept: list[FoundFacts] | None = None

    def __iter__(self) -> Iterator[FoundFacts]:
        if is_large(self._index):
            return self._read()
        if self._kept is None:
            self._kept = list(self._read())
        return iter(self._kept)

    def _read(self) -> Iterator[FoundFacts]:
        for passages in batches(self._index.catalogue.all_passages()):
            facts = self._index.readings.values_of("facts", [one["id"] for one in passages])
            for passage in passages:
                if passage["id"] in facts:
                    yield FoundFacts(
                        passage["id"],
                        passage["document"],
                        passage["text"],
                        facts[passage["id"]],
                        passage["start"],
                        passage["title"],
                    )
