"""The phases of a system: it indexes documents, and then answers questions, each in a process.

``python -m lab.peers.drivers.NAME PHASE TASK`` writes ``PHASE.json`` beside the file ``TASK``.
Nothing here imports anything but the standard library: it runs with any system's Python.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.request import urlopen

Ask = Callable[[str], Awaitable[str]]
WAIT = 3600  # seconds for a reply, which a person may write


@dataclass(frozen=True)
class Task:
    """Documents and questions, and the ``model`` and ``embeddings`` at ``url`` to be asked."""

    folder: Path
    url: str
    model: str
    embeddings: str
    dimension: int
    documents: list[dict[str, str]]
    questions: list[str]


def run(
    package: str, index: Callable[[Task], Awaitable[None]], opened: Callable[[Task], Awaitable[Ask]]
) -> None:
    """Runs the phase that the command line names; ``package`` is the system's distribution.

    The time of imports and of opening is no part of the seconds.
    """
    phase, file = sys.argv[1], Path(sys.argv[2])
    task = Task(folder=file.parent, **json.loads(file.read_text(encoding="utf-8")))
    os.environ |= {"OPENAI_BASE_URL": task.url, "OPENAI_API_KEY": "none"}
    found = asyncio.run(_indexed(index, task) if phase == "index" else _asked(opened, task))
    result = {"version": version(package), **found}
    text = json.dumps(result, ensure_ascii=False)
    file.with_name(f"{phase}.json").write_text(text, encoding="utf-8")


async def _indexed(index: Callable[[Task], Awaitable[None]], task: Task) -> dict[str, Any]:
    started = time.perf_counter(), time.process_time()
    await index(task)
    return {**_since(started), **_cost_at(task.url)}


async def _asked(opened: Callable[[Task], Awaitable[Ask]], task: Task) -> dict[str, Any]:
    ask = await opened(task)
    started, rows = (time.perf_counter(), time.process_time()), []
    _cost_at(task.url)  # of the index
    for question in task.questions:
        answer = await ask(question)
        rows.append({"answer": answer, **_cost_at(task.url)})
    return {"answers": rows, **_since(started)}


def _cost_at(url: str) -> dict[str, int]:
    """The requests since the last time, and their tokens."""
    with urlopen(f"{url}/asked") as reply:
        found: dict[str, int] = json.load(reply)
        return found


def _since(started: tuple[float, float]) -> dict[str, float]:
    """Seconds by the clock, and of the processor in this process."""
    return {
        "seconds": round(time.perf_counter() - started[0], 2),
        "processor": round(time.process_time() - started[1], 2),
    }
