"""The communities layer of the index: a hierarchy of entities, and a report on each (GraphRAG)."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..algorithms.graphrag.communities import Membership, find_communities, remembered
from ..context import Context, wants_refresh
from ..models.meter import current_meter
from ..models.protocol import OFFLINE, LanguageModel, NoReplyError
from ..prompts.library import WRITE_REPORT
from ..state.graphrag import CommunityReference
from ..state.reports import Report
from ..stores.catalogue import FORGETTING
from ..stores.chroma import Entry
from ..stores.communities import ASSEMBLED, StoredCommunity
from .concurrency import Patience, Storing, in_parallel
from .layers import COMMUNITIES, ENTITIES, HIERARCHY
from .opening import Index, Kept, language_model
from .progress import progress_of
from .report_material import (
    ASIDE_RATING,
    Material,
    assembled_report,
    is_empty,
    report_of,
    shown,
    unreported,
)
from .vectors import embed_entries, owned_id, owner_of

_CLUSTERING = "1"  # to be raised when the same entities give other communities
_FEW_RELATIONS = 3
_FEW_ENTITIES = 3
_INCOMPLETE = "incomplete"


def is_complete(index: Index) -> bool:
    """Whether nothing awaits a summary or a report of the model. Blocks."""
    reported = index.catalogue.property(COMMUNITIES.kept_as)
    return not index.entities.undescribed() and not (reported or "").startswith(_INCOMPLETE)


def detect_communities(index: Index, afresh: bool = False) -> None:
    """Makes the communities anew, if the entities have changed since. Blocks.

    They start from what they were, so that a small change touches few of them, unless ``afresh``.
    """
    size = index.catalogue.property("clustering")["max_cluster_size"]
    stamp = HIERARCHY.stamp_of(_CLUSTERING, ENTITIES.stamp(index), size)
    if HIERARCHY.is_current(index, stamp) and not afresh:
        return
    started = time.monotonic()
    entities = [entity.id for entity in index.entities.all_entities()]
    weights = _weights(index)
    stored = {} if afresh else index.catalogue.property("hierarchy") or {}
    previous = {id: Membership(*map(tuple, known)) for id, known in stored.items()}
    communities = find_communities(entities, weights, max_cluster_size=size, previous=previous)
    index.communities.replace(communities)
    index.catalogue.set_property("hierarchy", remembered(communities, weights))
    HIERARCHY.record(index, stamp)
    HIERARCHY.log(time.monotonic() - started, {"communities": len(communities)})


async def write_reports(index: Index, context: Context) -> None:
    """Has the model report on every community, where anything has changed since last time.

    The requests of the last time are not repeated. A community whose reply fails gets an assembled
    report, until the next run.
    """
    reader = await asyncio.to_thread(index.catalogue.property, "reader")
    limit = (await asyncio.to_thread(index.catalogue.property, "clustering"))["report_tokens"]
    stamp = await asyncio.to_thread(_reports_stamp, index, reader, limit)
    forgetting = await asyncio.to_thread(index.catalogue.property, FORGETTING)
    again = forgetting or wants_refresh(context)
    if again or not await asyncio.to_thread(COMMUNITIES.is_current, index, stamp):
        model = await language_model(index, context, reader)
        material = await asyncio.to_thread(Material, index, limit)
        failed = await _Reporting(index, model, material).run(context.concurrency)
        if failed:
            stamp = f"{_INCOMPLETE} {uuid.uuid4().hex}"
        await asyncio.to_thread(COMMUNITIES.record, index, stamp)


class _Reporting:
    """One pass over all communities from the deepest level to the root."""

    def __init__(self, index: Index, model: LanguageModel, material: Material) -> None:
        self._index = index
        self._model = model
        self._material = material
        self._patience = Patience()
        self._failed = 0
        self._done = 0
        self._reports: dict[str, asyncio.Future[Report]] = {}

    async def run(self, workers: int) -> int:
        """Reports on all, ``workers`` at once; returns how many have no report of the model."""
        waiting = self._material.deepest_first()  # children are begun before their parents
        report, loop = progress_of("write_reports"), asyncio.get_running_loop()
        self._reports = {community.id: loop.create_future() for community in waiting}

        async def work(community: StoredCommunity) -> None:
            written, writer = await self._written(community)
            self._reports[community.id].set_result(written)
            await storing.add((community.id, (written, writer)))
            self._done += 1
            report(self._done, len(waiting))

        put = self._index.communities.put_reports
        storing = Storing[tuple[str, tuple[Report, str]]](lambda rows: put(dict(rows)))
        async with storing:
            await in_parallel(waiting, work, workers)
        if self._failed:
            current_meter().warn(
                f"The model {self._model.name} wrote no report on {self._failed} communities; what "
                "is known of them stands for it until the next run of: ragraphs index"
            )
        return self._failed

    async def _written(self, community: StoredCommunity) -> tuple[Report, str]:
        rows = known = await asyncio.to_thread(self._material.own_rows, community.id)
        offline = self._model.name == OFFLINE
        if offline and community.size < _FEW_ENTITIES:
            return unreported(known), ASSEMBLED
        if not offline and self._material.is_aside(community.id):
            return assembled_report(known, ASIDE_RATING), ASSEMBLED
        if not offline and self._material.relation_count(community.id) < _FEW_RELATIONS:
            return assembled_report(known), ASSEMBLED
        if not self._material.fits(known):
            children = {
                child: await asyncio.shield(self._reports[child])
                for child in self._material.children_of(community.id)
            }
            told = {child: report for child, report in children.items() if not is_empty(report)}
            rows = await asyncio.to_thread(self._material.rows, community.id, told)
        if not rows:  # the first of them alone is beyond the limit
            return assembled_report(known), ASSEMBLED
        try:
            if self._patience.is_lost:
                raise NoReplyError("unreachable", f"The model {self._model.name} does not reply.")
            reply = await self._model.run(WRITE_REPORT, texts=shown(rows))
        except NoReplyError as error:
            self._patience.note(error)
            self._failed += 1
            return assembled_report(rows), ASSEMBLED
        self._patience.note()
        return report_of(reply, rows), self._model.name


async def embed_reports(index: Index, context: Context) -> None:
    """Gives every report its vector, and deletes the vectors of former reports."""
    wanted = await asyncio.to_thread(
        lambda: [entry.id for entry in map(_entry, index.communities.all()) if entry]
    )
    await embed_entries(index, context, "reports", wanted, _entries, progress_of("embed_reports"))


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


def _reports_stamp(index: Index, model: str, limit: int) -> str:
    digest = hashlib.sha256()
    for entity in index.entities.all_entities():
        digest.update(json.dumps(entity).encode())
    return COMMUNITIES.stamp_of(HIERARCHY.stamp(index), digest.hexdigest(), model, limit)


def _entry(community: StoredCommunity) -> Entry | None:
    """The entry of a community's report, if it tells anything."""
    if community.report is None or is_empty(community.report):
        return None
    text = f"{community.report['title']}\n{community.report['summary']}"
    return Entry(owned_id(community.id, text), text, {"community": community.id})


