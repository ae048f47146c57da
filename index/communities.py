"""The communities layer of the index: a hierarchy of entities, and a report on each (GraphRAG)."""

from __future__ import annotations

import asyncio
import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, cast

from ..algorithms.graphrag.report_context import Element
from ..context import Context, wants_refresh
from ..models.meter import current_meter
from ..models.protocol import OFFLINE, LanguageModel
from ..state.errors import RagraphsError
from ..state.graphrag import CommunityReference
from ..state.reports import Report
from ..stores.catalogue import FORGETTING
from ..stores.communities import ASSEMBLED, CommunityOutline, CommunityStore, StoredCommunity
from ..stores.queries import batches
from ..stores.untold import UNEMBEDDED_REPORTS, UNTOLD, nothing_untold
from ..stores.vectors import Entry
from .cluster.parts import in_parts
from .concurrency import to_its_end
from .hierarchy import WRITTEN, as_reported, is_begun, put_in_use, stamp_as_reported
from .layers import COMMUNITIES
from .opening import CachedValue, Index
from .progress import progress_of
from .prompt_words import manner_of
from .readers import language_model
from .report_material import ASIDE_RATING, Material, assembled_report, is_empty, unreported
from .report_writing import report_source, write_with_model
from .untold import untold_communities, untold_entities, writer_of_reports
from .vectors import embed_entries, owned_id, owner_of

_FEW_RELATIONS = 3
_FEW_ENTITIES = 3
_BATCH = 32  # communities for one worker of a cluster
_Assemble = Callable[[Sequence[Element]], Report]
_Chosen = tuple[list[Element], _Assemble | None]
_INCOMPLETE = "incomplete"
_MOST_NOTED = 5000  # of more communities whose reports changed, all are gone through


def is_complete(index: Index) -> bool:
    """Whether nothing awaits a summary or a report of the model. Blocks."""
    reported = index.catalogue.property(COMMUNITIES.kept_as)
    if is_begun(index) or (reported or "").startswith(_INCOMPLETE):
        return False
    return not index.entities.undescribed()


async def write_reports(index: Index, context: Context) -> None:
    """Has the model report on every community, where anything has changed since last time.

    The requests of the last time are not repeated. A community whose reply fails gets an assembled
    report, until the next run. A hierarchy beside the one in use takes its place once all of its
    reports, and their vectors, are there.
    """
    begun = await asyncio.to_thread(is_begun, index)
    whole, index = index, await asyncio.to_thread(as_reported, index)
    reader = await asyncio.to_thread(index.catalogue.property, "reader")
    limit = (await asyncio.to_thread(index.catalogue.property, "clustering"))["report_tokens"]
    made_by = await asyncio.to_thread(writer_of_reports, index, reader, limit)
    stamp = await asyncio.to_thread(_reports_stamp, index, made_by)
    forgetting = await asyncio.to_thread(index.catalogue.property, FORGETTING)
    again = forgetting or wants_refresh(context)
    untold = await asyncio.to_thread(untold_entities, index, made_by)
    told = untold == [] and await asyncio.to_thread(COMMUNITIES.is_current, index, stamp)
    if again or begun or not told:
        model = await language_model(index, context, reader)
        # Of a model, the replies that reports rest on are used again, since others are forgotten.
        trusted = model.name == OFFLINE or not again
        near = None
        if trusted and untold is not None and not wants_refresh(context):
            near = await asyncio.to_thread(untold_communities, whole, index, untold)
        material = await asyncio.to_thread(Material, index, limit, near)
        sources = await asyncio.to_thread(index.communities.sources, near) if trusted else {}
        failed = await _Reporting(index, model, material, sources).run(context)
        if failed:
            stamp = f"{_INCOMPLETE} {uuid.uuid4().hex}"
        left = {
            UNTOLD: None if failed else nothing_untold(made_by),
            UNEMBEDDED_REPORTS: await asyncio.to_thread(_unembedded, index, near),
        }
        if begun:
            await _embed_beside(index, context, near)
            await to_its_end(put_in_use, index, stamp, left)
            return
        # Those who keep communities in memory are told that they, or their reports, have changed.
        written = {**left, WRITTEN: uuid.uuid4().hex, COMMUNITIES.kept_as: stamp}
        await asyncio.to_thread(index.catalogue.set_properties, written)


