"""OpenAI's protocol at ``ragraphs serve``, spoken by OpenAI's client and LangChain's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import unquote

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from ragraphs import IndexContext, index_graph
from ragraphs.server.admission import Slots
from ragraphs.server.alone import app
from ragraphs.server.keys import make_key
from ragraphs.server.openai_replies import reply_form
from ragraphs.server.serving import Serving
from scripted_model import DOCUMENTS, FACT, MODEL, NOT_FOUND, QUESTION, Script
from stub_openai import KEY, OpenAIStub, serving_openai
from tool_server import serving_here

ANSWER = "The Forth Bridge was designed by John Fowler."
SAID: list[Any] = [{"role": "user", "content": QUESTION}]
TALK: list[Any] = [
    {"role": "system", "content": "You are a pirate."},
    {"role": "user", "content": "Who designed the Tay Bridge?"},
    {"role": "assistant", "content": "Thomas Bouch\n\n[1] “The Tay Bridge” — secret words"},
    {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
]


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIStub]:
    with serving_openai() as stub:
        yield stub


@pytest.fixture
def script(model: OpenAIStub) -> Script:
    return Script(model)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three indexes, none of which this process has open."""
    root, made = tmp_path_factory.mktemp("indexes"), tmp_path_factory.mktemp("made") / "notes"
    context = IndexContext(index=str(made), embeddings="lexical")
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    for name in ("notes", "other", "secret"):
        copytree(made, root / name)
    return root


@pytest.fixture
def url(root: Path, model: OpenAIStub, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    environment = {
        "OPENAI_BASE_URL": model.base_url,
        "OPENAI_API_KEY": KEY,
        "RAGRAPHS_MODEL": MODEL,
        "RAGRAPHS_INDEX": "notes",
        "RAGRAPHS_INDEXES": "other",
        "RAGRAPHS_EMBEDDINGS": "lexical",
    }
    with serving_here(root, monkeypatch, **environment) as url:
        yield url


@pytest.fixture
def client(url: str, script: Script) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=60) as client:
        yield client


def asked(client: openai.OpenAI, **given: Any) -> Any:
    return client.chat.completions.create(**{"model": "notes/basic", "messages": SAID, **given})


def test_each_index_that_is_open_is_a_model_and_so_is_each_method_that_it_can_take(client):
    names = [one.id for one in client.models.list()]
    methods = ["", "/basic", "/crag", "/deeprag", "/agent"]
    assert names == [f"{index}{method}" for index in ("notes", "other") for method in methods]
    assert client.models.retrieve("notes/crag").owned_by == "ragraphs"


@pytest.mark.parametrize("name", ["secret", "notes/magic", "notes/", "/basic", "../secret/basic"])
def test_any_other_model_is_not_found(client, name):
    with pytest.raises(openai.NotFoundError, match="GET /v1/models lists") as caught:
        asked(client, model=name)
    assert caught.value.code == "model_not_found"


def test_an_answer_has_its_quotations_as_footnotes_and_as_annotations(client, url):
    found = asked(client)
    message = found.choices[0].message
    assert message.content.startswith(f"{ANSWER}\n\n[1] “{FACT}” — [Forth Bridge (")
    assert message.refusal is None and found.choices[0].finish_reason == "stop"
    [note] = message.annotations
    cited = note.url_citation
    link = message.content[cited.start_index : cited.end_index]
    assert link.endswith(f"]({cited.url})") and cited.title == "Forth Bridge"
    assert unquote(cited.url) == f"{url}/#document/notes/Forth Bridge/0/{len(FACT)}"
    assert found.ragraphs["sufficient"] and found.ragraphs["method"] == "basic"


def test_the_usage_is_that_of_the_models(client, script):
    narrow = {"where": {"title": "Forth Bridge"}}
    usage = asked(client, extra_body=narrow).usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (100, 7) or usage.total_tokens > 107
    assert asked(client, extra_body=narrow).usage.total_tokens == 0  # kept


@pytest.mark.slow
def test_a_stream_adds_up_to_the_whole_completion(client):
    given: Any = {"model": "other/basic", "messages": SAID}
    streamed = {"stream": True, "stream_options": {"include_usage": True}}
    with client.chat.completions.create(**given, **streamed) as pieces:
        *told, end, usage = list(pieces)
    whole: Any = client.chat.completions.create(**given)
    deltas = [piece.choices[0].delta for piece in told]
    assert deltas[0].role == "assistant" and len(deltas) > 3
    assert "".join(delta.content for delta in deltas) == whole.choices[0].message.content
    cited = [note.model_dump() for note in whole.choices[0].message.annotations]
    assert deltas[-1].annotations == cited
    assert end.choices[0].finish_reason == "stop" and end.ragraphs == whole.ragraphs
    assert not usage.choices and usage.usage.total_tokens >= 107
    assert len({piece.id for piece in [*told, end, usage]}) == 1


def test_earlier_turns_make_the_question_stand_alone(client, script):
    asked(client, messages=TALK)
    [follow_up] = [one for one in script.asked if one.kind == "StandAloneQuestion"]
    assert "Thomas Bouch" in follow_up.human
    assert "secret words" not in follow_up.human and "pirate" not in follow_up.human


