"""Processor time of making the passage graph and the hops of an index once more.

``python -m lab.benchmarks.update_parts INDEX`` makes each three times from what is there, which
nothing has changed, and stores nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from ragraphs.index import hop_edges, sentences
from ragraphs.index.opening import Index, open_index
from ragraphs.stores.arrays import Scratch

from ..command import run

_TIMES = 3
_PARTS: dict[str, Callable[[Index, Scratch], object]] = {
    "graph": sentences._link_passages,
    "hops": hop_edges.make_hops,
}


def main(index: str) -> None:
    """Prints the least processor seconds of each part."""
    opened = open_index(index)
    opened.embedder.embed(["warm up"])
    for name, make in _PARTS.items():
        print(f"{name}: {min(_seconds(opened, make) for _ in range(_TIMES)):.2f}")


def _seconds(index: Index, make: Callable[[Index, Scratch], object]) -> float:
    with TemporaryDirectory(prefix="ragraphs-") as folder:
        began = time.thread_time()
        make(index, Scratch(Path(folder)))
        return time.thread_time() - began


if __name__ == "__main__":
    run(main)
