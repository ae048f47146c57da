"""Prompts too large for a server's window are packed smaller, with a warning, never cut unseen."""

from __future__ import annotations

import asyncio
import re

import pytest
from http_stub import Response
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.models.chat.window import count_texts, fewest_tokens, fitting, most_tokens
from ragraphs.models.protocol import NoReplyError
from ragraphs.prompts.library import ANSWER
from ragraphs.prompts.prompt import number
from ragraphs.settings import settings
from stub_openai import chat

ENGLISH = "The bridge was opened in 1890, and it is the longest of its kind in the whole country. "
KOREAN = "이 다리는 1890년에 개통되었으며 같은 종류의 다리 가운데 온 나라에서 가장 길다고 한다. "
REPLY = {"quotes": [], "sufficient": False, "answer": ""}


def texts(count: int, text: str = ENGLISH, length: int = 1600):
    return number([(f"Text {place}", (text * 500)[:length]) for place in range(count)])


async def ask(model, shown):
    return await model.run(ANSWER, question="When was it opened?", texts=shown)


def shown_in(body) -> int:
    return len(re.findall("<text id=", body["messages"][1]["content"]))


def sent_in(body) -> float:
    return sum(most_tokens(message["content"]) for message in body["messages"])


@pytest.fixture
def server(openai):
    openai.answer = lambda _: REPLY
    return openai


class Ollama:
    """Loads a model at its first chat, with a window of 4096, and tells of what is loaded."""

    def __init__(self, stub) -> None:
        stub.answer = self.answer
        stub.documents["/api/ps"] = self.running
        self.loaded: list[object] = []

    def answer(self, body):
        self.loaded.append({"name": "stub:latest", "model": "stub:latest", "context_length": 4096})
        return REPLY

    def running(self) -> Response:
        return Response({"models": self.loaded})


def tell_of_ollama(stub):
    Ollama(stub)


def tell_of_lm_studio(stub):
    models = [
        {"id": "other", "state": "loaded", "loaded_context_length": 99999},
        {"id": "stub", "max_context_length": 131072, "loaded_context_length": 4096},
    ]
    stub.documents["/api/ps"] = Response({"error": "Unexpected endpoint"})
    stub.documents["/api/v0/models"] = Response({"data": models})


def tell_of_vllm(stub):
    models = [{"id": "stub", "object": "model", "max_model_len": 4096}]
    stub.documents["/v1/models"] = Response({"object": "list", "data": models})


def tell_of_llama_cpp(stub):
    stub.documents["/v1/models"] = Response(
        {"data": [{"id": "a.gguf", "meta": {"n_ctx_train": 9}}]}
    )
    stub.documents["/props"] = Response({"default_generation_settings": {"n_ctx": 4096}})


SERVERS = [tell_of_ollama, tell_of_lm_studio, tell_of_vllm, tell_of_llama_cpp]


@pytest.mark.parametrize("tell", SERVERS)
@pytest.mark.parametrize("text", [ENGLISH, KOREAN], ids=["English", "Korean"])
async def test_a_prompt_is_packed_into_the_window_that_the_server_tells(
    server, open_model, metering, tell, text
):
    tell(server)
    meter = metering()
    await ask(await open_model(), texts(20, text))
    body = server.chats[-1]
    assert 0 < shown_in(body) < 20 and sent_in(body) <= 3072
    assert 'title="Text 0"' in body["messages"][1]["content"]
    [warning] = meter.warnings
    assert warning.startswith(f"{20 - shown_in(body)} of 20 texts did not fit")
    assert "4,096" in warning and "OLLAMA_CONTEXT_LENGTH" in warning


async def test_an_ollama_that_has_yet_to_load_the_model_is_made_to_before_it_is_asked(
    server, open_model
):
    tell_of_ollama(server)
    await ask(await open_model(), texts(20))
    woken, asked = server.chats
    assert woken["max_tokens"] == 1 and "response_format" in asked


async def test_the_server_is_asked_once_for_its_window_however_many_prompts_there_are(
    server, open_model, metering
):
    tell_of_vllm(server)
    model, meter = await open_model(), metering()
    await asyncio.gather(*(ask(model, texts(12 + more, f"{more} {ENGLISH}")) for more in range(4)))
    assert server.looked_up.count("/v1/models") == 1
    [warning] = meter.warnings
    left_out = 12 + 13 + 14 + 15 - sum(map(shown_in, server.chats))
    assert warning.startswith(f"{left_out} of 54 texts did not fit")


