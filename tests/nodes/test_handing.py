"""Which of two answers the router keeps."""

from __future__ import annotations

import pytest
from ragraphs.nodes.router.handing import handed_on, is_worse
from ragraphs.state.found import NOTHING

LETTER = "Dear all, the bridge is closed for repair. Please take the ferry until the work is done."
WHY = "Why is the bridge closed?"
WHO = "Who closed the bridge?"
CLOSED = "The bridge was closed by Ben Holt."


def found(answer, sufficient=False, cited=True, quote=""):
    citations = [{"quote": quote}] if cited else []
    return {"answer": answer, "sufficient": sufficient, "citations": citations}


@pytest.mark.parametrize(
    ("later", "before", "question", "worse"),
    [
        (found("repair"), found(LETTER), WHY, True),
        (found("repair"), found(LETTER), WHO, False),
        (found(LETTER), found("repair"), WHY, False),
        (found("repair", sufficient=True), found(LETTER), WHY, False),
        (found(LETTER), found("Ada Bell", sufficient=True), WHO, True),
        (found("Ada Bell", cited=False), found("Ben Holt"), WHO, True),
        (found("Ada Bell", quote="It rained."), found("Ben Holt", quote=CLOSED), WHO, True),
        (found("Ada Bell", quote=CLOSED), found("Ben Holt", quote="It rained."), WHO, False),
        (found("Ada Bell", True, quote="It rained."), found("Ben", True, quote=CLOSED), WHO, False),
    ],
)
def test_the_better_answer_is_kept_and_of_equals_the_later_but_no_phrase_for_a_text(
    later, before, question, worse
):
    assert is_worse(later, before, question) is worse


@pytest.mark.parametrize(
    ("answer", "doubt", "doubted"),
    [("repair", "No cited sentence says so.", True), ("repair", "", False), (LETTER, "No.", False)],
)
def test_a_reader_whose_phrase_was_refused_is_remembered(answer, doubt, doubted):
    result = {**found(answer), "citations": [], "doubt": doubt, "missing": [], "evidence": []}
    held = handed_on(NOTHING, result)
    assert held["doubted"] is doubted
    assert handed_on(held, {**result, "doubt": ""})["doubted"] is doubted
