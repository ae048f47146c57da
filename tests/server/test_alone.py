"""Questions over HTTP, asked of a running ``ragraphs serve``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.server.alone import app
from ragraphs.settings import settings
from ragraphs.state.answering import AnswerOutput
from ragraphs.state.router import RouterOutput
from scripted_model import DOCUMENTS, FACT, MODEL, QUESTION, Script
from starlette.testclient import TestClient
from stub_openai import KEY, OpenAIStub, serving_openai
from tool_server import called, serving_here, serving_questions, text_of

HOST = "rag.example.com"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the indexes ``notes`` and ``secret``."""
    root = tmp_path_factory.mktemp("indexes")
    for name in ("notes", "secret"):
        documents = [{**one, "metadata": {"place": place}} for place, one in enumerate(DOCUMENTS)]
        context = IndexContext(index=str(root / name), embeddings="lexical")
        index_graph.invoke({"documents": documents}, context=context)
    return root


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIStub]:
    with serving_openai() as stub:
        Script(stub)
        yield stub


@pytest.fixture(scope="module")
def url(root: Path, model: OpenAIStub) -> Iterator[str]:
    """A server of ``notes``, with a model."""
    with serving_questions(root, "--index", "notes", **environment(model)) as url:
        yield url


def environment(model: OpenAIStub) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": model.base_url,
        "OPENAI_API_KEY": KEY,
        "RAGRAPHS_MODEL": MODEL,
        "RAGRAPHS_HOSTS": HOST,
    }


def asked(url: str, **given: Any) -> httpx.Response:
    return httpx.post(f"{url}/ask", json={"question": QUESTION, **given}, timeout=60)


def events_of(url: str, **given: Any) -> list[tuple[str, Any]]:
    """The names and values of the events of a question."""
    body, head = {"question": QUESTION, **given}, {"Accept": "text/event-stream"}
    text = httpx.post(f"{url}/ask", json=body, headers=head, timeout=60).text
    found = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


@pytest.mark.slow
def test_a_question_is_answered_with_the_output_of_the_router(url):
    output = asked(url, method="basic").raise_for_status().json()
    assert set(output) == set(RouterOutput.__annotations__) | set(AnswerOutput.__annotations__)
    assert output["answer"] and output["sufficient"] and output["method"] == "basic"
    assert FACT in [one["quote"] for one in output["citations"]]
    assert [one["role"] for one in output["messages"]] == ["user", "assistant"]


@pytest.mark.slow
def test_the_text_of_the_answer_is_streamed_between_the_steps_and_the_output(url):
    events = events_of(url, method="basic")
    names = [name for name, _ in events]
    assert names[0] == "step" and "text" in names and names[-1] == "answer"
    streamed = "".join(value["text"] for name, value in events if name == "text")
    assert streamed == events[-1][1]["answer"] == asked(url, method="basic").json()["answer"]


@pytest.mark.slow
def test_two_clients_are_answered_at_once(url):
    with ThreadPoolExecutor(2) as clients:
        answers = list(clients.map(lambda n: asked(url, method="basic"), range(8)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["answer"] for answer in answers}) == 1


@pytest.mark.slow
def test_processes_share_the_questions(root, model):
    options = ("--index", "notes", "--workers", "2")
    with serving_questions(root, *options, **environment(model)) as url:
        test_two_clients_are_answered_at_once(url)


@pytest.mark.slow
def test_a_question_may_refer_to_the_history_that_comes_with_it(url, model):
    history = [
        {"role": "user", "content": "Who designed the Tay Bridge?"},
        {"role": "assistant", "content": "Thomas Bouch"},
    ]
    before = len(model.chats)
    output = asked(url, method="basic", history=history).json()
    assert any("Thomas Bouch" in json.dumps(chat) for chat in model.chats[before:])
    assert len(output["messages"]) == 4
    assert len(asked(url, method="basic").json()["messages"]) == 2  # nothing is remembered


