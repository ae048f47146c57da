"""Part ``replies``: every graph runs with a model whose replies are hostile."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, get_args

from langchain_core.callbacks import BaseCallbackHandler
from ragraphs.context import IndexContext, LayerName
from ragraphs.graphs import graph_of
from ragraphs.graphs.index import graph as index_graph
from ragraphs.prompts.lists import INDEX_PROMPTS, QUESTION_PROMPTS
from ragraphs.prompts.prompt import Prompt
from ragraphs.settings import settings
from ragraphs.state.answering import StopReason
from ragraphs.state.errors import RagraphsError

from ..benchmarks.stub_model import apart
from ..benchmarks.stub_replies import stub_reply
from .hostile_replies import honest, hostile
from .hostile_server import HostileServer, LoggedRequest, Sent
from .signs import KEY, check_value
from .trials import AttackPart, Trial

QUESTION = "Who designed the Forth Bridge, and where was John Fowler born?"
LAYERS = list(get_args(LayerName))
DOCUMENTS: tuple[tuple[str, str], ...] = (
    (
        "The Forth Bridge",
        "The Forth Bridge was designed by John Fowler and Benjamin Baker. It was built by William "
        "Arrol and opened in 1890. The Tay Bridge was rebuilt by William Arrol in 1887.",
    ),
    (
        "John Fowler",
        "John Fowler was born in Sheffield in 1817. John Fowler worked on the Metropolitan Railway "
        "in London. Benjamin Baker worked in his office.",
    ),
    (
        "Benjamin Baker",
        "Benjamin Baker was born in Frome. Benjamin Baker advised on the dam at Aswan in Egypt. "
        "He was paid by John Aird.",
    ),
)
_VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("basic", {}),
    ("crag", {}),
    ("hoprag", {}),
    ("tog2", {}),
    ("deeprag", {}),
    ("deeprag", {"policy": "model"}),
    ("deeprag", {"mode": "tree"}),
    ("graphrag", {"search": "global"}),
    ("graphrag", {"search": "dynamic", "general_knowledge": True}),
    ("graphrag", {"search": "local"}),
    ("graphrag", {"search": "drift"}),
    ("graphrag", {"search": "text"}),
    ("router", {}),
    ("router", {"chat": True}),
    ("index", {}),
    ("index", {"gleanings": 1, "claims": True}),
)
PROMPTS: list[Prompt[Any]] = [*QUESTION_PROMPTS, *INDEX_PROMPTS]
_KB = 1000
_SECONDS_PER_100_KB = 20.0
_LONGEST_STANDSTILL = 2.0
_LONGEST_WARNING = 2000
# Where a request is sent again after these, it is by the settings of the trial.
_RETRIED = range(500, 600)
# After these a server may be asked in another mode of structured output.
_REFUSING = {400, 422, 501}


@contextmanager
def arena() -> Iterator[str]:
    """The folder of an index without hostile replies, which every process copies."""
    with tempfile.TemporaryDirectory(prefix="ragraphs-replies-") as folder:
        apart(_make_index, f"{folder}/index")
        yield folder


def _make_index(place: str) -> None:
    context = IndexContext(index=place, model="offline", embeddings="lexical", layers=LAYERS)
    index_graph.invoke({"documents": documents()}, context=context)


def documents(most: int = len(DOCUMENTS)) -> list[Any]:
    """The documents of the index."""
    return [{"id": title, "title": title, "text": text} for title, text in DOCUMENTS[:most]]


@dataclass(frozen=True)
class _Stage:
    """The parts of a process: the model's place, and a copy of the index."""

    server: HostileServer
    index: str


