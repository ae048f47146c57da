"""Parts of the attack: replies, changes, files, requests and signs."""

from __future__ import annotations

import json
import random

import pytest
from ragraphs.models.chat.structured import read_reply
from ragraphs.state.errors import foreseen

from lab.attack.hostile_files import make
from lab.attack.hostile_replies import FAMILIES, honest
from lab.attack.hostile_requests import draw
from lab.attack.hostile_values import ODD_VALUES, mutated, spelled
from lab.attack.replies import PROMPTS, kind_of
from lab.attack.signs import KEY, check_value, controls, leaks
from lab.attack.trials import Trial
from lab.benchmarks.stub_replies import stub_reply

HUMAN = '<text id="1" title="A">\nAnn Bell met Bob Carr. They built a bridge.\n</text>'


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_every_prompt_has_an_honest_reply_and_hostile_ones(prompt):
    kind = prompt.reply.__name__
    reply = stub_reply(kind, HUMAN)
    read_reply(json.dumps(reply), prompt.reply)
    body = {"response_format": {"json_schema": {"name": kind}}}
    assert kind_of(body) == kind
    for family, _ in FAMILIES:
        for asked in (body, body | {"stream": True}):
            sent = family(reply, asked, random.Random(kind))
            assert sent.label and all(isinstance(part, bytes) for part in sent.parts)
    assert honest(reply, body).label == ""


def test_a_change_is_repeated_by_its_chance_and_leaves_the_value_alone():
    value = {"quotes": [{"id": "1", "quote": "Ann"}], "sufficient": True, "answer": "Ann"}
    kept = json.dumps(value)
    found = {spelled(mutated(value, random.Random(n))) for n in range(50)}
    assert found == {spelled(mutated(value, random.Random(n))) for n in range(50)}
    assert len(found) > 40 and json.dumps(value) == kept
    assert all(spelled(odd) for odd in ODD_VALUES)


@pytest.mark.slow
def test_files_and_requests_are_repeated_by_their_chance(tmp_path):
    for n in range(40):
        made = []
        for place in ("one", "other"):
            folder = tmp_path / place / str(n)
            folder.mkdir(parents=True)
            made.append(make(folder, random.Random(n)))
            assert list(folder.iterdir())
        assert made[0] == made[1]
        assert str(draw(random.Random(n))) == str(draw(random.Random(n)))


def test_what_must_not_be_shown_is_told():
    assert not list(leaks("The model did not reply (401: wrong key ***).", "/srv/index"))
    for text in (f"Bad {KEY}", "at /srv/index/x", "[SQL: INSERT]", 'File "a.py", line 3'):
        assert list(leaks(text, "/srv/index"))
    assert list(leaks(str(foreseen(IndexError(1)))))
    assert list(controls("a \x1b[2J")) and not list(controls("one\n\ttwo 한글"))
    for value in ({"score": float("nan")}, {"text": "\ud800"}):
        trial = Trial()
        check_value(trial, value)
        assert [problem.sign for problem in trial.problems] == ["crash"]
