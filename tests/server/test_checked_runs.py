"""Requests to the server that no graph can take."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any
from unittest.mock import AsyncMock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from ragraphs.context import Context, RouterContext
from ragraphs.graphs import CONTEXTS
from ragraphs.graphs.methods import METHODS
from ragraphs.server.checked_runs import CheckedRuns, problem_of
from ragraphs.settings import settings
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["context", "a"]), inner),
    max_leaves=10,
)


@given(st.sampled_from(sorted(CONTEXTS)), st.text(), st.text() | st.sampled_from(["top_k"]))
def test_a_context_is_refused_for_each_key_that_its_graph_does_not_have(graph, first, second):
    context = {first: 3, second: 2}
    body = json.dumps({"assistant_id": graph, "context": context}).encode()
    unknown = [name for name in context if name not in CONTEXTS[graph].model_fields]
    problem = problem_of(body)
    assert not unknown or repr(unknown[0][:50]) in problem
    assert unknown or not problem or "cannot be used" in problem


@given(JSON, st.binary())
def test_bodies_of_any_form_are_read_without_an_error(body, broken):
    assert isinstance(problem_of(json.dumps(body).encode()), str)
    assert problem_of(b'"context"' + broken) == ""


def test_all_graphs_of_the_server_have_their_settings_here():
    assert issubclass(CONTEXTS["router"], RouterContext)
    assert set(CONTEXTS) == {"router", "index", *METHODS}


def test_an_assistant_that_is_not_known_may_have_any_setting_of_a_graph():
    body = json.dumps({"assistant_id": "6ba7", "context": {"width": 3}}).encode()
    assert problem_of(body) == ""
    assert "'width'" in problem_of(body.replace(b'"width"', b'"widht"'))


@pytest.mark.parametrize("given", ["text", 5, [1], {"messages": 5}, {"messages": [{"role": "?"}]}])
def test_input_of_another_form_is_told_in_one_sentence(given):
    problem = problem_of(json.dumps({"assistant_id": "router", "input": given}).encode())
    assert problem.endswith(".") and "\n" not in problem and len(problem) < 100


@pytest.mark.parametrize("given", ["text", {"messages": 5}, None])
def test_a_call_of_an_mcp_tool_is_left_to_the_tool(given):
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"arguments": given}}
    assert problem_of(json.dumps(call).encode()) == ""


@pytest.mark.parametrize("given", [None, {"question": "Who?"}, {"messages": "Who?"}])
def test_input_of_the_usual_forms_passes(given):
    assert problem_of(json.dumps({"assistant_id": "router", "input": given}).encode()) == ""


def test_a_body_of_deep_nesting_is_left_to_the_server():
    assert problem_of(b'{"context":' + b"[" * 100_000) == ""


@given(st.sampled_from(sorted(CONTEXTS)), st.sampled_from(sorted(Context.model_fields)), JSON)
def test_a_value_of_no_use_is_told_in_one_short_sentence(graph, name, value):
    problem = problem_of(json.dumps({"assistant_id": graph, "context": {name: value}}).encode())
    try:
        CONTEXTS[graph](**{name: value})
    except ValidationError:
        assert repr(name) in problem and "\n" not in problem and len(problem) < 700
    else:
        assert problem == ""


@pytest.mark.parametrize("command", [{"resume": None}, {"update": {}, "goto": []}])
def test_a_command_that_says_nothing_is_refused(command):
    body = {"assistant_id": "crag", "input": None, "command": command}
    assert 'give {"resume": "yes"}' in problem_of(json.dumps(body).encode())
    for said in ({"resume": False}, {"resume": ""}, {"goto": "answer"}, {}):
        assert problem_of(json.dumps(body | {"command": said}).encode()) == ""


def test_a_filter_that_is_none_is_told_in_one_sentence():
    for asked in ({"$over": 1}, {"k" * 5000: 1}, {"\ud800": 1}):
        context = {"where": {"year": asked}}
        problem = problem_of(json.dumps({"assistant_id": "crag", "context": context}).encode())
        assert problem.startswith("The setting 'where' cannot be used: where.year.")
        assert problem.encode() and problem[-2] != "." and len(problem) < 250


class Served:
    """An application that reads bodies to their end; ``read`` has their sizes."""

    def __init__(self) -> None:
        self.read: list[int] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = 0
        while (message := await receive())["type"] == "http.request":
            size += len(message.get("body", b""))
            if not message.get("more_body"):
                break
        self.read.append(size)
        await Response()(scope, receive, send)


class Client:
    """A client that sends ``pieces`` of 1 MB to ``path``; ``sent`` counts them."""

    def __init__(self, path: str, pieces: int, **head: str) -> None:
        self.sent, self._pieces = 0, pieces
        raw = [(name.encode(), value.encode()) for name, value in head.items()]
        self._scope = {"type": "http", "method": "POST", "path": path, "headers": raw}
        self.messages: list[Any] = []

    async def _receive(self) -> Message:
        self.sent += 1
        more = self.sent < self._pieces
        return {"type": "http.request", "body": b" " * 1_000_000, "more_body": more}

    async def _send(self, message: Message) -> None:
        self.messages.append(message)

    async def ask(self, app: ASGIApp) -> int:
        """The status of the reply."""
        await app(self._scope, self._receive, self._send)
        status: int = self.messages[0]["status"]
        return status


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGRAPHS_MAX_BYTES", "3000000")
    settings.cache_clear()


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("path", ["/runs/wait", "/threads/1/runs/stream", "/assistants", "/x/runs"])
async def test_a_run_that_is_longer_than_the_operator_allows_is_refused_while_it_comes(path):
    served, client = Served(), Client(path, 1000)
    assert await client.ask(CheckedRuns(served)) == 413 and client.sent < 6
    assert b"RAGRAPHS_MAX_BYTES" in client.messages[1]["body"] and not served.read


@pytest.mark.usefixtures("bounded")
async def test_a_length_that_is_declared_is_refused_unread():
    client = Client("/runs", 1000, **{"content-length": "1000000000"})
    assert await client.ask(CheckedRuns(Served())) == 413 and client.sent == 0


@pytest.mark.usefixtures("bounded")
async def test_a_run_of_the_size_that_the_operator_allows_is_passed_on_whole():
    served, client = Served(), Client("/threads/1/runs", 4)  # in JSON they are a little longer
    assert await client.ask(CheckedRuns(served)) == 200 and served.read == [4_000_000]


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("path", ["/mcp", "/nowhere", "/page/upload", "/", "/store/items"])
async def test_bodies_of_other_paths_are_not_gathered(path):
    asked = Client(path, 1000)

    async def refusing(scope: Scope, receive: Receive, send: Send) -> None:
        assert asked.sent == 0
        await Response(status_code=404)(scope, receive, send)

    assert await asked.ask(CheckedRuns(refusing)) == 404 and asked.sent == 0


async def test_of_a_client_that_leaves_no_half_of_a_run_is_begun(monkeypatch):
    client, served = Client("/runs", 2), Served()
    given = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    monkeypatch.setattr(client, "_receive", AsyncMock(side_effect=given))
    with suppress(IndexError):  # for there is no reply
        await client.ask(CheckedRuns(served))
    assert not served.read
