"""Replies that several methods share: what an answer lacks."""

from __future__ import annotations

import pytest
from ragraphs.prompts.replies import Answer

REPLY = {"quotes": [], "sufficient": False, "answer": ""}


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (["When did she die?", "Where?"], ["When did she die?", "Where?"]),
        ("When she died.", ["When she died."]),
        (["", "\r", " ", "Where?"], ["Where?"]),
        ([None, {"question": "x"}, "Where?"], ["Where?"]),
        ("", []),
        (None, []),
    ],
)
def test_what_an_answer_lacks_is_a_list_of_texts(given, missing):
    assert Answer.model_validate({**REPLY, "missing": given}).missing == missing


def test_a_reply_that_says_nothing_of_it_lacks_nothing():
    assert Answer.model_validate(REPLY).missing == []
