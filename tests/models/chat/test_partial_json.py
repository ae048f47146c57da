"""The answer is read out of a reply while the reply is still arriving."""

from __future__ import annotations

import json
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.models.chat.partial_json import PartialString

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT | st.just("answer"), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=4)


def read(text, cuts=()):
    """The pieces of ``answer`` in ``text`` cut at ``cuts``."""
    reader = PartialString("answer")
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [reader.feed(text[start:end]) for start, end in pairwise(places)]


@pytest.mark.slow
@given(OBJECTS, TEXT, OBJECTS, st.booleans(), st.lists(st.integers(0, 10_000), max_size=20))
def test_however_a_reply_is_cut_the_pieces_add_up_to_the_answer(before, answer, after, ascii, cuts):
    before.pop("answer", None)
    after.pop("answer", None)
    for indent in (None, 2):
        data = {**before, "answer": answer, **after}
        text = json.dumps(data, ensure_ascii=ascii, indent=indent)
        assert "".join(read(text, cuts)) == answer.strip()
        assert "".join(read(text, range(len(text)))) == answer.strip()


@given(TEXT, st.integers(0, 10_000))
def test_a_reply_cut_short_gives_the_beginning_of_the_answer(answer, cut):
    text = json.dumps({"answer": answer})
    assert answer.strip().startswith("".join(read(text[: cut % (len(text) + 1)])))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"answer": "Both", "more": "x"}', "Both"),
        ('```json\n{"answer": "Both"}\n```', "Both"),
        ('<think>{"answer": "No"}</think>{"answer": "Both"}', "Both"),
        ('<think>{"answer": "No"', ""),
        ('Here it is. {"quotes": [{"answer": "No"}], "answer": "Both"}', "Both"),
        ('{"a": "\\"answer\\": \\"No\\"", "answer": "Both"}', "Both"),
        ('{"quote": "answer", "answer": "Both"}', "Both"),
        ('{"\\u0061nswer": "Both"}', "Both"),
        ('{"answer": "\\ud83d\\ude00"}', "\U0001f600"),
        ('{"answer": "\ud83d\ude00"}', "\U0001f600"),
        ('{"answer": "half \\ud83d and half"}', "half � and half"),
        ('{"answer": "line\nbreak"}', "line\nbreak"),
        ('{"answer": " 훈민정음은 \\n 세종 \\n"}', "훈민정음은 \n 세종"),
        ('{"answer": 1917}', ""),
        ('{"answer": ["No"]}', ""),
        ('{"answer": "bad \\x escape"}', "bad"),
        ("No JSON at all.", ""),
        ('{"other": 1} {"answer": "No"}', ""),
        ("", ""),
    ],
)
def test_what_models_write_is_read_in_pieces_as_it_is_as_a_whole(text, answer):
    assert "".join(read(text)) == answer
    assert "".join(read(text, range(len(text)))) == answer


def test_pieces_come_as_early_as_they_can():
    reader = PartialString("answer")
    assert reader.feed('{"sufficient": true, "answer": "Jo') == "Jo"
    assert reader.feed("hn ") == "hn"
    assert reader.feed("Fowler\\") == " Fowler"
    assert reader.feed('n", "used": []}') == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda n: "x" * 7 * n,
        lambda n: "<think>" * n,
        lambda n: '{"a": "' + "x" * 7 * n,
        lambda n: '{"a": [' + '"b", ' * n,
        lambda n: "{" * 7 * n,
        lambda n: '{"answer": "' + " " * 7 * n,
        lambda n: '{"answer": "\\x' + "y" * 7 * n,
        lambda n: '{"answer": "' + "\\ud83d" * n,
    ],
    ids=["prose", "thinking", "string", "list", "braces", "spaces", "invalid", "halves"],
)
def test_reading_takes_a_time_proportional_to_the_reply(make):
    short, long = (min(seconds_of(make(n)) for _ in range(3)) for n in (1_000, 8_000))
    assert long < 32 * short + 0.05  # proportional time is 8 times as long, quadratic time 64


def seconds_of(text):
    began = time.process_time()
    read(text)
    read(text, range(0, len(text), 3))
    return time.process_time() - began
