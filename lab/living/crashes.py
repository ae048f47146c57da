"""One index lives on while its runs are killed at random moments, and questions are asked of it."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, get_args

from ragraphs.context import IndexContext, LayerName
from ragraphs.graphs import graph_of
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import open_index
from ragraphs.models.protocol import OFFLINE
from ragraphs.settings import settings

from ..attack.hostile_replies import honest
from ..attack.hostile_server import HostileServer, Sent, serving
from ..attack.replies import kind_of
from ..attack.signs import KEY
from ..benchmarks.stub_model import MODEL
from ..benchmarks.stub_replies import stub_reply
from .comparing import Differences, compare
from .documents import QUESTIONS, LivingFolder, editions

RunKind = Literal["update", "repair", "purge"]

_PROCESSES = get_context("forkserver")
_PRELOADED = ["lab.attack.preloaded", "lab.living.crashes"]
_LAYERS = list(get_args(LayerName))
_CONCURRENCY = 4
_PAUSE = 0.01  # seconds that the model takes for a reply
_FILES = 30
_MOST_CHANGES = 6
_CHANCES: dict[RunKind, float] = {"update": 0.8, "repair": 0.1, "purge": 0.1}
_COMPARED_EVERY = 5  # kills, on average
_ASKED: list[tuple[str, dict[str, Any]]] = [
    ("basic", {}),
    ("hoprag", {}),
    ("tog2", {}),
    ("graphrag", {"search": "local"}),
    ("graphrag", {"search": "global"}),
]
_LONGEST = 600.0  # seconds of a run that is not killed


@dataclass
class Crashes:
    """The kills so far, what came of them, and the seconds that a run takes which is not killed."""

    longest: float = 5.0
    kinds: Counter[str] = field(default_factory=Counter)
    compared: int = 0
    problems: list[str] = field(default_factory=list)


def live_with_crashes(
    place: Path, seconds: float, seed: int, tell: Callable[[str], None]
) -> dict[str, Any]:
    """Kills runs of an index for so many seconds; the figures of it, and all problems met.

    After some kills one run comes to its end, and its index is compared with a fresh one.
    """
    chance = random.Random(seed)
    folder, found = LivingFolder(place / "docs", chance, _FILES), Crashes()
    folder.fill()
    with serving(_answer) as server:
        os.environ["OPENAI_API_KEY"] = KEY
        _PROCESSES.set_forkserver_preload(_PRELOADED)
        account = Account(server)
        _in_process(_index, place, "index", "update", account.begin())
        account.end()
        until = time.monotonic() + seconds
        with _questions(place) as asked:
            while time.monotonic() < until:
                for _ in range(chance.randrange(_MOST_CHANGES + 1)):
                    folder.change()
                [kind] = chance.choices(list(_CHANCES), list(_CHANCES.values()))
                seconds_left = chance.uniform(0, found.longest)
                code = _kill_within(seconds_left, place, kind, account.begin())
                found.kinds[kind if code is None else "ended before the kill"] += 1
                if code == 0:
                    account.end()
                elif code is not None:
                    found.problems.append(f"a run failed after {found.kinds.total()} runs")
                if chance.random() * _COMPARED_EVERY < 1:
                    _complete(place, account, found)
                    tell(f"{found.kinds.total()} runs, {found.compared} compared")
            _complete(place, account, found)
            return _figures(found, account, asked(), seconds)


class Account:
    """The requests that the model answered, by the run that asked: each has an address of its own.

    A request that is paid twice counts for the run that paid first, and was killed before it had
    stored the reply. That may be several runs ago. A run that ends forgets replies of before: of
    a file that moves later on, or a summary that is needed again, they are asked for again.
    """

    def __init__(self, server: HostileServer) -> None:
        self._server, self._ended, self._runs = server, list[int](), 0
        self.elsewhere = f"{server.url}/fresh/v1"  # for indexes of which nothing is counted

    def begin(self) -> str:
        """The address of the model for the next run."""
        self._runs += 1
        return f"{self._server.url}/{self._runs}/v1"

    def end(self) -> None:
        """Notes that the run came to its end."""
        self._ended.append(self._runs)

    def paid(self) -> dict[str, int]:
        """The number of requests that were answered, and of those paid twice."""
        payers: dict[str, list[int]] = {}
        for one in self._server.asked:
            run = one.path.split("/")[1]
            if run.isdecimal():
                payers.setdefault(repr(one.body), []).append(int(run))
        lost, forgotten = Counter[int](), 0
        for first, again in chain.from_iterable(map(pairwise, map(sorted, payers.values()))):
            if any(first < run < again for run in self._ended):
                forgotten += 1
            else:
                lost[first] += 1
        killed = [number for run, number in lost.items() if run not in self._ended]
        return {
            "requests_answered": sum(map(len, payers.values())),
            "paid_twice": sum(killed),
            "paid_twice_after_one_kill": max(killed, default=0),
            "paid_twice_without_a_kill": lost.total() - sum(killed),
            "asked_again_once_forgotten": forgotten,
        }


def _complete(place: Path, account: Account, found: Crashes) -> None:
    """Brings the index up to date, and compares it with a fresh one; one that differs is kept."""
    fresh = f"fresh{found.compared}"
    try:
        started = time.monotonic()
        _in_process(_index, place, "index", "update", account.begin())
        account.end()
        found.longest = time.monotonic() - started
        differences, broken = _in_process(_compared, place, fresh, account.elsewhere)
        found.compared += 1
    except RuntimeError as error:
        found.problems.append(f"after {found.kinds.total()} runs: {error}")
        return
    if differences.other_edges:
        broken.append(f"{differences.other_edges} of {differences.edges} edges differ")
    problems = [*differences.sentences, *broken]
    if not problems:
        shutil.rmtree(place / fresh)
    found.problems += [f"after {found.kinds.total()} runs: {one}" for one in problems]


def _figures(
    found: Crashes, account: Account, asked: list[dict[str, Any]], seconds: float
) -> dict[str, Any]:
    failed = Counter(one["problem"] for one in asked if one["problem"])
    paid = account.paid()
    if paid["paid_twice_after_one_kill"] > _CONCURRENCY or paid["paid_twice_without_a_kill"]:
        found.problems.append("requests were paid twice that were not under way")
    times = sorted(one["seconds"] for one in asked)
    return {
        "seconds": seconds,
        "runs": dict(found.kinds),
        "compared": found.compared,
        **paid,
        "at_once": _CONCURRENCY,
        "questions": len(asked),
        "median_seconds": times[len(times) // 2] if times else None,
        "slowest_seconds": times[-1] if times else None,
        "questions_with_a_problem": dict(failed),
        "problems": found.problems,
    }


def _context(place: Path, name: str, **fields: Any) -> IndexContext:
    return IndexContext(
        index=str(place / name),
        model=MODEL,
        embeddings="lexical",
        layers=_LAYERS,
        concurrency=_CONCURRENCY,
        chunk_tokens=40,
        **fields,
    )


def _index(place: Path, name: str, kind: RunKind, model_url: str) -> None:
    os.environ["OPENAI_BASE_URL"] = model_url
    settings.cache_clear()
    context = _context(place, name, repair=kind == "repair", purge=kind == "purge")
    index_graph.invoke({"sources": [str(place / "docs")]}, context=context)


def _compared(place: Path, fresh: str, model_url: str) -> tuple[Differences, list[str]]:
    """The differences from a fresh index, and breaks within the communities, which it may not have.

    Communities start from the ones before, so that a fresh index has others.
    """
    _index(place, fresh, "update", model_url)
    one, other = (open_index(_context(place, name)) for name in ("index", fresh))
    entities = {each.id for each in one.entities.all_entities()}
    members = {id for each in one.communities.all() for id in one.communities.members_of(each.id)}
    broken = []
    if members - entities or bool(members) != bool(other.communities.count()):
        broken.append("communities are of other entities")
    if without := one.communities.count_unreported():
        broken.append(f"communities without a report: {without}")
    return compare(one, other, with_communities=False), broken


def _kill_within(seconds: float, place: Path, kind: RunKind, model_url: str) -> int | None:
    """Kills a run after so many seconds; its exit code, where it came to its end before."""
    run = _PROCESSES.Process(target=_index, args=(place, "index", kind, model_url))
    run.start()
    run.join(seconds)
    code = run.exitcode
    run.kill()
    run.join()
    return code


def _in_process(work: Callable[..., Any], *arguments: Any) -> Any:
    """The result of ``work`` in a process of its own. Raises RuntimeError where it fails."""
    ours, theirs = _PROCESSES.Pipe(duplex=False)
    process = _PROCESSES.Process(target=_send, args=(theirs, work, *arguments))
    process.start()
    theirs.close()
    try:
        result, problem = ours.recv() if ours.poll(_LONGEST) else (None, "it came to no end")
    except EOFError:
        result, problem = None, "the process died"
    process.kill()
    process.join()
    if problem is not None:
        raise RuntimeError(problem)
    return result


def _send(connection: Any, work: Callable[..., Any], *arguments: Any) -> None:
    try:
        connection.send((work(*arguments), None))
    except Exception as error:
        connection.send((None, f"{type(error).__name__}: {error}"))


@contextmanager
def _questions(place: Path) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Questions asked by another process while the block lasts; a function that tells of them."""
    file, ended = place / "asked.jsonl", _PROCESSES.Event()
    file.touch()
    asking = _PROCESSES.Process(target=_ask, args=(place, file, ended), daemon=True)
    asking.start()

    def told() -> list[dict[str, Any]]:
        ended.set()
        asking.join(_LONGEST)
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        died = [{"problem": f"the process died ({asking.exitcode})", "seconds": 0.0}]
        return rows + died * bool(asking.exitcode)

    try:
        yield told
    finally:
        asking.kill()


