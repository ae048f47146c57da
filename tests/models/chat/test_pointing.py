"""The numbers that a reply may point at are part of the form that is asked for."""

from __future__ import annotations

from ragraphs.models.chat.pointing import pointing_at
from ragraphs.models.chat.structured import reply_schema
from ragraphs.prompts.library import ANSWER, GRADE_PASSAGES
from ragraphs.prompts.prompt import number

TEXTS = number([("One", "It opened in 1890. It is red."), ("Two", "Trains cross it.")])
NUMBERS = ["1.1", "1.2", "2.1"]


def form_of(body):
    return body["response_format"]["json_schema"]["schema"]


async def test_a_server_of_ones_own_is_told_the_numbers_that_were_shown(openai, open_model):
    openai.answer = lambda _: '{"from": ["1.1"], "sufficient": true, "answer": "1890"}'
    reply = await (await open_model()).run(ANSWER, question="When?", texts=TEXTS)
    assert [one.id for one in reply.quotes] == ["1.1"]
    pointers = form_of(openai.chats[-1])["properties"]["from"]
    assert pointers["items"] == {"type": "string", "enum": NUMBERS}


def test_a_form_without_pointers_and_one_without_texts_stay_as_they_are():
    grades, answer = reply_schema(GRADE_PASSAGES.reply), reply_schema(ANSWER.reply)
    assert pointing_at(NUMBERS, grades) is grades and pointing_at([], answer) is answer
    assert pointing_at(NUMBERS, answer) != answer == reply_schema(ANSWER.reply)
