"""Answers in short."""

from __future__ import annotations

import pytest
from ragraphs.state.answering import StopReason
from ragraphs.state.places import told_place
from ragraphs.state.records import Citation
from ragraphs.views.compact import ShortAnswer, short_text

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
    assert told_place(CITATION) == "Notes (notes.pdf, page 3, characters 10–52)"


def test_a_place_without_a_page_names_none():
    assert told_place({**CITATION, "metadata": {}}) == "Notes (notes.pdf, characters 10–52)"


ANSWER: ShortAnswer = {
    "answer": "John Fowler",
    "sufficient": True,
    "stop_reason": "answered",
    "quotes": [{"quote": "Fowler\n  designed it.", "place": "Notes (notes.pdf, page 3)"}],
    "missing": [],
    "warnings": [],
}


def test_the_text_of_an_answer_has_its_quotations_each_on_a_line():
    assert short_text(ANSWER) == (
        "John Fowler\n\n[1] “Fowler designed it.” — Notes (notes.pdf, page 3)"
    )


def test_the_text_of_an_answer_says_first_that_it_is_not_supported_and_last_what_is_missing():
    partial: ShortAnswer = {**ANSWER, "sufficient": False, "missing": ["When?", "With whom?"]}
    assert short_text(partial) == (
        "John Fowler\n\nThe documents do not support all of this answer.\n\n"
        "[1] “Fowler designed it.” — Notes (notes.pdf, page 3)\n\n"
        "The documents do not say:\n- When?\n- With whom?"
    )


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("no_evidence", "The documents give no answer."),
        ("no_model", "The documents give no certain answer."),
        ("model_failed", "There is no answer: the language model gave no usable reply."),
        ("budget", "There is no answer: the limit of the run was reached."),
    ],
)
def test_without_an_answer_the_text_says_whether_the_documents_lack_it(
    reason: StopReason, text: str
) -> None:
    nothing: ShortAnswer = {
        "answer": "",
        "sufficient": False,
        "stop_reason": reason,
        "quotes": [],
        "missing": [],
        "warnings": [],
    }
    assert short_text(nothing) == text


def test_a_model_that_failed_is_told_with_the_cause_and_the_way_out() -> None:
    cause = "The model m did not reply (401: wrong key); set its key to one that is valid."
    failed: ShortAnswer = {**ANSWER, "answer": "", "sufficient": False, "warnings": [cause]}
    told = short_text({**failed, "stop_reason": "model_failed"})
    assert told.startswith(f"There is no answer: the language model gave no usable reply. {cause}")
    assert "“Fowler designed it.”" in told  # what was found stays
    assert cause not in short_text({**failed, "stop_reason": "no_evidence"})
