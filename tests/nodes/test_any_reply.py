"""Whatever a reply type lets through can be used: nothing behind the seam raises."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.deeprag.policy import choose_source
from ragraphs.algorithms.deeprag.sub_questions import acyclic
from ragraphs.algorithms.graphrag.report_context import Element
from ragraphs.index.report_material import report_of
from ragraphs.language.comparing import Answered
from ragraphs.models.chat.structured import MalformedReplyError, read_reply, reply_schema
from ragraphs.nodes.citing import answered
from ragraphs.nodes.graphrag.global_search import points_of
from ragraphs.prompts.deeprag_replies import NextStep, SubQuestions
from ragraphs.prompts.extraction_replies import Facts, already_found, to_facts, within
from ragraphs.prompts.graphrag_replies import CombinedAnswer, CommunityReport, Points, PrimedAnswer
from ragraphs.prompts.lists import INDEX_PROMPTS, QUESTION_PROMPTS
from ragraphs.prompts.prompt import numbered
from ragraphs.prompts.replies import Answer, KeptTexts, PromptReply
from ragraphs.state.records import Evidence

REPLIES = sorted(
    {prompt.reply for prompt in (*QUESTION_PROMPTS, *INDEX_PROMPTS)},
    key=lambda reply: reply.__name__,
)
NUMBERS = [0, 1, -7, 10**30, 1e308, float("nan"), float("inf"), float("-inf"), True]
TEXTS = ["", "①", "²", "٣", "1", "1.2", "9" * 5000, "\ud800", "a\0b", "x" * 30_000, "#1 #2", "8/10"]
JUNK = st.sampled_from([*NUMBERS, *TEXTS, None, [], {}, ["①"], {"id": "²"}])
ITEMS = [Element("entity", str(place), "Name", "Text", ("p",)) for place in range(3)]
EVIDENCE: list[Evidence] = [
    {
        "id": "p",
        "document": "d",
        "title": "T",
        "text": "x 1 ① text",
        "start": 0,
        "end": 10,
        "metadata": {},
        "score": 1.0,
        "found": "retrieved",
    }
]


def hostile(schema: Any) -> st.SearchStrategy[Any]:
    """Values of the shape of ``schema``, with leaves of any kind."""
    if schema.get("type") == "object":
        parts = {name: hostile(part) for name, part in schema["properties"].items()}
        return st.fixed_dictionaries(parts) | st.fixed_dictionaries({}, optional=parts)
    if schema.get("type") == "array":
        return st.lists(hostile(schema["items"]) | JUNK, max_size=4) | JUNK
    kinds = {"number": NUMBERS, "boolean": [True, False], "string": TEXTS}
    return st.sampled_from(schema.get("enum") or kinds[schema["type"]]) | JUNK


def use_facts(reply: Facts) -> None:
    facts, _ = within(to_facts(reply), 2)
    assert len(facts["entities"]) <= 2
    already_found(facts)


USES: list[tuple[type[PromptReply], Callable[[Any], Any]]] = [
    (Facts, use_facts),
    (Answer, lambda reply: answered(reply, EVIDENCE)),
    (KeptTexts, lambda reply: numbered(reply.keep, ITEMS)),
    (CombinedAnswer, lambda reply: numbered(reply.used, ITEMS)),
    (Points, lambda reply: points_of(reply.points, ["a", "b"], "text")),
    (PrimedAnswer, lambda reply: points_of(reply.points, ["a", "b"], "drift")),
    (CommunityReport, lambda reply: report_of(reply, ITEMS)),
    (SubQuestions, lambda reply: acyclic([q.question for q in reply.questions], "Why?", 9)),
    (
        NextStep,
        lambda reply: choose_source(
            "biased", reply.question, reply.source, reply.reason, [Answered("Who?", "Ann")]
        ),
    ),
]


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply.__name__)
@settings(max_examples=25)
@given(st.data())
def test_what_a_reply_type_lets_through_can_be_stored_and_used(reply, data):
    text = json.dumps(data.draw(hostile(reply_schema(reply))))
    with suppress(MalformedReplyError):
        read = read_reply(text, reply)
        stored = read.value.model_dump_json()
        assert len(stored) <= max(100_000, len(text) * 2) and "\\u0000" not in stored
        assert reply.model_validate_json(stored) == read.value
        for kind, use in USES:
            if isinstance(read.value, kind):
                use(read.value)


@pytest.mark.parametrize("number", ["①", "²", "9" * 5000, "0" * 30, 10**40, "none", ""])
def test_a_number_of_no_text_names_none(number):
    text = json.dumps({"keep": [number, "2"]})
    assert numbered(read_reply(text, KeptTexts).value.keep, ["a", "b"]) == ["b"]


@pytest.mark.parametrize(
    "quotes",
    [
        ["It fell in 1879."],
        [{"quote": "It fell in 1879."}],
        "It fell in 1879.",
        [{"id": "²", "quote": "It fell in 1879."}],
    ],
)
def test_a_quote_without_its_number_is_found_by_its_text(quotes):
    text = json.dumps({"quotes": quotes, "sufficient": True, "answer": "1879"})
    passage: Evidence = {**EVIDENCE[0], "text": "The bridge stood. It fell in 1879."}
    found = answered(read_reply(text, Answer).value, [EVIDENCE[0], passage])
    assert [one["quote"] for one in found["citations"]] == ["It fell in 1879."]
    assert found["sufficient"]


def test_one_reply_adds_no_more_than_its_bounds_and_says_so():
    large = [{"name": f"N{n}" * 400, "description": "d" * 9000} for n in range(30)]
    read = read_reply(json.dumps({"entities": large}), Facts)
    assert {"name", "description"} <= read.cut
    assert all(len(e.name) <= 200 and len(e.description) <= 2000 for e in read.value.entities)
    names = json.dumps({"entities": [None, *(f"Name {n}" for n in range(9000))]})
    many = read_reply(names, Facts)
    assert many.cut == {"entities"} and len(many.value.entities) <= 2000
    assert many.left_out == 1