@cache
def _stage(arena: str) -> _Stage:
    server = HostileServer(lambda path, body: Sent("", ()))
    os.environ |= {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": KEY}
    settings.cache_clear()
    place = tempfile.mkdtemp(prefix="copy-", dir=arena)
    shutil.copytree(f"{arena}/index", f"{place}/index")
    return _Stage(server, f"{place}/index")


class _Follower(BaseCallbackHandler):
    """A tracer: where there is one, requests go through LangChain."""


def trial(arena: str, chance: random.Random, result: Trial) -> None:
    """One graph: with hostile replies, once more with those that were stored, then honestly."""
    stage = _stage(arena)
    name, options = chance.choice(_VARIANTS)
    asyncio.run(_Attack(stage, name, dict(options), chance, result).run())


class _Attack:
    def __init__(
        self, stage: _Stage, name: str, options: dict[str, Any], chance: random.Random, out: Trial
    ) -> None:
        self._stage, self._name, self._out = stage, name, out
        self._chat = options.pop("chat", False)
        self._part_hostile = chance.choice((1.0, 1.0, 0.5, 0.3))
        self._token = str(chance.random())
        self._retries = int(chance.random() < 0.05)
        followed = chance.random() < 0.3
        self._refused: set[str] = set()
        self._config: Any = {"callbacks": [_Follower()]} if followed else {}
        shared = {
            "model": "openai:attack",
            "temperature": int(self._token[2:8] or 0) % 19_999 / 10_000,
            "timeout": 5.0,
            "max_retries": self._retries,
        }
        self._index = name == "index"
        self._streams = not self._index and chance.random() < 0.4
        self._options = options | shared | ({"stream_answer": True} if self._streams else {})

    async def run(self) -> None:
        out, stage = self._out, self._stage
        folder = f"{stage.index}-{self._token[2:]}" if self._index else stage.index
        given: Any = self._given(QUESTION)
        stage.server.answer = self._hostile
        for again in (False, True):
            stage.server.asked.clear()
            found = await self._watched(given, folder, again)
            asked = list(stage.server.asked)
            self._refused.update(
                kind_of(each.body) for each in asked if each.sent.status in _REFUSING
            )
            if not again:
                out.labels = [each.sent.label for each in asked if each.sent.label]
            if found is not None:
                self._judge(found, asked, again)
            self._judge_retries(asked)
        stage.server.answer = self._honest
        stage.server.asked.clear()
        found = await self._watched(self._given("Who built the Tay Bridge?"), folder, True)
        if found is not None and found.get("stop_reason") == "model_failed":
            out.fail("broken", f"an honest reply after hostile ones is no use: {found['warnings']}")
        for body in (each.body for each in stage.server.asked):
            if "response_format" not in body and kind_of(body) not in self._refused:
                out.fail("lost", f"{kind_of(body)} is asked without a schema that it never refused")
        if self._index:
            shutil.rmtree(folder, ignore_errors=True)

    def _given(self, question: str) -> Any:
        if self._index:
            return {"documents": documents()}
        if self._chat:
            said = (
                ("user", "Who is John Fowler?"),
                ("assistant", "An engineer."),
                ("user", question),
            )
            return {"messages": [{"role": role, "content": text} for role, text in said]}
        return {"question": question}

    async def _watched(self, given: Any, folder: str, again: bool) -> Any | None:
        """The output of the graph; None where it ended in a sentence or, a problem, otherwise."""
        out = self._out
        loop = asyncio.create_task(_longest_standstill())
        served, processor = len(self._stage.server.asked), time.process_time()
        try:
            return await self._ran(given, folder, again)
        except RagraphsError as error:
            check_value(out, str(error))
        except Exception as error:
            words = f"{self._name}{' again' if again else ''}: {type(error).__name__}: {error}"
            out.fail("crash", words)
        finally:
            seconds = time.process_time() - processor
            loop.cancel()
            stood = (await asyncio.gather(loop, return_exceptions=True))[0]
            size = sum(sum(map(len, each.sent.parts)) for each in self._stage.server.asked[served:])
            if seconds > _SECONDS_PER_100_KB * max(1.0, size / (100 * _KB)):
                out.fail("hang", f"{self._name}: {seconds:.0f} s for {size // _KB} KB of replies")
            if isinstance(stood, float) and stood > _LONGEST_STANDSTILL:
                out.fail("hang", f"{self._name}: the event loop stands still for {stood:.1f} s")
        return None

    async def _ran(self, given: Any, folder: str, again: bool) -> Any:
        if self._index:
            context: Any = IndexContext(
                index=folder, embeddings="lexical", layers=LAYERS, repair=again, **self._options
            )
            return await index_graph.ainvoke(given, self._config, context=context)
        graph, context_type = graph_of(self._name)
        context = context_type(index=folder, **self._options)
        return await graph.ainvoke(given, self._config, context=context)

    def _hostile(self, path: str, body: Any) -> Sent:
        kind, human = kind_of(body), body["messages"][1]["content"]
        # Not drawn in turn, for requests come side by side.
        mode = ("response_format" in body, "tools" in body)
        chance = random.Random(_hash(f"{self._token} {mode} {len(body['messages'])} {human}"))
        reply = stub_reply(kind, human)
        if chance.random() >= self._part_hostile:
            return honest(reply, body)
        return hostile(reply, body, chance)

    def _honest(self, path: str, body: Any) -> Sent:
        return honest(stub_reply(kind_of(body), body["messages"][1]["content"]), body)

    def _judge(self, found: Any, asked: list[LoggedRequest], again: bool) -> None:
        out, warnings = self._out, found["warnings"]
        check_value(out, {key: value for key, value in found.items() if key != "messages"})
        if any(len(warning) > _LONGEST_WARNING for warning in warnings):
            out.fail("unclear", f"{self._name}: a warning of {max(map(len, warnings))} characters")
        reason = found.get("stop_reason")
        if not self._index and reason not in get_args(StopReason):
            out.fail("unclear", f"{self._name}: the stop reason is {reason!r}")
        if again or not asked:
            return
        if all(each.sent.fails for each in asked) and reason == "no_evidence":
            label = asked[0].sent.label
            out.fail(
                "lost", f"{self._name} {self._options.get('search', '')}: no_evidence ({label})"
            )
        harmed = [each for each in asked if each.sent.label]
        quiet = not warnings and all(len(each.body["messages"]) == 2 for each in asked)
        if quiet and harmed and all(each.sent.loses for each in harmed):
            kinds = sorted({f"{kind_of(each.body)} {each.sent.label}" for each in harmed})
            out.fail("lost", f"lost without a warning: {kinds[0]}")

    def _judge_retries(self, asked: list[LoggedRequest]) -> None:
        """A status from 500 on passes; with one retry every such request comes twice."""
        if not self._retries:
            return
        times: dict[str, list[int]] = {}
        for each in asked:
            times.setdefault(repr(each.body), []).append(each.sent.status)
        for statuses in times.values():
            if len(statuses) == 1 and statuses[0] in _RETRIED:
                self._out.fail("lost", f"{self._name}: a status {statuses[0]} was not retried")


def kind_of(body: Any) -> str:
    """The kind of reply that a request asks for, in whatever mode."""
    if "response_format" in body:
        return str(body["response_format"]["json_schema"]["name"])
    if "tools" in body:
        return str(body["tools"][0]["function"]["name"])
    return _kinds()[_hash(body["messages"][0]["content"])]


@cache
def _kinds() -> dict[str, str]:
    """The kinds of replies by the hash of the system prompt that asks for them."""
    return {_hash(_system(prompt)): prompt.reply.__name__ for prompt in PROMPTS}


def _system(prompt: Prompt[Any]) -> str:
    text = resources.files("ragraphs.prompts").joinpath(f"{prompt.name}.md").read_text("utf-8")
    return text.partition("# System")[2].partition("# Human")[0].strip()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


async def _longest_standstill() -> float:
    """The longest work in one piece of the event loop's thread, told when it is cancelled.

    In its processor time, since other work of the machine delays it as well.
    """
    longest, before = 0.0, time.thread_time()
    try:
        while True:
            await asyncio.sleep(0.02)
            now = time.thread_time()
            longest, before = max(longest, now - before), now
    except asyncio.CancelledError:
        return max(longest, time.thread_time() - before)


PART = AttackPart("replies", 10_000, arena, trial, each=40, longest=120)
