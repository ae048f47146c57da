"""The reading tools: in Python, as LangChain tools and by MCP, bounded and within their filters."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import ragraphs
from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from mcp import Client
from ragraphs.index.tools import TOOLS
from ragraphs.language.analyser import count_tokens
from ragraphs.settings import settings
from scripted_model import DOCUMENTS, FACT, QUESTION
from tool_server import called, serving_here, text_of

SENTENCE = "The old lighthouse of Skerryvore stands on a reef, and keeper {} wrote of storm {}."
STORY = "\n\n".join(
    f"# Part {part}\n\n" + " ".join(SENTENCE.format(part, number) for number in range(80))
    for part in range(4)
)
STORM = {"id": "story", "title": "Skerryvore", "text": STORY, "metadata": {"author": "Ada"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index ``notes`` that has all layers."""
    folder = tmp_path_factory.mktemp("reading")
    settings.cache_clear()
    layers = ["hops", "entities", "communities"]
    ragraphs.build(
        "index", index=str(folder / "notes"), embeddings="lexical", model="offline", layers=layers
    ).invoke({"documents": [*DOCUMENTS, STORM]})
    return folder


@pytest.fixture
def index(folder: Path) -> ragraphs.Index:
    return ragraphs.open_index(str(folder / "notes"))


@pytest.fixture
def tools(index: ragraphs.Index) -> dict[str, BaseTool]:
    return {tool.name: tool for tool in ragraphs.tools(index)}


