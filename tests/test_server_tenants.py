"""The example of tenants on a real ``langgraph dev`` server: no way leads from one to another."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
import ragraphs
from langgraph_sdk import get_client
from langgraph_server import serving
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from ragraphs import IndexContext, index_graph
from tool_server import text_of

pytestmark = pytest.mark.slow

EXAMPLE = Path(ragraphs.__file__).parent / "examples" / "tenants"
SECRET = "The password of the vault is heliotrope."
QUESTION = "What is the password of the vault?"
OWN = "Who designed the Forth Bridge?"
TEXTS = {
    "ada": "The Forth Bridge was designed by John Fowler and Benjamin Baker.",
    "shared": "A sonata is a piece of music.",
    "bob": SECRET,
}
REFUSED = {401, 403, 404, 409, 422}


class Tenant:
    """A tenant, or a stranger without a token, who asks a server over plain HTTP."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url = url
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        headers = self.headers | headers
        return httpx.request(method, self.url + path, json=body, headers=headers, timeout=60)

    def get(self, path: str) -> httpx.Response:
        return self.ask("GET", path)

    def post(self, path: str, body: Any) -> httpx.Response:
        return self.ask("POST", path, body)

    def answer(self, path: str = "/runs/wait", graph: str = "basic", **body: Any) -> httpx.Response:
        given = {"assistant_id": graph, "input": {"question": QUESTION}}
        return self.post(path, given | body)

    def thread(self, **body: Any) -> str:
        return str(self.post("/threads", body).json()["thread_id"])

    async def tool(self, name: str, **arguments: Any) -> tuple[bool, str]:
        """Whether a tool refuses, and what it says."""
        async with (
            httpx2.AsyncClient(headers=self.headers) as http,
            Client(streamable_http_client(f"{self.url}/mcp", http_client=http)) as client,
        ):
            result = await client.call_tool(name, arguments)
        return result.is_error, text_of(result)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The example with two tenants: Ada, who has two indexes, and Bob."""
    root = tmp_path_factory.mktemp("tenants")
    shutil.copy(EXAMPLE / "auth.py", root)
    shutil.copy(EXAMPLE / "langgraph.json", root / "tenants-server.json")
    for name, text in TEXTS.items():
        context = IndexContext(index=str(root / "indexes" / name), embeddings="lexical")
        index_graph.invoke({"documents": [{"id": name, "text": text}]}, context=context)
    tenants = {
        name: {"token_sha256": hashlib.sha256(name.encode()).hexdigest(), "indexes": indexes}
        for name, indexes in (("ada", ["ada", "shared"]), ("bob", ["bob"]))
    }
    (root / "tenants.json").write_text(json.dumps(tenants))
    options = ("--config", "tenants-server.json", "--n-jobs-per-worker", "4")
    with serving(root, *options, RAGRAPHS_UPLOADS="uploads") as server:
        yield server.url


@pytest.fixture
def ada(url: str) -> Tenant:
    return Tenant(url, "ada")


@pytest.fixture
def bob(url: str) -> Tenant:
    return Tenant(url, "bob")


def refused(answer: httpx.Response) -> bool:
    """Whether a request was refused in words, or finds nothing; it tells nothing of Bob's."""
    assert "heliotrope" not in answer.text and "Traceback" not in answer.text
    if answer.is_success:
        return answer.text == "[]" or "404: Thread not found" in answer.text
    return answer.status_code in REFUSED and " " in str(answer.json())


@pytest.mark.parametrize("path", ["/runs/wait", "/threads/{thread}/runs/wait"])
def test_each_tenant_asks_an_index_of_its_own_without_naming_it(ada, bob, path):
    for tenant, expected in ((ada, TEXTS["ada"]), (bob, SECRET)):
        answer = tenant.answer(path.format(thread=tenant.thread()))
        assert [each["text"] for each in answer.json()["evidence"]] == [expected]


@pytest.mark.parametrize("graph", ["basic", "router"])
def test_a_tenant_names_any_of_its_own_indexes_and_no_other(ada, graph):
    asked = {"index": "shared"}
    evidence = ada.answer(graph=graph, context=asked).json()["evidence"]
    assert [each["text"] for each in evidence] == [TEXTS["shared"]]
    for index in ("bob", "../bob", "ada/../bob", "./bob", "BOB", "bob ", ["bob"], {"bob": 1}, 5):
        for given in (
            {"context": {"index": index}},
            {"config": {"configurable": {"index": index}}},
        ):
            answer = ada.answer(graph=graph, **given)
            assert refused(answer), (given, answer.text)


@pytest.mark.parametrize(
    "path",
    [
        "/runs",
        "/runs/stream",
        "/runs/batch",
        "/threads/{thread}/runs",
        "/threads/{thread}/runs/stream",
    ],
)
def test_no_way_to_start_a_run_takes_another_tenants_index(ada, path):
    body: Any = {
        "assistant_id": "basic",
        "input": {"question": QUESTION},
        "context": {"index": "bob"},
    }
    if path.endswith("batch"):
        body = [body]
    assert refused(ada.post(path.format(thread=ada.thread()), body))


