"""Microsoft's GraphRAG with communities of the whole graph, not of its largest component alone."""

from __future__ import annotations

from functools import partial

from .graphrag import index, opened
from .phases import run

if __name__ == "__main__":
    run("graphrag", partial(index, largest=False), partial(opened, largest=False))