class _Reporting:
    """One pass over all communities, level by level from the deepest, whose reports others need.

    A report stands whose source is the one that ``sources`` tell, by community.
    """

    def __init__(
        self, index: Index, model: LanguageModel, material: Material, sources: Mapping[str, str]
    ) -> None:
        self._index = index
        self._model = model
        self._material = material
        self._sources = sources
        self._failed = 0
        self._done = 0
        self._gave_up = False
        self._reports = material.standing()

    async def run(self, context: Context) -> int:
        """Reports on all; returns how many have no report of the model."""
        waiting = self._material.deepest_first()
        report = progress_of("write_reports")
        for _, level in groupby(waiting, key=lambda community: community.level):
            await self._write(list(level), context, lambda done: report(done, len(waiting)))
        if self._failed:
            current_meter().warn(
                f"The model {self._model.name} wrote no report on {self._failed} communities; what "
                "is known of them stands for it until the next run of: ragraphs index"
            )
        await asyncio.to_thread(self._material.keep_tokens)
        return self._failed

    async def _write(
        self, level: Sequence[StoredCommunity], context: Context, report: Callable[[int], None]
    ) -> None:
        """Reports on the communities of a level: at once, or by the model where they deserve it."""
        settled, asked = await asyncio.to_thread(self._settled, level)
        if self._gave_up:
            unwritten = asked
        else:
            so_far = self._done + len(settled)
            parts = await in_parts(
                self._index,
                context,
                partial(write_with_model, self._model.name),
                asked,
                lambda done, total: report(so_far + int(done)),
                most=_BATCH,
                asks=self._model.name != OFFLINE,
                goes_on=lambda part: not part.gave_up,
            )
            for part in parts:
                self._reports |= part.reports
                self._failed += part.failed
                self._gave_up |= part.gave_up
            unwritten = [one for one in asked if one[0] not in self._reports]
        self._failed += len(unwritten)
        settled |= {id: assembled_report(rows) for id, rows in unwritten}
        before = {one.id: (one.report, one.writer) for one in level}
        assembled = {id: (written, ASSEMBLED) for id, written in settled.items()}
        changed = {id: new for id, new in assembled.items() if new != before[id]}
        await asyncio.to_thread(self._index.communities.put_reports, changed)
        self._reports |= settled
        self._done += len(level)
        report(self._done)

    def _settled(
        self, level: Sequence[StoredCommunity]
    ) -> tuple[dict[str, Report], list[tuple[str, list[Element]]]]:
        """The reports that need no model, and the rows of those to ask it for. Blocks."""
        settled: dict[str, Report] = {}
        asked: list[tuple[str, list[Element]]] = []
        manner = manner_of(self._index, self._model.name)
        chosen = list[tuple[StoredCommunity, list[Element], _Assemble | None]]()
        alone = self._reports_alone(level)
        self._material.read(one.id for one in level if one.id not in alone)
        for community in level:
            rows, assemble = alone.get(community.id) or self._chosen(community)
            if assemble is unreported:  # which tells no passages
                settled[community.id] = unreported(rows)
            else:
                chosen.append((community, rows, assemble))
        every = self._material.told([rows for _, rows, _ in chosen])
        for (community, _, assemble), rows in zip(chosen, every, strict=True):
            if assemble is not None:
                settled[community.id] = assemble(rows)
            elif self._stands(community, rows, manner):
                self._reports[community.id] = cast(Report, community.report)
            else:
                asked.append((community.id, rows))
        return settled, asked

    def _chosen(self, community: StoredCommunity) -> _Chosen:
        """The rows of a report, and the function that makes it of them if the model does not."""
        rows = self._material.own_rows(community.id)
        if (assemble := self._without_model(community, rows)) is not None:
            return rows, assemble
        if self._material.fits(rows):
            return rows, None if rows else assembled_report
        if shorter := self._material.rows(community.id, self._reports):
            return shorter, None
        return rows, assembled_report  # the first of them alone is beyond the limit

    def _reports_alone(self, level: Sequence[StoredCommunity]) -> dict[str, _Chosen]:
        """The rows of communities that rules report on by their children's reports alone."""
        some = [one.id for one in level if self._model.name == OFFLINE]
        told = ((id, self._material.reports_alone(id, self._reports)) for id in some)
        return {id: (rows, None) for id, rows in told if rows}

    def _stands(self, community: StoredCommunity, rows: list[Element], manner: str) -> bool:
        source = report_source(self._model.name, rows, manner)
        return community.report is not None and source == self._sources.get(community.id)

    def _without_model(self, community: StoredCommunity, rows: list[Element]) -> _Assemble | None:
        """The function that reports on a community that deserves no request; None of others."""
        if self._model.name == OFFLINE:
            return unreported if community.size < _FEW_ENTITIES else None
        if self._material.is_aside(community.id):
            return partial(assembled_report, rating=ASIDE_RATING)
        few = self._material.relation_count(community.id) < _FEW_RELATIONS
        return assembled_report if few else None


