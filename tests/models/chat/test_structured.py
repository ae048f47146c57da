"""Reading replies, whatever they are."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import create_model
from ragraphs.models.chat.structured import MalformedReplyError, read_reply, reply_schema
from ragraphs.prompts.replies import Answer, Grades, PromptReply, Queries
from ragraphs.prompts.tog2_replies import RelationScores

REPLIES: list[type[PromptReply]] = [RelationScores, Grades, Queries, Answer]
KEYS = st.sampled_from(["scores", "id", "score", "queries", "quotes", "quote", "answer", "x"])
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def reads_or_says_why(text: str, reply: type[PromptReply]) -> None:
    try:
        value, left_out, *_ = read_reply(text, reply)
    except MalformedReplyError as error:
        return str(error).startswith("The reply ")
    again = reply.model_validate_json(value.model_dump_json())
    return isinstance(value, reply) and left_out >= 0 and again == value


@pytest.mark.slow
@given(st.text(max_size=120), st.sampled_from(REPLIES))
@example("[" * 100_000, RelationScores)
@example('{"scores":' * 50_000, RelationScores)
@example('{"scores": [' + "1" * 5000 + "]}", RelationScores)
@example("<think>" * 1000, Queries)
def test_any_text_is_read_or_malformed(text, reply):
    assert reads_or_says_why(text, reply)


@given(st.text("{}[]\":,'\\ntrue1.-eE <>/k`", max_size=60), st.sampled_from(REPLIES))
def test_anything_like_json_is_read_or_malformed(text, reply):
    assert reads_or_says_why(text, reply)


@given(ANY_JSON, st.sampled_from(REPLIES), st.integers(0, 400))
def test_any_json_cut_anywhere_is_read_or_malformed(value, reply, end):
    text = json.dumps(value)
    assert reads_or_says_why(text, reply)
    assert reads_or_says_why(text[:end], reply)


@given(st.lists(st.tuples(st.integers(0, 99), st.floats(0, 1)), max_size=6))
def test_a_good_reply_is_read_as_it_is(scores):
    given_scores = [{"id": id, "score": score} for id, score in scores]
    value, left_out, *_ = read_reply(json.dumps({"scores": given_scores}), RelationScores)
    assert [(score.id, score.score) for score in value.scores] == [(str(i), s) for i, s in scores]
    assert left_out == 0


@pytest.mark.parametrize("score", ["NaN", "Infinity", "-Infinity", "1e999", "2", "null", '"high"'])
def test_a_score_that_is_none_is_left_out(score):
    text = f'{{"scores": [{{"id": 1, "score": {score}}}, {{"id": 2, "score": 0}}]}}'
    value, left_out, *_ = read_reply(text, RelationScores)
    assert [entry.id for entry in value.scores] == ["2"] and left_out == 1


@pytest.mark.parametrize("reply", REPLIES)
def test_every_schema_is_closed_and_requires_every_key(reply):
    def check(node: Any) -> None:
        if isinstance(node, list):
            for part in node:
                check(part)
        if isinstance(node, dict):
            assert "$ref" not in node and "$defs" not in node and "default" not in node
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert sorted(node["required"]) == sorted(node["properties"])
            for part in node.values():
                check(part)

    schema = reply_schema(reply)
    assert schema["type"] == "object" and schema["title"] == reply.__name__
    check(schema)
    json.dumps(schema)


PIECES = """{ [ " \\ \\" {" {"a": [" [[ {} , a, : {"a":"b" {"a":["b" ' “ // /* # ``` {, a"b "":
    ( 1 } "] <think> </text>""".split()


def seconds_to_read(text):
    began = time.monotonic()
    reads_or_says_why(text, RelationScores)
    return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", '{"scores": ["x", ', '{"scores":"'])
def test_no_reply_of_100_kb_takes_long_to_read(before):
    drawn = random.Random(0)
    mixed = ["".join(drawn.sample(PIECES, 3)) for _ in range(10)]
    for piece in [*drawn.sample(PIECES, 3), '["', 'a" b', *mixed[:2]]:
        for size in (20_000, 100_000):
            # A quadratic reader takes minutes for some of these.
            assert seconds_to_read(before + piece * (size // len(piece))) < 10


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ('{"queries": ["one", "two"', True),
        ('{"queries": ["one", "tw', True),
        ('{"queries": ["one", "two"]', True),
        ("{'queries': ['one', 'two'],}", False),
        ('{"queries": ["one", "two"]} and more', False),
        ('{"queries": ["one" "two"]}', False),
    ],
)
def test_json_that_lost_its_end_is_told_apart_from_other_mending(text, lost):
    read = read_reply(text, Queries)
    assert read.value.queries[0] == "one" and read.lost_its_end is lost


def test_replies_that_are_defined_after_others_were_asked_for_have_bounds_as_well():
    def most_parts(name: str) -> int:
        part = create_model(name, __base__=PromptReply, said=(str, ...))
        whole = create_model(f"Of{name}", __base__=PromptReply, parts=(list[part], ...))
        return int(reply_schema(whole, bounded=True)["properties"]["parts"]["maxItems"])

    assert most_parts("FirstPart") == most_parts("LaterPart") > 0
