"""The tools of the server, asked by clients of the Model Context Protocol."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from ragraphs import IndexContext, index_graph
from ragraphs.server.app import app
from ragraphs.server.mcp import mcp_server
from ragraphs.settings import settings
from starlette.testclient import TestClient
from tool_server import called, serving_tools, text_of

FORTH = "The Forth Bridge was designed by John Fowler and Benjamin Baker."
QUESTION = "Who designed the Forth Bridge?"
HOST = "rag.example.com"
READING = {
    "answer_question", "search_meaning", "search_words", "read", "list_documents", "look_up",
    "walk", "report", "summarise_documents",
}  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two indexes, ``notes`` with communities, ``letters`` without."""
    root = tmp_path_factory.mktemp("indexes")
    documents = [
        {"id": "forth", "text": FORTH, "metadata": {"year": 1890}},
        {"id": "long", "text": "A long tale. " * 300},
    ]
    for name, layers in (("notes", ["communities"]), ("letters", ["passages"])):
        context = IndexContext(index=str(root / name), embeddings="lexical", layers=layers)
        index_graph.invoke({"documents": documents}, context=context)
    return root


@pytest.fixture(scope="module")
def url(root: Path) -> Iterator[str]:
    """A server of both indexes, and of one that is not made yet."""
    environment = {
        "RAGRAPHS_INDEX": "notes",
        "RAGRAPHS_INDEXES": "letters,empty",
        "RAGRAPHS_MCP_INDEXING": "true",
        "RAGRAPHS_HOSTS": HOST,
    }
    with serving_tools(root, **environment) as url:
        yield f"{url}/mcp"


@pytest.fixture
def operator(root: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Sets the operator's environment for a server in this process."""
    monkeypatch.setenv("RAGRAPHS_ROOT", str(root))
    monkeypatch.setenv("RAGRAPHS_INDEX", "notes")
    settings.cache_clear()
    return monkeypatch


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_question_is_answered_with_quotations_and_their_places(url, mode):
    told: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with Client(url, mode=mode) as client:
        asked = {"query": QUESTION}
        result = await client.call_tool("answer_question", asked, progress_callback=progress)
    assert not result.is_error
    assert set(result.structured_content) == {
        "answer",
        "sufficient",
        "stop_reason",
        "quotes",
        "missing",
        "warnings",
    }
    assert result.structured_content["sufficient"] is True
    place = {"quote": FORTH, "place": "forth (forth, characters 0–64)"}
    assert place in result.structured_content["quotes"]
    assert text_of(result).startswith("John Fowler and Benjamin Baker\n\n[1] “The Forth Bridge")
    assert len(text_of(result)) < 1000 and told[0] == "decide"


@pytest.mark.slow
async def test_a_statement_is_verified(url):
    stated = {"query": FORTH, "verify": True}
    result = await called(url, "answer_question", **stated)
    assert result.structured_content["answer"] == "supported"
    assert [one["quote"] for one in result.structured_content["quotes"]] == [FORTH]


@pytest.mark.slow
async def test_the_passages_found_are_cut_to_what_a_model_reads(url):
    result = await called(url, "search_meaning", query="long tale", top_k=1)
    parts = result.structured_content["parts"]
    assert [set(each) for each in parts] == [{"id", "kind", "place", "text"}]
    assert parts[0]["place"].startswith("long (long, ") and len(parts[0]["text"]) <= 6000
    assert text_of(result).startswith(f"[passage {parts[0]['id']}] long (long, characters ")


@pytest.mark.parametrize("where", [{"year": {"$lt": 1900}}, '{"year": 1890}'])
async def test_a_search_is_narrowed_to_some_documents(url, where):
    result = await called(url, "search_meaning", query="A long tale", where=where)
    places = [each["place"] for each in result.structured_content["parts"]]
    assert places == ["forth (forth, characters 0–64)"]


async def test_a_search_by_an_unknown_key_names_the_keys_there_are(url):
    result = await called(url, "search_meaning", query="A tale", where={"yeer": 1890})
    assert not result.is_error and result.structured_content["parts"] == []
    assert text_of(result).startswith("Nothing was found.\n\nNo passage of the index has the key")
    assert "year" in text_of(result) and len(result.structured_content["warnings"]) == 1


@pytest.mark.slow
async def test_the_whole_is_summarised_from_reports(url):
    result = await called(url, "summarise_documents")
    assert not result.is_error and "Forth" in json.dumps(result.structured_content)


async def test_each_tool_says_what_it_is_and_does(url):
    async with Client(url) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == READING | {"list_indexes", "index_documents"}
    for name, tool in tools.items():
        assert tool.title and len(tool.description) > 60 and tool.output_schema["properties"]
        hints = tool.annotations
        writes = name == "index_documents"
        assert (hints.read_only_hint, hints.destructive_hint) == (not writes, writes)
        assert hints.idempotent_hint and not hints.open_world_hint
        arguments = tool.input_schema["properties"]
        assert all(argument["description"] for argument in arguments.values())
        if name != "list_indexes":
            assert arguments["index"]["enum"] == ["notes", "letters", "empty"]
            assert arguments["index"]["default"] == "notes"


async def test_the_indexes_are_listed_with_their_sizes(url):
    result = await called(url, "list_indexes")
    listed = [(each["name"], each["documents"]) for each in result.structured_content["indexes"]]
    assert listed == [("notes", 2), ("letters", 2), ("empty", 0)]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("answer_question", {"query": QUESTION, "index": "other"}, "choose one of: notes"),
        ("answer_question", {"query": QUESTION, "index": "../notes"}, "choose one of: notes"),
        ("answer_question", {"query": QUESTION, "index": 5}, "'index' cannot be used"),
        ("answer_question", {"query": QUESTION, "index": "empty"}, "ragraphs index SOURCE"),
        ("answer_question", {"query": " "}, "question is empty"),
        ("answer_question", {"query": ""}, "'query' cannot be used: it must not be empty."),
        ("answer_question", {}, "'query' is missing; there are 'index', 'query', 'method'"),
        ("answer_question", {"question": QUESTION}, "no argument 'question'; there are 'index'"),
        ("answer_question", {"query": QUESTION, "method": "magic"}, "'method' cannot be used"),
        (
            "answer_question",
            {"query": QUESTION, "model": "x"},
            "no argument 'model'; there are 'ind",
        ),
        ("search_meaning", {"query": ""}, "'query' cannot be used: it must not be empty."),
        ("answer_question", {"query": QUESTION, "method": "tog2"}, "--layers entities"),
        ("search_meaning", {"query": "a", "top_k": 500}, "'top_k' cannot be used"),
        ("search_meaning", {"query": "a", "where": {"year": {"$near": 5}}}, "$near"),
        ("search_meaning", {"query": "a", "where": "year"}, "'where' cannot be used"),
        ("summarise_documents", {"index": "letters"}, "ragraphs index --layers communities"),
        ("index_documents", {"documents": []}, "'documents' cannot be used"),
        ("index", {"remove": ["forth"]}, "choose one of: answer_question"),
    ],
)
async def test_what_a_caller_got_wrong_is_told_in_one_sentence(url, root, tool, arguments, words):
    if arguments.get("method") == "tog2":
        arguments = {**arguments, "index": "letters"}
    result = await called(url, tool, **arguments)
    problem = text_of(result)
    assert result.is_error and result.structured_content is None
    assert words in problem and "\n" not in problem and len(problem) < 300
    assert str(root) not in problem and "Traceback" not in problem


