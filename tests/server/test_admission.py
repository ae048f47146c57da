"""Bounds of a server: questions at once, runs of indexing, and what goes on beside them."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from threading import Event
from typing import Any

import httpx
import pytest
from page_server import followed
from ragraphs import IndexContext, index_graph
from ragraphs.server.admission import BusyError, Slots
from ragraphs.server.exchange import failure
from ragraphs.state.errors import UnavailableError
from scripted_model import DOCUMENTS, MODEL, Script
from stub_openai import KEY, OpenAIStub, serving_openai
from tool_server import called, serving_questions, text_of

BUSY = "as many questions as it takes at once"
number = count()


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIStub]:
    with serving_openai() as stub:
        yield stub


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, model: OpenAIStub) -> Iterator[str]:
    """A server that answers one question at once, whose model may be made to wait."""
    root = tmp_path_factory.mktemp("indexes")
    context = IndexContext(index=str(root / "notes"), embeddings="lexical")
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    environment = {
        "OPENAI_BASE_URL": model.base_url,
        "OPENAI_API_KEY": KEY,
        "RAGRAPHS_MODEL": MODEL,
        "RAGRAPHS_QUESTIONS": "1",
        "RAGRAPHS_UPLOADS": "uploads",
    }
    with serving_questions(root, "--index", "notes", **environment) as url:
        yield url


@contextmanager
def silent(model: OpenAIStub) -> Iterator[Event]:
    """No reply of the model until the block ends; what it gives is set once it was asked."""
    over, reached, answer = Event(), Event(), Script(model)

    def wait(body: Any) -> Any:
        reached.set()
        over.wait(30)
        return answer(body)

    model.answer = wait
    try:
        yield reached
    finally:
        over.set()
        model.answer = answer


def body() -> dict[str, Any]:
    """A question of which no reply is stored."""
    return {"question": f"Who designed the Forth Bridge ({next(number)})?", "method": "basic"}


def asked(url: str, path: str = "/ask", timeout: float = 60) -> httpx.Response:
    return httpx.post(f"{url}{path}", json=body(), timeout=timeout)


@pytest.fixture
def clients() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as threads:
        yield threads


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/ask", "/page/ask"])
def test_a_question_beyond_the_bound_is_refused_with_the_time_to_come_back(
    url, model, clients, path
):
    with silent(model) as reached:
        first = clients.submit(asked, url)
        assert reached.wait(20)
        waiting = clients.submit(asked, url)
        time.sleep(0.3)
        refused = asked(url, path)
        assert refused.status_code == 503 and BUSY in refused.json()["detail"]
        assert int(refused.headers["Retry-After"]) >= 1
        assert waiting.result().status_code == 503  # its turn did not come
    assert first.result().status_code == 200 and asked(url).status_code == 200


@pytest.mark.slow
async def test_a_tool_that_asks_says_that_the_server_is_busy(url, model, clients):
    with silent(model) as reached:
        clients.submit(asked, url)
        assert reached.wait(20)
        told = await called(f"{url}/mcp", "answer_question", query="Who built it?")
        assert told.is_error and BUSY in text_of(told)


@pytest.mark.slow
def test_a_run_that_cannot_go_on_now_waits_for_its_person(url, model, clients):
    step = {"finish": False, "question": "Who built it?", "source": "retrieve", "reason": ""}
    script = Script(model)
    script.narrate()
    script.replies["NextStep"] = step
    plan = {**body(), "method": "deeprag", "confirm": {"plan": True}}
    *_, (_, paused) = followed(url, "/page/ask", plan)
    wanted = {"run": paused["run"], "items": paused["items"]}
    with silent(model) as reached:
        clients.submit(asked, url)
        assert reached.wait(20)
        assert BUSY in followed(url, "/page/resume", wanted)[0][1]
    *_, (name, _) = followed(url, "/page/resume", wanted)
    assert name in ("answer", "paused")


@pytest.mark.slow
def test_health_is_told_at_once_while_questions_wait(url, model, clients):
    with silent(model) as reached:
        clients.submit(asked, url)
        assert reached.wait(20)
        clients.submit(asked, url)
        assert httpx.get(f"{url}/health", timeout=5).json()["status"] == "ready"


def leave(url: str, path: str, given: Any, reached: Event, accept: str) -> None:
    """Sends a request, and closes the connection once the model is asked."""
    sent = json.dumps(given).encode()
    head = {"Content-Type": "application/json", "Accept": accept}
    request = httpx.Request("POST", f"{url}{path}", content=sent, headers=head)
    lines = [
        f"POST {path} HTTP/1.1",
        *(f"{name}: {value}" for name, value in request.headers.items()),
    ]
    with socket.create_connection((request.url.host, request.url.port)) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + sent)
        assert reached.wait(20)


@pytest.mark.slow
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_client_that_leaves_makes_room_for_the_next(url, model, accept):
    with silent(model) as reached:
        leave(url, "/ask", body(), reached, accept)
        model.answer = Script(model)
        assert asked(url).status_code == 200


@pytest.mark.slow
def test_a_client_of_a_tool_that_leaves_makes_room_for_the_next(url, model):
    call = {"name": "answer_question", "arguments": {"query": body()["question"]}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    with silent(model) as reached:
        leave(url, "/mcp", request, reached, "application/json, text/event-stream")
        model.answer = Script(model)
        assert asked(url).status_code == 200


@pytest.mark.slow
def test_a_client_that_leaves_ends_its_run_of_indexing(url, model):
    text = f"The bridge number {next(number)} was designed by Ada Byron."
    files = {"files": ("note.md", text.encode())}
    paths = httpx.post(f"{url}/page/upload", files=files).json()["paths"]
    wanted = {"paths": paths, "layers": ["entities"]}
    with silent(model) as reached:
        leave(url, "/page/index", wanted, reached, "text/event-stream")
        model.answer = Script(model)
        time.sleep(0.5)
        *_, (name, value) = followed(url, "/page/index", wanted)
    assert name == "done", value  # nobody else was writing
    assert value["passage_count"] == len(DOCUMENTS) + 1


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_mcp_without_sessions_has_nothing_to_listen_to_or_to_end(url, method):
    head = {"Accept": "text/event-stream"}
    answer = httpx.request(method, f"{url}/mcp", headers=head, timeout=5)
    assert answer.status_code == 405 and answer.headers["Allow"] == "POST"


async def test_an_absent_store_is_no_mistake_of_the_caller():
    response = await failure(UnavailableError("The database does not answer; ask again later."))
    assert response.status_code == 503 and b"ask again later" in bytes(response.body)


async def test_a_place_is_waited_for_no_longer_than_the_question_may_take():
    places = Slots(1, 20.0, "questions")
    async with places.taken(), asyncio.timeout(5):
        with pytest.raises(BusyError):
            await places.take(0.1)
