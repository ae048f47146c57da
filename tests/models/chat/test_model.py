"""Typed replies of a chat model, the reply table, and what is counted."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest
from ragraphs.context import Context
from ragraphs.index.language_model import open_language_model
from ragraphs.language.analyser import count_tokens
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.models.meter import start_meter
from ragraphs.models.protocol import NoReplyError
from ragraphs.offline.model import OfflineLanguageModel
from ragraphs.prompts.library import ANSWER, REWRITE_QUERY
from ragraphs.prompts.prompt import fence, number
from ragraphs.settings import settings
from ragraphs.state.usage import add_usage
from ragraphs.stores.replies import ReplyStore
from ragraphs.stores.schema import open_database
from stub_openai import KEY, chat, failure, mode_of

NAME = "openai:stub"


async def test_a_good_reply_is_typed_and_the_servers_usage_is_counted(openai, open_model):
    openai.answer = lambda _: {"queries": ["Elbe length", "Oder length"]}
    meter = start_meter(None)
    reply = await (await open_model()).run(REWRITE_QUERY, question="Which is longer?")
    assert reply.queries == ["Elbe length", "Oder length"]
    assert meter.models[NAME] == {
        "calls": 1,
        "reused": 0,
        "input_tokens": 100,
        "output_tokens": 7,
        "reused_tokens": 0,
    }
    assert meter.warnings == []


async def test_the_request_carries_prompt_temperature_and_a_strict_schema(openai, open_model):
    model = await open_model(temperature=0.25)
    await model.run(REWRITE_QUERY, question="What costs $5?")
    body = openai.chats[0]
    system, human = body["messages"]
    assert system["role"] == "system" and "search engine" in system["content"]
    assert "What costs $5?" in human["content"]
    assert body["temperature"] == 0.25
    sent = body["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert sent["schema"]["additionalProperties"] is False
    assert sent["schema"]["required"] == ["queries"]


async def test_usage_is_estimated_when_the_server_sends_none(openai, open_model):
    openai.queue = [chat('{"queries": ["a query of some length"]}', usage=False)]
    meter = start_meter(None)
    await (await open_model()).run(REWRITE_QUERY, question="Who?")
    usage = meter.models[NAME]
    assert usage["input_tokens"] > 100
    assert 5 < usage["output_tokens"] < 30


async def test_the_same_call_again_is_answered_from_the_table(openai, open_model, replies):
    model = await open_model()
    first = await model.run(REWRITE_QUERY, question="Who?")
    meter = start_meter(0)
    again = await model.run(REWRITE_QUERY, question="Who?")
    assert again == first
    assert len(openai.chats) == 1
    used = meter.models[NAME]
    assert (used["calls"], used["reused"], used["reused_tokens"]) == (0, 1, 107)
    assert (used["input_tokens"], used["output_tokens"]) == (0, 0)
    assert replies.count() == 1


async def test_a_stored_reply_outlives_the_process(openai, open_model, replies, tmp_path: Path):
    openai.answer = lambda _: {
        "quotes": [{"id": 1, "quote": "경복궁은 1395년에"}],
        "sufficient": True,
        "answer": "1395년",
    }
    texts = number([("경복궁", "경복궁은 1395년에 지어졌다.")])
    first = await (await open_model()).run(ANSWER, question="언제?", texts=texts)
    engine = open_database(tmp_path / "index", create=False)
    context = Context(model=NAME)
    model = await open_language_model(
        context, settings(), ReplyStore(engine), lambda: OfflineLanguageModel(LexicalEmbedder())
    )
    assert await model.run(ANSWER, question="언제?", texts=texts) == first
    assert first.quotes[0].id == "1"
    assert len(openai.chats) == 1
    engine.dispose()


async def test_identical_calls_at_once_are_paid_for_once(openai, open_model):
    openai.queue = [chat('{"queries": ["x"]}')]
    openai.queue[0].seconds = 0.1
    model = await open_model()
    meter = start_meter(None)
    got = await asyncio.gather(*(model.run(REWRITE_QUERY, question="Who?") for _ in range(8)))
    assert {reply.queries[0] for reply in got} == {"x"}
    assert len(openai.chats) == 1
    assert meter.models[NAME]["calls"] == 1 and meter.models[NAME]["reused"] == 7


async def test_identical_calls_never_run_side_by_side_even_when_they_fail(openai, open_model):
    def fails(path, body):
        return failure(404, "gone", seconds=0.03)

    openai.otherwise = fails
    model = await open_model()

    async def ask(delay: float) -> None:
        await asyncio.sleep(delay)
        with pytest.raises(NoReplyError):
            await model.run(REWRITE_QUERY, question="Who?")

    await asyncio.gather(*(ask(place * 0.01) for place in range(8)))
    assert openai.most_in_flight == 1


@pytest.mark.slow
async def test_different_calls_run_side_by_side_up_to_the_limit(openai, open_model):
    openai.slow_down(0.05)
    model = await open_model(concurrency=4)
    calls = (model.run(REWRITE_QUERY, question=f"Question {place}?") for place in range(32))
    await asyncio.gather(*calls)
    assert openai.most_in_flight == 4
    assert len(openai.chats) == 32


@pytest.mark.slow
async def test_on_a_slow_disk_no_more_replies_wait_to_be_stored_than_may_be_asked_for(
    openai, open_model, replies, monkeypatch
):
    put, answer, lost = replies.put, openai.otherwise, []

    def slowly(rows):
        time.sleep(0.1)
        put(rows)

    def counting(path, body):
        lost.append(len(openai.chats) - replies.count())
        return answer(path, body)

    monkeypatch.setattr(replies, "put", slowly)
    openai.otherwise = counting
    model = await open_model(concurrency=2)
    calls = (model.run(REWRITE_QUERY, question=f"Question {place}?") for place in range(8))
    await asyncio.gather(*calls)
    assert len(lost) == replies.count() == 8
    assert max(lost) <= 2


@pytest.mark.slow
async def test_waiting_for_a_turn_does_not_count_as_waiting_for_the_reply(openai, open_model):
    openai.slow_down(0.3)
    model = await open_model(concurrency=1, timeout=1)
    calls = (model.run(REWRITE_QUERY, question=f"Question {place}?") for place in range(5))
    assert len(await asyncio.gather(*calls)) == 5


async def test_another_temperature_is_another_question(openai, open_model):
    await (await open_model()).run(REWRITE_QUERY, question="Who?")
    await (await open_model(temperature=1)).run(REWRITE_QUERY, question="Who?")
    assert [body["temperature"] for body in openai.chats] == [0, 1]


def test_two_event_loops_one_after_the_other(openai, open_model):
    openai.keep_alive = True

    async def ask(questions: list[str]) -> set[str]:
        model = await open_model(concurrency=2)
        calls = (model.run(REWRITE_QUERY, question=question) for question in questions)
        replies = await asyncio.gather(*calls)
        return {reply.queries[0] for reply in replies}

    assert asyncio.run(ask(["a?", "b?", "c?", "d?"])) == {"one"}
    assert asyncio.run(ask(["e?", "f?", "g?", "h?"])) == {"one"}
    assert len(openai.chats) == 8


async def test_one_instance_serves_a_loop_and_other_settings_get_another(open_model):
    assert await open_model() is await open_model()
    assert await open_model() is not await open_model(temperature=1)


async def test_the_limit_of_calls_counts_re_asks(openai, open_model):
    openai.answer = lambda _: "no JSON here"
    meter = start_meter(1)
    with pytest.raises(NoReplyError) as caught:
        await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert caught.value.cause == "budget"
    assert len(openai.chats) == 1 and meter.models[NAME]["calls"] == 1


async def test_the_limit_of_calls_counts_fallbacks_of_mode(openai, open_model):
    openai.modes = {"plain"}
    start_meter(3)
    with pytest.raises(NoReplyError) as caught:
        await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert caught.value.cause == "budget"
    assert [mode_of(body) for body in openai.chats] == ["json_schema"] * 2 + ["function_calling"]


async def test_without_calls_left_nothing_is_sent(openai, open_model):
    start_meter(0)
    with pytest.raises(NoReplyError) as caught:
        await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert caught.value.cause == "budget"
    assert openai.requests == []


@pytest.mark.parametrize(
    "chosen", [{"temperature": 0.5}, {"model": "openai:other"}], ids=["temperature", "model"]
)
async def test_a_stored_reply_counts_for_the_same_settings_only(open_model, chosen):
    model, other = await open_model(), await open_model(**chosen)
    await model.run(REWRITE_QUERY, question="Who?")
    assert model.missing_tokens(REWRITE_QUERY, question="Who?") == 0
    assert other.missing_tokens(REWRITE_QUERY, question="Who?") > 0


async def test_a_stored_reply_counts_for_the_same_question_and_template_only(
    open_model, monkeypatch, tmp_path
):
    model = await open_model()
    await model.run(REWRITE_QUERY, question="Who?")
    assert model.missing_tokens(REWRITE_QUERY, question="Who?") == 0
    assert model.missing_tokens(REWRITE_QUERY, question="When?") > 0
    (tmp_path / "rewrite_query.md").write_text("# System\nRewrite.\n# Human\n$question\n")
    monkeypatch.setenv("RAGRAPHS_PROMPTS", str(tmp_path))
    settings.cache_clear()
    changed = await open_model()
    assert changed.missing_tokens(REWRITE_QUERY, question="Who?") > 0


async def test_the_key_goes_to_the_server_as_a_bearer_token(openai, open_model, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    settings.cache_clear()
    await (await open_model()).run(REWRITE_QUERY, question="Who?")
    assert openai.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(openai.chats)


async def test_tokens_of_texts_are_counted_apart_as_often_as_they_are_shown(openai, open_model):
    openai.answer = lambda body: {"from": [], "sufficient": False, "answer": ""}
    meter, model = start_meter(None), await open_model()
    texts = number([("Forth", "The Forth Bridge was designed by John Fowler. " * 50)])
    for question in ("Who?", "When?", "When?"):  # the last reply is kept
        await model.run(ANSWER, question=question, texts=texts)
    shown, usage = count_tokens(fence(texts, apart=True)), meter.usage()
    assert usage["retrieved_tokens"] == 3 * shown and shown > 500
    assert add_usage(usage, usage)["retrieved_tokens"] == 6 * shown
