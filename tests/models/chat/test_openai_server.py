"""The shortest way to a server of OpenAI's protocol, and when another one is taken."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
import threading

import pytest
from http_stub import Response
from langchain_core.callbacks import get_usage_metadata_callback
from langgraph.graph import START, StateGraph
from ragraphs.models.protocol import NoReplyError
from ragraphs.prompts.library import REWRITE_QUERY
from ragraphs.settings import settings
from stub_openai import chat, failure
from typing_extensions import TypedDict


class State(TypedDict):
    question: str


async def ask(model, question="Who?"):
    return (await model.run(REWRITE_QUERY, question=question)).queries


async def ask_in_graph(model, question):
    """Asks from a node, as nodes do."""

    async def node(state: State) -> State:
        await ask(model, state["question"])
        return state

    graph = StateGraph(State).add_node("node", node).add_edge(START, "node").compile()
    await graph.ainvoke({"question": question})


async def test_who_counts_tokens_by_langchains_callbacks_sees_every_request(openai, open_model):
    model = await open_model()
    with get_usage_metadata_callback() as counted:
        await ask_in_graph(model, "Who?")
    assert [usage["total_tokens"] for usage in counted.usage_metadata.values()] == [107]


async def test_a_followed_request_is_the_same_as_any_other(openai, open_model):
    model = await open_model(temperature=0.5)
    with get_usage_metadata_callback():
        await ask_in_graph(model, "Who is the author?")
    await ask_in_graph(model, "Who was the author?")
    followed, other = openai.chats
    assert followed["messages"].pop()["content"] != other["messages"].pop()["content"]
    assert other.pop("stream_options") == {"include_usage": True}
    assert {**followed, "stream": True} == other


async def test_an_error_in_a_reply_that_looks_good_is_told(openai, open_model):
    openai.answer = lambda _: Response({"error": {"message": "The model is asleep.", "code": 1}})
    with pytest.raises(NoReplyError, match="The model is asleep") as caught:
        await ask(await open_model(max_retries=2))
    assert caught.value.cause == "unreachable"
    assert len(openai.chats) == 1


async def test_a_redirection_is_told_and_not_followed(openai, open_model):
    moved = {"Location": f"{openai.base_url}/elsewhere"}
    openai.answer = lambda _: Response(b"", status=302, headers=moved)
    with pytest.raises(NoReplyError, match=r"302: it redirects to http\S+/elsewhere: set its"):
        await ask(await open_model())
    assert len(openai.requests) == 1


@pytest.mark.parametrize("body", [b"Service is starting", b'{"choices": []}', b"[]", b"<p>Hi</p>"])
async def test_what_is_no_chat_completion_is_a_typed_failure(openai, open_model, body):
    openai.answer = lambda _: Response(body)
    with pytest.raises(NoReplyError, match="no chat completion") as caught:
        await ask(await open_model())
    assert caught.value.cause == "unreachable"
    assert "object" not in str(caught.value) and "<p>" not in str(caught.value)


async def test_a_reply_without_content_is_asked_for_again(openai, open_model):
    openai.queue = [chat(None)]
    assert await ask(await open_model()) == ["one"]
    assert len(openai.chats) == 2


async def test_the_proxy_of_the_environment_is_heeded(openai, open_model, monkeypatch):
    monkeypatch.setenv("http_proxy", openai.url)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://model.example/v1")
    settings.cache_clear()
    assert await ask(await open_model()) == ["one"]
    assert [request.path for request in openai.requests] == [
        "http://model.example/v1/chat/completions"
    ]


@pytest.mark.slow
def test_a_server_of_ones_own_is_asked_without_loading_openais_client(openai, tmp_path):
    code = """
        import sys
        from ragraphs.context import IndexContext
        from ragraphs.graphs.index import graph

        context = IndexContext(
            index="index", model="openai:stub", embeddings="lexical", layers=["hops"]
        )
        graph.invoke({"documents": [{"id": "a", "text": "Ada wrote it."}]}, context=context)
        assert "aiohttp" in sys.modules
        print({"openai", "langchain_openai"} & set(sys.modules))
    """
    openai.answer = lambda _: {"incoming": ["Who?"], "outgoing": ["Why?"]}
    environment = {**os.environ, "OPENAI_BASE_URL": openai.base_url}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.returncode) == ("set()\n", 0), done.stderr
    assert len(openai.chats) == 1


@pytest.mark.slow
async def test_requests_side_by_side_are_retried_each_for_itself(openai, open_model):
    left = {f"Question {number}?": 2 for number in range(8)}
    turns = threading.Lock()

    def answer(body):
        question = body["messages"][1]["content"]
        (name,) = (name for name in left if name in question)
        with turns:
            left[name] -= 1
            fails = left[name] >= 0
        return failure(503, "Busy.", seconds=0.02) if fails else {"queries": [name]}

    openai.answer = answer
    model = await open_model(max_retries=2)
    assert await asyncio.gather(*(ask(model, name) for name in left)) == [[name] for name in left]
    assert len(openai.chats) == 3 * len(left)
