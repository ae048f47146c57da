"""The texts that a map step reads: passages, or the reports on communities (GraphRAG)."""

from __future__ import annotations

from collections.abc import Sequence

from ...index.communities import load_communities, report_text
from ...index.opening import Index
from ...index.report_material import passages_of
from ...language.analyser import count_tokens

ROW_TOKENS = 20
READ_PASSAGES = frozenset({"text", "lazy"})
"""Searches that read passages, not reports."""


def in_document_order(index: Index, search: str, batch: Sequence[str]) -> list[str]:
    """A batch by where its texts begin in the documents; a report begins with its first passage."""
    passages: dict[str, tuple[str, ...]] = {id: (id,) for id in batch}
    if search not in READ_PASSAGES:
        reports = load_communities(index).reports(batch)
        passages = {id: passages_of(report) for id, report in reports}
    known = index.catalogue.passages([one for ids in passages.values() for one in ids])
    begins = {one["id"]: (one["document"], one["start"]) for one in known}

    def place(id: str) -> tuple[bool, tuple[str, int]]:
        found = [begins[one] for one in passages[id] if one in begins]
        return not found, min(found, default=("", 0))

    return sorted(batch, key=place)


def passage_sizes(index: Index, ids: Sequence[str] | None) -> dict[str, int]:
    """The tokens of the passages ``ids``, or of all. Blocks."""
    passages = index.catalogue.all_passages() if ids is None else index.catalogue.passages(ids)
    return {passage["id"]: row_tokens(passage["title"], passage["text"]) for passage in passages}


def shown_texts(index: Index, search: str, batch: Sequence[str]) -> list[tuple[str, str]]:
    if search in READ_PASSAGES:
        return [(one["title"], one["text"]) for one in index.catalogue.passages(batch)]
    return report_texts(index, batch)


def report_texts(index: Index, ids: Sequence[str]) -> list[tuple[str, str]]:
    """The titles and texts of the reports on communities. Blocks."""
    reports = load_communities(index).reports(ids)
    return [(report["title"], report_text(report)) for _, report in reports]


def report_sizes(index: Index, ids: Sequence[str]) -> dict[str, int]:
    """The tokens of each report, of which a batch is held at a time."""
    reports = load_communities(index).reports(ids)
    return {id: row_tokens(report["title"], report_text(report)) for id, report in reports}


def row_tokens(title: str, text: str) -> int:
    return ROW_TOKENS + count_tokens(title) + count_tokens(text)
