"""The texts that a map step reads: passages, or the reports on communities (GraphRAG)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter

from ...index.communities import load_communities, report_text
from ...index.opening import Index
from ...index.report_material import passages_of
from ...language.analyser import count_tokens
from ...models.meter import current_meter
from ...state.reports import Report

ROW_TOKENS = 20
READ_PASSAGES = frozenset({"text", "lazy"})
"""Searches that read passages, not reports."""
_REPLACED = "A run of ragraphs index replaced reports meanwhile, some of which were not read."
_begin = itemgetter("document", "start")


def read_batch(
    index: Index, search: str, batch: Sequence[str], level: int
) -> tuple[dict[str, tuple[str, str]], dict[str, Report]]:
    """The titles and texts of a batch by id, and the reports among them, as ``reports_of`` finds.

    They stand by where they begin in the documents; a report begins with its first passage. Blocks.
    """
    if search in READ_PASSAGES:
        found = sorted(index.catalogue.passages(batch), key=_begin)
        return {one["id"]: (one["title"], one["text"]) for one in found}, {}
    reports = dict(reports_of(index, batch, level))
    passages = {id: passages_of(report) for id, report in reports.items()}
    known = index.catalogue.passages([one for ids in passages.values() for one in ids])
    begins = {one["id"]: _begin(one) for one in known}

    def place(id: str) -> tuple[bool, tuple[str, int]]:
        found = [begins[one] for one in passages[id] if one in begins]
        return not found, min(found, default=("", 0))

    ordered = {id: reports[id] for id in sorted(reports, key=place)}
    return {id: (one["title"], report_text(one)) for id, one in ordered.items()}, reports


def reports_of(index: Index, ids: Sequence[str], level: int) -> Iterator[tuple[str, Report]]:
    """Each of the communities ``ids`` with the report on it.

    Where a run has replaced some meanwhile, the others are read, with a warning; where it has
    replaced all, as many of the heaviest of a ``level``. Blocks.
    """
    view, read = load_communities(index), 0
    for one in view.reports(ids):
        read += 1
        yield one
    if read < len(ids):
        current_meter().warn(_REPLACED)
    if not read:
        view = load_communities(index)
        yield from view.reports(view.heaviest(level)[: len(ids)])


def passage_sizes(index: Index, ids: Sequence[str] | None) -> dict[str, int]:
    """The tokens of the passages ``ids``, or of all. Blocks."""
    passages = index.catalogue.all_passages() if ids is None else index.catalogue.passages(ids)
    return {passage["id"]: row_tokens(passage["title"], passage["text"]) for passage in passages}


def report_sizes(index: Index, ids: Sequence[str], level: int) -> dict[str, int]:
    """The tokens of each report that ``reports_of`` finds, of which a batch is held at a time."""
    reports = reports_of(index, ids, level)
    return {id: row_tokens(report["title"], report_text(report)) for id, report in reports}


def row_tokens(title: str, text: str) -> int:
    return ROW_TOKENS + count_tokens(title) + count_tokens(text)
