"""Processor time of questions to an index in a folder and to its copy in PostgreSQL, by turns.

``RAGRAPHS_DATABASE=... python -m lab.benchmarks.by_turns FOLDER NAME --server PID`` asks questions
of the set in FOLDER, where ``growth measure`` left it with its index, each of both indexes before
the next: other work on the machine then weighs on both alike. PID is the server's first process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import mean
from typing import Annotated

import typer
from ragraphs.evaluation.datasets import load_dataset
from ragraphs.evaluation.retrieval import rankings_of
from ragraphs.index.opening import open_index
from ragraphs.models.query_vectors import embed_queries

from ..command import run
from ..measuring import processor_seconds, processor_seconds_of
from .growth_parts import ASKED

_DATABASE = "RAGRAPHS_DATABASE"
_WARMING = 2  # questions


def main(
    folder: Path,
    name: str,
    server: int = typer.Option(),
    questions: int = 40,
    way: Annotated[
        list[str] | None, typer.Option(help="Only this one; several may be named.")
    ] = None,
) -> None:
    """Milliseconds of a processor a question, of the process that asks and of the server's."""
    asks = {
        "folder": _started(folder, str(folder / "index"), None),
        "PostgreSQL": _started(folder, name, server),
    }
    for one in way or ASKED:
        own, others = measured(asks, one, questions)
        ratio = (own["PostgreSQL"] + others) / own["folder"]
        print(
            f"{one}: {own['folder']:.1f} in the folder, {own['PostgreSQL']:.1f} + {others:.1f} in "
            f"PostgreSQL, ratio {ratio:.2f}",
            flush=True,
        )


def measured(
    asks: Mapping[str, Connection], way: str, questions: int
) -> tuple[dict[str, float], float]:
    """The mean milliseconds of both processes, and of the server."""
    own: dict[str, list[float]] = {name: [] for name in asks}
    others = list[float]()
    for number in range(questions + _WARMING):
        for name, ask in asks.items():
            ask.send((way, number))
            spent, of_server = ask.recv()
            if number >= _WARMING:
                own[name].append(1000 * spent)
                others += [1000 * of_server] if name == "PostgreSQL" else []
    return {name: mean(times) for name, times in own.items()}, mean(others)


def _started(folder: Path, index: str, server: int | None) -> Connection:
    context = get_context("spawn")
    here, there = context.Pipe()
    context.Process(target=_answer, args=(there, folder, index, server), daemon=True).start()
    return here


def _answer(asked: Connection, folder: Path, index: str, server: int | None) -> None:
    """Asks the questions of the set in ``folder`` that come, and sends the seconds they took."""
    if server is None:
        os.environ.pop(_DATABASE, None)
    dataset, opened = load_dataset(folder), open_index(index)
    with suppress(EOFError):  # once all is asked
        while True:
            way, number = asked.recv()
            question = dataset.questions[number]
            embed_queries(opened.embedder, [question.question])
            others = 0.0 if server is None else processor_seconds_of(server)
            own = processor_seconds()
            rankings_of(dataset, [question], opened, *ASKED[way])
            own = processor_seconds() - own
            asked.send((own, 0.0 if server is None else processor_seconds_of(server) - others))


if __name__ == "__main__":
    run(main)