@pytest.mark.slow
async def test_documents_are_added_and_replaced_where_the_operator_allows_it(url):
    document = {"id": "tay", "text": "Thomas Bouch designed the Tay Bridge."}
    given: Any = json.dumps([document])  # as some clients send lists
    added = await called(url, "index_documents", index="letters", documents=given)
    assert added.structured_content["added"] == 1 and text_of(added).startswith("1 added, 0 upda")
    document["text"] = "Sir Thomas Bouch designed the Tay Bridge."
    again = await called(url, "index_documents", index="letters", documents=[document])
    assert again.structured_content["updated"] == 1
    asked = {"query": "Who designed the Tay Bridge?", "index": "letters"}
    assert "Bouch" in text_of(await called(url, "answer_question", **asked))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": HOST}, 200),
        ({"Host": f"{HOST}:8443", "Origin": f"https://{HOST}"}, 200),
        ({"Host": "attacker.example"}, 421),
        ({"Origin": "http://attacker.example"}, 403),
    ],
)
def test_a_web_page_cannot_reach_the_server_by_a_name_of_its_own(url, headers, status):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {**headers, "Accept": "application/json, text/event-stream"}
    assert httpx.post(url, json=call, headers=headers).status_code == status


async def test_without_a_list_any_plain_name_below_the_root_is_allowed_and_nothing_is_written(
    operator,
):
    async with Client(mcp_server()) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == READING
        assert "enum" not in tools["answer_question"].input_schema["properties"]["index"]
        for index, refused in (("letters", False), ("../letters", True), ("/etc", True)):
            result = await client.call_tool("search_meaning", {"query": "a", "index": index})
            assert result.is_error == refused
        assert "no tool" in text_of(await client.call_tool("index_documents", {"documents": []}))


async def test_the_web_is_told_of_where_it_may_be_asked(operator):
    operator.setenv("TAVILY_API_KEY", "tvly-secret")
    settings.cache_clear()
    async with Client(mcp_server()) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tools["answer_question"].annotations.open_world_hint
    assert "web" in tools["answer_question"].description
    assert not tools["search_meaning"].annotations.open_world_hint


async def test_a_fault_of_the_server_is_logged_and_not_shown(operator, monkeypatch, caplog):
    def broken(*_: Any) -> None:
        raise KeyError("/secret/path")

    monkeypatch.setattr("ragraphs.index.tools.passages.search", broken)
    async with Client(mcp_server()) as client:
        result = await client.call_tool("search_meaning", {"query": "a"})
    assert result.is_error and "secret" not in text_of(result)
    assert "/secret/path" in caplog.text


@pytest.mark.slow
async def test_a_program_can_start_the_server_and_speak_with_it_by_standard_input(
    root, monkeypatch
):
    env = {"RAGRAPHS_INDEX": str(root / "notes"), "RAGRAPHS_EMBEDDINGS": "lexical"}
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "ragraphs.server.mcp"], env={**os.environ, **env}
    )
    async with Client(stdio_client(started)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == READING
        result = await client.call_tool("search_meaning", {"query": "Forth", "top_k": 1})
    assert FORTH in text_of(result)


def asked(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    with TestClient(app, base_url="http://127.0.0.1:1") as client:
        answer = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    return answer.status_code, answer.text


def test_without_a_folder_of_its_own_nothing_is_served(monkeypatch):
    status, text = asked({}, monkeypatch)
    assert status == 503 and "RAGRAPHS_ROOT=." in text


def test_with_authentication_nobody_is_served_whom_it_did_not_see(monkeypatch):
    status, text = asked(
        {"RAGRAPHS_ROOT": ".", "LANGGRAPH_AUTH": '{"path": "a.py:auth"}'}, monkeypatch
    )
    assert status == 403 and "http.enable_custom_route_auth" in text


def test_without_the_package_the_way_to_install_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    status, text = asked({"RAGRAPHS_ROOT": "."}, monkeypatch)
    assert status == 503 and "pip install 'ragraphs[serve]'" in text