def test_threads_of_another_tenant_do_not_exist(ada, bob):
    thread = bob.thread(metadata={"tenant": "ada"})
    answered = bob.answer(f"/threads/{thread}/runs/wait")
    assert "heliotrope" in answered.text
    run = bob.get(f"/threads/{thread}/runs").json()[0]["run_id"]
    found = f"/threads/{thread}"
    for path in ("", "/state", "/history", "/runs", f"/runs/{run}", f"/runs/{run}/join", "/stream"):
        assert refused(ada.get(found + path)), path
    body = {"assistant_id": "basic", "input": {"question": QUESTION}}
    for path in ("/runs/wait", "/runs", "/state", "/history", "/copy", f"/runs/{run}/cancel"):
        given = {"values": {"question": "x"}} if path == "/state" else body
        assert refused(ada.post(found + path, given)), path
    assert refused(ada.ask("PATCH", found, {"metadata": {"tenant": "ada"}}))
    assert refused(ada.ask("DELETE", found)) and refused(ada.ask("DELETE", f"{found}/runs/{run}"))
    taken = {"thread_id": thread, "if_exists": "do_nothing"}
    assert refused(ada.post("/threads", taken))
    for wanted in ({}, {"metadata": {"tenant": "bob"}}, {"values": {"method": "basic"}}):
        assert thread not in ada.post("/threads/search", wanted).text
    assert "heliotrope" in bob.get(f"{found}/state").text


def test_a_thread_cannot_be_given_to_another_tenant(ada, bob):
    thread = ada.thread()
    ada.ask("PATCH", f"/threads/{thread}", {"metadata": {"tenant": "bob"}})
    assert refused(bob.get(f"/threads/{thread}"))
    assert ada.get(f"/threads/{thread}").json()["metadata"]["tenant"] == "ada"


def test_no_index_is_kept_in_an_assistant_or_a_timetable(ada):
    stored = {"graph_id": "basic", "context": {"index": "bob"}, "name": "mine"}
    assert refused(ada.post("/assistants", stored))
    assistant = ada.post("/assistants/search", {"graph_id": "basic"}).json()[0]["assistant_id"]
    assert refused(ada.ask("PATCH", f"/assistants/{assistant}", {"context": {"index": "bob"}}))
    assert refused(ada.ask("DELETE", f"/assistants/{assistant}"))
    assert ada.get(f"/assistants/{assistant}/schemas").is_success
    timed = {"assistant_id": "basic", "schedule": "* * * * *", "input": {"question": QUESTION}}
    assert refused(ada.post("/runs/crons", timed | {"context": {"index": "bob"}}))
    assert refused(ada.post(f"/threads/{ada.thread()}/runs/crons", timed))
    assert refused(ada.post("/runs/crons/search", {}))
    assert refused(ada.ask("PUT", "/store/items", {"namespace": ["a"], "key": "k", "value": {}}))


def test_a_state_that_a_tenant_writes_leads_to_its_own_index_only(ada):
    thread = ada.thread()
    values = {"question": QUESTION, "index": "bob", "ranked": {"bob": 1.0}}
    ada.post(f"/threads/{thread}/state", {"values": values, "as_node": "__start__"})
    answer = ada.answer(f"/threads/{thread}/runs/wait", input=None)
    assert "heliotrope" not in answer.text
    command = {"update": {"index": "bob"}, "goto": "retrieve"}
    answer = ada.answer(f"/threads/{thread}/runs/wait", input=None, command=command)
    assert "heliotrope" not in answer.text


async def test_the_tools_know_the_indexes_of_the_tenant_who_asks(ada, bob):
    error, text = await ada.tool("answer_question", query=OWN)
    assert not error and TEXTS["ada"] in text
    error, text = await ada.tool("list_indexes")
    assert text == "ada: 1 documents\nshared: 1 documents"
    for tool, arguments in (
        ("answer_question", {"query": QUESTION}),
        ("search_meaning", {"query": QUESTION}),
        ("summarise_documents", {}),
    ):
        for index in ("bob", "../bob", "ada/../bob"):
            error, text = await ada.tool(tool, **arguments, index=index)
            assert error and "choose one of: ada, shared" in text
    error, text = await ada.tool("search_meaning", query=QUESTION)
    assert not error and "heliotrope" not in text
    assert "heliotrope" in (await bob.tool("answer_question", query=QUESTION))[1]


