"""The graphs on a real ``langgraph dev`` server, over its SDK and plain HTTP."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import ragraphs
from filelock import FileLock
from langgraph_sdk import get_client
from langgraph_server import Server, serving
from mcp import Client
from tool_server import called, text_of

pytestmark = pytest.mark.slow
FORTH = "The Forth Bridge was designed by John Fowler and Benjamin Baker."
QUESTION = "Who designed the Forth Bridge?"
SECRET = "The vault opens at midnight."
METHODS = ["basic", "crag", "hoprag", "tog2", "deeprag", "graphrag"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server in a folder of its own, with an index called ``.ragraphs`` of its ``docs``."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text(SECRET)
    root = tmp_path_factory.mktemp("server")
    docs = root / "docs"
    docs.mkdir()
    (docs / "forth.txt").write_text(FORTH)
    (docs / "sonata.md").write_text("# Sonata\n\nA sonata is a piece of music.")
    (docs / "link.txt").symlink_to(outside / "secret.txt")
    (root / "linked").symlink_to(outside)
    with serving(root) as server:
        layers = ["sentences", "hops", "communities"]
        indexed = server.run("index", {"sources": ["docs"]}, layers=layers)
        assert indexed["document_count"] == 2
        yield server


def test_a_folder_is_indexed_but_for_links_that_lead_out(server):
    result = server.run("index", {"sources": ["docs"]})
    assert (result["added"], result["unchanged"]) == (0, 2)
    assert [Path(failure["path"]).name for failure in result["failures"]] == ["link.txt"]
    assert "link out of the folder" in result["failures"][0]["reason"]


@pytest.mark.parametrize("method", METHODS)
def test_a_question_is_answered_with_citations(server, method):
    answer = server.run(method, {"question": QUESTION})
    assert (answer["method"], answer["sufficient"]) == (method, True)
    assert answer["citations"][0]["document"] == "docs/forth.txt"
    assert answer["citations"][0]["quote"] == FORTH
    assert answer["citations"][0]["metadata"] == {"path": "docs/forth.txt"}


def test_documents_given_inline_make_an_index_of_their_own(server):
    metadata = {"city": "Paris", "year": 1889, "height": 330.5, "tags": ["iron", "철"]}
    tower = {"id": "tower", "text": "Gustave Eiffel built the tower.", "metadata": metadata}
    given = {"documents": [tower]}
    assert server.run("index", given, index="notes")["added"] == 1
    answer = server.run("basic", {"question": "Who built the tower?"}, index="notes")
    assert answer["citations"][0]["document"] == "tower"
    assert answer["citations"][0]["metadata"] == metadata
    assert (server.root / "notes" / "catalogue.sqlite").is_file()


def test_a_filter_says_which_passages_are_read(server):
    texts = {1889: "Gustave Eiffel built the tower.", 1894: "Sir Horace Jones built the bridge."}
    given = [
        {"id": str(year), "text": text, "metadata": {"year": year}} for year, text in texts.items()
    ]
    server.run("index", {"documents": given}, index="built")
    asked = {"question": "Who built it?"}
    answer = server.run("basic", asked, index="built", where={"year": {"$gt": 1890}})
    assert [one["document"] for one in answer["evidence"]] == ["1894"]
    refused = server.refusal("basic", asked, index="built", where={"year": {"$over": 1890}})
    assert "where.year.$over is no operator; use $" in refused


async def test_progress_and_updates_are_streamed(server):
    client = get_client(url=server.url)
    given = {"documents": [{"id": str(n), "text": f"Text {n}."} for n in range(3)]}
    seen: dict[str, list[Any]] = {}
    async for part in client.runs.stream(
        None,
        "index",
        input={**given, "sources": ["docs"]},
        context={"index": "streamed"},
        stream_mode=["custom", "updates"],
        stream_subgraphs=True,
    ):
        seen.setdefault(part.event.partition(":")[0], []).append(part.data)
    assert {"step": "split", "done": 2, "total": 2} in seen["custom"]
    assert seen["custom"][-1] == {"step": "embed_passages", "done": 5, "total": 5}
    assert [next(iter(update)) for update in seen["updates"]] == ["scan", "update", "count"]
    steps = [next(iter(update)) for update in seen["updates|update"]]
    assert steps[:2] == ["split", "import_triples"] and steps[-1] == "forget"
    assert {"embed_passages", "extract", "resolve_entities"} < set(steps)
    await client.aclose()


async def test_a_thread_answers_one_question_after_the_other(server):
    client = get_client(url=server.url)
    thread = (await client.threads.create())["thread_id"]
    first = await client.runs.wait(thread, "crag", input={"question": QUESTION})
    other = await client.runs.wait(thread, "crag", input={"question": "Zyzzyva quokka?"})
    assert first["sufficient"] and not other["sufficient"]
    assert other["answer"] == "" and other["missing"] == ["No passage speaks of Zyzzyva."]
    given = {"documents": [{"id": "a", "text": "A text."}]}
    thread = (await client.threads.create())["thread_id"]
    for expected in (1, 0):
        result = await client.runs.wait(thread, "index", input=given, context={"index": "thread"})
        assert result["added"] == expected
        given = {}
    await client.aclose()


async def test_many_clients_are_answered_at_once(server):
    client = get_client(url=server.url)
    runs = (client.runs.wait(None, "basic", input={"question": QUESTION}) for _ in range(6))
    assert all(answer["sufficient"] for answer in await asyncio.gather(*runs))
    await client.aclose()


@pytest.mark.parametrize("graph", ["index", *METHODS])
async def test_schemas_explain_every_setting_with_its_bounds(server, graph):
    client = get_client(url=server.url)
    assistant = (await client.assistants.search(graph_id=graph))[0]["assistant_id"]
    schemas = await client.assistants.get_schemas(assistant)
    await client.aclose()
    settings = schemas["context_schema"]["properties"]
    assert all(setting["description"] for setting in settings.values())
    assert (settings["concurrency"]["minimum"], settings["concurrency"]["maximum"]) == (1, 256)
    inputs = set(schemas["input_schema"]["properties"])
    given = {"sources", "documents", "remove", "triples", "wait"}
    assert inputs == (given if graph == "index" else {"question"})


@pytest.mark.parametrize("graph", METHODS)
def test_a_missing_index_is_told_in_a_sentence(server, graph):
    message = server.refusal(graph, {"question": QUESTION}, index="none")
    assert "There is no index at" in message and "ragraphs index" in message
    assert not (server.root / "none").exists()


@pytest.mark.parametrize("index", ["../notes", "a/b", "/tmp", "..", "linked", ""])
def test_an_index_elsewhere_is_refused_in_a_sentence(server, index):
    for graph, given in (("index", {"sources": ["docs"]}), ("basic", {"question": QUESTION})):
        message = server.refusal(graph, given, index=index)
        assert "index" in message and "internal error" not in message


@pytest.mark.parametrize("source", ["/etc", "..", "linked", "linked/*.txt", "docs/link.txt", "~"])
def test_a_source_outside_the_root_is_refused_in_a_sentence(server, source):
    message = server.refusal("index", {"sources": [source]})
    assert "outside the folder" in message or "link out of the folder" in message
    assert SECRET not in message


@pytest.mark.parametrize(
    ("given", "context", "words"),
    [
        ({"question": ""}, {}, "question is empty"),
        ({}, {}, "question is empty"),
        ({"question": "word " * 10_000}, {}, "characters"),
        ({"question": QUESTION}, {"top_k": 0}, "top_k"),
        ({"question": QUESTION}, {"retriever": "magic"}, "retriever"),
    ],
)
def test_what_a_caller_got_wrong_is_told_in_words(server, given, context, words):
    message = server.refusal("crag", given, **context)
    assert words in message and "internal error" not in message


@pytest.mark.parametrize("graph", ["basic", "index", "router"])
@pytest.mark.parametrize("path", ["/runs/wait", "/runs/stream", "/runs/batch", "/assistants"])
def test_a_setting_that_nobody_knows_is_refused_with_the_nearest_one(server, graph, path):
    body: Any = {"context": {"max_retires": 3}, "graph_id": graph, "assistant_id": graph}
    answer = server.send(path, [body] if path.endswith("batch") else body)
    assert answer.status_code == 422
    assert answer.json()["detail"] == (
        "The context has no setting 'max_retires'; do you mean 'max_retries'?"
    )


async def test_a_setting_of_another_graph_is_refused_by_the_assistants_id_as_well(server):
    client = get_client(url=server.url)
    assistant = (await client.assistants.search(graph_id="basic"))[0]["assistant_id"]
    await client.aclose()
    body = {"input": {"question": QUESTION}, "context": {"width": 3}}
    for id in ("basic", assistant):
        answer = server.send("/runs/wait", {**body, "assistant_id": id})
        assert (answer.status_code, "'width'" in answer.text) == (422, True)
    assert server.send("/runs/wait", {**body, "assistant_id": "tog2"}).status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_mcp_keeps_no_sessions_to_listen_to_or_to_end(server, method):
    head = {"Accept": "text/event-stream"}
    assert httpx.request(method, f"{server.url}/mcp", headers=head, timeout=10).status_code == 405


async def test_the_tools_are_for_people_and_their_results_are_short(server):
    async with Client(f"{server.url}/mcp") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert names > {"answer_question", "search_meaning", "read", "summarise_documents"}
    assert "index_documents" not in names
    answer = text_of(await called(f"{server.url}/mcp", "answer_question", query=QUESTION))
    assert FORTH in answer and len(answer) < 1000
    missing = await called(f"{server.url}/mcp", "search_meaning", query="a", index="none")
    assert missing.is_error and "ragraphs index" in text_of(missing)
    assert str(server.root) not in text_of(missing)


def test_an_agent_answers_another_one_in_short(server):
    """By A2A; its card says in words what the graph does."""
    cards = f"{server.url}/.well-known/agent-card.json"
    router = server.send("/assistants/search", {"graph_id": "router"}).json()[0]["assistant_id"]
    card = httpx.get(cards, params={"assistant_id": router}).json()
    assert "with citations" in card["description"]
    message = {"role": "user", "messageId": "1", "parts": [{"kind": "text", "text": QUESTION}]}
    call = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}}
    answer = server.send(f"/a2a/{router}", call)
    assert FORTH in answer.text and len(answer.text) < 2500


def test_the_clients_of_the_documentation_get_their_answers(server):
    page = Path(ragraphs.__file__).with_name("docs").joinpath("serve.md").read_text("utf-8")
    programs, shown = [], []
    for name in ("ask.py", "client.py", "remote.py"):
        code, _, rest = page.partition(f"$ cat {name}\n")[2].partition(f"$ python {name}\n")
        programs.append(code.replace("http://127.0.0.1:2024", server.url))
        shown += rest.partition("\n```")[0].splitlines()
    command = [sys.executable, "-c", "\n".join(programs)]
    written = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for line, expected in zip(written.splitlines(), shown, strict=True):
        assert line == expected or (FORTH in line and line.startswith("{") == (expected[0] == "{"))


def test_documents_of_a_thread_are_in_no_checkpoint(server):
    """Its runs keep their input, as the server does for all graphs, until the thread is deleted."""
    thread = server.send("/threads", {}).json()["thread_id"]
    given = {"documents": [{"id": "a", "text": SECRET}], "sources": ["docs"]}
    body = {"assistant_id": "index", "input": given, "context": {"index": "secret"}}
    added = server.send(f"/threads/{thread}/runs/wait", body).json()["added"]
    assert added >= 3
    history = server.send(f"/threads/{thread}/history", {"limit": 100})
    state = httpx.get(f"{server.url}/threads/{thread}/state")
    assert len(history.json()) > 3 and "document_count" in state.text
    assert SECRET not in history.text and SECRET not in state.text


@pytest.mark.parametrize("graph", ["index", *METHODS])
def test_nothing_names_the_folder_of_the_server(server, graph):
    """Not in events of any kind, nor in what is kept of a thread: ``send`` reads each response."""
    given = {"sources": ["docs", "docs/*"]} if graph == "index" else {"question": QUESTION}
    thread = server.send("/threads", {}).json()["thread_id"]
    body = {"assistant_id": graph, "input": given, "stream_subgraphs": True}
    body["stream_mode"] = ["values", "updates", "custom", "messages-tuple", "debug", "tasks"]
    streamed = server.send(f"/threads/{thread}/runs/stream", body).text
    assert "event: values" in streamed and "event: error" not in streamed
    assert server.send(f"/threads/{thread}/history", {}).json()


@pytest.mark.parametrize("graph", ["index", "basic"])  # which all methods open alike
def test_no_refusal_names_the_folder_of_the_server(server, graph):
    (server.root / "full").mkdir(exist_ok=True)
    (server.root / "full" / "other.bin").touch()
    (server.root / "damaged").mkdir(exist_ok=True)
    (server.root / "damaged" / "catalogue.sqlite").write_bytes(b"no database" * 100)
    given = {"sources": ["docs", "docs/*"]} if graph == "index" else {"question": QUESTION}
    with FileLock(server.root / ".ragraphs" / "lock"):
        locked = server.run(graph, given | ({"wait": False} if graph == "index" else {}))
    assert ("another run" in str(locked).lower()) == (graph == "index")
    for index in ("full", "damaged", "none"):
        refused = server.run(graph, given, index=index)
        assert "__error__" not in refused or "internal" not in refused["__error__"]["message"]


def test_what_another_process_indexed_is_found(server):
    question = {"question": "Thomas Bouch Tay Bridge"}
    asked = {"retriever": "vector", "top_k": 1}
    assert server.run("basic", question, **asked)["evidence"][0]["document"] == "docs/forth.txt"
    (server.root / "docs" / "tay.txt").write_text("Thomas Bouch designed the Tay Bridge.")
    command = [str(Path(sys.executable).with_name("ragraphs")), "index", "docs/tay.txt"]
    subprocess.run(command, cwd=server.root, check=True, capture_output=True)
    found = server.run("basic", question, **asked)["evidence"]
    assert [passage["document"] for passage in found] == ["docs/tay.txt"]


def test_nothing_blocked_the_loop_of_the_server(server):
    log = server.log.read_text()
    assert "BlockingError" not in log
    assert "Slow graph load" not in log
    assert json.dumps(SECRET) not in log
