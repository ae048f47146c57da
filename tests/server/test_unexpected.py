"""An error that nobody foresaw is a sentence with its place; the log has its traceback."""

from __future__ import annotations

import json
import logging

import pytest
from ragraphs.language.analyser import bigrams
from ragraphs.server.exchange import EventStream, failure
from ragraphs.state.errors import RagraphsError


def broken() -> None:
    bigrams(None)  # type: ignore[arg-type]


async def events():
    yield "step", {"name": "begin"}
    broken()


def raised() -> Exception:
    with pytest.raises(TypeError) as met:
        broken()
    return met.value


async def test_a_request_fails_with_a_sentence_and_its_place(caplog):
    with caplog.at_level(logging.ERROR):
        response = await failure(raised())
    told = json.loads(bytes(response.body))["detail"]
    assert response.status_code == 500
    assert "in ragraphs.language.analyser, line" in told and "is safe" in told
    assert "Traceback" not in told and "Traceback" in caplog.text


async def test_a_persons_error_is_not_in_the_log(caplog):
    response = await failure(RagraphsError("Name a folder."))
    assert (response.status_code, caplog.text) == (422, "")


async def test_events_end_with_the_sentence():
    stream = EventStream(events())
    await stream._work()
    sent = []
    while (text := await stream._next()) is not None:
        sent.append(text)
    assert sent[0].startswith("event: step") and sent[-1].startswith("event: error")
    assert "in ragraphs.language.analyser, line" in sent[-1]
