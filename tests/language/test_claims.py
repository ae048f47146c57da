"""A claim is told with its status and its dates."""

from __future__ import annotations

import pytest
from ragraphs.language.analyser import sentences
from ragraphs.language.claims import told_claim
from ragraphs.state.facts import ClaimFact


def claim(description: str, status: str, start: str = "", end: str = "") -> ClaimFact:
    return {
        "subject": "Ann Lee",
        "object": "",
        "type": "deed",
        "status": status,
        "description": description,
        "quote": "",
        "start_date": start,
        "end_date": end,
    }


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (claim("Ann Lee stole it.", "false"), "Claim (false): Ann Lee stole it."),
        (
            claim("Ann Lee won.", "suspected", "1901", "1902"),
            "Claim (suspected, 1901 – 1902): Ann Lee won.",
        ),
        (claim("Ann Lee won.", "true", "1901", "1901"), "Claim (true, 1901): Ann Lee won."),
        (claim("정도전이 돈을 훔쳤다.", "false"), "주장 (거짓): 정도전이 돈을 훔쳤다."),
        (claim("", "false"), ""),
    ],
)
def test_status_and_dates_stand_before_a_claim(given, told):
    assert told_claim(given) == told


def test_no_sentence_of_a_claim_stands_without_its_status():
    told = told_claim(claim("Ann Lee stole it.\nShe hid the money.", "false", "May 1901"))
    assert [one.plain for one in sentences(told)] == [
        "Claim (false, May 1901): Ann Lee stole it.",
        "Claim (false, May 1901): She hid the money.",
    ]
