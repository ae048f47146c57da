"""Part ``kills``: index runs are killed at any moment, and the next run completes them."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, get_args

from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import open_index
from ragraphs.settings import settings
from ragraphs.views.status import export_lines

from ..benchmarks.stub_model import MODEL
from ..benchmarks.stub_replies import stub_reply
from .hostile_replies import honest
from .hostile_server import HostileServer, Sent, serving
from .replies import LAYERS, kind_of
from .signs import KEY
from .trials import AttackPart, Trial

Kind = Literal["fresh", "update", "repair", "purge"]

_FORKS = get_context("fork")
_DOCUMENTS = 36
_CONCURRENCY = 4
_PAUSE = 0.01
_NAMES = "Ann Bell,Bob Carr,Cid Dorn,Dee Elm,Eve Fox,Gus Hill,Ivy Jones,Kim Lee,Max Noor".split(",")
_PLACES = "Rome,Paris,London,Leeds,Turin,Oslo,Vienna,Ghent".split(",")


@dataclass(frozen=True)
class Undisturbed:
    """The exports of runs that were not killed, and the seconds that each takes, by kind."""

    folder: str
    exports: dict[Kind, list[str]]
    seconds: dict[Kind, float]


@contextmanager
def arena() -> Iterator[Undisturbed]:
    """A folder with an index before each kind of run, and what the runs should come to."""
    with (
        tempfile.TemporaryDirectory(prefix="ragraphs-kills-") as folder,
        serving(_answer) as server,
    ):
        _point_to(server)
        place = Path(folder)
        _write_documents(place / "old", ())
        _write_documents(place / "new", range(0, _DOCUMENTS, 5))
        exports: dict[Kind, list[str]] = {}
        seconds: dict[Kind, float] = {}
        for kind in get_args(Kind):
            _prepare(place, place / "work", kind)
            started = time.monotonic()
            _in_process(_index, str(place / "work"), kind)
            seconds[kind] = time.monotonic() - started
            exports[kind] = _in_process(_export, str(place / "work"))
            if kind == "fresh":
                shutil.copytree(place / "work" / "index", place / "made")
        yield Undisturbed(folder, exports, seconds)


def trial(arena: Undisturbed, chance: random.Random, result: Trial) -> None:
    """A run that is killed; the next one gives what an undisturbed run gives, and pays no more."""
    kind: Kind = chance.choice(get_args(Kind))
    server = _server()
    _point_to(server)
    place = Path(tempfile.mkdtemp(prefix="trial-", dir=arena.folder))
    _prepare(Path(arena.folder), place, kind)
    part = chance.random()
    result.labels = [f"{kind} run"]
    result.figures["part"] = round(part, 3)
    server.asked.clear()
    _kill_within(str(place), kind, part * arena.seconds[kind])
    before = _answered(server)
    server.asked.clear()
    try:
        _in_process(_index, str(place), "update")
        found = _in_process(_export, str(place))
    except Exception as error:
        result.fail("crash", f"{kind}, killed at {part:.2f}: {error}")
        return
    if found != arena.exports[kind]:
        differ = set(found) ^ set(arena.exports[kind])
        some = sorted(differ)[0] if differ else "the order"
        result.fail("broken", f"{kind}, killed at {part:.2f}: {len(differ)} lines differ: {some}")
    twice = len(before & _answered(server))
    result.figures |= {"answered": len(before), "paid_twice": twice}
    # Requests in flight, and replies that have come and wait for one transaction.
    if twice > 2 * _CONCURRENCY:
        result.fail("lost", f"{kind}, killed at {part:.2f}: {twice} of {len(before)} paid twice")
    shutil.rmtree(place, ignore_errors=True)


def _write_documents(folder: Path, changed: Sequence[int]) -> None:
    """Writes invented facts; documents in ``changed`` differ, and some are new or gone."""
    folder.mkdir()
    for n in range(_DOCUMENTS):
        chance = random.Random(f"{n} {n in changed}")
        if changed and n % 11 == 3:
            continue
        name = f"new-{n}" if changed and n % 11 == 7 else str(n)
        lines = []
        for _ in range(6):
            one, other = chance.sample(_NAMES, 2)
            lines.append(
                f"{one} met {other} in {chance.choice(_PLACES)} in 18{chance.randint(10, 99)}."
            )
        (folder / f"{name}.txt").write_text(" ".join(lines))


def _prepare(arena: Path, place: Path, kind: Kind) -> None:
    """The documents, and for all but a fresh run the index, as they are before the run."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    shutil.copytree(arena / ("new" if kind in ("update", "purge") else "old"), place / "docs")
    if kind != "fresh":
        shutil.copytree(arena / "made", place / "index")


def _index(place: str, kind: Kind) -> None:
    os.chdir(place)
    settings.cache_clear()
    context = IndexContext(
        index="index",
        model=MODEL,
        embeddings="lexical",
        layers=LAYERS,
        concurrency=_CONCURRENCY,
        repair=kind == "repair",
        purge=kind == "purge",
    )
    index_graph.invoke({"sources": ["docs"]}, context=context)


def _export(place: str) -> list[str]:
    return list(export_lines(open_index(IndexContext(index=f"{place}/index"))))


def _kill_within(place: str, kind: Kind, seconds: float) -> None:
    run = _FORKS.Process(target=_index, args=(place, kind))
    run.start()
    run.join(seconds)
    if run.pid is not None and run.is_alive():
        os.kill(run.pid, signal.SIGKILL)
    run.join()


def _in_process(work: Callable[..., Any], *arguments: Any) -> Any:
    """The result of ``work`` in a process of its own. Raises RuntimeError where it fails."""
    ours, theirs = _FORKS.Pipe(duplex=False)

    def run() -> None:
        try:
            theirs.send((work(*arguments), None))
        except Exception as error:
            theirs.send((None, f"{type(error).__name__}: {error}"))

    process = _FORKS.Process(target=run)
    process.start()
    theirs.close()
    try:
        found, problem = ours.recv()
    except EOFError:
        found, problem = None, "the run died"
    process.join()
    if problem is not None:
        raise RuntimeError(problem)
    return found


def _answer(path: str, body: Any) -> Sent:
    time.sleep(_PAUSE)
    return honest(stub_reply(kind_of(body), body["messages"][1]["content"]), body)


@cache
def _server() -> HostileServer:
    return HostileServer(_answer)


def _point_to(server: HostileServer) -> None:
    os.environ |= {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": KEY}
    settings.cache_clear()


def _answered(server: HostileServer) -> set[str]:
    return {hashlib.sha256(repr(each.body).encode()).hexdigest() for each in server.asked}


PART = AttackPart("kills", 40, arena, trial, each=1000, longest=240)