async def embed_reports(index: Index, context: Context) -> None:
    """Gives every report its vector, and deletes the vectors of former reports.

    Where all of before are there, only reports that have changed since are looked at.
    """
    wanted, present = await asyncio.to_thread(_changed_vectors, index)
    report = progress_of("embed_reports")
    await embed_entries(index, context, "reports", wanted, _entries, report, present)
    settled = nothing_untold(None)
    await asyncio.to_thread(index.catalogue.set_property, UNEMBEDDED_REPORTS, settled)


async def _embed_beside(index: Index, context: Context, near: Collection[str] | None) -> None:
    """Gives vectors to the reports beside those in use, which keep theirs.

    Given ``near``, no others have changed than the reports on these communities.
    """

    def vectors() -> tuple[set[str], set[str]]:
        stored = index.vectors
        present = stored.ids("reports") if near is None else stored.owned("reports", set(near))
        return present, present.union(_vector_ids(index, near))

    present, wanted = await asyncio.to_thread(vectors)
    report = progress_of("embed_reports")
    await embed_entries(index, context, "reports", wanted, _entries, report, present)


def _vector_ids(index: Index, of: Collection[str] | None = None) -> list[str]:
    """The ids of the vectors that all reports need, or those on the communities ``of``."""
    return [owned_id(id, _text(*told)) for id, *told in index.communities.told(of)]


def _unembedded(index: Index, near: Collection[str] | None) -> dict[str, Any] | None:
    """The property of communities that are not as the vectors of reports were made.

    ``near`` are those on which reports are written, None where they may be all. Blocks.
    """
    noted: dict[str, Any] | None = index.catalogue.property(UNEMBEDDED_REPORTS)
    if noted is None or near is None:
        return None
    found = {*noted["entities"], *near, *index.communities.changed_beside()}
    return {**noted, "entities": sorted(found)} if len(found) <= _MOST_NOTED else None


def _changed_vectors(index: Index) -> tuple[list[str], set[str] | None]:
    """The ids of vectors that reports need, and which are there of the same communities.

    Of all reports, and None, where more than the changed ones may lack theirs.
    """
    noted = index.catalogue.property(UNEMBEDDED_REPORTS)
    if noted and index.in_use is None and not index.anew:
        changed = set(noted["entities"])
        wanted, present = _vector_ids(index, changed), index.vectors.owned("reports", changed)
        others = index.vectors.count("reports") - len(present)
        if others + len(wanted) == index.communities.count_told():
            return wanted, present
    return _vector_ids(index), None


def report_text(report: Report) -> str:
    """A report as it is shown to a model: the summary, and on a line each finding not in it."""
    summary = report["summary"]
    statements = [finding["statement"] for finding in report["findings"]]
    return "\n".join([summary, *(f"- {one}" for one in statements if one not in summary)])


