"""Replies that are not what was asked for: mended, asked for once more, or a typed failure."""

from __future__ import annotations

import pytest
from ragraphs.models.failures import explain
from ragraphs.models.meter import start_meter
from ragraphs.models.protocol import NoReplyError
from ragraphs.prompts.library import GRADE_PASSAGES, REWRITE_QUERY
from ragraphs.prompts.prompt import number
from ragraphs.prompts.tog2_replies import SCORE_RELATIONS
from stub_openai import chat, failure, mode_of, tool_call

TEXTS = number([("One", "First text."), ("Two", "Second text.")])
GOOD = '{"queries": ["good"]}'


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{GOOD}\n```",
        f"Here is the JSON:\n```\n{GOOD}\n```\nAnything else?",
        f'<think>Perhaps {{"queries": ["bad"]}}?</think>\n{GOOD}',
        f"{GOOD}\n\nI chose these keywords because they are short.",
        "{'queries': ['good'],}",
        '{"queries": ["good"]',
        '["good"]',
        '{"queries": ["good", null, 3.5e]}',
    ],
    ids=["fence", "talk", "thinking", "trailing", "python", "unclosed", "list", "bad items"],
)
async def test_a_reply_in_disguise_is_read_without_asking_again(openai, open_model, text):
    openai.queue = [chat(text)]
    reply = await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert reply.queries[0] == "good"
    assert len(openai.chats) == 1


USELESS = ["", None, "I cannot do that.", "{}", '"text"', "<think>hm", '{"queries": "x"}']
BOTTOMLESS = ["[" * 100_000, '{"a":' * 100_000, "9" * 5000, '{"other": ' + "9" * 5000]


@pytest.mark.parametrize("text", [*USELESS, *BOTTOMLESS])
async def test_a_useless_reply_is_asked_for_once_more_with_the_error(openai, open_model, text):
    openai.queue = [chat(text), chat(GOOD)]
    meter = start_meter(None)
    reply = await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert reply.queries == ["good"]
    first, second = openai.chats
    assert second["messages"][:2] == first["messages"]
    said, complaint = second["messages"][2:]
    assert said["role"] == "assistant" and len(said["content"]) <= 4000
    assert complaint["role"] == "user" and complaint["content"].startswith("The reply")
    assert meter.models["openai:stub"]["calls"] == 2


async def test_the_second_request_says_which_field_was_wrong(openai, open_model):
    openai.queue = [chat('{"scores": [{"id": "1", "score": "high"}]}'), chat('{"scores": []}')]
    await (await open_model()).run(SCORE_RELATIONS, question="Who?", clue="", texts=TEXTS)
    complaint = openai.chats[1]["messages"][-1]["content"]
    assert "scores.0.score" in complaint and "number" in complaint


async def test_two_useless_replies_are_malformed(openai, open_model, replies):
    openai.answer = lambda _: "no"
    with pytest.raises(NoReplyError, match="rewrite_query") as caught:
        await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert caught.value.cause == "malformed"
    assert len(openai.chats) == 2
    assert replies.count() == 0


async def test_good_items_among_bad_ones_are_kept_with_a_warning(openai, open_model):
    scores = [{"id": "1", "score": 0.5}, {"id": "2", "score": "high"}, {"id": 3, "score": 7}]
    openai.answer = lambda _: {"scores": scores}
    meter = start_meter(None)
    reply = await (await open_model()).run(SCORE_RELATIONS, question="Who?", clue="", texts=TEXTS)
    assert [(score.id, score.score) for score in reply.scores] == [("1", 0.5)]
    assert meter.warnings == ["2 malformed items of a score_relations reply were left out."]
    assert len(openai.chats) == 1


@pytest.mark.parametrize("name", ["1", 1, "[1]", "Text 1", "#1"])
async def test_a_text_is_recognised_by_its_number(openai, open_model, name):
    openai.answer = lambda _: {"grades": [{"id": name, "grade": 4}]}
    reply = await (await open_model()).run(GRADE_PASSAGES, question="Who?", texts=TEXTS)
    assert [one.id for one in reply.grades] == ["1"]


@pytest.mark.parametrize("mode", ["json_schema", "function_calling", "plain"])
async def test_thinking_until_the_limit_is_malformed_in_every_mode(openai, open_model, mode):
    openai.modes = {mode}
    openai.answer = lambda _: chat("<think>" + "hm " * 50, finish="length")
    with pytest.raises(NoReplyError, match="cut off") as caught:
        await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert caught.value.cause == "malformed"


@pytest.mark.parametrize("mode", ["json_schema", "function_calling", "plain"])
@pytest.mark.parametrize(
    "refusal",
    [
        chat(None, refusal="I can't help with that."),
        chat(None, finish="content_filter"),
        chat("Half a sent", finish="content_filter"),
    ],
    ids=["refusal", "filter", "filter with text"],
)
async def test_a_refusal_is_not_asked_again(openai, open_model, mode, refusal):
    openai.modes = {mode}
    openai.answer = lambda _: refusal
    with pytest.raises(NoReplyError, match="refused") as caught:
        await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert caught.value.cause == "refused"
    assert [mode_of(body) for body in openai.chats].count(mode) == 1


async def test_a_prompt_that_the_server_filters_is_a_refusal(openai, open_model):
    filtered = failure(400, "The response was filtered.")
    filtered.body["error"]["code"] = "content_filter"
    openai.answer = lambda _: filtered
    with pytest.raises(NoReplyError) as caught:
        await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert caught.value.cause == "refused"
    assert len(openai.chats) == 1


async def test_arguments_of_a_tool_call_are_mended_too(openai, open_model):
    openai.modes = {"function_calling"}
    openai.answer = lambda body: tool_call(body, '{"queries": ["good"')
    reply = await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert reply.queries == ["good"]


async def test_text_instead_of_a_tool_call_is_read(openai, open_model):
    openai.modes = {"function_calling"}
    openai.answer = lambda _: chat(GOOD)
    reply = await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert reply.queries == ["good"]


async def test_half_a_surrogate_pair_does_no_harm(openai, open_model, replies):
    openai.queue = [chat("\ud800 no"), chat('{"queries": ["a \\ud800 b", "fine"]}')]
    reply = await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert reply.queries[-1] == "fine"
    assert replies.count() == 1


@pytest.mark.parametrize(
    "body", [{}, {"choices": None}, {"choices": []}, {"error": "overloaded"}, "text", None, 7, []]
)
async def test_an_answer_in_no_known_protocol_is_a_typed_failure(openai, open_model, body):
    answer = chat(GOOD)
    answer.body = body
    openai.answer = lambda _: answer
    with pytest.raises(NoReplyError):
        await (await open_model()).run(REWRITE_QUERY, question="Who?")


def test_an_error_with_half_a_surrogate_pair_can_be_kept_and_sent():
    assert explain(ValueError("no \ud800 key")).encode() == b"no ? key"