def test_another_agent_is_answered_from_its_tenants_index(ada, bob):
    router = ada.post("/assistants/search", {"graph_id": "router"}).json()[0]["assistant_id"]
    message = {"role": "user", "messageId": "1", "parts": [{"kind": "text", "text": QUESTION}]}
    call: Any = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "message/send",
        "params": {"message": message},
    }
    answer = bob.post(f"/a2a/{router}", call).json()["result"]
    assert "heliotrope" in str(answer["artifacts"])
    assert "heliotrope" not in ada.post(f"/a2a/{router}", call).text
    for extra in (
        {"context": {"index": "bob"}},
        {"message": message | {"contextId": answer["contextId"]}},
    ):
        call["params"] = call["params"] | extra
        text = ada.post(f"/a2a/{router}", call).text
        assert "heliotrope" not in text and '"error"' in text
    task = {"jsonrpc": "2.0", "id": 2, "method": "tasks/get", "params": {"id": answer["id"]}}
    assert '"error"' in ada.post(f"/a2a/{router}", task).text
    assert "heliotrope" in bob.post(f"/a2a/{router}", task).text


async def test_the_usual_client_works_with_a_token(ada):
    client = get_client(url=ada.url, headers=ada.headers)
    thread = (await client.threads.create())["thread_id"]
    answer = await client.runs.wait(thread, "router", input={"question": OWN})
    assert answer["citations"][0]["quote"] == TEXTS["ada"]  # type: ignore[index,call-overload]
    await client.aclose()


@pytest.mark.parametrize("token", [None, "", "eve", "ada ada", hashlib.sha256(b"ada").hexdigest()])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/runs/wait"),
        ("POST", "/threads"),
        ("POST", "/threads/search"),
        ("POST", "/assistants/search"),
        ("POST", "/mcp"),
        ("GET", "/mcp"),
        ("DELETE", "/mcp"),
        ("POST", "/a2a/basic"),
        ("GET", "/.well-known/agent-card.json"),
        ("POST", "/runs/crons/search"),
        ("POST", "//mcp"),
        ("POST", "/ok/../mcp"),
        ("POST", "/ui/../mcp"),
    ],
)
def test_without_a_token_there_is_nothing(url, method, path, token):
    stranger = Tenant(url, token)
    studio = {"x-auth-scheme": "langsmith", "x-api-key": "any"}  # as the hosted Studio sends
    for headers in ({}, studio, {"Authorization": "Basic YWRhOmFkYQ=="}):
        answer = stranger.ask(method, path, {}, **headers)
        assert answer.status_code in (401, 404), answer.text
        assert answer.status_code == 401 or "/../" in path or path.startswith("//")


@pytest.mark.parametrize(
    "path", ["/docs", "/openapi.json", "/metrics", "/info", "/ui/basic", "/store/items"]
)
def test_nothing_is_told_to_strangers_but_that_the_server_runs(url, path):
    stranger = Tenant(url, None)
    assert stranger.get("/ok").json() == {"ok": True}
    assert stranger.get(path).status_code in (401, 404)


@pytest.mark.parametrize(
    "path", ["/", "/page/static/index.html", "/page/state", "/page/documents", "/page/entities"]
)
def test_the_page_is_closed_to_strangers(url, path):
    assert Tenant(url, None).get(path).status_code == 401


def test_the_page_shows_each_tenant_its_own_indexes(ada, bob):
    assert "<title>" in ada.get("/").text
    assert ada.get("/page/state").json()["indexes"] == ["ada", "shared"]
    for path in ("state", "documents", "document", "passages", "entities", "communities"):
        assert refused(ada.get(f"/page/{path}?index=bob"))
    [document] = bob.get("/page/documents").json()["documents"]
    shown = bob.get(f"/page/document?id={document['id']}").json()
    assert shown["pieces"][0]["text"] == SECRET


def test_a_question_of_the_page_is_answered_from_the_tenants_own_index(ada, bob):
    for tenant, expected in ((ada, TEXTS["ada"]), (bob, SECRET)):
        answer = tenant.post("/page/ask", {"question": QUESTION, "method": "basic"})
        assert "event: answer" in answer.text and expected in answer.text
    assert refused(ada.post("/page/ask", {"question": QUESTION, "index": "bob"}))


def test_a_run_that_waits_for_one_tenant_is_not_another_ones(ada, bob):
    question = {"question": QUESTION, "method": "deeprag", "confirm": {"plan": True}}
    paused = bob.post("/page/ask", question).text.rpartition("event: paused\ndata: ")[2]
    body = {"run": json.loads(paused)["run"], "items": True}
    assert refused(ada.post("/page/resume", body))
    assert SECRET in bob.post("/page/resume", body).text


def test_an_upload_goes_to_the_tenants_own_index(ada, bob):
    form = [("files", ("tay.md", b"# Tay Bridge\n\nIt fell in a storm."))]
    answer = httpx.post(f"{ada.url}/page/upload", files=form, headers=ada.headers, timeout=60)
    assert answer.json()["paths"] == ["uploads/ada/tay.md"]
    wanted = {"paths": ["uploads/ada/tay.md"]}
    assert refused(bob.post("/page/index", wanted))
    assert '"added": 1' in ada.post("/page/index", wanted).text
    [tay] = ada.get("/page/documents?containing=tay").json()["documents"]
    removed = ada.post("/page/index", {"remove": [tay["id"]]})
    assert '"removed": 1' in removed.text