def _reports_stamp(index: Index, made_by: str) -> str:
    return COMMUNITIES.stamp_of(stamp_as_reported(index), made_by)


def _entry(community: StoredCommunity) -> Entry | None:
    """The entry of a community's report, if it tells anything."""
    if community.report is None or is_empty(community.report):
        return None
    text = _text(community.report["title"], community.report["summary"])
    return Entry(owned_id(community.id, text), text, {})


def _text(title: str, summary: str) -> str:
    return f"{title}\n{summary}"


def _entries(index: Index, ids: Sequence[str]) -> list[Entry]:
    stored = as_reported(index).communities.get(map(owner_of, ids)).values()
    return [entry for entry in map(_entry, stored) if entry]


@dataclass(frozen=True)
class CommunityView:
    """Communities by id, and the children of each; communities without a report are left out.

    view = load_communities(index)
    for id, report in view.reports(view.heaviest(level=1)[:5]):
        print(view.communities[id].size, report["summary"])

    Reports are read from the store when they are asked for. These methods block. ``lacks`` says in
    a sentence that some have none.
    """

    communities: Mapping[str, CommunityOutline]
    children: Mapping[str, Sequence[str]]
    store: CommunityStore = field(repr=False)
    lacks: str = ""
    _heaviest: dict[int, list[str]] = field(default_factory=dict, repr=False)

    def is_at(self, id: str, level: int) -> bool:
        """Whether a community, or ``id`` of an unknown one, is in the partition at a level."""
        community = self.communities.get(id)
        if community is None or community.level > level:
            return False
        return community.level == level or not self.children.get(id)

    def at(self, level: int) -> list[str]:
        """The partition at a level: its communities, and those above without children."""
        return [id for id in self.communities if self.is_at(id, level)]

    def heaviest(self, level: int) -> list[str]:
        """The partition at a level by the rating of the reports, the highest first, then by id."""
        if level not in self._heaviest:
            rated = sorted(self.at(level), key=lambda id: (-self.communities[id].rating, id))
            self._heaviest[level] = rated
        return self._heaviest[level]

    def reports(self, ids: Iterable[str]) -> Iterator[tuple[str, Report]]:
        """Each of ``ids`` with the report on it, read in batches; one that is gone is left out."""
        for batch in batches(ids):
            for id, stored in self.store.get(batch).items():
                if stored.report is not None:
                    yield id, stored.report

    def report(self, id: str) -> Report:
        """The report on a community. Raises RagraphsError where it is gone."""
        for _, report in self.reports([id]):
            return report
        raise RagraphsError("The index was changed while it was asked; ask again.")

    def reference(self, id: str) -> CommunityReference:
        """A community as the output of an answer refers to it."""
        community = self.communities[id]
        return {"id": id, "level": community.level, "title": community.title}


def load_communities(index: Index) -> CommunityView:
    """The communities of ``index`` without their reports, kept in memory.

    Some 400 bytes for each. Blocks; raises RagraphsError without the layer. Warns where reports are
    missing, or are of before the last change.
    """
    view = _kept.of(index)
    if is_begun(index):
        current_meter().warn(
            "The reports on communities are of before the last change of the index: ragraphs index "
            "is writing others, or was interrupted."
        )
    elif view.lacks:
        current_meter().warn(view.lacks)
    return view


def _stamp(index: Index) -> str:
    stamp, written = index.catalogue.properties(COMMUNITIES.kept_as, WRITTEN)
    return f"{stamp or COMMUNITIES.stamp(index)} {written}"


def _load(index: Index) -> CommunityView:
    communities = {one.id: one for one in index.communities.outlines()}
    lacks = ""
    if missing := index.communities.count_unreported():
        lacks = (
            f"{missing} of {index.communities.count()} communities have no report yet: the index "
            "is being changed, or ragraphs index was interrupted."
        )
    children: defaultdict[str, list[str]] = defaultdict(list)
    for community in communities.values():
        children[community.parent].append(community.id)
    return CommunityView(communities, dict(children), index.communities, lacks)


_kept = CachedValue(_stamp, _load)
