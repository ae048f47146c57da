"""The communities layer of the index: a hierarchy of entities, and a report on each (GraphRAG)."""

from __future__ import annotations

import asyncio
import hashlib
import json
import uuid
from collections import defaultdict, deque
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..algorithms.graphrag.communities import Membership, find_communities, remembered
from ..context import Context
from ..models.meter import current_meter
from ..models.protocol import LanguageModel, NoReplyError
from ..prompts.library import WRITE_REPORT
from ..state.errors import RagraphsError
from ..state.graphrag import CommunityReference
from ..state.reports import Report
from ..stores.catalogue import FORGETTING
from ..stores.chroma import Entry
from ..stores.communities import ASSEMBLED, StoredCommunity
from .entities import entities_stamp
from .opening import Index, Kept, language_model_at
from .progress import Progress, progress_of
from .report_material import Material, assembled_report, report_of, shown
from .vectors import embed_missing, entries_of, workers_for

_CLUSTERING = "1"  # to be raised when the same entities give other communities
_FEW_RELATIONS = 3
_BATCH = 64
_SILENT = 8
_INCOMPLETE = "incomplete"


async def embed_reports(index: Index, context: Context) -> None:
    """Gives every report its vector, and takes away those of reports that are gone."""
    entries = await asyncio.to_thread(_entries, index)
    await embed_missing(
        index,
        "reports",
        sorted(entries),
        partial(entries_of, entries),
        workers_for(index, context),
        progress_of("embed_reports"),
    )


def communities_stamp(index: Index) -> str:
    """What changes when reports were written anew. Blocks; raises RagraphsError without layer."""
    stamp: str | None = index.catalogue.property("reported")
    if stamp is None:
        raise RagraphsError(
            "The index has no communities layer; build it with: ragraphs index --layers "
            f"communities --index {index.folder}"
        )
    return stamp


def is_complete(index: Index) -> bool:
    """Whether nothing awaits a summary or a report of the model. Blocks."""
    reported = index.catalogue.property("reported")
    return not index.entities.undescribed() and not (reported or "").startswith(_INCOMPLETE)


def cluster(index: Index, afresh: bool = False) -> None:
    """Makes the communities anew, if the entities have changed since. Blocks.

    They start from what they were, so that a small change touches few of them, unless ``afresh``.
    """
    size = index.catalogue.property("clustering")["max_cluster_size"]
    stamp = _hash(_CLUSTERING, entities_stamp(index), size)
    if index.catalogue.property("clustered") == stamp and not afresh:
        return
    entities = [entity.id for entity in index.entities.all_entities()]
    weights = _weights(index)
    stored = index.catalogue.property("hierarchy")
    previous = {} if afresh else {id: _membership(*known) for id, known in (stored or {}).items()}
    communities = find_communities(entities, weights, max_cluster_size=size, previous=previous)
    index.communities.replace(communities)
    index.catalogue.set_property("hierarchy", remembered(communities, weights))
    index.catalogue.set_property("clustered", stamp)


async def prepare_reports(
    index: Index, context: Context, report: Progress
) -> Coroutine[Any, Any, None]:
    """What has the model report on every community, where anything has changed since last time.

    What the model was asked before it is not asked again. A community whose reply fails gets an
    assembled report, until the next run.
    """
    model_name = await asyncio.to_thread(index.catalogue.property, "reader")
    limit = (await asyncio.to_thread(index.catalogue.property, "clustering"))["report_tokens"]
    stamp = await asyncio.to_thread(_reports_stamp, index, model_name, limit)
    forgetting = await asyncio.to_thread(index.catalogue.property, FORGETTING)
    if not forgetting and await asyncio.to_thread(index.catalogue.property, "reported") == stamp:
        return _nothing()
    model = await language_model_at(index, context, model_name)
    material = await asyncio.to_thread(Material, index, limit)
    return _Reporting(index, model, material, stamp, report).run(context.concurrency)


async def _nothing() -> None:
    """What there is to do where nothing has changed."""


