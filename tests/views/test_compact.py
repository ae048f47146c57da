"""Answers in short."""

from __future__ import annotations

from ragraphs.state.records import Citation
from ragraphs.views.compact import place_of

CITATION: Citation = {
    "passage": "p",
    "document": "notes.pdf",
    "title": "Notes",
    "start": 10,
    "end": 52,
    "quote": "A quote.",
    "metadata": {"page": 3},
}


def test_a_place_names_title_document_page_and_characters():
    assert place_of(CITATION) == "Notes (notes.pdf, page 3, characters 10–52)"


def test_a_place_without_a_page_names_none():
    assert place_of({**CITATION, "metadata": {}}) == "Notes (notes.pdf, characters 10–52)"
