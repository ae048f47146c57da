"""Callers of `ragraphs serve` who have keys: what each may do, and that no way leads to others."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from ragraphs import IndexContext, index_graph
from ragraphs.server.alone import app
from ragraphs.server.callers import OPEN
from ragraphs.server.keys import make_key, revoke_key
from tool_server import serving_questions, text_of

pytestmark = pytest.mark.slow

SECRET = "The password of the vault is heliotrope."
QUESTION = "What is the password of the vault?"
TEXTS = {
    "ada": "The Forth Bridge was designed by John Fowler and Benjamin Baker.",
    "shared": "A sonata is a piece of music.",
    "bob": SECRET,
}
KEYS: dict[str, dict[str, Any]] = {
    "ada": {"indexes": ["ada", "shared"], "rights": ["ask", "write"]},
    "eve": {"indexes": ["ada"]},
    "bob": {"indexes": ["bob"]},
    "watcher": {"indexes": ["shared"], "rights": ["watch"]},
    "late": {"indexes": ["bob"], "expires": "2020-01-01"},
    "rare": {"indexes": ["ada"], "requests": 2},
}


class Holder:
    """A holder of a key, or a stranger without one, who asks a server over plain HTTP."""

    def __init__(self, client: httpx.Client, key: str | None) -> None:
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = client

    def send(self, method: str, path: str, **given: Any) -> httpx.Response:
        return self._client.request(method, path, headers=self.headers, **given)

    def ask(self, path: str = "/ask", **given: Any) -> httpx.Response:
        return self.send("POST", path, json={"question": QUESTION, "method": "basic", **given})

    async def tool(self, name: str, **arguments: Any) -> tuple[bool, str]:
        """Whether a tool refuses, and what it says."""
        url = str(self._client.base_url.join("/mcp"))
        async with (
            httpx2.AsyncClient(headers=self.headers, timeout=120) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            result = await client.call_tool(name, arguments)
        return result.is_error, text_of(result)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tenants")
    for name, text in TEXTS.items():
        context = IndexContext(index=str(root / name), embeddings="lexical")
        index_graph.invoke({"documents": [{"id": name, "text": text}]}, context=context)
    return root


@pytest.fixture(scope="module")
def keys(root: Path) -> dict[str, str]:
    return {name: make_key(root / "keys.json", name, **rights) for name, rights in KEYS.items()}


@pytest.fixture(scope="module")
def url(root: Path, keys: dict[str, str]) -> Iterator[str]:
    more = {"UPLOADS": "uploads", "MCP_INDEXING": "true", "CORRECTIONS": "true", "ROOT": "."}
    environment = {f"RAGRAPHS_{name}": value for name, value in more.items()}
    with serving_questions(root, "--index", "shared", "--keys", "keys.json", **environment) as url:
        yield url


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[httpx.Client]:
    """A client that opens a connection for each request."""
    limits = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(base_url=url, limits=limits, timeout=120) as client:
        yield client


@pytest.fixture
def holders(client: httpx.Client, keys: dict[str, str]) -> dict[str, Holder]:
    return {name: Holder(client, key) for name, key in keys.items()}


def test_each_holder_asks_an_index_of_his_own_without_naming_it(holders):
    for name, expected in (("ada", TEXTS["ada"]), ("bob", SECRET)):
        answer = holders[name].ask()
        assert answer.is_success, answer.text
        assert [one["text"] for one in answer.json()["evidence"]] == [expected]
    shared = holders["ada"].ask(index="shared").json()
    assert [one["text"] for one in shared["evidence"]] == [TEXTS["shared"]]


@pytest.mark.parametrize("index", ["bob", "../bob", "ada/../bob", "BOB", "bob "])
def test_no_route_leads_into_the_index_of_another(holders, index):
    ada = holders["ada"]
    said = [{"role": "user", "content": QUESTION}]
    asked = [ada.ask(path, index=index) for path in ("/ask", "/page/ask")]
    body = {"model": index, "messages": said}
    for answer in [*asked, ada.send("POST", "/v1/chat/completions", json=body)]:
        assert answer.status_code >= 400 and "heliotrope" not in answer.text
    for path in (route.path for route in app.routes if "{" not in route.path):
        for method in ("GET", "POST"):
            answer = ada.send(method, path, params={"index": index, "containing": "vault"})
            assert "heliotrope" not in answer.text, path
            assert not answer.is_success or path == "/" or path in OPEN or "/v1/" in path, path
    files = {"files": ("a.md", b"Ada was here.")}
    assert ada.send("POST", "/page/upload", params={"index": index}, files=files).is_error
    for body in ({"paths": ["uploads/bob/a.md"]}, {"index": index, "remove": ["bob"]}):
        assert ada.send("POST", "/page/index", json=body).is_error


async def test_no_tool_leads_into_the_index_of_another(holders):
    ada = holders["ada"]
    assert SECRET in (await holders["bob"].tool("answer_question", query=QUESTION))[1]
    assert SECRET not in (await ada.tool("answer_question", query=QUESTION))[1]
    assert "bob" not in (await ada.tool("list_indexes"))[1]
    documents = [{"id": "bob", "text": "The password of the vault is known."}]
    for name, given in (
        ("answer_question", {"query": QUESTION}),
        *((name, {"query": QUESTION}) for name in ("search_meaning", "search_words", "read")),
        ("summarise_documents", {}),
        ("index_documents", {"documents": documents}),
    ):
        refuses, said = await ada.tool(name, index="bob", **given)
        assert refuses and "heliotrope" not in said, name


def test_who_has_no_key_sees_nothing_but_the_health(client, keys):
    for key in (None, "", "rg_wrong", keys["late"], keys["ada"][:-1], f"{keys['ada']} x"):
        stranger = Holder(client, key)
        for path in (route.path for route in app.routes if "{" not in route.path):
            for method in ("GET", "POST"):
                answer = stranger.send(method, path)
                assert answer.status_code == 401 or path in OPEN, path
    assert "Basic" in answer.headers["WWW-Authenticate"] and "KEY" in answer.json()["detail"]
    assert all(stranger.send("GET", path).is_success for path in OPEN)


def test_a_browser_sends_the_key_as_a_password(client, keys):
    for given, status in ((keys["ada"], 200), ("rg_wrong", 401)):
        sent = base64.b64encode(f"any name:{given}".encode()).decode()
        for header in (f"Basic {sent}", f"basic  {sent}"[:6] + sent):
            answer = client.get("/", headers={"Authorization": header})
            assert answer.status_code == status
    for header in ("Basic !", "Basic /w==", "Digest x", "Bearer"):
        assert client.get("/", headers={"Authorization": header}).status_code == 401


async def test_who_only_reads_writes_nothing(holders):
    eve, watcher = holders["eve"], holders["watcher"]
    for path in ("/page/upload", "/page/index", "/page/discard", "/page/correct", "/page/undo"):
        answer = eve.send("POST", path, json={})
        assert answer.status_code == 403 and "right write" in answer.json()["detail"]
    documents = [{"id": "new", "text": "Eve was here."}]
    refuses, said = await eve.tool("index_documents", documents=documents)
    assert refuses and "no tool" in said
    state = eve.send("GET", "/page/state").json()
    assert not state["uploads"] and not state["corrections"] and state["indexes"] == ["ada"]
    assert watcher.ask().status_code == 403


def test_what_one_uploads_no_other_sees(holders):
    files = {"files": ("diary.md", b"Dear diary.")}
    kept = holders["ada"].send("POST", "/page/upload", files=files).json()["paths"]
    assert kept == ["uploads/ada/diary.md"]
    assert "diary" not in holders["bob"].send("GET", "/page/documents").text
    holders["ada"].send("POST", "/page/discard", json={"paths": kept}).raise_for_status()


def test_a_run_that_waits_goes_on_for_its_own_caller_alone(holders):
    asked = {"confirm": {"plan": True}, "method": "deeprag"}
    asked["question"] = "Who designed the Forth Bridge, and what is a sonata?"
    events = holders["ada"].send("POST", "/page/ask", json=asked).text
    assert "event: paused" in events
    run = json.loads(events.split("event: paused\ndata: ")[1].split("\n")[0])["run"]
    for other in ("eve", "bob"):
        answer = holders[other].send("POST", "/page/resume", json={"run": run, "items": False})
        assert "not held here any more" in answer.json()["detail"]
    assert (
        "event: answer"
        in holders["ada"].send("POST", "/page/resume", json={"run": run, "items": False}).text
    )


async def test_requests_end_at_the_quota_by_whatever_way_they_come(holders):
    rare = holders["rare"]
    assert rare.ask().is_success
    assert not (await rare.tool("answer_question", query=QUESTION))[0]
    body = {"model": "ada", "messages": [{"role": "user", "content": QUESTION}]}
    refusals = [rare.ask("/ask"), rare.ask("/page/ask")]
    for refused in [*refusals, rare.send("POST", "/v1/chat/completions", json=body)]:
        assert refused.status_code == 429 and int(refused.headers["Retry-After"]) > 0
        assert "Your limit for today (2 requests)" in refused.text
    refuses, said = await rare.tool("search_meaning", query=QUESTION)
    assert refuses and "(2 requests)" in said
    assert holders["ada"].ask().is_success


def test_the_file_of_keys_is_read_again_when_it_has_changed(root, client, holders):
    file = root / "keys.json"
    new = Holder(client, make_key(file, "new", indexes=["ada"]))
    assert new.ask().is_success
    whole = file.read_bytes()
    file.write_bytes(b'{"new": ')
    assert new.ask().is_success  # the log tells of the broken file
    os.rename(file, root / "away.json")
    away = new.ask()
    assert away.status_code == 503 and "file of keys" in away.json()["detail"]
    file.write_bytes(whole)
    revoke_key(file, "new")
    assert new.ask().status_code == 401 and holders["ada"].ask().is_success
    assert new.headers["Authorization"].split()[1] not in file.read_text()
