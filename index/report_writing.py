"""Reports that a model writes on communities, stored as they come."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from typing import NamedTuple

from ..algorithms.graphrag.report_context import Element
from ..context import Context
from ..models.protocol import OFFLINE, LanguageModel, NoReplyError
from ..prompts.graphrag_replies import CommunityReport
from ..prompts.indexing import WRITE_REPORT
from ..state.reports import Report
from ..stores.communities import ASSEMBLED
from .concurrency import Patience, Storing, in_parallel
from .entities import read_entities
from .hierarchy import as_reported
from .opening import Index
from .progress import Progress
from .prompt_words import known_as, manner_of
from .readers import language_model
from .report_material import assembled_report, is_foreign, report_of, row_tokens, shown
from .triple_sources import described


class WrittenReports(NamedTuple):
    """Reports of communities, how many are not the model's; whether it was given up."""

    reports: dict[str, Report]
    failed: int
    gave_up: bool


async def write_with_model(
    reader: str,
    index: Index,
    context: Context,
    asked: Sequence[tuple[str, list[Element]]],
    report: Progress,
) -> WrittenReports:
    """Has the model report on communities, and stores the reports as they come."""
    index = await asyncio.to_thread(as_reported, index)  # a worker has opened it as it is in use
    model = await language_model(index, context, reader)
    manner = await asyncio.to_thread(manner_of, index, reader)
    patience = Patience(context.concurrency)
    reports: dict[str, Report] = {}
    sources: dict[str, str] = {}
    failed = 0

    async def write(one: tuple[str, list[Element]]) -> None:
        nonlocal failed
        id, rows = one
        try:
            shows = (
                rows if reader == OFFLINE else await asyncio.to_thread(_in_full, index, id, rows)
            )
            reply, told = await _asked_for(model, shows, manner)
        except NoReplyError as error:
            patience.note(error)
            failed += 1
            written, writer = assembled_report(rows), ASSEMBLED
        else:
            patience.note()
            written, writer = report_of(reply, told), model.name
            sources[id] = report_source(reader, rows, manner)
        reports[id] = written
        await storing.add((id, (written, writer)))
        report(len(reports), len(asked))

    def put(written: Sequence[tuple[str, tuple[Report, str]]]) -> None:
        known = {id: sources[id] for id, _ in written if id in sources}
        index.communities.put_reports(dict(written), known)

    storing = Storing[tuple[str, tuple[Report, str]]](put)
    async with storing:
        await in_parallel(patience.while_it_lasts(asked), write, context.concurrency)
    return WrittenReports(reports, failed, patience.is_lost)


def report_source(reader: str, rows: Sequence[Element], manner: str) -> str:
    """The hash of what the model ``reader`` writes a report from, and of how, if it is told."""
    told = [known_as(reader), rows, *([manner] if manner else [])]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _in_full(index: Index, id: str, rows: Sequence[Element]) -> list[Element]:
    """The rows of the community ``id``, its relations with the sentences that state them.

    As far as the limit of a report has room, in the order of the rows.
    """
    part = read_entities(index, index.communities.members_of(id), relations=True)
    known = {one.id: one for edges in part.edges.values() for one in edges}
    told = described(index, part, [known[row.id] for row in rows if row.id in known])
    room = index.catalogue.property("clustering")["report_tokens"] - sum(map(row_tokens, rows))
    found: list[Element] = []
    for row in rows:
        longer = row._replace(text=told.get(row.id, row.text))
        more = row_tokens(longer) - row_tokens(row)
        if more <= room:
            room, row = room - more, longer
        found.append(row)
    return found


async def _asked_for(
    model: LanguageModel, rows: list[Element], manner: str
) -> tuple[CommunityReport, list[Element]]:
    """The model's report, and the rows that it was shown: the first of ``rows`` that its window has
    room for. Raises NoReplyError.
    """
    told = {"manner": manner} if manner else {}
    while True:
        try:
            reply = await model.run(WRITE_REPORT, texts=shown(rows), **told)
        except NoReplyError as error:
            if error.cause != "too_large" or len(rows) == 1:
                raise
            rows = rows[: len(rows) // 2]
        else:
            if is_foreign(reply, rows):
                raise NoReplyError("malformed", "The report shares no word with its lines.")
            return reply, rows
