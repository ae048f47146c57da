"""Servers of one's own: their slots, what they serve, and what is done when they are away."""

from __future__ import annotations

import asyncio
import socket

import pytest
from http_stub import Response
from ragraphs.models.protocol import NoReplyError
from ragraphs.prompts.library import REWRITE_QUERY
from ragraphs.settings import settings
from stub_openai import failure, serving_openai


async def ask(model, question="Who?"):
    return (await model.run(REWRITE_QUERY, question=question)).queries


def serve(stub, file: str = "/models/a.gguf", slots: int = 1, window: int = 8192) -> None:
    """Has ``stub`` tell what llama.cpp's server tells."""
    stub.documents["/v1/models"] = Response({"data": [{"id": file, "meta": {"size": 7}}]})
    props = {"total_slots": slots, "model_path": file}
    generation = {"n_ctx": window}
    stub.documents["/props"] = Response({**props, "default_generation_settings": generation})


def at(monkeypatch, address: str) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    settings.cache_clear()


def nobody() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


@pytest.mark.slow
@pytest.mark.parametrize(("slots", "most"), [(1, 1), (3, 3), (16, 5)])
async def test_no_more_is_sent_at_once_than_the_server_has_slots_and_the_caller_allows(
    openai, open_model, slots, most
):
    serve(openai, slots=slots)
    openai.slow_down(0.1)
    model = await open_model(concurrency=5)
    await asyncio.gather(*(ask(model, f"Question {place}?") for place in range(20)))
    assert openai.most_in_flight == most and len(openai.chats) == 20


@pytest.mark.slow
async def test_models_of_one_server_share_its_slots(openai, open_model):
    serve(openai, slots=2)
    openai.slow_down(0.1)
    models = [await open_model(), await open_model(model="openai:other")]
    await asyncio.gather(*(ask(model, f"{n}?") for n in range(6) for model in models))
    assert openai.most_in_flight == 2


@pytest.mark.slow
async def test_a_server_that_tells_nothing_is_asked_side_by_side_before_long(openai, open_model):
    openai.documents.clear()
    openai.slow_down(0.1)
    model = await open_model(concurrency=4)
    await asyncio.gather(*(ask(model, f"Question {place}?") for place in range(40)))
    assert 1 < openai.most_in_flight <= 4 and len(openai.chats) == 40


async def test_what_is_served_is_asked_for_once_however_many_questions_there_are(
    openai, open_model
):
    serve(openai)
    model = await open_model()
    for place in range(5):
        await ask(model, f"Question {place}?")
    assert openai.looked_up.count("/props") == openai.looked_up.count("/v1/models") == 1


@pytest.mark.parametrize("change", [{"file": "/models/b.gguf"}, {"window": 4096}])
async def test_another_model_behind_the_same_name_is_asked_anew(openai, open_model, change):
    serve(openai)
    await ask(await open_model())
    serve(openai, **change)
    await ask(await open_model(timeout=61))  # opened anew
    assert len(openai.chats) == 2


async def test_where_the_server_moves_and_the_model_stays_replies_are_kept(
    openai, open_model, monkeypatch
):
    serve(openai)
    await ask(await open_model())
    with serving_openai() as moved:
        serve(moved)
        at(monkeypatch, moved.base_url)
        assert await ask(await open_model(model="openai:any-name")) == ["one"]
        assert moved.chats == []


async def test_where_only_a_name_is_told_the_name_that_was_given_counts_too(openai, open_model):
    openai.documents["/v1/models"] = Response({"data": [{"id": "default"}]})
    await ask(await open_model())
    await ask(await open_model(model="openai:other"))
    assert len(openai.chats) == 2


async def test_stored_replies_serve_while_the_server_is_away(openai, open_model):
    serve(openai)
    await ask(await open_model())
    openai.close()
    assert await ask(await open_model(timeout=61)) == ["one"]
    with pytest.raises(NoReplyError) as caught:
        await ask(await open_model(timeout=61), "When?")
    assert caught.value.lasts


async def test_an_address_where_nobody_answers_is_tried_once_for_all_prompts(
    openai, open_model, monkeypatch
):
    at(monkeypatch, nobody())
    model = await open_model(max_retries=10)  # which would take a minute
    for question in ("Who?", "When?", "Where?"):
        with pytest.raises(NoReplyError, match=r"no connection to 127\.0\.0\.1") as caught:
            await ask(model, question)
        assert caught.value.lasts and "OPENAI_BASE_URL" in str(caught.value)


async def test_after_a_wrong_key_no_further_prompt_is_sent(openai, open_model):
    openai.answer = lambda _: failure(401, "No such key.")
    model = await open_model(max_retries=2)
    for question in ("Who?", "When?", "Where?"):
        with pytest.raises(NoReplyError, match=r"No such key.*OPENAI_API_KEY"):
            await ask(model, question)
    assert len(openai.chats) == 1


async def test_a_wrong_name_is_told_with_the_right_ones(openai, open_model):
    openai.documents["/v1/models"] = Response({"data": [{"id": "llama"}, {"id": "qwen"}]})
    openai.answer = lambda _: failure(404, "model 'stub' not found")
    with pytest.raises(NoReplyError, match="name one that is served there: llama, qwen"):
        await ask(await open_model())


async def test_a_server_that_loads_its_model_is_waited_for_however_few_retries_there_are(
    openai, open_model, monkeypatch
):
    monkeypatch.setattr("ragraphs.models.chat.openai_server._LOADING_PAUSE", 0.01)
    openai.queue = [failure(503, "Loading model")] * 12
    assert await ask(await open_model(max_retries=0)) == ["one"]


async def test_a_time_out_names_the_settings_that_help(openai, open_model):
    openai.otherwise = lambda path, body: Response({}, seconds=20)
    with pytest.raises(NoReplyError, match=r"timed out.*--timeout.*--concurrency"):
        await ask(await open_model(timeout=0.2))


async def test_a_server_without_streams_is_asked_whole_from_then_on(openai, open_model):
    openai.streams = False
    model = await open_model()
    assert await ask(model) == await ask(model, "When?") == ["one"]
    assert [body.get("stream", False) for body in openai.chats] == [True, False, False]


@pytest.mark.slow
async def test_a_stream_that_ends_in_an_error_or_breaks_off_is_asked_for_again(openai, open_model):
    openai.queue = [
        Response(events=['{"choices": [{"delta": {"content": "{"}}]}']),
        Response(events=['{"error": {"code": 500, "message": "slot lost"}}']),
    ]
    assert await ask(await open_model(max_retries=2)) == ["one"]
    assert len(openai.chats) == 3
