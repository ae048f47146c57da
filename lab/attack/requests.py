"""Part ``requests``: hostile requests to a running server, which stays alive and tells nothing."""

from __future__ import annotations

import asyncio
import json
import random
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from ragraphs.state.errors import RagraphsError
from ragraphs.state.filters import matches

from ..benchmarks.dev_server import dev_server
from ..benchmarks.stub_replies import stub_reply
from .hostile_filters import KEPT
from .hostile_replies import honest
from .hostile_requests import FILTERED, QUESTION, HostileRequest, draw, resumes, run
from .hostile_server import Sent, http, serving
from .hostile_values import spelled
from .replies import DOCUMENTS, LAYERS, kind_of
from .signs import KEY, leaks
from .trials import AttackPart, Trial

_AT_ONCE = 10
# Requests that LangGraph's server answers by itself, before a graph sees them.
_SERVERS_OWN = {"odd body", "odd config", "odd route"}
_UNFILTERED = {"web"}  # how passages were found that filters do not apply to
_LONGEST = 60.0
_LONGEST_HONEST = 20.0
_LONGEST_SENTENCE = 1500
# The classes of errors by which a program, not a person, is told that something is wrong.
_RAW = re.compile(
    r"^(Type|Attribute|Key|Index|Lookup|Assertion|Recursion|Overflow|ZeroDivision|Memory|OS|Name"
    r"|UnboundLocal|NotImplemented|Unicode\w*|Integrity|Operational|JSONDecode|Runtime)Error$"
)
_PROGRAM = re.compile(
    r"internal error|object has no attribute|not subscriptable|unexpected keyword|errors\.pydantic"
    r"|must be str|has no len|unhashable|not iterable|surrogates not allowed|NoneType",
    re.I,
)


@dataclass(frozen=True)
class Arena:
    """A running server: its address, its folder, and the file of what it asked of others."""

    url: str
    root: str
    asked: str


@contextmanager
def arena() -> Iterator[Arena]:
    """A server with an index of honest documents, and stubs in place of the model and the web."""
    with tempfile.TemporaryDirectory(prefix="ragraphs-requests-") as folder:
        root = Path(folder, "served")
        (root / "docs").mkdir(parents=True)
        for title, text in DOCUMENTS:
            (root / "docs" / f"{title}.txt").write_text(text)
        (Path(folder) / "secret.txt").write_text("The vault opens at midnight.")
        (root / "linked").symlink_to(folder)
        (root / "docs" / "link.txt").symlink_to(Path(folder) / "secret.txt")
        asked = Path(folder, "asked")
        asked.touch()

        def answer(path: str, body: Any) -> Sent:
            with asked.open("a") as file:
                file.write(json.dumps([path, body]) + "\n")
            return _stub(path, body)

        with serving(answer) as stub:
            environment = {
                "OPENAI_BASE_URL": f"{stub.url}/v1",
                "OPENAI_API_KEY": KEY,
                "TAVILY_API_KEY": KEY,
                "RAGRAPHS_TAVILY_BASE_URL": stub.url,
                "RAGRAPHS_MODELS": "offline,openai:attack",
            }
            options = ("--n-jobs-per-worker", "8")
            with dev_server(root, *options, **environment) as server:
                given = run("index", {"sources": ["docs"]}, {"layers": LAYERS})
                httpx.post(f"{server.url}{given.path}", json=given.body, timeout=120)
                given = run("index", {"documents": _with_metadata()}, {"index": FILTERED})
                indexed = httpx.post(f"{server.url}{given.path}", json=given.body, timeout=120)
                if indexed.json().get("added") != len(KEPT):
                    raise RuntimeError(indexed.text)
                yield Arena(server.url, str(root), str(asked))


def _with_metadata() -> list[dict[str, Any]]:
    """A document for each metadata that filters are tried on."""
    _, text = DOCUMENTS[0]
    return [
        {"id": str(n), "title": f"Text {n}", "text": text, "metadata": kept}
        for n, kept in enumerate(KEPT)
    ]


def _stub(path: str, body: Any) -> Sent:
    if path.endswith("/chat/completions"):
        return honest(stub_reply(kind_of(body), body["messages"][1]["content"]), body)
    if path.endswith("/embeddings"):
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        rows = [{"index": n, "embedding": [3.0, 4.0]} for n in range(len(texts))]
        return Sent("", (http(json.dumps({"data": rows, "model": "x", "usage": {}}).encode()),))
    page = {"url": "https://a.example", "title": "A", "content": "Zyzzyva.", "score": 0.9}
    return Sent("", (http(json.dumps({"results": [page], "query": "q"}).encode()),))


def trial(arena: Arena, chance: random.Random, result: Trial) -> None:
    """Ten hostile requests at once, or an odd resume; then an honest question."""
    asyncio.run(_attack(arena, chance, result))


async def _attack(arena: Arena, chance: random.Random, result: Trial) -> None:
    async with httpx.AsyncClient(base_url=arena.url, timeout=_LONGEST) as client:
        if chance.random() < 0.1:
            await _resume(arena, client, chance, result)
        else:
            asked = Path(arena.asked).stat().st_size
            requests = [draw(chance) for _ in range(_AT_ONCE)]
            result.labels = [each.label for each in requests]
            await asyncio.gather(*(_try(arena, client, each, result) for each in requests))
            _judge_asked(arena, asked, result)
        started = time.monotonic()
        try:
            answer = await client.post(
                "/runs/wait",
                json=run("basic", {"question": QUESTION}).body,
                timeout=_LONGEST_HONEST,
            )
            found = answer.json()
            if not found.get("sufficient"):
                result.fail("broken", f"an honest question is not answered: {answer.text[:300]}")
        except (httpx.HTTPError, ValueError) as error:
            result.fail("hang", f"an honest question is not answered: {error!r}")
        result.figures["honest_seconds"] = round(time.monotonic() - started, 2)


