"""Strips that are kept are put together again in document order."""

from __future__ import annotations

from ragraphs.algorithms.crag.strips import recompose


def strip(document: str, start: int):
    return {"document": document, "start": start, "end": start + 10, "text": f"{document} {start}"}


def test_strips_of_a_document_stand_in_its_order_and_documents_as_they_came():
    strips = [strip("b", 254), strip("a", 5), strip("b", 0), strip("b", 48), strip("a", 0)]
    kept = recompose(strips, [0.5, 0.4, 0.9, 0.2, -0.8], cut=-0.5, most=3)
    assert [(one["document"], one["start"]) for one in kept] == [("b", 0), ("b", 254), ("a", 5)]
    assert [one["score"] for one in kept] == [0.9, 0.5, 0.4]