@pytest.mark.parametrize(
    "tell",
    [
        lambda stub: None,
        lambda stub: stub.documents.update({"/v1/models": Response(b"<html>")}),
        lambda stub: stub.documents.update({"/props": Response([1])}),
        lambda stub: stub.documents.update({"/api/ps": Response({"models": [None, 7]})}),
        lambda stub: stub.documents.update(
            {"/v1/models": Response({"data": [{"id": "stub", "max_model_len": True}]})}
        ),
        lambda stub: stub.documents.update(
            {"/v1/models": Response({"data": [{"id": "stub", "max_model_len": 131072}]})}
        ),
    ],
    ids=["silent", "page", "list", "rows", "no number", "large"],
)
async def test_where_the_window_is_large_or_unknown_no_byte_of_a_prompt_changes(
    server, open_model, metering, tell
):
    tell(server)
    meter = metering()
    await ask(await open_model(), texts(20))
    system, human = ANSWER.render({"question": "When was it opened?", "texts": texts(20)})
    assert [message["content"] for message in server.chats[-1]["messages"]] == [system, human]
    assert meter.warnings == []


async def test_the_operators_window_holds_whatever_the_server_says(server, open_model, monkeypatch):
    tell_of_vllm(server)
    monkeypatch.setenv("RAGRAPHS_CONTEXT_WINDOW", "8192")
    settings.cache_clear()
    await ask(await open_model(), texts(20))
    assert 3072 < sent_in(server.chats[-1]) <= 6144


async def test_where_not_even_one_text_fits_nothing_is_sent_and_the_reason_is_a_sentence(
    server, open_model
):
    tell_of_vllm(server)
    with pytest.raises(NoReplyError, match=r"window of 4,096 tokens of openai:stub") as caught:
        await ask(await open_model(), texts(1, length=30_000))
    assert caught.value.cause == "too_large" and caught.value.stop_reason == "model_failed"
    assert server.chats == []


async def test_a_stored_reply_is_that_to_what_was_sent(server, open_model, metering):
    tell_of_vllm(server)
    model = await open_model()
    await ask(model, texts(20))
    kept = shown_in(server.chats[-1])
    meter = metering()
    for count in (20, kept):  # the packed prompt is the prompt of the texts that were kept
        await ask(model, texts(count))
    assert len(server.chats) == 1 and meter.usage()["models"]["openai:stub"]["reused"] == 2


async def test_a_stored_reply_to_a_whole_prompt_is_used_whatever_the_window_is(
    server, open_model, monkeypatch
):
    await ask(await open_model(), texts(20))
    monkeypatch.setenv("RAGRAPHS_CONTEXT_WINDOW", "4096")
    settings.cache_clear()
    await ask(await open_model(), texts(20))
    assert len(server.chats) == 1


async def test_asking_again_after_a_malformed_reply_leaves_room_for_the_next(server, open_model):
    tell_of_vllm(server)
    server.queue = [chat("broken " * 2000)]
    await ask(await open_model(), texts(20))
    assert sent_in(server.chats[-1]) < 4096 - 512


@pytest.mark.parametrize(("read", "warned"), [(2050, True), (6000, False)])
async def test_a_server_that_counts_far_fewer_tokens_than_were_sent_is_told_of(
    server, open_model, metering, read, warned
):
    reply = chat('{"quotes": [], "sufficient": false, "answer": ""}')
    reply.body["usage"] = {"prompt_tokens": read, "completion_tokens": 9}
    server.answer = lambda _: reply
    meter = metering()
    await ask(await open_model(), texts(20))
    assert any("may have cut it" in warning for warning in meter.warnings) == warned


LISTS = st.dictionaries(
    st.sampled_from(["texts", "knowledge"]),
    st.lists(st.text(max_size=200), min_size=1, max_size=8).map(
        lambda found: number([("", text) for text in found])
    ),
)


@given(LISTS, st.floats(0, 2000))
def test_packing_drops_the_last_texts_no_list_wholly_and_enough(lists, excess):
    packed = fitting(ANSWER, {"question": "Who?", **lists}, excess)
    size = {name: [most_tokens(text["text"]) for text in found] for name, found in lists.items()}
    if packed is None:
        assert all(len(found) >= 1 for found in lists.values())
        return
    assert packed["question"] == "Who?" and count_texts(packed) >= len(lists)
    for name, found in lists.items():
        assert packed[name] == found[: len(packed[name])]
    kept = sum(sum(size[name][: len(packed[name])]) for name in lists)
    assert kept <= sum(map(sum, size.values()))
    if excess == 0:
        assert packed == {"question": "Who?", **lists}


@given(st.text())
def test_the_fewest_tokens_are_no_more_than_the_most(text):
    assert fewest_tokens(text) <= most_tokens(text)