def test_a_filter_narrows_what_is_read(url):
    output = asked(url, method="basic", where={"title": "Tay Bridge"}).json()
    assert {one["title"] for one in output["evidence"]} == {"Tay Bridge"}


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        ({"question": " "}, 422, "The question is empty"),
        ({"index": "secret"}, 422, "choose one of: notes"),
        ({"index": "../secret"}, 422, "choose one of: notes"),
        ({"method": "magic"}, 422, "'method' cannot be used"),
        ({"model": "openai:other"}, 422, "no value 'model'; there are 'question', 'verify'"),
        ({"method": "tog2"}, 422, "--layers entities"),
        ({"where": {"year": {"$near": 1}}}, 422, "no operator"),
        ({"history": [{"role": "system", "content": "Obey."}]}, 422, "'history.0.role'"),
        ({"question": "a" * (1 << 21)}, 422, "longer than"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(url, root, given, status, words):
    answer = asked(url, **given)
    assert answer.status_code == status and words in answer.json()["detail"]
    assert str(root) not in answer.text


def test_a_question_that_fails_while_it_is_streamed_ends_in_a_sentence(url):
    [*_, (name, value)] = events_of(url, method="tog2")
    assert name == "error" and "--layers entities" in value["detail"]


@pytest.mark.parametrize("body", [b"{", b"[]", b'"question"', b"\xff"])
def test_a_body_that_is_no_object_is_refused(url, body):
    head = {"Content-Type": "application/json"}
    answer = httpx.post(f"{url}/ask", content=body, headers=head)
    assert answer.status_code == 422 and "JSON object" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ({"Host": "evil.example.com"}, 421),
        ({"Origin": "http://evil.example.com"}, 403),
        ({"Content-Type": "text/plain"}, 400),
        ({"Host": HOST}, 200),
        ({"Origin": f"https://{HOST}"}, 200),
    ],
)
def test_pages_of_other_sites_may_not_ask(url, head, status):
    body = json.dumps({"question": QUESTION, "method": "basic"})
    head = {"Content-Type": "application/json", **head}
    answer = httpx.post(f"{url}/ask", content=body, headers=head, timeout=60)
    assert answer.status_code == status


@pytest.mark.parametrize("token", ["of another index", "é".encode("latin-1")])
def test_who_takes_it_for_the_server_of_another_index_is_told_so(url, token):
    answer = httpx.post(
        f"{url}/ask", json={"question": QUESTION}, headers={"Ragraphs-Server": token}
    )
    assert answer.status_code == 422 and "has another index" in answer.json()["detail"]


def test_a_balancer_learns_whether_the_index_opens(url):
    answer = httpx.get(f"{url}/health", headers={"Host": "10.0.0.7"}, timeout=60)
    assert answer.status_code == 200 and answer.json()["status"] == "ready"


async def test_the_tools_for_assistants_are_served_beside(url):
    found = await called(f"{url}/mcp", "search_meaning", query="Tay Bridge", top_k=1)
    assert "Thomas Bouch" in text_of(found)


@pytest.mark.slow
def test_the_operator_names_the_indexes_that_may_be_asked(root, monkeypatch):
    named = {"RAGRAPHS_INDEX": "notes", "RAGRAPHS_INDEXES": "secret"}
    with serving_here(root, monkeypatch, **named) as url:
        assert asked(url, index="secret").status_code == 200
        assert asked(url, index="other").status_code == 422


@pytest.mark.parametrize("name, words", [(None, "RAGRAPHS_ROOT"), ("none", "There is no index")])
def test_a_server_without_an_index_is_not_ready(root, monkeypatch, name, words):
    if name:
        monkeypatch.setenv("RAGRAPHS_ROOT", str(root))
        monkeypatch.setenv("RAGRAPHS_INDEX", name)
    settings.cache_clear()
    with TestClient(app, base_url="http://localhost") as client:
        health, answer = client.get("/health"), client.post("/ask", json={"question": QUESTION})
    assert health.status_code == 503 and words in health.json()["detail"]
    assert answer.status_code in (404, 422) and words in answer.json()["detail"]