def _entries(index: Index, ids: Sequence[str]) -> list[Entry]:
    stored = index.communities.get(map(owner_of, ids)).values()
    return [entry for entry in map(_entry, stored) if entry]


@dataclass(frozen=True)
class CommunityView:
    """Communities by id, and the children of each; those of which nothing is told are left out."""

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
        """A community as the output of an answer refers to it."""
        return {
            "id": id,
            "level": self.communities[id].level,
            "title": self.report(id)["title"],
        }


def load_communities(index: Index) -> CommunityView:
    """The communities of ``index``, kept in memory. Blocks; raises RagraphsError without layer."""
    return _kept.of(index)


def _stamp(index: Index) -> str:
    return f"{COMMUNITIES.stamp(index)} {index.communities.count_unreported()}"


def _load(index: Index) -> CommunityView:
    stored = index.communities.all()
    communities = {one.id: one for one in stored if one.report and not is_empty(one.report)}
    if missing := sum(one.report is None for one in stored):
        current_meter().warn(
            f"{missing} of {len(stored)} communities have no report yet: the index is being "
            "changed, or ragraphs index was interrupted."
        )
    children: defaultdict[str, list[str]] = defaultdict(list)
    for community in communities.values():
        children[community.parent].append(community.id)
    return CommunityView(communities, dict(children))


_kept = Kept(_stamp, _load)
