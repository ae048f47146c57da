"""Every reply has an end: bounds in its schema, and a limit of its tokens."""

from __future__ import annotations

import json
import re

import pytest
from langchain_core.callbacks import get_usage_metadata_callback
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from ragraphs.models.chat.langchain_model import LangChainModel, OpenedModel
from ragraphs.models.chat.request import ChatRequest, ReplyLimit
from ragraphs.models.chat.structured import most_tokens, reply_schema
from ragraphs.models.chat.ways import Ways
from ragraphs.models.meter import start_meter
from ragraphs.models.protocol import NoReplyError
from ragraphs.prompts.library import ANSWER, GRADE_PASSAGES, REWRITE_QUERY
from ragraphs.prompts.lists import EVALUATION_PROMPTS, INDEX_PROMPTS, QUESTION_PROMPTS
from ragraphs.prompts.prompt import number
from ragraphs.prompts.replies import Answer, Queries
from ragraphs.prompts.tog2_replies import SCORE_RELATIONS
from stub_openai import chat, failure

PROMPTS = (*INDEX_PROMPTS, *QUESTION_PROMPTS, *EVALUATION_PROMPTS)
REPLIES = list(dict.fromkeys(prompt.reply for prompt in PROMPTS))
TEXTS = number([("One", "First text."), ("Two", "Second text.")])
GOOD = '{"queries": ["good"]}'


async def ask(model, question="Who?"):
    return (await model.run(REWRITE_QUERY, question=question)).queries


def limits_of(openai):
    names = ("max_tokens", "max_completion_tokens")
    return [{name: body[name] for name in names if name in body} for body in openai.chats]


def schema_of(body):
    return body["response_format"]["json_schema"]["schema"]


def lists_in(node):
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = [node] if isinstance(node, dict) and node.get("type") == "array" else []
    return own + [found for part in inner for found in lists_in(part)]


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply.__name__)
def test_every_list_of_every_reply_has_an_end(reply):
    found = lists_in(reply_schema(reply, bounded=True))
    assert all(0 < each["maxItems"] <= 100 for each in found)
    assert not {"maxItems", "maxLength"} & set(re.findall(r"\w+", json.dumps(reply_schema(reply))))


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply.__name__)
def test_the_longest_reply_is_one_that_can_be_counted(reply):
    assert most_tokens(reply_schema(reply, bounded=True)) > 4


async def test_bounds_and_limit_are_sent_and_a_short_reply_has_a_low_limit(openai, open_model):
    model = await open_model()
    await ask(model)
    openai.answer = lambda _: {"needed": []}
    await model.run(GRADE_PASSAGES, question="Who?", texts=TEXTS)
    queries, grades = openai.chats
    assert schema_of(queries)["properties"]["queries"]["maxItems"] == 10
    assert schema_of(queries)["properties"]["queries"]["items"]["maxLength"] == 300
    assert 0 < queries["max_tokens"] <= 2048
    assert 0 < grades["max_tokens"] < queries["max_tokens"]


async def test_a_server_that_declines_bounds_is_asked_without_them(openai, open_model):
    def answer(body):
        said = "In context=('properties', 'queries'), 'maxItems' is not permitted."
        refused = "maxItems" in json.dumps(body["response_format"])
        return failure(400, said) if refused else {"queries": ["good"]}

    openai.answer = answer
    model = await open_model()
    assert await ask(model) == ["good"] == await ask(model, "When?")
    bounded = ["maxItems" in json.dumps(schema_of(body)) for body in openai.chats]
    assert bounded == [True, False, False]
    assert all(limits_of(openai))


async def test_the_name_of_the_limit_that_a_server_takes_is_found_and_remembered(
    openai, open_model
):
    def answer(body):
        said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return failure(400, said) if "max_tokens" in body else {"queries": ["good"]}

    openai.answer = answer
    model = await open_model()
    assert await ask(model) == ["good"] == await ask(model, "When?")
    sent = [list(limit) for limit in limits_of(openai)]
    assert sent == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]


async def test_a_server_that_knows_no_limit_is_asked_without_one(openai, open_model):
    def answer(body):
        named = [name for name in body if name.startswith("max_")]
        return failure(400, f"Unknown field {named[0]}") if named else {"queries": ["good"]}

    openai.answer = answer
    model = await open_model()
    assert await ask(model) == ["good"] == await ask(model, "When?")
    assert [len(limit) for limit in limits_of(openai)] == [1, 1, 0, 0]


async def test_a_limit_beyond_the_window_is_left_out_for_one_request(openai, open_model):
    said = (
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens "
        "(3000 in the messages, 2000 in the completion)."
    )
    openai.queue = [failure(400, said)]
    model = await open_model()
    assert await ask(model) == ["one"] == await ask(model, "When?")
    assert [len(limit) for limit in limits_of(openai)] == [1, 0, 1]


