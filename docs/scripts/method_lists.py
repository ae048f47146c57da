"""Writes the methods into files: ``python docs/scripts/method_lists.py langgraph.json PAGE``."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from ragraphs.graphs.methods import METHODS, Method

_TABLE = re.compile(r"(<!-- methods -->\n).*?(<!-- end of methods -->)", re.DOTALL)
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
    for file, written in zip(map(Path, sys.argv[1:]), (with_graphs, with_table), strict=True):
        file.write_text(written(file.read_text(encoding="utf-8")), encoding="utf-8")
