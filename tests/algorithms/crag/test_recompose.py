"""Strips that are kept are put together again in document order."""

from __future__ import annotations

from ragraphs.algorithms.crag.strips import decompose, recompose


def strip(document: str, start: int):
    return {"document": document, "start": start, "end": start + 10, "text": f"{document} {start}"}


def test_strips_of_a_document_stand_in_its_order_and_documents_as_they_came():
    strips = [strip("b", 254), strip("a", 5), strip("b", 0), strip("b", 48), strip("a", 0)]
    kept = recompose(strips, [0.5, 0.4, 0.9, 0.2, -0.8], cut=-0.5, most=3)
    assert [(one["document"], one["start"]) for one in kept] == [("b", 0), ("b", 254), ("a", 5)]
    assert [one["score"] for one in kept] == [0.9, 0.5, 0.4]


def test_a_heading_begins_the_strip_of_the_sentences_below_it():
    text = "# Stove\n\nIt is warm. It is black.\n\n## Ash\n\nAsh stays hot. Tip it out late."
    strips = decompose({"document": "a", "start": 7, "end": 7 + len(text), "text": text}, 2)
    said = [one["text"] for one in strips]
    assert said == [text[: text.index("\n\n## Ash")], text[text.index("## Ash") :]]
    assert [text[one["start"] - 7 : one["end"] - 7] for one in strips] == said
