"""Scores of statements, shares by question, conditions and files of questions, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ragraphs.context import IndexContext
from ragraphs.evaluation.answering import AnsweringPlan
from ragraphs.evaluation.conditions import condition_of, ways_of
from ragraphs.evaluation.intervals import mean_of, pooled_share
from ragraphs.evaluation.question_files import read_question_file
from ragraphs.evaluation.statements.scores import (
    Matched,
    accuracy,
    faithfulness,
    matched,
    similarities,
)
from ragraphs.models.chat.structured import read_reply
from ragraphs.prompts.statement_replies import CheckedClaims, MatchedStatements
from ragraphs.state.errors import RagraphsError


def claim(verdict):
    return {"claim": "It fell.", "verdict": verdict, "citations": []}


def test_f1_of_statements_counts_right_wrong_and_missing_ones():
    """Precision 2/3, recall 2/(2 + 1) with one missing: F1 = 2·2 / (2·2 + 1 + 1) = 2/3."""
    found = Matched(right=2, wrong=1, covered=3, missing=1)
    assert found.f1 == pytest.approx(2 / 3)
    assert found.coverage == 0.75
    assert Matched(0, 4, 0, 2).f1 == 0.0 and Matched(1, 0, 1, 0).f1 == 1.0
    assert accuracy(0.5, 0.9) == pytest.approx(0.75 * 0.5 + 0.25 * 0.9)


def test_a_reply_is_counted_and_its_malformed_items_are_not():
    text = """{"answer": [{"statement": "a", "in_reference": true}, {"claim": "b",
    "supported": "no"}, {"statement": "c"}], "reference": [{"fact": "d", "in_answer": true}]}"""
    reply, left_out, *_ = read_reply(text, MatchedStatements)
    assert matched(reply) == Matched(right=1, wrong=1, covered=1, missing=0)
    assert left_out == 1


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Supported.", "supported"),
        ("not_said", "not said"),
        ("unsupported", "not said"),
        ("contradicted", "contradicted"),
        ("perhaps", "unclear"),
        (True, "unclear"),
        (None, "unclear"),
    ],
)
def test_verdicts_that_leave_a_doubt_are_unclear(said, verdict):
    reply = CheckedClaims.model_validate({"claims": [{"claim": "It fell.", "verdict": said}]})
    assert reply.claims[0].verdict == verdict


def test_faithfulness_is_the_supported_share_of_claims_with_a_verdict():
    claims = [claim("supported"), claim("not said"), claim("contradicted"), claim("unclear")]
    assert faithfulness(claims) == pytest.approx(1 / 3)
    assert faithfulness([claim("unclear")]) is None and faithfulness([]) is None


def test_similarity_is_the_cosine_between_0_and_1_and_0_for_an_empty_answer():
    class Embedder:
        name, local, semantic = "two", True, True

        def embed(self, texts):
            return np.array([[1.0, 0.0] if "north" in text else [0.0, 1.0] for text in texts])

    pairs = [("north", "go north"), ("north", "east"), ("", "east")]
    assert similarities(pairs, Embedder()) == [1.0, 0.5, 0.0]
    assert similarities([("", "east")], Embedder()) == [0.0]


def test_a_share_over_questions_weighs_every_claim_and_draws_whole_questions():
    """3 of 4 claims of one question, none of 4 of another, no claim of the third: 3/8."""
    found = pooled_share([3, 0, 0], [4, 4, 0], seed=1)
    assert (found["value"], found["n"]) == (0.375, 8)
    assert (found["low"], found["high"]) == (0.0, 0.75)
    assert pooled_share([0], [0], seed=1) == {"value": None, "low": None, "high": None, "n": 0}


def test_a_share_that_all_questions_have_is_not_certain():
    found = pooled_share([2, 3], [2, 3], seed=1)
    assert (found["value"], found["high"]) == (1.0, 1.0) and 0 < found["low"] < 1
    assert mean_of([2, None, 4], seed=1)["value"] == 3.0
    assert mean_of([1, 1], seed=1) == {"value": 1.0, "low": 1.0, "high": 1.0, "n": 2}


def test_a_condition_is_a_method_or_a_search_of_graphrag_at_a_level():
    assert condition_of("basic").settings == {}
    assert condition_of("graphrag", "global").settings == {"search": "global"}
    assert condition_of("graphrag:global:0").settings == {"search": "global", "level": "0"}
    named = [condition_of(text) for text in ("graphrag:global:0", "graphrag:text", "basic")]
    plan = AnsweringPlan(
        ["graphrag", "basic"], IndexContext(), settings={"top_k": "3", "level": "2"}
    )
    ways = ways_of(named, plan)
    chosen = {name: way.context.model_dump(exclude_unset=True) for name, way in ways.items()}
    assert chosen["C0"] == {"top_k": 3, "level": 0, "search": "global"}
    assert chosen["text"] == {"top_k": 3, "level": 2, "search": "text"}
    assert chosen["basic"] == {"top_k": 3}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("magic", "'magic' is no condition: a condition is METHOD"),
        ("basic:global", "'basic:global' is no condition"),
        ("graphrag:deep", "is no condition: .*graphrag:local or graphrag:drift"),
        ("graphrag:global:high", "METHOD:NAME=VALUE such as hoprag:top_k=5"),
    ],
)
def test_another_condition_is_refused_in_one_sentence(text, words):
    with pytest.raises(RagraphsError, match=words):
        condition_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "Who?\n\n  Why? \nWho?\n",
        '{"question": "Who?", "task": "t"}\n{"question": "Why?"}',
        '[{"question": "Who?"}, "Why?"]',
    ],
)
def test_a_file_of_questions_has_lines_of_text_or_json(text):
    Path("asked").write_text("\ufeff" + text)
    assert read_question_file(Path("asked")) == ["Who?", "Why?"]
    assert read_question_file(Path("asked"), limit=1) == ["Who?"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n", "has no question"),
        ('Who?\n{"text": "Why?"}', "Row 2 of .* is no question"),
        ('{"question": 3}', "Row 1 of"),
        ("[1", "is no JSON list"),
        (None, "cannot be read"),
    ],
)
def test_a_file_without_questions_is_one_sentence(text, words):
    if text is not None:
        Path("asked").write_text(text)
    with pytest.raises(RagraphsError, match=words):
        read_question_file(Path("asked"))
