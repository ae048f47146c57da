"""Servers that lack a feature, reject, fail, hang or hang up."""

from __future__ import annotations

import socket

import pytest
from http_stub import Response
from ragraphs.models.meter import start_meter
from ragraphs.models.protocol import NoReplyError
from ragraphs.prompts.library import REWRITE_QUERY
from ragraphs.settings import settings
from stub_openai import KEY, chat, failure, mode_of

GOOD = '{"queries": ["good"]}'


async def ask(model, question="Who?"):
    return (await model.run(REWRITE_QUERY, question=question)).queries


@pytest.mark.parametrize(
    ("modes", "tried"),
    [
        ({"function_calling", "plain"}, ["json_schema"] * 2 + ["function_calling"]),
        ({"plain"}, ["json_schema"] * 2 + ["function_calling", "plain"]),
    ],
    ids=["function calling", "plain"],
)
async def test_the_mode_that_works_is_found_and_remembered(openai, open_model, modes, tried):
    openai.modes = modes
    model = await open_model()
    meter = start_meter(None)
    assert await ask(model) == ["one"]
    assert [mode_of(body) for body in openai.chats] == tried
    assert meter.models["openai:stub"]["calls"] == len(tried)
    assert await ask(model, "When?") == ["one"]
    assert [mode_of(body) for body in openai.chats[len(tried) :]] == [tried[-1]]


@pytest.mark.parametrize("status", [400, 422, 501])
async def test_openais_own_words_for_a_missing_feature_lead_to_the_next_mode(
    openai, open_model, status
):
    said = "'response_format' of type 'json_schema' is not supported with this model."
    openai.queue = [failure(status, said)]
    assert await ask(await open_model()) == ["one"]


async def test_a_prompt_too_long_is_sent_once_and_degrades_nothing(openai, open_model):
    said = "This model's maximum context length is 8192 tokens, 9000 were in the functions."
    openai.queue = [failure(400, said)]
    model = await open_model()
    with pytest.raises(NoReplyError, match="maximum context length") as caught:
        await ask(model)
    assert caught.value.cause == "unreachable"
    assert len(openai.chats) == 1
    await ask(model, "When?")
    assert mode_of(openai.chats[-1]) == "json_schema"


async def test_an_unexplained_rejection_degrades_nothing(openai, open_model):
    openai.queue = [failure(400, "Bad request")] * 4
    model = await open_model()
    with pytest.raises(NoReplyError) as caught:
        await ask(model)
    assert caught.value.cause == "unreachable"
    await ask(model, "When?")
    assert mode_of(openai.chats[-1]) == "json_schema"


async def test_a_rejected_temperature_is_left_out_from_then_on(openai, open_model):
    said = "Unsupported value: 'temperature' does not support 0.5 with this model."

    def answer(body):
        return failure(400, said) if "temperature" in body else {"queries": ["good"]}

    openai.answer = answer
    model = await open_model(temperature=0.5)
    assert await ask(model) == ["good"]
    assert await ask(model, "When?") == ["good"]
    assert ["temperature" in body for body in openai.chats] == [True, False, False]
    assert {mode_of(body) for body in openai.chats} == {"json_schema"}


async def test_a_temperature_rejected_many_times_at_once_leaves_the_mode_alone(openai, open_model):
    import asyncio

    def answer(body):
        refused = failure(400, "temperature is not supported", seconds=0.05)
        return refused if "temperature" in body else {"queries": ["good"]}

    openai.answer = answer
    model = await open_model()
    await asyncio.gather(*(ask(model, f"Question {place}?") for place in range(6)))
    assert {mode_of(body) for body in openai.chats} == {"json_schema"}


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (401, "set its key, such as OPENAI_API_KEY, to one that is valid"),
        (403, "use a key that may use this model"),
        (404, "name a --model that is served there, and look at the address"),
    ],
)
async def test_a_lasting_error_is_not_retried_and_hides_the_key(
    openai, open_model, monkeypatch, status, remedy
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    settings.cache_clear()
    openai.answer = lambda _: failure(status, f"Incorrect API key provided: {KEY}.")
    with pytest.raises(NoReplyError) as caught:
        await ask(await open_model(max_retries=2))
    assert caught.value.cause == "unreachable"
    sentence = str(caught.value)
    assert KEY not in sentence
    assert sentence == (
        f"The model openai:stub did not reply ({status}: Incorrect API key provided: ***); "
        f"{remedy}."
    )
    assert len(openai.chats) == 1


@pytest.mark.slow
async def test_the_rate_limit_is_waited_out(openai, open_model):
    openai.queue = [failure(429, "Slow down", Retry_After="1")]
    assert await ask(await open_model(max_retries=1)) == ["one"]
    refused, answered = openai.requests
    assert answered.began - refused.ended >= 0.9


@pytest.mark.slow
async def test_an_error_of_the_server_is_retried(openai, open_model):
    openai.queue = [failure(500, "Oops")]
    assert await ask(await open_model(max_retries=1)) == ["one"]


async def test_an_error_page_becomes_one_readable_sentence(openai, open_model):
    page = b"<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>"
    openai.answer = lambda _: Response(page, 502, {"Content-Type": "text/html"})
    with pytest.raises(NoReplyError) as caught:
        await ask(await open_model())
    assert str(caught.value) == (
        "The model openai:stub did not reply (502: Bad Gateway); "
        "try again, or look at the log of its server."
    )


@pytest.mark.slow
async def test_a_server_that_hangs_is_given_up_in_time(openai, open_model):
    openai.otherwise = lambda path, body: Response(chat(GOOD).body, seconds=20)
    with pytest.raises(NoReplyError, match="timed out") as caught:
        await ask(await open_model(timeout=0.3, max_retries=1))
    assert caught.value.cause == "unreachable"


@pytest.mark.slow
async def test_a_server_that_sends_drop_by_drop_is_given_up_in_time(openai, open_model):
    openai.otherwise = lambda path, body: Response(chat(GOOD).body, drip=0.2)
    with pytest.raises(NoReplyError, match="timed out"):
        await ask(await open_model(timeout=0.5))


async def test_a_refused_connection_is_a_typed_failure(openai, open_model, monkeypatch):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
    settings.cache_clear()
    with pytest.raises(NoReplyError, match="onnect") as caught:
        await ask(await open_model())
    assert caught.value.cause == "unreachable"


async def test_a_connection_closed_in_the_middle_is_a_typed_failure(openai, open_model):
    cut = chat(GOOD)
    cut.cut = True
    openai.answer = lambda _: cut
    with pytest.raises(NoReplyError) as caught:
        await ask(await open_model())
    assert caught.value.cause == "unreachable"


@pytest.mark.slow
async def test_a_connection_closed_in_the_middle_is_retried(openai, open_model):
    cut = chat(GOOD)
    cut.cut = True
    openai.queue = [cut]
    assert await ask(await open_model(max_retries=1)) == ["one"]
