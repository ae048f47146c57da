"""GraphRAG's replies are read leniently: what is good of them survives."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.models.chat.structured import MalformedReplyError, read_reply, reply_schema
from ragraphs.prompts.graphrag_replies import (
    CombinedAnswer,
    CommunityReport,
    LocalAnswer,
    Points,
    PrimedAnswer,
)

REPLIES = [CombinedAnswer, CommunityReport, LocalAnswer, Points, PrimedAnswer]
KEYS = st.sampled_from(
    """title summary rating findings statement evidence points point score used answer sufficient
    general question follow_ups quotes id quote""".split()
)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=20,
)
BAD = st.none() | st.booleans() | st.just({}) | st.just({"score": 5}) | st.just([None])
SCORES = st.integers(-500, 500) | st.sampled_from(["7", "80/100", "score: 12.5", "-3"])
NUMBERED = st.sampled_from([["1"], [1, 2], "1, 3", "Text 2", 3, []])


def is_value_or_malformed(text, reply):
    try:
        value, left_out, *_ = read_reply(text, reply)
    except MalformedReplyError as error:
        return str(error).startswith("The reply ")
    again = reply.model_validate_json(value.model_dump_json())
    return isinstance(value, reply) and left_out >= 0 and again == value and is_bounded(value)


def is_bounded(value):
    if isinstance(value, CommunityReport):
        return 0 <= value.rating <= 10
    scored = [*getattr(value, "points", []), *getattr(value, "follow_ups", [])]
    return all(0 <= item.score <= 100 for item in scored)


@pytest.mark.slow
@given(st.dictionaries(KEYS, ANY_JSON, max_size=8), st.sampled_from(REPLIES), st.integers(0, 300))
def test_any_json_cut_anywhere_is_a_value_or_malformed(data, reply, end):
    text = json.dumps(data)
    assert is_value_or_malformed(text, reply)
    assert is_value_or_malformed(text[:end], reply)


@given(
    st.lists(
        BAD.map(lambda junk: (junk, None))
        | st.builds(
            lambda text, score, evidence: (
                {"point": text, "score": score, "evidence": evidence},
                text,
            ),
            st.sampled_from(["Ann won.", "왕이다."]),
            SCORES,
            NUMBERED,
        ),
        min_size=1,
        max_size=6,
    ),
    st.data(),
)
def test_every_good_point_among_bad_ones_survives(items, data):
    good = [text for _, text in items if text is not None]
    text = json.dumps({"points": [item for item, _ in items]})
    if good:
        value, left_out, *_ = read_reply(text, Points)
        assert [point.point for point in value.points] == good
        assert left_out == len(items) - len(good)
    assert is_value_or_malformed(text[: data.draw(st.integers(0, len(text)))], Points)


@pytest.mark.parametrize(
    ("written", "rating"),
    [(8, 8), ("8/10", 8), ("7.5", 7.5), (99, 10), (-2, 0), ("rated 6 of 10", 6), ("-1", 0)],
)
def test_a_rating_lies_between_0_and_10(written, rating):
    data = {"title": "A", "summary": "B.", "rating": written, "findings": []}
    assert read_reply(json.dumps(data), CommunityReport)[0].rating == rating


@pytest.mark.parametrize(
    ("written", "score"), [(70, 70), ("70", 70), ("70/100", 70), (170, 100), (-5, 0), (0.5, 0.5)]
)
def test_a_score_lies_between_0_and_100(written, score):
    data = {"points": [{"point": "A.", "score": written, "evidence": []}]}
    assert read_reply(json.dumps(data), Points)[0].points[0].score == score


@pytest.mark.parametrize("written", ["high", None, [], {}])
def test_a_point_whose_score_is_no_number_is_left_out(written):
    good = {"point": "A.", "score": 1, "evidence": []}
    data = {"points": [good, {"point": "B.", "score": written}]}
    value, left_out, *_ = read_reply(json.dumps(data), Points)
    assert [point.point for point in value.points] == ["A."] and left_out == 1


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        (["1", "3"], ["1", "3"]),
        ([1, 3], ["1", "3"]),
        ("1, 3", ["1", "3"]),
        ("[1] and [3]", ["1", "3"]),
        (["Text 1", "line 3"], ["1", "3"]),
        (1, ["1"]),
        ("none", []),
        ([], []),
    ],
)
def test_numbers_may_be_written_in_other_ways(written, numbers):
    data = {"answer": "A.", "used": written, "sufficient": True, "general": ""}
    assert read_reply(json.dumps(data), CombinedAnswer)[0].used == numbers


def test_findings_and_follow_ups_may_be_plain_texts():
    report = {"title": "A", "summary": "B.", "rating": 1, "findings": ["C.", {"statement": "D."}]}
    read, left_out, *_ = read_reply(json.dumps(report), CommunityReport)
    assert [(f.statement, f.evidence) for f in read.findings] == [("C.", []), ("D.", [])]
    primed = {"points": [], "follow_ups": ["Who?", {"question": "When?", "score": 80}, ""]}
    value, missing, *_ = read_reply(json.dumps(primed), PrimedAnswer)
    assert [(f.question, f.score) for f in value.follow_ups] == [("Who?", 50), ("When?", 80)]
    assert (left_out, missing) == (0, 1)


def test_what_can_be_done_without_may_be_left_out():
    report, *_ = read_reply('{"title": "A", "summary": "B."}', CommunityReport)
    assert (report.rating, report.findings) == (5, [])
    answer, *_ = read_reply('{"answer": "A.", "sufficient": true}', CombinedAnswer)
    assert (answer.used, answer.general) == ([], "")


@pytest.mark.parametrize(
    ("reply", "data"),
    [
        (CommunityReport, {"summary": "B."}),
        (CommunityReport, {"title": "A", "summary": " "}),
        (Points, {"answer": "none"}),
        (Points, {"points": [{"score": 3}]}),
        (CombinedAnswer, {"used": []}),
        (LocalAnswer, {"answer": "A.", "quotes": [], "sufficient": True}),
    ],
)
def test_a_reply_without_what_was_asked_for_is_malformed(reply, data):
    with pytest.raises(MalformedReplyError, match="The reply did not have the right form"):
        read_reply(json.dumps(data), reply)


@pytest.mark.parametrize("reply", REPLIES)
def test_every_schema_asks_for_every_key_under_its_own_name(reply):
    schema = reply_schema(reply)
    named = {"quotes": "from"}
    assert schema["required"] == [named.get(name, name) for name in reply.model_fields]
    assert "default" not in json.dumps(schema)
