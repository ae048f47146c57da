"""Whatever surrounds the text of a reply: it is read, or it is one typed failure."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib

import pytest
from http_stub import Response
from ragraphs.models.chat.body import LARGEST_BODY
from ragraphs.models.meter import start_meter
from ragraphs.models.protocol import NoReplyError
from ragraphs.prompts.library import ANSWER, GRADE_PASSAGES, REWRITE_QUERY
from ragraphs.prompts.prompt import number
from ragraphs.stores import tables
from sqlalchemy import update
from stub_openai import chat, failure, mode_of

GOOD = '{"queries": ["good"]}'
HUGE = '{"queries": ["' + "x" * (2 * LARGEST_BODY) + '"]}'
DEEP = b'{"error": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
ODD = [[], {}, ["length"], {"a": 1}, True, 7, "odd", None]
COUNTS = [10**30, -5, float("nan"), float("inf"), "12", [1], {"a": 1}, True, None, 3.0]


async def ask(model, question="Who?"):
    return (await model.run(REWRITE_QUERY, question=question)).queries


def odd_replies():
    """Good replies in odd envelopes."""
    for value in ODD:
        yield chat(GOOD, finish=value)
        yield chat(GOOD, refusal=value if not isinstance(value, str) else None)
    for value in [*COUNTS, "many"]:
        reply = chat(GOOD)
        reply.body["usage"] = {"prompt_tokens": value, "completion_tokens": value}
        yield reply
    for usage in ODD:
        reply = chat(GOOD)
        reply.body["usage"] = usage
        yield reply
    for role in ("user", "tool", "narrator"):
        reply = chat(GOOD)
        reply.body["choices"][0]["message"]["role"] = role
        yield reply
    yield chat([{"type": "text", "text": GOOD[:5]}, GOOD[5:], {"type": "image"}, 7])


async def test_a_good_reply_in_an_odd_envelope_is_read_and_stored(openai, open_model, replies):
    openai.queue = list(odd_replies())
    asked = len(openai.queue)
    meter = start_meter(None)
    model = await open_model(concurrency=16)
    found = await asyncio.gather(*(ask(model, f"Who is {n}?") for n in range(asked)))
    assert found == [["good"]] * asked
    assert replies.count() == asked
    used = meter.models["openai:stub"]
    assert 0 < used["input_tokens"] < 10**6 and 0 < used["output_tokens"] < 10**6


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["json_schema", "plain"])
async def test_odd_envelopes_harm_nothing_on_the_other_way_to_a_server(openai, open_model, mode):
    """In ``plain`` mode, replies come through LangChain, which refuses some envelopes itself."""
    openai.modes = {mode}
    model = await open_model()
    for place, reply in enumerate(odd_replies()):
        openai.answer = lambda _, reply=reply: reply
        try:
            assert await ask(model, f"Who is {place}?") == ["good"]
        except NoReplyError as error:
            assert mode == "plain" and "SQL" not in str(error)


@pytest.mark.parametrize("refusal", [True, {"why": "no"}, ["no"]])
async def test_a_refusal_of_any_type_is_a_refusal(openai, open_model, refusal):
    openai.answer = lambda _: chat(None, refusal=refusal)
    with pytest.raises(NoReplyError) as caught:
        await ask(await open_model())
    assert caught.value.cause == "refused"


@pytest.mark.slow
@pytest.mark.parametrize(
    "body", [{"error": ["x"]}, {"error": 5}, {"error": {"message": ["x"]}}, ["x"], 5, None, DEEP]
)
async def test_a_server_that_fails_in_any_words_is_asked_again(openai, open_model, body):
    openai.queue = [Response(body, 500)]
    assert await ask(await open_model(max_retries=1)) == ["one"]
    assert len(openai.chats) == 2


@pytest.mark.slow
@pytest.mark.parametrize("modes", [{"json_schema"}, {"plain"}], ids=["direct", "LangChain"])
@pytest.mark.parametrize(
    ("encoding", "packed"), [(None, bytes), ("gzip", gzip.compress), ("deflate", zlib.compress)]
)
async def test_no_more_of_a_body_is_read_than_its_bound(
    openai, open_model, modes, encoding, packed
):
    openai.modes = modes
    headers = {"Content-Encoding": encoding} if encoding else {}
    small, large = (json.dumps(chat(text).body).encode() for text in (GOOD, HUGE))
    model = await open_model()
    openai.answer = lambda _: Response(packed(small), headers=headers)
    assert await ask(model) == ["good"]
    openai.answer = lambda _: Response(packed(large), headers=headers)
    with pytest.raises(NoReplyError, match="larger than 8 MB"):
        await ask(model, "When?")


async def test_a_stored_reply_of_no_use_is_asked_for_again_once(openai, open_model, replies):
    model = await open_model()
    await ask(model)
    for value in ("no JSON", "{}", '{"queries": 5}'):
        with replies._engine.begin() as connection:
            connection.execute(update(tables.replies).values(value=value))
        meter = start_meter(None)
        assert model.missing_tokens(REWRITE_QUERY, question="Who?") > 0
        assert await ask(model) == ["one"]
        assert await ask(model) == ["one"]
        assert [w for w in meter.warnings if "cannot be used" in w] == meter.warnings != []
        used = meter.models["openai:stub"]
        assert (used["calls"], used["reused"]) == (1, 1)


async def test_a_mode_is_declined_for_one_prompt_and_for_some_time(openai, open_model, monkeypatch):
    texts = number([("One", "First.")])
    openai.answer = lambda body: (
        failure(400, "no")
        if "Grades" in str(body) and mode_of(body) == "json_schema"
        else {"queries": ["one"], "needed": [], "related": []}
    )
    model = await open_model()
    await model.run(GRADE_PASSAGES, question="Who?", texts=texts)
    await ask(model)
    assert [mode_of(body) for body in openai.chats][-1] == "json_schema"
    sent = len(openai.chats)
    await model.run(GRADE_PASSAGES, question="When?", texts=texts)
    assert [mode_of(body) for body in openai.chats[sent:]] == ["function_calling"]
    monkeypatch.setattr("ragraphs.models.chat.ways._DECLINED_SECONDS", 0)
    sent = len(openai.chats)
    await model.run(GRADE_PASSAGES, question="Where?", texts=texts)
    assert mode_of(openai.chats[sent]) == "json_schema"


async def test_json_that_lost_its_end_is_used_and_told(openai, open_model):
    openai.answer = lambda _: chat('{"quotes": [], "sufficient": true, "answer": "Allen La')
    meter = start_meter(None)
    reply = await (await open_model()).run(ANSWER, question="Who?", texts=number([("A", "B.")]))
    assert reply.answer == "Allen La"
    assert [w for w in meter.warnings if "cut off" in w]


async def test_other_mending_is_no_loss(openai, open_model):
    openai.answer = lambda _: chat("{'queries': ['good'],}")
    meter = start_meter(None)
    assert await ask(await open_model()) == ["good"]
    assert meter.warnings == []


@pytest.mark.slow
async def test_what_was_cut_is_one_warning(openai, open_model):
    openai.answer = lambda _: {"queries": ["q" * 9000] * 50}
    meter = start_meter(None)
    queries = await ask(await open_model())
    assert len(queries) == 10 and len(queries[0]) == 400
    assert meter.warnings == ["The rewrite_query reply was too large; cut were: queries."]
