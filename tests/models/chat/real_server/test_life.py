"""A real server that works, is given up, is too small, dies, comes back, or is not ready yet."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import replace

import httpx
import pytest
from http_stub import Response
from langchain_core.messages import HumanMessage, SystemMessage
from llama_server import serving_llama
from ragraphs.models.chat.request import ChatRequest, ReplyLimit
from ragraphs.models.meter import start_meter
from ragraphs.models.protocol import NoReplyError
from ragraphs.prompts.library import ANSWER, REWRITE_QUERY
from ragraphs.prompts.prompt import number
from ragraphs.settings import settings
from stub_openai import failure


def long_request():
    """A request whose reply takes seconds."""
    text = {"type": "string", "minLength": 900, "maxLength": 1000}
    texts = {"type": "array", "minItems": 8, "maxItems": 9, "items": text}
    schema = {"type": "object", "properties": {"texts": texts}, "required": ["texts"]}
    named = {"title": "Long", "description": "A long reply.", **schema}
    limit = ReplyLimit("max_tokens", 8000)
    return ChatRequest([HumanMessage("Write.")], named, "json_schema", 1.0, None, limit)


async def until(slots, server, seconds=10.0):
    """Waits until so many slots of the server write a reply."""
    ends = time.monotonic() + seconds
    while await asyncio.to_thread(server.working) != slots:
        assert time.monotonic() < ends, f"not {slots} slots at work"
        await asyncio.sleep(0.02)


async def test_two_slots_work_at_once_and_are_free_when_the_requests_are_given_up(
    llama, open_model
):
    model = await open_model(max_retries=0)
    requests = [asyncio.create_task(model._server.complete(long_request())) for _ in range(2)]
    await until(2, llama)
    for request in requests:
        request.cancel()
    await asyncio.gather(*requests, return_exceptions=True)
    await until(0, llama)


async def test_a_limit_of_tokens_is_kept(llama, open_model):
    limit = ReplyLimit("max_tokens", 50)
    message = await (await open_model())._server.complete(replace(long_request(), limit=limit))
    assert message.response_metadata["finish_reason"] == "length"
    assert message.usage_metadata["output_tokens"] == 50


@pytest.mark.slow
async def test_the_unchanging_beginning_of_a_prompt_is_found_in_the_servers_cache(
    llama, open_model
):
    model = await open_model()
    form = model._ways.request(model._ways.first(ANSWER.reply, None), [], ANSWER.reply)
    cached = []
    for name in ("Forth", "Eiffel"):
        texts = number([(name, f"The architect of {name} is not known.")])
        system, human = ANSWER.render({"question": f"Who built {name}?", "texts": texts})
        messages = [SystemMessage(system), HumanMessage(human)]
        request = replace(form, messages=messages, limit=ReplyLimit("max_tokens", 1))
        message = await model._server.complete(request)
        cached.append(message.usage_metadata["input_token_details"]["cache_read"])
    assert cached[1] > 0.95 * len(system.encode()), "its tokens are bytes"


@pytest.fixture(scope="module")
def one_slot(tmp_path_factory):
    """A server of one slot with 4,096 tokens, of which nobody expects that it lives on."""
    with serving_llama(tmp_path_factory.mktemp("small"), context=4096, slots=1) as server:
        yield server


@pytest.fixture
def small(one_slot, monkeypatch):
    """The small server, which the environment names."""
    if not one_slot.is_running:
        one_slot.start()
    monkeypatch.setenv("OPENAI_BASE_URL", one_slot.base_url)
    settings.cache_clear()
    return one_slot


async def test_texts_that_the_window_has_no_room_for_are_left_out(small, open_model):
    meter = start_meter(None)
    model = await open_model()
    texts = number([(f"Text {place}", "One sentence. " * 30) for place in range(30)])
    try:
        await model.run(ANSWER, question="Which?", texts=texts)
    except NoReplyError as error:  # its tokens are bytes: even what fits by our count is more
        assert "context size" in str(error) or error.cause == "too_large"
    assert any("window of 4,096 tokens" in warning for warning in meter.warnings)
    with pytest.raises(NoReplyError, match="does not fit into the window") as caught:
        await model.run(REWRITE_QUERY, question="Which? " * 3000)
    assert caught.value.cause == "too_large"


@pytest.mark.slow
async def test_a_server_that_is_killed_and_comes_back_is_waited_for(small, open_model):
    model = await open_model(max_retries=6)
    await model.run(REWRITE_QUERY, question="Who?")
    small.kill()
    asked = asyncio.create_task(model.run(REWRITE_QUERY, question="When?"))
    await asyncio.sleep(0.2)
    assert not asked.done()
    small.launch()
    await asked


async def test_a_server_that_is_gone_is_a_typed_failure(small, open_model):
    small.kill()
    with pytest.raises(NoReplyError) as caught:
        await (await open_model(max_retries=0)).run(REWRITE_QUERY, question="Who?")
    assert caught.value.cause == "unreachable"


@pytest.mark.slow
async def test_a_model_that_is_still_loaded_is_waited_for(llama, openai, open_model):
    def forward(path, body):
        reply = httpx.post(f"{llama.url}{path}", json=body, timeout=60)
        return Response(events=re.findall(r"^data: (.+)$", reply.text, re.MULTILINE))

    openai.otherwise = forward
    openai.queue = [failure(503, "Loading model")] * 2
    await (await open_model(max_retries=4)).run(REWRITE_QUERY, question="Who?")
    assert len(openai.chats) == 3