async def test_a_reply_that_was_cut_off_is_used_and_not_asked_for_again(openai, open_model):
    openai.answer = lambda _: chat(
        '{"quotes": [], "sufficient": true, "answer": "Allen La', finish="length"
    )
    meter = start_meter(None)
    reply = await (await open_model()).run(ANSWER, question="Who?", texts=TEXTS)
    assert reply.answer == "Allen La" and not reply.sufficient
    assert len(openai.chats) == 1
    assert any("cut off" in warning for warning in meter.warnings)


async def test_a_whole_answer_in_a_reply_that_was_cut_off_suffices(openai, open_model):
    text = '{"quotes": [], "sufficient": true, "answer": "Allen Lane", "missing": ["The ye'
    openai.answer = lambda _: chat(text, finish="length")
    reply = await (await open_model()).run(ANSWER, question="Who?", texts=TEXTS)
    assert reply.answer == "Allen Lane" and reply.sufficient


@pytest.mark.parametrize(
    "text", ['{"quotes": [{"id": "1", "quote": "First te', '{"quotes": [], "suff']
)
async def test_what_a_cut_reply_did_not_reach_was_not_said(openai, open_model, text):
    openai.answer = lambda _: chat(text, finish="length")
    reply = await (await open_model()).run(ANSWER, question="Who?", texts=TEXTS)
    assert (reply.sufficient, reply.answer) == (False, "")
    assert len(openai.chats) == 1


async def test_good_items_of_a_cut_list_are_kept(openai, open_model):
    cut = '{"scores": [{"id": "1", "score": 0.5}, {"id": "2", "sco'
    openai.answer = lambda _: chat(cut, finish="length")
    reply = await (await open_model()).run(SCORE_RELATIONS, question="Who?", clue="", texts=TEXTS)
    assert [score.id for score in reply.scores] == ["1"]
    assert len(openai.chats) == 1


@pytest.mark.parametrize("thoughts", [None, "", "<think>" + "hm " * 50])
async def test_a_model_that_was_cut_while_thinking_gets_room_for_it(openai, open_model, thoughts):
    openai.queue = [chat(thoughts, finish="length")]
    model = await open_model()
    assert await ask(model) == ["one"] == await ask(model, "When?")
    first, second, third = (limit["max_tokens"] for limit in limits_of(openai))
    assert second == third > first + 10_000
    assert openai.chats[0]["messages"] == openai.chats[1]["messages"]


async def test_a_cut_reply_without_any_form_is_asked_for_in_other_words(openai, open_model):
    openai.answer = lambda _: chat("The queries are the queries are", finish="length")
    with pytest.raises(NoReplyError, match="cut off"):
        await ask(await open_model())
    first, second = openai.chats
    assert first["messages"] != second["messages"]
    assert first["max_tokens"] == second["max_tokens"]


async def test_a_followed_request_has_the_same_limit_and_bounds(openai, open_model):
    model = await open_model()
    with get_usage_metadata_callback():
        await ask(model)
    await ask(model, "When?")
    followed, other = openai.chats
    assert followed["response_format"] == other["response_format"]
    assert followed["max_tokens"] == other["max_tokens"]
    assert "max_completion_tokens" not in followed


def test_a_hosted_model_has_room_to_think_and_is_limited_by_the_name_in_use_there():
    ways = Ways(0.0, own=False)
    limit = ways.request(ways.first(Queries, None), [], Queries).limit
    assert limit is not None
    assert limit.name == "max_completion_tokens" and 12_000 < limit.tokens < 16_384


def test_a_reply_is_no_longer_than_a_small_window_has_room_for():
    ways = Ways(0.0, own=True)
    ways.fit(512)
    assert ways.request(ways.first(Answer, None), [], Answer).limit == ReplyLimit("max_tokens", 512)


class Limited(GenericFakeChatModel):
    """A model of another provider, with a limit of its own."""

    max_output_tokens: int | None = None
    limits: list[int | None]

    def invoke(self, *args, **options):
        self.limits.append(self.max_output_tokens)
        return super().invoke(*args, **options)

    async def ainvoke(self, *args, **options):
        return self.invoke(*args, **options)


@pytest.mark.parametrize(("own", "sent"), [(None, 900), (400, 400), (5000, 900)])
async def test_a_model_of_another_provider_is_limited_in_its_own_way(own, sent):
    seen = Limited(messages=iter([AIMessage(GOOD)]), max_output_tokens=own, limits=[])
    limit = ReplyLimit("max_completion_tokens", 900)
    request = ChatRequest([HumanMessage("?")], reply_schema(Queries), "plain", 0.0, None, limit)
    model = LangChainModel(lambda: OpenedModel(seen, None), strict=False)
    assert (await model.complete(request)).text == GOOD
    assert seen.limits == [sent]