@pytest.mark.parametrize("stream", [False, True])
def test_where_the_documents_give_no_answer_that_is_a_refusal(client, script, stream):
    script.replies["Answer"] = {**NOT_FOUND, "answer": ""}
    script.replies["PlainAnswer"] = {**NOT_FOUND, "answer": ""}
    said = [{"role": "user", "content": "Who designed the Severn Bridge?"}]
    found = asked(client, messages=said, stream=stream)
    if stream:
        with found as pieces:
            message = [piece.choices[0].delta for piece in pieces][-2]
    else:
        message = found.choices[0].message
    assert message.refusal == message.content and "no answer" in message.refusal


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"messages": [{"role": "user", "content": " "}]}, "The question is empty"),
        ({"messages": []}, "'messages' cannot be used"),
        ({"messages": [{"role": "system", "content": "Obey."}]}, "no question"),
        ({"messages": [*SAID, {"role": "assistant", "content": "He"}]}, "no question"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "only text"),
        ({"messages": [{"role": "user", "content": "a" * 9000}]}, "8,000"),
        ({"n": 2}, "'n' cannot be used"),
        ({"response_format": {"type": "json_object"}}, "response_format.type"),
        ({"model": "notes/tog2"}, "--layers entities"),
        ({"extra_body": {"where": {"year": {"$near": 1}}}}, "no operator"),
        ({"extra_body": {"max_seconds": -1}}, "max_seconds"),
    ],
)
def test_what_cannot_be_asked_is_a_bad_request_in_a_sentence(client, given, words):
    with pytest.raises(openai.BadRequestError, match=words) as caught:
        asked(client, **given)
    assert caught.value.body["type"] == "invalid_request_error"


def test_a_question_that_fails_while_it_is_streamed_is_an_error(client):
    with (
        pytest.raises(openai.APIError, match="--layers entities"),
        asked(client, model="notes/tog2", stream=True) as pieces,
    ):
        list(pieces)


def test_what_a_client_sends_besides_is_left_alone(client):
    tool = {"type": "function", "function": {"name": "look", "parameters": {}}}
    found = asked(client, temperature=1.5, max_tokens=3, tools=[tool], user="ada", seed=1)
    assert ANSWER in found.choices[0].message.content


def test_a_server_that_is_busy_says_when_to_come_back(client, monkeypatch):
    monkeypatch.setattr(app.state, "questions", Slots(0, 0.01, "questions", 1))
    with pytest.raises(openai.InternalServerError, match="at work on as many") as caught:
        asked(client)
    assert caught.value.status_code == 503 and int(caught.value.response.headers["retry-after"])


def test_a_key_opens_its_indexes_and_its_quota_holds(root, tmp_path, monkeypatch):
    keys = tmp_path / "keys.json"
    secret = make_key(keys, "ada", indexes=["other"], requests=1)
    monkeypatch.setenv("RAGRAPHS_SERVING", Serving(keys=keys).model_dump_json())
    with serving_here(root, monkeypatch, RAGRAPHS_EMBEDDINGS="lexical") as url:
        ada, eve = (
            openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0, timeout=60)
            for key in (secret, "none")
        )
        with ada, eve:
            assert {one.id.split("/")[0] for one in ada.models.list()} == {"other"}
            with pytest.raises(openai.AuthenticationError, match="Send a key"):
                eve.models.list()
            with pytest.raises(openai.NotFoundError):
                asked(ada)
            assert asked(ada, model="other/basic").choices[0].message.content
            with pytest.raises(openai.RateLimitError) as caught:
                asked(ada, model="other/basic")
    assert int(caught.value.response.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("method", "path", "head", "status"),
    [
        ("POST", "chat/completions", {"Origin": "http://evil.example.com"}, 403),
        ("GET", "models", {"Host": "evil.example.com"}, 421),
        ("GET", "chat/completions", {}, 405),
        ("POST", "embeddings", {}, 404),
    ],
)
def test_every_refusal_has_the_form_of_the_protocol(url, method, path, head, status):
    found = httpx.request(method, f"{url}/v1/{path}", headers=head, json={}, timeout=60)
    assert found.status_code == status and found.json()["error"]["message"]


async def test_langchains_model_asks_and_streams(url, script):
    chat = ChatOpenAI(
        model="notes/basic", base_url=f"{url}/v1", api_key=SecretStr("none"), timeout=60
    )
    turns = [HumanMessage(TALK[1]["content"]), AIMessage("Thomas Bouch"), HumanMessage(QUESTION)]
    whole = await chat.ainvoke(turns)
    assert ANSWER in whole.text and "#document/notes/Forth%20Bridge/0/" in whole.text
    assert whole.usage_metadata is not None
    pieces = [piece.text async for piece in chat.astream(turns)]
    assert "".join(pieces) == whole.text


async def test_a_reply_that_broke_off_is_followed_by_the_answer_and_places_count_it():
    citation = {"passage": "p", "document": "a [b]", "title": "A [b]", "start": 3, "end": 9}
    output = {
        "answer": "Fowler",
        "citations": [{**citation, "quote": "Fowler"}],
        "evidence": [{"id": "p", "found": "retrieved"}],
        **{"sufficient": True, "stop_reason": "answered", "missing": [], "usage": {}},
        **{"method": "basic", "asked": "Who?", "warnings": []},
    }

    async def events() -> Any:
        yield "text", {"text": "Bou", "id": "1"}
        yield "text", {"text": "Fow", "id": "2"}
        yield "answer", output

    form = reply_form("notes", "http://localhost/#document/notes", False)
    deltas = [
        value["choices"][0]["delta"]
        async for name, value in form.streamed(events())
        if name == "piece"
    ]
    text = "".join(delta.get("content", "") for delta in deltas)
    assert text.startswith("Bou\n\nFowler\n\n[1] “Fowler” — [A \\[b\\] (")
    cited = deltas[-2]["annotations"][0]["url_citation"]
    assert text[cited["start_index"] : cited["end_index"]].endswith(f"]({cited['url']})")
    assert cited["url"].endswith("#document/notes/a%20%5Bb%5D/3/9")
