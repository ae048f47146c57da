"""A question asked by the page: its events, the plans that a person confirms, and stopping."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from deeprag_support import CHAIN, DOCUMENTS, MODEL, OLDER, Script
from page_server import Event, events_in, followed
from ragraphs import IndexContext, index_graph
from ragraphs.context import RouterContext
from ragraphs.server.exchange import Events, EventStream
from ragraphs.server.page.waiting import WaitingRun, WaitingRuns
from ragraphs.state.errors import RagraphsError
from stub_openai import KEY, OpenAIStub, serving_openai
from stub_tavily import KEY as WEB_KEY
from stub_tavily import TavilyStub, serving_tavily
from tool_server import serving_questions

PARTS = [CHAIN[0][0], "When was #1 born?", CHAIN[2][0], "When was #3 born?"]


@pytest.fixture(scope="module")
def openai() -> Iterator[OpenAIStub]:
    with serving_openai() as stub:
        yield stub


@pytest.fixture
def model(openai: OpenAIStub) -> Script:
    openai.requests.clear()
    return Script(openai)


@pytest.fixture(scope="module")
def web() -> Iterator[TavilyStub]:
    with serving_tavily() as stub:
        yield stub


@pytest.fixture(scope="module")
def url(
    tmp_path_factory: pytest.TempPathFactory, openai: OpenAIStub, web: TavilyStub
) -> Iterator[str]:
    root = tmp_path_factory.mktemp("indexes")
    context = IndexContext(index=str(root / "notes"), embeddings="lexical")
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    environment = {
        "OPENAI_BASE_URL": openai.base_url,
        "OPENAI_API_KEY": KEY,
        "RAGRAPHS_MODEL": MODEL,
        "TAVILY_API_KEY": WEB_KEY,
        "RAGRAPHS_TAVILY_BASE_URL": web.url,
    }
    with serving_questions(root, "--index", "notes", **environment) as url:
        yield url


def asked(url: str, **given: Any) -> list[Event]:
    return followed(url, "/page/ask", {"question": OLDER, "method": "deeprag", **given})


def resumed(url: str, run: str, items: Any) -> list[Event]:
    return followed(url, "/page/resume", {"run": run, "items": items})


def say(openai: OpenAIStub, **replies: Any) -> None:
    """From now on the model replies by the kind that is wanted; to any other it finds nothing."""
    nothing = {"quotes": [], "sufficient": False, "answer": "", "missing": []}
    openai.answer = lambda body: replies.get(
        body["response_format"]["json_schema"]["name"], nothing
    )


@pytest.mark.slow
def test_the_events_tell_the_route_each_node_and_the_answer_piece_by_piece(url, model):
    events = asked(url)
    assert [value["step"] for name, value in events if name == "step"][:2] == ["decide", "try"]
    nodes = [value["node"] for name, value in events if name == "update"]
    assert nodes.count("read") == len(CHAIN) and nodes[-1] == "conclude"
    text = "".join(value["text"] for name, value in events if name == "text")
    name, answer = events[-1]
    assert name == "answer" and text == answer["answer"] == "the Forth Bridge"
    assert set(answer) >= {"citations", "evidence", "usage", "path", "details", "asked", "missing"}
    assert "messages" not in answer


@pytest.mark.slow
def test_an_update_names_passages_without_their_texts(url, model):
    updates = [value["values"] for name, value in asked(url) if name == "update"]
    passages = [one for values in updates for one in values.get("evidence", [])]
    keys = {"id", "title", "document", "start", "end", "score", "found"}
    assert passages and all(set(one) == keys for one in passages)
    steps = [len(values["steps"]) for values in updates if "steps" in values]
    assert steps == sorted(steps) and steps[-1] == 1 + len(CHAIN)


@pytest.mark.slow
def test_a_follow_up_is_asked_with_the_history_that_comes_with_it(url, openai):
    say(openai, StandAloneQuestion={"question": "Who designed the Atomium?"})
    history = [
        {"role": "user", "content": "What is the Atomium?"},
        {"role": "assistant", "content": "A building."},
    ]
    [*_, (_, answer)] = asked(url, question="Who designed it?", method="basic", history=history)
    assert answer["asked"] == "Who designed the Atomium?"
    assert any("What is the Atomium?" in str(chat) for chat in openai.chats)


@pytest.mark.slow
def test_deeprag_splits_a_question_as_a_tree_where_a_person_wants_it(url, model):
    question = f"{OLDER} As a tree."
    model.splits[question] = PARTS
    *before, (_, answer) = asked(url, question=question, method="deeprag", tree=True)
    told = [one["question"] for one in answer["details"]["tree"]]
    assert told[:2] == [question, PARTS[0]] and "When was André Waterkeyn born?" in told
    assert any(value.get("values", {}).get("tree") for name, value in before if name == "update")


def test_a_plan_is_shown_edited_and_carried_out(url, model):
    question = f"{OLDER} Tell me."  # of which no reply is stored
    *_, (name, paused) = asked(url, question=question, confirm={"plan": True})
    assert (name, paused["kind"], paused["items"]) == ("paused", "plan", [CHAIN[0][0]])
    assert not model.prompts["StepReading"]
    *before, (name, paused) = resumed(url, paused["run"], [CHAIN[2][0]])
    assert ("step", "try") not in [(name, value.get("step")) for name, value in before]
    while name == "paused":
        *_, (name, paused) = resumed(url, paused["run"], False)
    assert name == "answer"
    steps = [one["question"] for one in paused["details"]["steps"] if one["number"]]
    assert steps == [CHAIN[2][0]]


def test_web_queries_are_shown_edited_and_sent(url, model, web, openai):
    page = ("https://bridges.example", "Bridges", "The Atomium was designed by André Waterkeyn.")
    web.pages = [page]
    nothing = {"needed": [], "related": []}
    say(openai, Grades=nothing, Queries={"queries": ["atomium designer"]})
    *_, (name, paused) = asked(url, method="crag", confirm={"web": True})
    assert (name, paused["kind"], paused["items"]) == ("paused", "web", ["atomium designer"])
    assert not web.queries
    *_, (name, _) = resumed(url, paused["run"], ["my own words"])
    assert name == "answer" and web.queries == ["my own words"]


@pytest.mark.parametrize("items", [["a", "b"], [" "], "yes", 3])
def test_a_reply_of_no_use_leaves_the_run_waiting(url, model, items):
    *_, (_, paused) = asked(url, confirm={"plan": True})
    [(name, _)] = resumed(url, paused["run"], items)
    assert name == "refused"
    *_, (name, _) = resumed(url, paused["run"], [CHAIN[0][0]])
    assert name == "paused"


def test_a_run_that_is_not_held_here_is_told_in_a_sentence(url, model):
    [(name, told)] = resumed(url, "0" * 32, True)
    assert name == "refused" and "another of its processes" in told
    *_, (_, paused) = asked(url, confirm={"plan": True})
    resumed(url, paused["run"], True)
    assert resumed(url, paused["run"], True)[0][0] == "refused"  # nothing goes on twice


@pytest.mark.slow
def test_closing_the_connection_stops_the_run(url, model, openai):
    model.seconds = 0.3
    body = {"question": f"{OLDER} Say it slowly.", "method": "deeprag"}
    with httpx.stream("POST", f"{url}/page/ask", json=body, timeout=60) as answer:
        for name, value in events_in(answer.iter_lines()):
            if name == "update" and value["node"] == "retrieve":
                break
    time.sleep(0.5)  # the request that was on its way ends
    sent = len(openai.chats)
    time.sleep(1.2)
    assert len(openai.chats) == sent < 2 + len(CHAIN)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"question": ""}, "'question' cannot be used"),
        ({"index": "other"}, "choose one of: notes"),
        ({"confirm": {"all": True}}, "There is no value 'confirm.all'."),
        ({"where": {"year": {"$near": 1}}}, "no operator"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(url, given, words):
    [(name, told)] = asked(url, **given)
    assert name == "refused" and words in told


def test_a_run_that_fails_ends_in_a_sentence(url):
    *_, (name, value) = asked(url, method="tog2")
    assert name == "error" and "--layers entities" in value["detail"]


async def test_a_stream_that_idles_is_kept_open_by_comments(monkeypatch):
    async def slow() -> Events:
        await asyncio.sleep(0.2)
        yield "answer", {}

    monkeypatch.setattr(EventStream, "pause", 0.05)
    sent: list[bytes] = []

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    async def receive() -> Any:
        await asyncio.sleep(60)

    await EventStream(slow())({"type": "http"}, receive, send)
    text = b"".join(sent).decode()
    assert text.startswith(": ") and text.endswith("event: answer\ndata: {}\n\n")
    assert list(events_in(iter(text.splitlines()))) == [("answer", {})]


@pytest.mark.parametrize(
    ("shows", "items", "words"),
    [
        ({"queries": ["a"]}, ["b"] * 4, "one to 3 queries"),
        ({"questions": ["a?"], "most": 1}, ["b?", "c?"], "one sub-question"),
        ({"questions": ["a?"], "question": "q?", "most": 5}, ["q?"], "one to 5 sub-questions"),
        ({"questions": ["a?"], "question": "q?", "most": 5}, ["Of #2?"], "#1 stands for"),
    ],
)
def test_a_reply_of_no_use_is_told_in_a_sentence(shows, items, words):
    run = WaitingRun(None, RouterContext(), {"message": "?", **shows})
    run.check(True)
    run.check(False)
    with pytest.raises(RagraphsError, match=words):
        run.check(items)


def waiting(**chosen: Any) -> WaitingRun:
    return WaitingRun(None, RouterContext(), {"message": "?", "queries": ["a"]}, **chosen)


def test_runs_that_wait_are_bounded_in_number_and_in_time():
    runs = WaitingRuns(most=2, seconds=60)
    first, second, third = waiting(), waiting(), waiting()
    for run in (first, second, third):
        runs.hold(run)
    assert runs.waiting(third.id) is third and runs.waiting(second.id) is second
    with pytest.raises(RagraphsError, match="Ask the question again"):
        runs.waiting(first.id)
    runs, old = WaitingRuns(seconds=60), waiting(since=time.monotonic() - 61)
    runs.hold(old)
    with pytest.raises(RagraphsError, match="an hour"):
        runs.waiting(old.id)
