"""Replies that a reader gave to real prompts are understood to the last item."""

from __future__ import annotations

from collections import Counter

import pytest
from ragraphs.models.protocol import NoReplyError
from ragraphs.prompts import prompt
from ragraphs.prompts.library import REWRITE_QUERY
from ragraphs.prompts.replies import Grades
from replayed import Replay, recorded

ROWS = recorded()


@pytest.fixture
def replaying(openai):
    openai.answer = Replay(ROWS)
    return openai


def told(value) -> Counter:
    """All texts and numbers in ``value``, whatever their keys; numbers in texts are numbers."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return sum(map(told, value), Counter())
    if value in ("", None) or isinstance(value, bool):
        return Counter()
    try:
        return Counter([float(value)])
    except ValueError:
        return Counter([value.strip()])


def of_today(row) -> dict:
    """The reply of ``row``, in the form that its prompt has today."""
    if row.prompt.reply is Grades and "scores" in row.reply:
        graded = [(entry["id"], entry["score"]) for entry in row.reply["scores"]]
        return {
            "grades": [
                {"id": id, "grade": 4 if score >= 0.5 else 2} for id, score in graded if score > 0
            ]
        }
    if "labels" in row.reply:
        labels = row.reply["labels"]
        return {
            name: [entry["id"] for entry in labels if entry["label"] == name]
            for name in ("necessary", "indirect")
        }
    return row.reply


@pytest.mark.parametrize(
    "mode",
    [
        "json_schema",
        pytest.param("function_calling", marks=pytest.mark.slow),
        pytest.param("plain", marks=pytest.mark.slow),
    ],
)
async def test_every_recorded_reply_arrives_whole(replaying, open_model, metering, mode):
    replaying.modes = {mode}
    meter, model = metering(), await open_model()
    for row in ROWS:
        reply = await model.run(row.prompt, **row.inputs)
        assert not told(of_today(row)) - told(reply.model_dump()), row
    assert meter.warnings == []


async def test_a_prompt_of_other_words_finds_its_reply(openai, open_model, monkeypatch):
    written = prompt._built_in
    monkeypatch.setattr(prompt, "_built_in", lambda name: f"{written(name)}\n\nTake your time.")
    openai.answer = Replay(ROWS)
    row = next(row for row in ROWS if row.prompt.name == "answer")
    reply = await (await open_model()).run(row.prompt, **row.inputs)
    assert reply.answer == row.reply["answer"]
    assert "Take your time." in openai.chats[-1]["messages"][1]["content"]


async def test_a_prompt_that_was_not_recorded_gets_no_reply(replaying, open_model):
    with pytest.raises(NoReplyError):
        await (await open_model()).run(REWRITE_QUERY, question="Who?")
