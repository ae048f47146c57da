"""Draws every graph into a Markdown file: ``python -m ragraphs.graphs README.md``.

A drawing stands between ``<!-- drawing: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

_DRAWING = re.compile(r"(<!-- drawing: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_drawings(markdown: str) -> str:
    """``markdown`` with every drawing made anew from its graph."""

    def draw(found: re.Match[str]) -> str:
        graph = import_module(f".{found[2]}", __package__).graph
        drawing = graph.get_graph(xray=True).draw_mermaid().strip()
        return f"{found[1]}```mermaid\n{drawing}\n```\n{found[3]}"

    return _DRAWING.sub(draw, markdown)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        file = Path(name)
        file.write_text(with_drawings(file.read_text(encoding="utf-8")), encoding="utf-8")
