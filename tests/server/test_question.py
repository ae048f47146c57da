"""The body of a request that asks a question."""

from __future__ import annotations

import pytest
from ragraphs.server.access import Access
from ragraphs.server.question import AskedQuestion
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError

ACCESS = Access("notes", None)


@pytest.mark.parametrize(("wanted", "had"), [(None, 20), (5, 5), (500, 20)])
def test_a_client_may_want_less_time_and_never_more(wanted, had, monkeypatch):
    monkeypatch.setenv("RAGRAPHS_MAX_SECONDS", "20")
    settings.cache_clear()
    asked = AskedQuestion(question="Who?", max_seconds=wanted)
    context = asked.context(ACCESS)
    assert context.max_seconds == had and bool(context.lowered) == (wanted == 500)


def test_a_time_that_is_none_is_refused_in_a_sentence():
    with pytest.raises(RagraphsError, match="max_seconds"):
        AskedQuestion(question="Who?", max_seconds=-1).context(ACCESS)


def test_a_question_to_verify_is_given_as_a_statement():
    assert AskedQuestion(question="It is so.", verify=True).given["statement"] == "It is so."
    assert "statement" not in AskedQuestion(question="Is it so?").given
