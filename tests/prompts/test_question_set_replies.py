"""The replies that write and check the questions of a set are read leniently."""

from __future__ import annotations

import pytest
from ragraphs.models.chat.structured import MalformedReplyError, read_reply
from ragraphs.prompts.question_set_replies import (
    ChainQuestion,
    CheckedQuestions,
    FactQuestions,
    OpenQuestions,
)

FACT = '{"text": 1, "quote": "It is.", "question": "Who?", "answer": 1890'


@pytest.mark.parametrize(
    ("aliases", "read"),
    [
        ("", []),
        (', "aliases": null', []),
        (', "aliases": "Ann"', ["Ann"]),
        (', "alias": ["A"]', ["A"]),
    ],
)
def test_aliases_may_be_left_out_or_be_one(aliases, read):
    reply, *_ = read_reply(f'{{"questions": [{FACT}{aliases}}}]}}', FactQuestions)
    [question] = reply.questions
    assert (question.text, question.answer, question.aliases) == ("1", "1890", read)


def test_a_question_without_words_is_left_out_and_counted():
    text = (
        f'{{"questions": [{FACT}}}, {{"text": "2", "quote": "x", "question": "", "answer": "y"}}]}}'
    )
    reply, left_out, *_ = read_reply(text, FactQuestions)
    assert len(reply.questions) == left_out == 1


@pytest.mark.parametrize("text", ['{"bridge": ""}', '{"bridge": null, "quotes": null}'])
def test_without_a_bridge_nothing_else_is_needed(text):
    reply, *_ = read_reply(text, ChainQuestion)
    assert (reply.bridge, reply.question, reply.quotes) == ("", "", [])


@pytest.mark.parametrize("text", ['{"bridge": "Ann"}', '{"question": "Who?"}', "{}"])
def test_a_chain_with_a_bridge_needs_its_questions(text):
    with pytest.raises(MalformedReplyError):
        read_reply(text, ChainQuestion)


@pytest.mark.parametrize(
    ("texts", "read"), [("[1, 3]", ["1", "3"]), ('"1, 3"', ["1", "3"]), ("2", ["2"]), ("null", [])]
)
def test_texts_of_a_check_may_be_written_in_any_form(texts, read):
    said = f'{{"id": "Q2", "clear": "yes", "texts": {texts}, "answerable": false, "answer": null}}'
    reply, *_ = read_reply(f'{{"answers": [{said}]}}', CheckedQuestions)
    [checked] = reply.answers
    assert (checked.id, checked.clear, checked.texts, checked.answer) == ("2", True, read, "")


def test_a_check_that_does_not_say_whether_it_can_be_answered_is_no_verdict():
    with pytest.raises(MalformedReplyError):
        read_reply('{"answers": [{"id": "1", "clear": true, "answer": "Ann"}]}', CheckedQuestions)


def test_a_text_that_nothing_can_be_asked_about_may_be_left_out():
    reply, *_ = read_reply('{"questions": []}', OpenQuestions)
    assert reply.questions == []