async def _try(
    arena: Arena, client: httpx.AsyncClient, request: HostileRequest, result: Trial
) -> None:
    headers = {"Content-Type": "application/json", **request.headers}
    started = time.monotonic()
    try:
        answer = await client.request(
            request.method, request.path, content=request.data, headers=headers
        )
    except httpx.TimeoutException:
        result.fail("hang", f"no reply in {_LONGEST:.0f} s: {request}")
        return
    except httpx.HTTPError as error:
        result.fail("crash", f"{error!r}: {request}")
        return
    except httpx.InvalidURL:
        return
    result.figures["seconds"] = max(
        result.figures.get("seconds", 0.0), round(time.monotonic() - started, 2)
    )
    _judge(arena, request, answer, result)


def _judge(arena: Arena, request: HostileRequest, answer: httpx.Response, result: Trial) -> None:
    text = answer.text
    # A text that the caller sent may come back.
    shown = text if arena.root not in str(request.data) else ""
    for words in leaks(shown, arena.root, str(Path(__file__).parents[2])):
        result.fail("leak", f"{words}: {request}")
    if answer.status_code >= 500 and request.label not in _SERVERS_OWN:
        result.fail("crash", f"status {answer.status_code} {text[:200]}: {request}")
    if request.unknown and answer.is_success:
        missed = [name for name in request.unknown if name not in text]
        if missed:
            result.fail("lost", f"the setting {missed[0]} is dropped without a word: {request}")
    error = _error_in(text)
    if error is not None:
        _judge_refusal(*error, request, result)
    if request.label == "MCP":
        _judge_tool(text, request, result)
    elif request.label == "odd filter" and answer.is_success and error is None:
        _judge_filtered(answer.json(), json.loads(request.data)["context"]["where"], result)


def _judge_refusal(kind: str, message: str, request: HostileRequest, result: Trial) -> None:
    raw = _RAW.match(kind) or _PROGRAM.search(message)
    if raw or not message.strip() or len(message) > _LONGEST_SENTENCE or message.count("\n") > 1:
        result.fail("unclear", f"{kind}: {message[:150]!r}: {request}")


def _judge_tool(text: str, request: HostileRequest, result: Trial) -> None:
    """A tool ends with its result or a sentence, never with an error that only the log tells."""
    if "failed on the server" in text or '"code":-32603' in text.replace(" ", ""):
        result.fail("crash", f"{text[:200]}: {request}")
    elif '"isError":true' in text.replace(" ", "") and _PROGRAM.search(text):
        result.fail("unclear", f"{text[:200]}: {request}")


def _judge_filtered(output: Any, where: Any, result: Trial) -> None:
    """Fails ``result`` if the run took an invalid ``where``, or read texts that do not meet it."""
    if where is None:
        return
    try:
        for each in output["evidence"]:
            values = {**each["metadata"], "title": each["title"], "document": each["document"]}
            if each["found"] not in _UNFILTERED and not matches(values, where):
                result.fail("leak", f"{where!r:.200} lets {each['id']} through, with {values}")
    except RagraphsError as error:
        result.fail("lost", f"a filter is dropped without a word: {error} {where!r:.200}")


def _error_in(text: str) -> tuple[str, str] | None:
    """The class and the message of the error that a run ended with, waited for or streamed."""
    if found := re.search(r"^event: error\r?\ndata: (.*)$", text, re.MULTILINE):
        text = '{"__error__": ' + found[1] + "}"
    try:
        said = json.loads(text)
    except ValueError:
        return None
    error = said.get("__error__") if isinstance(said, dict) else None
    if not isinstance(error, dict):
        return None
    return str(error.get("error", "")), str(error.get("message", ""))


def _judge_asked(arena: Arena, start: int, result: Trial) -> None:
    """Nothing was asked of models, embeddings or the web but by leave of the operator."""
    with Path(arena.asked).open() as file:
        file.seek(start)
        for line in file:
            path, body = json.loads(line)
            model = body.get("model") if isinstance(body, dict) else None
            if not path.endswith("/search") and model != "attack":
                result.fail("leak", f"{path} was asked for a model not allowed, {str(model)[:80]}")


async def _resume(
    arena: Arena, client: httpx.AsyncClient, chance: random.Random, result: Trial
) -> None:
    """A run that asks for consent gets an odd answer; no search is made but by a clear yes."""
    said, allowed = resumes(chance)
    graph = chance.choice(("crag", "router"))
    context = {"confirm_web": True} | ({"method": "crag"} if graph == "router" else {})
    result.labels = ["odd resume"]
    thread = (await client.post("/threads", json={})).json()["thread_id"]
    body = run(graph, {"question": f"Zyzzyva quokka {chance.random()}?"}, context).body
    await client.post(f"/threads/{thread}/runs/wait", json=body)
    start = Path(arena.asked).stat().st_size
    body = {"assistant_id": graph, "command": {"resume": said}, "context": context}
    answer = await client.post(
        f"/threads/{thread}/runs/wait",
        content=spelled(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    request = HostileRequest("odd resume", "resume", said)
    _judge(arena, request, answer, result)
    with Path(arena.asked).open() as file:
        file.seek(start)
        searches = sum(json.loads(line)[0].endswith("/search") for line in file)
    result.figures["searches"] = searches
    if searches and not allowed:
        result.fail("leak", f"{searches} web searches without a yes, for {str(request)[:100]}")
    if searches > 3:
        result.fail("unbounded", f"{searches} web searches: {str(request)[:100]}")
    if allowed and not searches:
        result.fail("lost", f"no web search after a yes: {request}")


PART = AttackPart("requests", 1000, arena, trial, each=10_000, longest=300)