def _ask(place: Path, file: Path, ended: Any) -> None:
    chance = random.Random(0)
    with file.open("a", encoding="utf-8") as out:
        while not ended.wait(0.05):
            (method, chosen), question = chance.choice(_ASKED), chance.choice(QUESTIONS)
            graph, context_type = graph_of(method)
            context = context_type(index=str(place / "index"), model=OFFLINE, **chosen)
            began = time.monotonic()
            problem = _problem(partial(graph.invoke, {"question": question}, context=context))
            row = {"problem": problem and f"{method}: {problem}", "question": question}
            out.write(json.dumps({**row, "seconds": round(time.monotonic() - began, 3)}) + "\n")
            out.flush()


def _problem(ask: Callable[[], Any]) -> str:
    """The fault of an answer: an error, no evidence, or a document in two editions."""
    try:
        evidence = ask()["evidence"]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    told: dict[str, set[str]] = {}
    for one in evidence:
        told.setdefault(one["document"], set()).update(editions(one["text"]))
    halves = any(len(each) > 1 for each in told.values())
    return "two editions of a document" if halves else "" if evidence else "no evidence"


def _answer(path: str, body: Any) -> Sent:
    time.sleep(_PAUSE)
    return honest(stub_reply(kind_of(body), body["messages"][1]["content"]), body)