class _Reporting:
    """One pass over all communities from the deepest level to the root."""

    def __init__(
        self,
        index: Index,
        model: LanguageModel,
        material: Material,
        stamp: str,
        report: Progress,
    ) -> None:
        self._failed = 0
        self._index = index
        self._model = model
        self._material = material
        self._stamp = stamp
        self._report = report
        self._silent = 0
        self._done = 0
        self._total = 0
        self._unstored: dict[str, tuple[Report, str]] = {}
        self._reports: dict[str, asyncio.Future[Report]] = {}

    async def run(self, workers: int) -> None:
        """Reports on all, ``workers`` at once; children are always begun before their parents."""
        waiting = deque(self._material.deepest_first())
        self._total = len(waiting)
        loop = asyncio.get_running_loop()
        self._reports = {community.id: loop.create_future() for community in waiting}

        async def work() -> None:
            while waiting:
                community = waiting.popleft()
                report, writer = await self._written(community)
                self._reports[community.id].set_result(report)
                self._unstored[community.id] = report, writer
                self._done += 1
                self._report(self._done, self._total)
                if len(self._unstored) >= _BATCH:
                    await self._store()

        workers_running = [asyncio.create_task(work()) for _ in range(workers)]
        try:
            await asyncio.gather(*workers_running)
        finally:
            for worker in workers_running:
                worker.cancel()
            await self._store()
        await self._settle()

    async def _settle(self) -> None:
        stamp = self._stamp
        if self._failed:
            current_meter().warn(
                f"The model {self._model.name} wrote no report on {self._failed} communities; what "
                "is known of them stands for it until the next run of: ragraphs index"
            )
            stamp = f"{_INCOMPLETE} {uuid.uuid4().hex}"
        await asyncio.to_thread(self._index.catalogue.set_property, "reported", stamp)

    async def _written(self, community: StoredCommunity) -> tuple[Report, str]:
        rows = known = await asyncio.to_thread(self._material.own_rows, community.id)
        if self._material.relation_count(community.id) < _FEW_RELATIONS:
            return assembled_report(known), ASSEMBLED
        if not self._material.fits(known):
            children = {
                child: await asyncio.shield(self._reports[child])
                for child in self._material.children_of(community.id)
            }
            rows = await asyncio.to_thread(self._material.rows, community.id, children)
        if not rows:  # the first of them alone is beyond the limit
            return assembled_report(known), ASSEMBLED
        try:
            if self._silent >= _SILENT:
                raise NoReplyError("unreachable", f"The model {self._model.name} does not reply.")
            reply = await self._model.run(WRITE_REPORT, texts=shown(rows))
        except NoReplyError as error:
            self._silent += error.cause == "unreachable"
            self._failed += 1
            return assembled_report(rows), ASSEMBLED
        self._silent = 0
        return report_of(reply, rows), self._model.name

    async def _store(self) -> None:
        reports, self._unstored = self._unstored, {}
        await asyncio.to_thread(self._index.communities.put_reports, reports)


def report_text(report: Report) -> str:
    """A report as it is shown to a model: the summary, and on a line each finding not in it."""
    summary = report["summary"]
    statements = [finding["statement"] for finding in report["findings"]]
    return "\n".join([summary, *(f"- {one}" for one in statements if one not in summary)])


def _weights(index: Index) -> dict[tuple[str, str], float]:
    """How strongly two entities are related: the sum of their relations' weights."""
    weights: dict[tuple[str, str], float] = {}
    for relation in index.entities.all_relations():
        a, b = sorted((relation.source, relation.target))
        if a != b:
            weights[a, b] = round(weights.get((a, b), 0.0) + relation.weight, 9)
    return weights


def _membership(path: list[str], neighbourhoods: list[str]) -> Membership:
    return Membership(tuple(path), tuple(neighbourhoods))


def _reports_stamp(index: Index, model: str, limit: int) -> str:
    digest = hashlib.sha256()
    for entity in index.entities.all_entities():
        digest.update(json.dumps(entity).encode())
    return _hash(index.catalogue.property("clustered"), digest.hexdigest(), model, limit)


def _hash(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _entries(index: Index) -> dict[str, Entry]:
    """What is embedded of every report; another text has another id, so that it is made anew."""
    entries: dict[str, Entry] = {}
    for community in index.communities.all():
        if community.report is not None:
            text = f"{community.report['title']}\n{community.report['summary']}"
            id = f"{community.id}-{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}"
            entries[id] = Entry(id, text, {"community": community.id})
    return entries


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
