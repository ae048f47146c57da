"""The router, conversations and streamed answers on a real ``langgraph dev`` server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import ragraphs
from http_stub import Response
from langgraph_sdk import get_client
from langgraph_server import Server, serving
from ragraphs.context.form import ADVANCED
from scripted_model import DOCUMENTS, FACT, MODEL, QUESTION, Script
from stub_openai import OpenAIStub, serving_openai
from stub_tavily import KEY, TavilyStub, serving_tavily

pytestmark = pytest.mark.slow
GRAPHS = json.loads(Path(ragraphs.__file__).with_name("langgraph.json").read_text())["graphs"]
METHODS = sorted(set(GRAPHS) - {"index"})
PAGE = ("https://bridges.example", "Bridges", "William Arrol built the Forth Bridge.")


@pytest.fixture(scope="module")
def stubs() -> Iterator[tuple[OpenAIStub, TavilyStub]]:
    """Servers in the place of the model and of the web, for the whole module."""
    with serving_openai() as openai, serving_tavily() as tavily:
        yield openai, tavily


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, stubs: Any) -> Iterator[Server]:
    """A server that runs eight jobs at a time, with an index of all layers."""
    openai, tavily = stubs
    environment = {
        "OPENAI_BASE_URL": openai.base_url,
        "TAVILY_API_KEY": KEY,
        "RAGRAPHS_TAVILY_BASE_URL": tavily.url,
    }
    root = tmp_path_factory.mktemp("router")
    with serving(root, "--n-jobs-per-worker", "8", **environment) as server:
        layers = ["hops", "entities", "communities"]
        assert server.run("index", {"documents": DOCUMENTS}, layers=layers)["added"] == 4
        yield server


@pytest.fixture
def script(stubs: Any) -> Script:
    return Script(stubs[0])


@pytest.fixture
async def client(server: Server) -> AsyncIterator[Any]:
    client = get_client(url=server.url)
    yield client
    await client.aclose()


def unseen(name: str) -> dict[str, Any]:
    """A context whose replies are not in the table of an earlier test."""
    return {"model": MODEL, "temperature": sum(map(ord, name)) % 1999 / 1000}


async def streamed(client: Any, graph: str, context: Any, *modes: str) -> dict[str, list[Any]]:
    """Data that a run without a thread streams, by event."""
    seen: dict[str, list[Any]] = {}
    async for part in client.runs.stream(
        None, graph, input={"question": QUESTION}, context=context, stream_mode=list(modes)
    ):
        seen.setdefault(part.event, []).append(part.data)
    return seen


@pytest.mark.parametrize("graph", METHODS)
def test_every_graph_answers_with_citations(server, graph):
    answer = server.run(graph, {"question": QUESTION})
    assert answer["citations"] and answer["sufficient"]
    assert answer["method"] == (answer["decision"]["method"] if graph == "router" else graph)


@pytest.mark.parametrize("graph", sorted(GRAPHS))
async def test_every_graph_explains_its_settings_and_can_be_drawn(client, graph):
    assistant = (await client.assistants.search(graph_id=graph))[0]["assistant_id"]
    schemas = await client.assistants.get_schemas(assistant)
    settings = schemas["context_schema"]["properties"]
    assert settings and all(setting["description"] for setting in settings.values())
    assert all(setting["metadata"]["x_oap_ui_config"] for setting in settings.values())
    grouped = {name: one["group"] for name, one in settings.items() if "group" in one}
    prompts = {name for name, one in settings.items() if one.get("langgraph_type") == "prompt"}
    assert {name for name, group in grouped.items() if group == "prompts"} == prompts
    advanced = {name for name, group in grouped.items() if group == "advanced"}
    assert advanced == ADVANCED & settings.keys()
    assert bool(prompts) == (graph != "index")
    assert schemas["output_schema"]["properties"]
    inputs = set(schemas["input_schema"]["properties"])
    assert inputs == {
        "index": {"sources", "documents", "remove", "triples", "wait"},
        "router": {"question", "statement", "messages"},
    }.get(graph, {"question"})
    drawing = await client.assistants.get_graph(assistant, xray=1)
    names = {str(one["id"]) for one in drawing["nodes"]}
    assert drawing["edges"] and "__start__" in names and len(names) > 3
    if graph == "router":
        assert {"crag:grade", "deeprag:conclude", "weigh", "conclude"} <= names


@pytest.mark.parametrize("graph", ["hoprag", "deeprag", "graphrag"])
async def test_progress_is_streamed_by_a_method_and_through_the_router(client, script, graph):
    script.replies["Judgement"] = {"sufficient": False, "clue": "more"}
    for asked, context in ((graph, {}), ("router", {"method": graph})):
        context |= {**unseen(asked + graph), "search": "global"}
        chosen = {k: v for k, v in context.items() if k != "search" or graph == "graphrag"}
        events = (await streamed(client, asked, chosen, "custom"))["custom"]
        if asked == "router":
            assert [event["step"] for event in events[:2]] == ["decide", "try"]
            assert events[1]["method"] == graph and events[1]["why"]
            events = events[2:]
        assert events and all(0 <= event["done"] <= event["total"] for event in events)
        assert {event.get("method") for event in events} == {graph if asked == "router" else None}


@pytest.mark.parametrize("graph", ["crag", "graphrag", "router"])
async def test_an_answer_is_streamed_as_messages_and_as_events(client, script, graph):
    chosen = {"method": "crag"} if graph == "router" else {}  # no other method can follow
    context = {**unseen(f"a {graph}"), **chosen}
    seen = await streamed(client, graph, context, "messages-tuple", "values")
    said = [message for message, _ in seen["messages"] if message["type"] != "human"]
    result = seen["values"][-1]
    whole = result["messages"][-1]["content"] if graph == "router" else result["answer"]
    assert len(said) > 3 and "".join(one["content"] for one in said) == whole != ""
    assert len({one["id"] for one in said}) == 1
    context = {**unseen(f"b {graph}"), "stream_answer": True, **chosen}
    seen = await streamed(client, graph, context, "custom", "values")
    pieces = [event["text"] for event in seen["custom"] if "text" in event]
    assert len(pieces) > 3 and "".join(pieces) == seen["values"][-1]["answer"]


def unsettled(script: Script, *, settled: bool) -> None:
    """The cheapest method is not sure; the next one finds the answer, if it is ever ``settled``."""
    first = iter([UNSETTLED])
    script.replies["Answer"] = lambda human: (
        next(first, None) or (script._answer(human) if settled else LOST)
    )
    if not settled:
        script.replies["StepReading"] = LOST
        script.replies["Judgement"] = {"sufficient": False, "clue": ""}


CANDIDATE = "Perhaps Benjamin Baker."
UNSETTLED = {
    "answer": CANDIDATE,
    "quotes": [{"id": "1", "quote": FACT}],
    "sufficient": False,
    "missing": ["Which bridges were designed by John Fowler?"],
}
LOST = {"quotes": [], "sufficient": False, "answer": "", "next": "", "source": "retrieve"}


def ai_messages(found: Any) -> Iterator[dict[str, Any]]:
    """All messages of an AI anywhere in ``found``."""
    if isinstance(found, dict) and found.get("type") in {"ai", "AIMessageChunk"}:
        yield found
    elif isinstance(found, dict | list):
        for value in found.values() if isinstance(found, dict) else found:
            yield from ai_messages(value)


@pytest.mark.parametrize("settled", [True, False])
@pytest.mark.parametrize("subgraphs", [False, True], ids=["outer", "subgraphs"])
@pytest.mark.parametrize("form", ["messages-tuple", "messages", "events"])
async def test_however_many_methods_are_tried_there_is_one_message(
    client, script, form, subgraphs, settled
):
    unsettled(script, settled=settled)
    seen: dict[str, list[Any]] = {}
    async for part in client.runs.stream(
        None,
        "router",
        input={"messages": [{"role": "user", "content": QUESTION}]},
        context={**unseen(f"{form}, {'inner' * subgraphs} {settled}"), "top_k": 1},
        stream_mode=[form, "values", "updates", "custom", "debug", "tasks", "checkpoints"],
        stream_subgraphs=subgraphs,
    ):
        seen.setdefault(part.event, []).append(part.data)
    result = seen["values"][-1]
    final = result["messages"][-1]
    assert len(result["path"]) > 1 and result["answer"] == (FACT if settled else CANDIDATE)
    assert final["content"].startswith(f"{result['answer']}\n\n[1] “")
    said = {event: list(ai_messages(parts)) for event, parts in seen.items()}
    for event, messages in said.items():
        assert {message["id"] for message in messages} <= {final["id"]}, event
        assert {message["content"] for message in messages} <= {final["content"]}, event
    expected = {"messages-tuple": "messages", "messages": "messages/partial", "events": "events"}
    assert said["values"] and said["updates"] and said[expected[form]]
    assert said[expected[form]][-1]["additional_kwargs"] == final["additional_kwargs"]
    assert not [one for one in seen.get("events", []) if "chat_model" in one["event"]]


@pytest.mark.parametrize("settled", [True, False])
def test_an_agent_that_asks_by_a2a_gets_one_message(server, script, settled):
    unsettled(script, settled=settled)
    found = server.send("/assistants/search", {"graph_id": "router"}).json()[0]
    context = {**unseen(f"a2a {settled}"), "top_k": 1}
    result = server.run("router", {"question": QUESTION}, **context)
    assert len(result["path"]) > 1 and result["answer"] == (FACT if settled else CANDIDATE)
    final = result["messages"][-1]["content"]
    for method in ("message/send", "message/stream"):
        asked = {"role": "user", "messageId": "1", "parts": [{"kind": "text", "text": QUESTION}]}
        answer = httpx.post(
            f"{server.url}/a2a/{found['assistant_id']}",
            json={
                "jsonrpc": "2.0",
                "id": "1",
                "method": method,
                "params": {"message": asked, "context": context},
            },
            headers={"Accept": "application/json, text/event-stream"},
            timeout=60,
        )
        lines = [line for line in answer.text.splitlines() if line.startswith("data: ")]
        parts = [json.loads(line[6:]) for line in lines] or [answer.json()]
        texts = [text for text in a2a_texts(parts) if text != QUESTION]
        assert texts == [final, final], method  # the message, and the artifact of the task


def a2a_texts(found: Any) -> Iterator[str]:
    """All texts of messages and artifacts in replies of the A2A endpoint."""
    if isinstance(found, dict) and found.get("kind") == "text":
        yield found["text"]
    elif isinstance(found, dict | list):
        for value in found.values() if isinstance(found, dict) else found:
            yield from a2a_texts(value)


async def test_follow_up_questions_on_a_thread_in_chat_form(client):
    thread = (await client.threads.create())["thread_id"]
    for text, asked in (
        (QUESTION, QUESTION),
        ("Where was he born?", "Where was John Fowler born?"),
    ):
        given = {"messages": [{"role": "user", "content": text}]}
        result = await client.runs.wait(thread, "router", input=given, context={"method": "basic"})
        assert result["asked"] == asked and result["sufficient"]
    messages = (await client.threads.get_state(thread))["values"]["messages"]
    assert [message["type"] for message in messages] == ["human", "ai", "human", "ai"]
    assert messages[-1]["additional_kwargs"]["citations"] == result["citations"]
    assert "Sheffield" in messages[-1]["content"]


@pytest.mark.parametrize("graph", ["crag", "router"])
@pytest.mark.parametrize(("said", "sent"), [(True, 1), (False, 0), (["my words"], 1)])
async def test_a_web_search_waits_for_a_person(client, script, stubs, graph, said, sent):
    _, tavily = stubs
    tavily.pages, before = [PAGE], len(tavily.requests)
    nothing = {"needed": [], "related": []}
    script.replies["Grades"] = lambda human: (
        nothing if "Arrol" not in human else script._grades(human)
    )
    context = {**unseen(f"{graph} {said}"), "confirm_web": True}
    context |= {"method": "crag"} if graph == "router" else {}
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, graph, input={"question": QUESTION}, context=context)
    state = await client.threads.get_state(thread)
    asked = [stop["value"] for task in state["tasks"] for stop in task["interrupts"]]
    assert [one["queries"] for one in asked] == [["forth bridge designer"]]
    assert len(tavily.requests) == before
    result = await client.runs.wait(thread, graph, command={"resume": said}, context=context)
    queries = [body["query"] for body in tavily.bodies[before:]]
    assert len(queries) == sent and (not isinstance(said, list) or queries == said)
    assert result["sufficient"] == bool(sent)


@pytest.mark.parametrize("graph", ["deeprag", "router"])
@pytest.mark.parametrize("said", [True, False, ["When was John Fowler born?"]])
async def test_a_sub_question_waits_for_a_person(client, script, graph, said):
    script.narrate()
    context = {**unseen(f"plan {graph} {said}"), "confirm_plan": True}
    context |= {"method": "deeprag"} if graph == "router" else {}
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, graph, input={"question": QUESTION}, context=context)
    state = await client.threads.get_state(thread)
    [shown] = [stop["value"] for task in state["tasks"] for stop in task["interrupts"]]
    assert shown["questions"] == ["Which bridges were designed by John Fowler?"]
    result = await client.runs.wait(thread, graph, command={"resume": said}, context=context)
    steps = result["details"]["steps"] if graph == "router" else result["steps"]
    asked = [step["question"] for step in steps if step["number"]]
    assert asked == (said if isinstance(said, list) else shown["questions"] if said else [])


@pytest.mark.parametrize("graph", ["basic", "router"])
async def test_fifty_questions_at_once_all_get_their_answers(client, script, graph):
    asked = [f"Who designed the Forth Bridge, please ({graph} {n})?" for n in range(50)]
    script.replies["Answer"] = lambda human: {**script._answer(human), "answer": human[-40:]}
    runs = (
        client.runs.wait(None, graph, input={"question": question}, context={"model": MODEL})
        for question in asked
    )
    answers = await asyncio.gather(*runs)
    assert not [answer for answer in answers if "__error__" in answer]
    for n, answer in enumerate(answers):
        assert f"{graph} {n})" in answer["answer"] and answer["citations"][0]["quote"] == FACT


async def test_several_jobs_run_at_a_time(client, script, stubs):
    openai, _ = stubs
    openai.most_in_flight = 0

    def slowly(human: str) -> Any:
        return {**script._answer(human), "answer": "It was Fowler."}

    script.replies["Answer"] = slowly
    answer = openai.otherwise

    def waiting(path: str, body: Any) -> Response:
        response = answer(path, body)
        response.seconds = 0.3
        return response

    openai.otherwise = waiting
    context = {"model": MODEL, "method": "basic"}
    asked = [{"question": f"Who designed bridge number {n}?"} for n in range(16)]
    runs = (client.runs.wait(None, "router", input=given, context=context) for given in asked)
    answers = await asyncio.gather(*runs)
    openai.otherwise = answer
    assert {one["answer"] for one in answers} == {"It was Fowler."}
    assert openai.most_in_flight >= 4


@pytest.mark.parametrize(
    ("given", "context", "words"),
    [
        ({}, {}, "There is no question"),
        ({"messages": []}, {}, "There is no question"),
        ({"messages": [{"role": "ai", "content": "Hello"}]}, {}, "last human message"),
        ({"messages": [{"role": "user", "content": "word " * 9000}]}, {}, "characters"),
        ({"question": QUESTION}, {"method": "magic"}, "method"),
        ({"question": QUESTION}, {"escalations": 9}, "escalations"),
    ],
)
def test_what_a_caller_got_wrong_is_told_in_words(server, given, context, words):
    message = server.refusal("router", given, **context)
    assert words in message and "internal error" not in message


def test_nothing_blocked_the_loop_of_the_server(server):
    log = server.log.read_text()
    assert "BlockingError" not in log and "UnraisableException" not in log


async def test_an_assistant_with_an_edited_prompt_answers_by_it(server, client, script):
    words = "You are the clerk of all bridges."
    context = {**unseen("a clerk"), "answer_prompt": words}
    for graph, more in (("basic", {}), ("router", {"method": "basic"})):
        script.asked.clear()
        assistant = await client.assistants.create(graph, context={**context, **more})
        id = assistant["assistant_id"]
        answer = await client.runs.wait(None, id, input={"question": f"{QUESTION} {graph}"})
        assert answer["sufficient"]
        [asked] = [one for one in script.asked if one.kind == "Answer"]
        assert asked.system == words
        schemas = await client.assistants.get_schemas(id)
        prompt = schemas["context_schema"]["properties"]["answer_prompt"]
        assert prompt["langgraph_type"] == "prompt" and prompt["default"].startswith("You answer")
        assert {"answer", "basic"} & set(prompt["langgraph_nodes"])
    assert "is empty" in server.refusal("basic", {"question": QUESTION}, answer_prompt=" ")
    assert "answer_prompt" in server.refusal("basic", {"question": QUESTION}, anser_prompt="Hi")