@pytest.fixture
def url(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    named = {"RAGRAPHS_INDEX": "notes", "RAGRAPHS_EMBEDDINGS": "lexical"}
    with serving_here(folder, monkeypatch, **named) as url:
        yield f"{url}/mcp"


def passage_of(index: ragraphs.Index, words: str) -> str:
    return index.search_words(words, top_k=1)["parts"][0]["id"]


def text_of_parts(found: Any) -> str:
    return "\n".join(part["text"] for part in found["parts"])


def calls_of(index: ragraphs.Index) -> list[tuple[str, dict[str, Any]]]:
    """A call of each tool, and of each of its ways."""
    forth, community = passage_of(index, FACT), index.report()["parts"][0]["id"]
    return [
        ("search_meaning", {"query": QUESTION, "top_k": 2}),
        ("search_words", {"query": '"designed by" Fowler'}),
        ("read", {"passage": forth}),
        ("read", {"document": "story", "start": 100}),
        ("list_documents", {"top_k": 2}),
        ("look_up", {"query": "John Fowler"}),
        ("walk", {"passage": forth, "query": "Where was he born?"}),
        ("report", {"query": "bridges"}),
        ("report", {"community": community}),
    ]


@pytest.mark.slow
async def test_a_call_has_the_same_result_in_python_as_a_tool_and_by_mcp(index, tools, url):
    calls = calls_of(index)
    assert {name for name, _ in calls} == set(TOOLS) == set(tools)
    for name, given in calls:
        made = getattr(index, name)(**given)
        message = tools[name].invoke({"type": "tool_call", "name": name, "args": given, "id": "1"})
        served = await called(url, name, **given)
        assert message.artifact == served.structured_content == made
        assert message.content == text_of(served)
        assert message.content.startswith(f"[{made['parts'][0]['kind']} {made['parts'][0]['id']}]")


def test_a_result_is_short_unless_more_is_asked_for(index, tools):
    wordy = {"query": "Skerryvore lighthouse keeper storm", "top_k": 50}
    story = passage_of(index, "keeper 0 wrote of storm 0")
    for name, given in [*calls_of(index), ("search_words", wordy), ("search_meaning", wordy)]:
        assert count_tokens(tools[name].invoke(given)) <= 1500, name
    for given in ({"passage": story, "neighbours": 5}, {"document": "story"}):
        short, long = (tools["read"].invoke({**given, "tokens": most}) for most in (1500, 9000))
        assert 1000 < count_tokens(short) <= 1500 < count_tokens(long) <= 9000


def test_exact_words_and_phrases_are_counted(index):
    found = index.search_words('"designed by" Fowler art')
    assert found["parts"][0]["text"].startswith(FACT)
    assert "“designed by” 2, “Fowler” 2, “art” 0, all of them 0" in found["left"]
    assert len(index.search_words("훈민정음")["parts"]) == 1


def test_a_document_is_read_to_its_end_from_what_is_left(index):
    read, start = "", 0
    for _ in range(50):
        found = index.read(document="story", start=start)
        read += "".join(part["text"].removesuffix("…") for part in found["parts"])
        if "goes on" not in found["left"]:
            break
        start = int(found["left"].partition("(start=")[2].partition(" ")[0])
    assert "goes on" not in found["left"]
    assert all(SENTENCE.format(3, number) in read for number in range(80))
    assert "".join(read.split()) == "".join(STORY.split())


def test_a_passage_is_read_between_its_neighbours_and_a_section_from_its_heading(index):
    third = passage_of(index, '"keeper 2 wrote of storm 0."')
    alone, around = (index.read(third, neighbours=n, tokens=9000)["parts"] for n in (0, 1))
    assert [part["id"] for part in alone] == [third] == [around[1]["id"]] and len(around) == 3
    first, second, *_ = index.read(document="story", section="Part 2")["parts"]
    assert first["text"].startswith("# Part 2") and "keeper 2" in second["text"]


def test_a_section_ends_where_the_next_one_begins(folder: Path) -> None:
    manual = "# Oven\n\nIt bakes.\n\n## Cleaning\n\nUse vinegar.\n\n## Repair\n\nCall us."
    (folder / "manual.md").write_text(manual)
    context = {"index": str(folder / "manual"), "embeddings": "lexical", "chunk_tokens": 20}
    ragraphs.build("index", **context).invoke({"sources": [str(folder / "manual.md")]})
    index = ragraphs.open_index(str(folder / "manual"))
    document = index.list_documents()["parts"][0]["id"]
    text = text_of_parts(index.read(document=document, section="cleaning"))
    assert "vinegar" in text and "Call us" not in text and "bakes" not in text


def test_an_entity_is_told_with_the_sentences_of_its_relations(index):
    what, *rest = index.look_up("John Fowler")["parts"]
    assert (what["kind"], what["place"]) == ("entity", "John Fowler (person)")
    assert next(part for part in rest if part["text"] == FACT)["id"] == passage_of(index, FACT)
    assert index.look_up("Nobody Nowhere")["left"].startswith("No entity has that name")


def test_a_walk_goes_on_by_questions(index):
    asked = index.walk(passage_of(index, FACT), "Who was John Fowler?")["parts"]
    assert asked[0]["place"].startswith("John Fowler (")
    assert asked[0]["text"].startswith("raised: Who or what is John Fowler?\nanswered: ")
    assert index.walk(passage_of(index, FACT), top_k=1)["left"].startswith("More hops: ")


def test_nothing_beyond_the_filter_is_read_whatever_is_asked_for(index):
    tools = {one.name: one for one in ragraphs.tools(index, where={"author": "Ada"})}
    assert "report" not in tools
    wide = {"where": {"title": {"$ne": "Skerryvore"}}}
    for name, given in calls_of(index):
        for more in ({}, wide) if name in tools else ():
            call = {"type": "tool_call", "name": name, "args": {**given, **more}, "id": "1"}
            text = tools[name].invoke(call).content
            assert "Fowler was" not in text and "Forth Bridge (" not in text, (name, more)
    assert "Documents in all: 1." in tools["list_documents"].invoke({})
    assert "Documents in all: 0." in tools["list_documents"].invoke(wide)
    with pytest.raises(ragraphs.RagraphsError, match="leave the filter out"):
        index.report("bridges", where={"author": "Ada"})


def test_tools_without_their_layer_are_left_out(bridges: str) -> None:
    names = {tool.name for tool in ragraphs.tools(bridges)}
    assert names == {"search_meaning", "search_words", "read", "list_documents"}
    with pytest.raises(ragraphs.RagraphsError, match="ragraphs index --layers entities"):
        ragraphs.open_index(bridges).look_up("Fowler")


ODD = [
    None, True, -1, 0, 10**30, 1.5, float("nan"), "", " ", "a" * 5000, "\x00", "\ud800", "%_\\",
    "'; DROP TABLE passages; --", '"', '""', "../../etc/passwd", "[" * 3000, "{}", [], ["a"], {},
    {"$or": []}, {"author": {"$near": 1}}, {"$and": [{"$and": []}]}, {"$and": "x"}, {"": 1},
    b"\xff",
]  # fmt: skip


def hostile(
    index: ragraphs.Index, tools: dict[str, BaseTool], odd_ones: list[Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """A call for every argument of every tool with every odd value."""
    good = {"query": "bridge", "passage": passage_of(index, FACT)}
    for name, tool in tools.items():
        needed = {key: value for key, value in good.items() if key in tool.args}
        for argument, odd in itertools.product([*tool.args, "nonsense"], odd_ones):
            yield name, {**needed, argument: odd}


def is_a_sentence(text: str) -> bool:
    wrong = "\n" in text or "Traceback" in text or "unexpected" in text
    return text.endswith(".") and len(text) < 700 and not wrong


@pytest.mark.slow
async def test_hostile_arguments_are_refused_in_a_sentence_each(index, tools):
    tried = 0
    for name, given in hostile(index, tools, ODD):
        call = {"name": name, "args": given, "id": "1"}
        message = tools[name].invoke({"type": "tool_call", **call})
        assert isinstance(message, ToolMessage) and len(message.content) < 8000
        assert message.status != "error" or is_a_sentence(message.content)
        try:
            getattr(index, name)(**given)
        except ragraphs.RagraphsError as error:
            assert is_a_sentence(str(error)), (name, given)
        tried += 1
    assert tried > 300


@pytest.mark.slow
async def test_hostile_arguments_are_refused_over_http_as_well(index, tools, url):
    tried = 0
    async with Client(url) as client:
        for name, given in hostile(index, tools, ODD[1::3]):
            try:
                json.dumps(given, allow_nan=False).encode()
                "".join(map(str, given.values())).encode()
            except (TypeError, ValueError):
                continue  # no JSON can say it
            result = await client.call_tool(name, given)
            assert not result.is_error or is_a_sentence(text_of(result)), (name, given)
            assert len(text_of(result)) < 8000
            if "nonsense" in given:
                assert result.is_error and "no argument 'nonsense'; there are 'index', " in text_of(
                    result
                )
            tried += 1
    assert tried > 300


class Caller(FakeMessagesListChatModel):
    """An agent's model that calls the tools that its script says."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


def by_mcp(url: str, tool: BaseTool) -> BaseTool:
    """The tool of the same name, asked over HTTP."""

    async def ask(**given: Any) -> str:
        return text_of(await called(url, tool.name, **given))

    return StructuredTool.from_function(
        coroutine=ask, name=tool.name, description=tool.description, args_schema=tool.args_schema
    )


@pytest.mark.slow
async def test_an_agent_reads_by_tools_and_over_http_alike(index, tools, url):
    told = []
    for offered in (list(tools.values()), [by_mcp(url, tool) for tool in tools.values()]):
        script = [
            AIMessage("", tool_calls=[{"name": name, "args": given, "id": str(number)}])
            for number, (name, given) in enumerate(calls_of(index))
        ]
        model = Caller(responses=[*script, AIMessage("John Fowler, born in Sheffield.")])
        agent = create_agent(model, tools=offered)
        messages = (await agent.ainvoke({"messages": [HumanMessage(QUESTION)]}))["messages"]
        told.append([one.content for one in messages if isinstance(one, ToolMessage)])
        assert messages[-1].content == "John Fowler, born in Sheffield."
    assert told[0] == told[1] and FACT in told[0][0]


@pytest.mark.slow
async def test_an_agent_is_answered_by_the_tool_and_over_http_alike(url):
    tool = ragraphs.build("router", index="notes", model="offline").as_tool()
    told = []
    for offered in (tool, by_mcp(url, tool)):
        call = {"name": tool.name, "args": {"query": QUESTION}, "id": "1"}
        model = Caller(responses=[AIMessage("", tool_calls=[call]), AIMessage("John Fowler [1]")])
        agent = create_agent(model, tools=[offered])
        messages = (await agent.ainvoke({"messages": [HumanMessage(QUESTION)]}))["messages"]
        told.append([one.content for one in messages if isinstance(one, ToolMessage)])
    asked = httpx.post(f"{url.removesuffix('/mcp')}/ask", json={"question": QUESTION}, timeout=60)
    answer = asked.json()["answer"]
    assert told[0] == told[1] and told[0][0].startswith(f"{answer}\n\n[1] “{FACT}” — ")
