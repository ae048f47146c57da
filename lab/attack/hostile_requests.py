"""Hostile requests to a LangGraph server: odd inputs, settings, paths, bodies, resumes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ragraphs.graphs import CONTEXTS
from ragraphs.graphs.methods import METHODS

from .hostile_filters import odd_call, odd_filter, odd_limits, odd_metadata
from .hostile_values import ESCAPES, ODD_STRINGS, deep, odd_value, spelled

GRAPHS = (*METHODS, "router")
QUESTION = "Who designed the Forth Bridge?"
FILTERED = "filtered"  # an index of documents with metadata
_PATHS = (
    "..", "../other", "../../etc", "/etc", "/", "~", "~root", "docs/../..", "a/b", "linked",
    "file:///etc/passwd", "http://127.0.0.1/x", "docs\x00.txt", "\x00", "", ".", "docs/*",
    "/**", "**/**/**/**/**", "docs/[", "linked/*", "docs/link.txt", "a" * 300, "a" * 100_000, "CON",
    "docs/nothing.md", ".env", "langgraph.json", "/proc/self/environ", "docs\\..\\..", "%2e%2e/",
    "\ud800", ESCAPES, "-rf", "$HOME", "log", ".ragraphs/catalogue.sqlite", "missing",
)  # fmt: skip
_MODELS = (
    "openai:other", "anthropic:x", "openai:", ":", "offline ", "file:///x", "../x", "ollama:x",
    "openai:attack", "google_genai:x", "bedrock:x", "x" * 10_000, "\x00", "http://127.0.0.1/", "",
)  # fmt: skip
_EMBEDDINGS = (
    "openai:other", "openai:text-embedding-3-small", "fastembed:evil/model@/etc", "lexical", "auto",
    "fastembed:../../x", "fastembed:", "openai:", "", "x", "http://127.0.0.1/", "fastembed:x@..",
)  # fmt: skip
_UNKNOWN = (
    "topk", "top-k", "Top_K", "modle", "api_key", "openai_base_url", "openai_api_key", "root",
    "max_call", "methods", "index_name", "prompts", "chroma_url", "__class__", "unheard_of",
)  # fmt: skip


@dataclass(frozen=True)
class HostileRequest:
    """A request: its kind, where it goes, its body, and the unknown settings that it names."""

    label: str
    path: str
    body: Any = None
    raw: bytes | None = None
    method: str = "POST"
    headers: dict[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    @property
    def data(self) -> bytes:
        """The bytes of the body."""
        return spelled(self.body).encode() if self.raw is None else self.raw

    def __str__(self) -> str:
        return f"{self.path} {self.data[:300].decode('utf-8', 'replace')}"


def run(
    graph: str, given: Any, context: Any = None, *, label: str = "", **more: Any
) -> HostileRequest:
    """A run of ``graph`` without a thread, whose end the client waits for."""
    body = {"assistant_id": graph, "input": given, "context": {} if context is None else context}
    return HostileRequest(label, "/runs/wait", body | more)


def draw(chance: random.Random) -> HostileRequest:
    """One hostile request."""
    return chance.choices([each for each, _ in _FAMILIES], [share for _, share in _FAMILIES])[0](
        chance
    )


def _graph(chance: random.Random) -> str:
    return chance.choice((*GRAPHS, "index"))


def _good_input(graph: str) -> Any:
    if graph == "index":
        return {"documents": [{"id": "a", "text": "A text about Ann Bell in Rome."}]}
    return {"question": QUESTION}


def _odd_input(chance: random.Random) -> HostileRequest:
    graph = _graph(chance)
    odd = odd_value(chance)
    messages: tuple[Any, ...] = (
        odd, [odd], [{"role": "user", "content": odd}], [{"role": odd, "content": "x"}],
        [{"type": "human", "content": [{"type": "text", "text": odd}]}], [{"content": "x"}],
        [{"role": "user", "content": [{"type": "image_url", "image_url": "file:///etc/passwd"}]}],
    )  # fmt: skip
    forms: tuple[Any, ...] = (
        odd, {"question": odd}, {"question": odd}, {"messages": chance.choice(messages)}, {},
        {"question": QUESTION, "answer": odd}, {"question": QUESTION, "usage": odd},
        {"question": QUESTION, "evidence": odd, "nonsense": odd}, {"question": "a" * 1_000_000},
        {"question": QUESTION, "decision": odd, "tried": odd}, {"questions": [QUESTION]},
    )  # fmt: skip
    return run(graph, chance.choice(forms), _own(chance, graph), label="odd input")


def _odd_index_input(chance: random.Random) -> HostileRequest:
    odd = odd_value(chance)
    text = chance.choice((odd, "A text.", "a" * 500_000, "{" * 10_000))
    documents: tuple[Any, ...] = (
        odd, [odd], [{"id": odd, "text": "x"}], [{"id": "a", "text": text}], [{"text": "x"}],
        [{"id": "a"}], [{"id": "a", "text": "x", "title": odd}], {"id": "a", "text": "x"},
        [{"id": "a", "text": "x", "nonsense": odd}], [{"id": "same", "text": "x"}] * 3,
        [{"id": str(n), "text": "x"} for n in range(300)], [["id", "a"]],
        [{"id": "../../x", "text": "x", "title": "t" * 100_000}],
    )  # fmt: skip
    forms: tuple[Any, ...] = (
        {"documents": chance.choice(documents)}, {"documents": chance.choice(documents)},
        {"sources": odd}, {"sources": [odd]}, {"remove": odd}, {"remove": [odd]},
        {"triples": odd}, {"triples": [odd]}, {"sources": ["docs"], "remove": ["docs"]},
        {"nonsense": odd, "documents": []}, {"inline": odd, "files": ["/etc/passwd"]},
        {"gone": ["docs/forth.txt"], "sources": []},
    )  # fmt: skip
    return run("index", chance.choice(forms), _own(chance, "index"), label="odd index input")


def _own(chance: random.Random, graph: str) -> dict[str, Any]:
    """Settings that keep an index run off the index which honest questions ask."""
    return {"index": f"own{chance.randrange(4)}"} if graph == "index" else {}


def _path(chance: random.Random) -> HostileRequest:
    path = chance.choice(_PATHS)
    forms: tuple[tuple[Any, Any], ...] = (
        ({"sources": [path]}, {"index": "paths"}), ({"triples": [path]}, {"index": "paths"}),
        ({"remove": [path]}, {"index": "paths"}), ({"sources": ["docs"]}, {"index": path}),
        ({"documents": [{"id": path, "text": "x"}]}, {"index": "paths"}),
    )  # fmt: skip
    if chance.random() < 0.4:
        graph = chance.choice(GRAPHS)
        return run(graph, {"question": QUESTION}, {"index": path}, label="index by a path")
    given, context = chance.choice(forms)
    return run("index", given, context, label="path")


def _setting(chance: random.Random) -> HostileRequest:
    """A known setting with an odd value."""
    graph = _graph(chance)
    fields = _fields(graph)
    names = chance.sample(fields, chance.randint(1, 2))
    context = {**_own(chance, graph), **{name: odd_value(chance) for name in names}}
    label = "odd setting"
    if chance.random() < 0.1:
        return run(graph, _good_input(graph), odd_value(chance), label="odd context")
    return run(graph, _good_input(graph), context, label=label)


def _fields(graph: str) -> list[str]:
    return list(CONTEXTS[graph].model_fields)


def _unknown(chance: random.Random) -> HostileRequest:
    graph = _graph(chance)
    names = tuple(chance.sample(_UNKNOWN, chance.choice((1, 1, 2))))
    context = {**_own(chance, graph), **dict.fromkeys(names, odd_value(chance))}
    body = run(graph, _good_input(graph), context).body
    path = chance.choice(("/runs/wait", "/runs/wait", "/runs/stream"))
    return HostileRequest("unknown setting", path, body, unknown=names)


def _names(chance: random.Random) -> HostileRequest:
    """A model, or embeddings, that the operator did not allow."""
    graph = _graph(chance)
    if graph == "index" and chance.random() < 0.6:
        context = {
            "index": f"fresh{chance.randrange(10**6)}",
            "embeddings": chance.choice(_EMBEDDINGS),
        }
        return run(graph, _good_input(graph), context, label="embeddings not allowed")
    key = chance.choice(("model", "small_model"))
    context = {**_own(chance, graph), key: chance.choice(_MODELS)}
    return run(graph, _good_input(graph), context, label="model not allowed")


def _config(chance: random.Random) -> HostileRequest:
    graph = _graph(chance)
    odd = odd_value(chance)
    more: dict[str, Any] = chance.choice(
        (
            {"config": odd}, {"config": {"configurable": odd}}, {"config": {"tags": odd}},
            {"config": {"configurable": {"thread_id": odd, "checkpoint_ns": odd}}},
            {"config": {"tags": odd, "metadata": odd}}, {"metadata": odd}, {"stream_mode": odd},
            {"interrupt_before": odd}, {"interrupt_after": odd},
            {"config": {"recursion_limit": odd}},
            {"multitask_strategy": odd}, {"on_completion": odd}, {"durability": odd},
            {"checkpoint": odd}, {"command": odd}, {"command": {"goto": odd}},
            {"command": {"update": odd}}, {"stream_subgraphs": odd}, {"if_not_exists": odd},
            {"config": {"configurable": {"__pregel_read": odd}}}, {"after_seconds": odd},
            {"assistant_id": odd}, {"input": None, "command": {"resume": odd}},
        )
    )  # fmt: skip
    body = run(graph, _good_input(graph), _own(chance, graph)).body
    return HostileRequest("odd config", chance.choice(("/runs/wait", "/runs/stream")), body | more)


def _raw(chance: random.Random) -> HostileRequest:
    forms: tuple[bytes, ...] = (
        b"", b"{", b"null", b"[]", b"\xff\xfe", deep(20_000).encode(), b"[" * 100_000, b"9" * 5000,
        b'{"assistant_id": "basic", "assistant_id": 5}', b'{"input": ' + b"9" * 5000 + b"}",
        b'{"assistant_id": "basic", "input": {"question": "\\ud800"}}', b"a" * 1_000_000,
        b'{"assistant_id": "basic", "input": {"question": NaN}}',
    )  # fmt: skip
    kind = chance.choice(("application/json", "text/plain", "multipart/form-data", ""))
    path = chance.choice(("/runs/wait", "/runs/stream", "/threads", "/assistants/search", "/mcp"))
    return HostileRequest(
        "odd body", path, raw=chance.choice(forms), headers={"Content-Type": kind}
    )


def _route(chance: random.Random) -> HostileRequest:
    odd = chance.choice(("x", "..%2f..%2fetc", "0" * 300, "%00", "basic", "-1", "'"))
    place = chance.choice(
        (
            f"/threads/{odd}", f"/threads/{odd}/state", f"/threads/{odd}/runs/wait", f"/runs/{odd}",
            f"/assistants/{odd}", f"/assistants/{odd}/graph?xray=99999", "/../../etc/passwd",
            f"/assistants/{odd}/schemas",
            "/store/items", "/runs/crons", f"/ui/{odd}", "/docs", "/info?x=%00",
            "/runs/batch", "/store/namespaces", f"/mcp/{odd}", "/metrics", f"/{odd}",
        )
    )  # fmt: skip
    body = {"assistant_id": "basic", "input": odd_value(chance), "namespace": odd_value(chance)}
    method = chance.choice(("GET", "POST", "POST", "PUT", "DELETE", "PATCH"))
    return HostileRequest("odd route", place, body, method=method)


def _mcp(chance: random.Random) -> HostileRequest:
    headers = {"Accept": "application/json, text/event-stream"}
    return HostileRequest("MCP", "/mcp", odd_call(chance, QUESTION), headers=headers)


def _filter(chance: random.Random) -> HostileRequest:
    """A question of the documents with the metadata in ``KEPT``."""
    graph = chance.choice(GRAPHS)
    context = {"index": FILTERED, "where": odd_filter(chance), "top_k": 20}
    return run(graph, {"question": QUESTION}, context, label="odd filter")


def _metadata(chance: random.Random) -> HostileRequest:
    document = {"id": "a", "text": "A text of Ann Bell.", "metadata": odd_metadata(chance)}
    return run("index", {"documents": [document]}, _own(chance, "index"), label="odd metadata")


def _limits(chance: random.Random) -> HostileRequest:
    graph = _graph(chance)
    context = {**_own(chance, graph), **odd_limits(chance)}
    if graph == "index":
        context = {k: v for k, v in context.items() if k not in ("max_calls", "max_seconds")}
    if chance.random() < 0.5:
        context["model"] = "openai:attack"
    return run(graph, _good_input(graph), context, label="odd limits")


def resumes(chance: random.Random) -> tuple[Any, bool]:
    """A resume of a run that asks whether it may search the web, and whether it allows it."""
    no: tuple[Any, ...] = (
        "", " ", "no", "No.", "nein", "n", "0", "maybe", "stop", "never", 5, 0, -1, None, {}, [],
        {"x": 1}, [[]], [None], [5], [""], ["q"] * 4, ["q"] * 1000, "no, thank you", "아니",
        "yesterday", {"queries": ["q"]}, [{"q": 1}], False, "what?", "취소", *ODD_STRINGS[:14],
    )  # fmt: skip
    yes: tuple[Any, ...] = (True, "yes", "Yes", " y ", ["my words"], ["a", "b", "c"], "네")
    return (chance.choice(yes), True) if chance.random() < 0.25 else (chance.choice(no), False)


_FAMILIES: tuple[tuple[Callable[[random.Random], HostileRequest], float], ...] = (
    (_odd_input, 20),
    (_odd_index_input, 18),
    (_path, 15),
    (_setting, 15),
    (_unknown, 8),
    (_names, 8),
    (_config, 6),
    (_raw, 4),
    (_route, 4),
    (_mcp, 8),
    (_filter, 12),
    (_metadata, 6),
    (_limits, 5),
)
