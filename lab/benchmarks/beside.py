"""Questions beside an update: their times while another process changes one document.

``python -m lab.benchmarks.beside FOLDER`` takes a folder that ``lab.benchmarks.growth measure`` has
made. Its questions are asked in every way, first alone and then while one document comes, changes
and goes again, as often as that takes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median, quantiles

from ragraphs.evaluation.datasets import Dataset, load_dataset
from ragraphs.evaluation.retrieval import rankings_of
from ragraphs.index.opening import Index, open_index
from ragraphs.models.query_vectors import embed_queries
from ragraphs.state.errors import RagraphsError

from ..command import run
from .growth_parts import ASKED

_PAUSE = 0.1  # seconds between two questions, so that an update gets its turn


def main(folder: Path, rounds: int = 2) -> None:
    """Prints milliseconds of a question alone and beside updates, and how many failed."""
    dataset, index = load_dataset(folder), open_index(str(folder / "index"))
    _times(dataset, index, iter([True, False]).__next__)  # which loads the layers
    left = iter([True] * rounds + [False])
    alone, failed = _times(dataset, index, left.__next__)
    with _updating(folder, rounds) as updates:
        beside, also = _times(dataset, index, lambda: updates.poll() is None)
        done = updates.wait() == 0
    told = {"alone": _told(alone), "beside": _told(beside)}
    print(json.dumps({**told, "failed": failed + also, "updates_done": done}, indent=1))


def _updating(folder: Path, rounds: int) -> subprocess.Popen[bytes]:
    """A process that makes all changes so many times."""
    index = str(folder / "index")
    part = f"for change in CHANGES * {rounds}: changes.apply_change({index!r}, change)"
    begin = "import lab.benchmarks.growth_changes as changes; CHANGES = changes.CHANGES"
    return subprocess.Popen([sys.executable, "-c", f"{begin}\n{part}"])


def _times(
    dataset: Dataset, index: Index, goes_on: Callable[[], bool]
) -> tuple[dict[str, list[float]], int]:
    """Milliseconds of every question by the way that it was asked; how many failed."""
    found: dict[str, list[float]] = {name: [] for name in ASKED}
    failed = 0
    while goes_on():
        for asked in dataset.questions:
            embed_queries(index.embedder, [asked.question])
            for name, way in ASKED.items():
                ask = partial(rankings_of, dataset, [asked], index, *way)
                began = time.perf_counter()
                try:
                    failed += not ask()[0]
                except RagraphsError:
                    failed += 1
                found[name].append(1000 * (time.perf_counter() - began))
                time.sleep(_PAUSE / len(ASKED))
    return found, failed


def _told(times: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    return {
        name: {
            "questions": len(own),
            "median_ms": round(median(own), 1),
            "p95_ms": round(quantiles(own, n=20)[-1], 1),
        }
        for name, own in times.items()
    }


if __name__ == "__main__":
    run(main)
