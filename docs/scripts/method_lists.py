"""Writes the methods into files.

``python docs/scripts/method_lists.py langgraph.json docs/methods/index.md docs/methods/router.md``
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from ragraphs.algorithms.router.decision import (
    Lack,
    QuestionKind,
    feasible,
    first_method,
    next_method,
)
from ragraphs.context import RouterContext
from ragraphs.graphs.methods import METHODS, Method
from ragraphs.state.found import NOTHING, Found

_TABLE = re.compile(r"(<!-- methods -->\n).*?(<!-- end of methods -->)", re.DOTALL)
_LAYERS: tuple[tuple[str, ...], ...] = (
    (),
    ("hops",),
    ("entities",),
    ("entities", "communities"),
    ("hops", "entities", "communities"),
)
_CITED: Found = {**NOTHING, "citations": [{"passage": ""}], "missing": ["?"]}  # type: ignore[typeddict-item]
_SITUATIONS: tuple[tuple[str, QuestionKind, Lack, Found], ...] = (
    ("several parts, or several facts missing", "fact", "parts", _CITED),
    ("one fact about something that the texts name", "fact", "fact", _CITED),
    ("how things that the question names are related", "fact", "relation", _CITED),
    ("a text between, since no search finds the fact", "fact", "bridge", _CITED),
    ("all: no text speaks of it", "fact", "fact", {**NOTHING, "missing": ["?"]}),
    ("the whole, or one subject", "whole", "fact", _CITED),
    ("something recent", "fresh", "fact", _CITED),
)
_PAGES = Path(__file__).parents[1] / "methods"


def with_graphs(text: str) -> str:
    """The ``langgraph.json`` in ``text`` with a graph for each method, between router and index."""
    config = json.loads(text)
    others = config["graphs"]
    methods = {name: _graph(method) for name, method in METHODS.items()}
    config["graphs"] = {"router": others["router"], **methods, "index": others["index"]}
    return json.dumps(config, indent=2, ensure_ascii=False) + "\n"


def with_table(text: str) -> str:
    """The Markdown ``text`` with the table of the methods between its two comments."""
    rows = "\n".join(map(_row, METHODS.values()))
    head = "| method | its way | choose it for | model calls at least | layers |"
    table = f"\n{head}\n|---|---|---|---|---|\n{rows}\n\n"
    return _TABLE.sub(lambda found: found[1] + table + found[2], text)


def with_routes(text: str) -> str:
    """The Markdown ``text`` with the table of what the router tries, from its own decisions."""
    names = [" + ".join(f"`{layer}`" for layer in layers) or "no layer" for layers in _LAYERS]
    head = f"| what is missing | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}"
    rows = [
        f"| {told} | {' | '.join(_cell(kind, lack, found, one) for one in _LAYERS)} |"
        for told, kind, lack, found in _SITUATIONS
    ]
    table = f"\n{head}\n" + "\n".join(rows) + "\n\n"
    return _TABLE.sub(lambda found: found[1] + table + found[2], text)


def _cell(kind: QuestionKind, lack: Lack, found: Found, layers: tuple[str, ...]) -> str:
    """The titles of the methods in turn, without and with a web search where these differ."""
    ways = [
        " → ".join(METHODS[name].title for name in route(kind, lack, found, layers, web))
        for web in (False, True)
    ]
    return ways[0] if ways[0] == ways[1] else f"{ways[0]}; web: {ways[1]}"


def route(
    kind: QuestionKind, lack: Lack, found: Found, layers: tuple[str, ...], web: bool
) -> list[str]:
    """The methods that the router tries by default where none is sufficient."""
    kinds: dict[QuestionKind, float] = {"fact": 0.0, "whole": 0.0, "about": 0.0, "fresh": 0.0}
    kinds[kind] = 1.0
    settings = RouterContext()
    tried = [
        first_method(kinds, METHODS, feasible(METHODS, layers, settings.max_calls), web).method
    ]
    obstacles = feasible(METHODS, layers, settings.max_calls - METHODS[tried[0]].calls, True)
    while len(tried) <= settings.escalations:
        following = next_method(kinds, found, tried, obstacles, web, lack)
        if following is None:
            break
        tried.append(following.method)
    return tried


def _graph(method: Method) -> dict[str, str]:
    way = method.description[0].lower() + method.description[1:]
    path = f"ragraphs.graphs.{method.name}:graph"
    return {"path": path, "description": f"{method.title}: {way} For {method.suits}."}


def _row(method: Method) -> str:
    has_page = (_PAGES / f"{method.name}.md").exists()
    name = f"[{method.title}]({method.name}.md)" if has_page else method.title
    layers = ", ".join(f"`{layer}`" for layer in method.layers) or "–"
    cells = (name, method.description, method.suits, str(method.calls), layers)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    writers = (with_graphs, with_table, with_routes)
    for file, written in zip(map(Path, sys.argv[1:]), writers, strict=True):
        file.write_text(written(file.read_text(encoding="utf-8")), encoding="utf-8")
