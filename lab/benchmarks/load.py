"""Measures ``ragraphs serve`` under many clients at once, with the offline reader.

``python -m lab.benchmarks.load SET --clients 200 --seconds 180``: each client asks
one question of the set after another. Beside them ``/health`` is asked twice a second, and notes
are uploaded and indexed, one after another. A client that is refused waits as long as it is told.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Annotated, Any

import httpx
import typer
from ragraphs.context import IndexContext
from ragraphs.evaluation.datasets import load_dataset
from ragraphs.evaluation.retrieval import indexed

from ..command import run
from .dev_server import ragraphs_serve

_PATIENCE = 120.0  # seconds
_PAUSE = 0.5
_PLAIN = ssl.create_default_context()  # made once, since it takes long, and is not used


@dataclass
class Seen:
    """Status and seconds of every request of a kind, and what else went wrong."""

    seconds: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)

    @asynccontextmanager
    async def timed(self) -> AsyncIterator[Callable[[int], None]]:
        """Notes how long the request in the block took, and the status that the block tells."""
        status, began = 0, time.perf_counter()

        def note(given: int) -> None:
            nonlocal status
            status = given

        try:
            yield note
        except httpx.HTTPError as error:
            self.errors[type(error).__name__] += 1
        else:
            self.seconds[status].append(time.perf_counter() - began)

    def table(self) -> dict[str, Any]:
        """The number of requests by their status, and the time that those with 200 took."""
        counts: dict[str, Any] = {str(status): len(all) for status, all in self.seconds.items()}
        return {**counts, **self.errors, **_percentiles(self.seconds[200])}


def _percentiles(seconds: Sequence[float]) -> dict[str, float]:
    if len(seconds) < 2:
        return {"longest": round(max(seconds), 3)} if seconds else {}
    hundredths = quantiles(seconds, n=100, method="inclusive")
    places = {"p50": hundredths[49], "p99": hundredths[98], "longest": max(seconds)}
    return {name: round(value, 3) for name, value in places.items()}


def main(
    dataset: str,
    clients: Annotated[int, typer.Option(min=1)] = 200,
    seconds: Annotated[float, typer.Option(min=1)] = 180,
    method: str = "auto",
    workers: int = 1,
    questions_at_once: int | None = None,
) -> None:
    """Prints what questions, ``/health`` and the indexing of notes met."""
    found = load_dataset(dataset)
    asked = [each.question for each in found.questions]
    environment = {"RAGRAPHS_UPLOADS": "uploads"}
    if questions_at_once is not None:
        environment["RAGRAPHS_QUESTIONS"] = str(questions_at_once)
    with indexed(found.sources, IndexContext(embeddings="lexical")) as (index, _):
        options = ("--index", index.folder.name, "--workers", str(workers))
        with ragraphs_serve(index.folder.parent, *options, **environment) as server:
            load = _Load(server.url, asked, method, time.perf_counter() + seconds)
            result = asyncio.run(load.put(clients))
    size = {"set": found.name, "clients": clients, "seconds": seconds, "workers": workers}
    print(json.dumps({**size, **result}))


@dataclass
class _Load:
    url: str
    questions: Sequence[str]
    method: str
    latest: float
    asked: Seen = field(default_factory=Seen)
    health: Seen = field(default_factory=Seen)
    notes: Seen = field(default_factory=Seen)

    async def put(self, clients: int) -> dict[str, Any]:
        """Does everything at once until the time is over."""
        began = time.perf_counter()
        asking = [self._repeat(self._ask, number) for number in range(clients)]
        await asyncio.gather(*asking, self._repeat(self._look), self._repeat(self._add))
        rate = len(self.asked.seconds[200]) / (time.perf_counter() - began)
        parts = {"ask": self.asked, "health": self.health, "note": self.notes}
        tables = {name: seen.table() for name, seen in parts.items()}
        return {"answered_a_second": round(rate, 2), **tables}

    async def _repeat(
        self, work: Callable[[httpx.AsyncClient, int], Awaitable[float]], number: int = 0
    ) -> None:
        # Each has a client of its own: a pool looks at all its connections for each request.
        client = httpx.AsyncClient(base_url=self.url, timeout=_PATIENCE, verify=_PLAIN)
        async with client:
            while time.perf_counter() < self.latest:
                pause = await work(client, number)
                number += 1
                await asyncio.sleep(min(pause, max(0.0, self.latest - time.perf_counter())))

    async def _ask(self, client: httpx.AsyncClient, number: int) -> float:
        question = self.questions[number % len(self.questions)]
        pause = 0.0
        async with self.asked.timed() as note:
            answer = await client.post("/ask", json={"question": question, "method": self.method})
            note(answer.status_code)
            pause = float(answer.headers.get("Retry-After", 0))
        return pause

    async def _look(self, client: httpx.AsyncClient, number: int) -> float:
        async with self.health.timed() as note:
            note((await client.get("/health")).status_code)
        return _PAUSE

    async def _add(self, client: httpx.AsyncClient, number: int) -> float:
        """Uploads a note and indexes it; indexing that does not end well counts as status 500."""
        text = f"# Note {number}\n\nThe bridge number {number} was designed by Ada Byron."
        async with self.notes.timed() as note:
            files = {"files": (f"note-{number}.md", text.encode())}
            kept = (await client.post("/page/upload", files=files)).raise_for_status().json()
            answer = await client.post("/page/index", json={"paths": kept["paths"]})
            is_done = "event: done" in answer.text
            note(answer.status_code if is_done or answer.status_code != 200 else 500)
        return _PAUSE


if __name__ == "__main__":
    run(main)
