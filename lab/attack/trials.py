"""Trials of one part of the attack, each repeatable by its seed and number.

A trial runs in a process that is ended when it takes too long, so that a hang, too, is a result.
"""

from __future__ import annotations

import json
import random
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Literal

Sign = Literal["crash", "hang", "leak", "lost", "unclear", "unbounded", "broken"]

_FORKS = get_context("forkserver")
_PRELOADED = ("lab.attack.preloaded",)
_LONGEST_START = 120.0  # and end, of a process beside other work
# A trial may wait for others, and other work of the machine delays it.
_PATIENCE = 4
_LONGEST_WORDS = 600


@dataclass(frozen=True)
class Problem:
    """A fault that a trial met: its kind, and what was seen."""

    sign: Sign
    words: str


@dataclass
class Trial:
    """The outcome of one trial: what was ``tried``, the problems met, and figures to compare."""

    labels: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0

    def fail(self, sign: Sign, words: object) -> None:
        """Adds a problem; the same one once."""
        problem = Problem(sign, str(words)[:_LONGEST_WORDS])
        if problem not in self.problems:
            self.problems.append(problem)


@dataclass(frozen=True)
class AttackPart:
    """A part of the attack.

    ``arena`` sets up what all trials share, and gives what each is told of it; ``trial`` gets
    that, the chance it draws from, and the outcome to fill in. ``count`` things are tried, with
    ``each`` trials to a process, and at most ``longest`` seconds of processor time for one.
    ``preloaded`` modules are imported once for all of these processes.
    """

    name: str
    count: int
    arena: Callable[[], AbstractContextManager[Any]]
    trial: Callable[[Any, random.Random, Trial], None]
    each: int
    longest: float
    preloaded: tuple[str, ...] = _PRELOADED


@dataclass(frozen=True)
class TrialRow:
    """A trial as it is written down."""

    part: str
    seed: int
    number: int
    labels: list[str]
    problems: list[dict[str, str]]
    figures: dict[str, float]
    seconds: float

    @property
    def repeat(self) -> str:
        """The arguments that repeat this trial alone."""
        return f"{self.part} --seed {self.seed} --only {self.number}"

    def line(self) -> str:
        """This row as one line of JSON."""
        return json.dumps(asdict(self) | {"repeat": self.repeat})


def attacked(
    part: AttackPart, seed: int, numbers: Iterable[int], count: int, at_once: int
) -> Iterator[TrialRow]:
    """The trials of ``part``, in turn from ``numbers``, until ``count`` things were tried.

    ``at_once`` run side by side.
    """
    draw = _Draw(numbers, count)
    rows: SimpleQueue[TrialRow | None] = SimpleQueue()

    def work(arena: Any) -> None:
        worker = _Worker(part, arena, seed)
        try:
            while (number := draw.next()) is not None:
                trial = worker.try_one(number)
                draw.tried(len(trial.labels))
                rows.put(_row(part, seed, number, trial))
        finally:
            worker.end()
            rows.put(None)

    with part.arena() as arena, ThreadPoolExecutor(at_once) as pool:
        working = [pool.submit(work, arena) for _ in range(at_once)]
        try:
            ended = 0
            while ended < at_once:
                row = rows.get()
                if row is None:
                    ended += 1
                else:
                    yield row
        finally:
            draw.stop()
        for each in working:
            each.result()


class _Draw:
    """The numbers of trials still to make, drawn by several threads."""

    def __init__(self, numbers: Iterable[int], count: int) -> None:
        self._numbers = iter(numbers)
        self._left = count
        self._lock = threading.Lock()

    def next(self) -> int | None:
        """The next number; None where enough was tried."""
        with self._lock:
            return next(self._numbers, None) if self._left > 0 else None

    def tried(self, things: int) -> None:
        """Notes that so many ``things`` were tried."""
        with self._lock:
            self._left -= things

    def stop(self) -> None:
        """Draws no more."""
        with self._lock:
            self._left = 0


def _row(part: AttackPart, seed: int, number: int, trial: Trial) -> TrialRow:
    problems = [asdict(problem) for problem in trial.problems]
    return TrialRow(part.name, seed, number, trial.labels, problems, trial.figures, trial.seconds)


class _Worker:
    """A process that makes trials one after another, and is replaced when it hangs or dies."""

    def __init__(self, part: AttackPart, arena: Any, seed: int) -> None:
        self._part = part
        self._given = (arena, seed)
        self._made = 0
        self._process: Any = None
        self._connection: Any = None

    def try_one(self, number: int) -> Trial:
        """The outcome of the trial called ``number``."""
        if self._process is None or self._made == self._part.each:
            self._start()
        self._made += 1
        self._connection.send(number)
        started, longest = time.monotonic(), self._part.longest
        try:
            if self._connection.poll(_PATIENCE * longest):
                trial: Trial = self._connection.recv()
                return trial
            trial = _failed("hang", f"no end after {_PATIENCE * longest:.0f} s")
        except EOFError:
            self._process.join(_LONGEST_START)
            code = self._process.exitcode
            trial = _failed("crash", f"the process died ({code})")
            if code == -signal.SIGXCPU:
                trial = _failed("hang", f"no end after {longest:.0f} s of processor time")
        trial.seconds = time.monotonic() - started
        self.end()
        return trial

    def end(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
            self._process = None

    def _start(self) -> None:
        self.end()
        _FORKS.set_forkserver_preload(list(self._part.preloaded))
        self._connection, theirs = _FORKS.Pipe()
        self._process = _FORKS.Process(target=_serve, args=(theirs, self._part, *self._given))
        self._process.start()
        theirs.close()
        if not self._connection.poll(_LONGEST_START):
            raise RuntimeError(f"the process for {self._part.name} does not start")
        self._connection.recv()
        self._made = 0


def _failed(sign: Sign, words: str) -> Trial:
    trial = Trial(labels=["unknown"])
    trial.fail(sign, words)
    return trial


def _serve(connection: Connection, part: AttackPart, arena: Any, seed: int) -> None:
    connection.send("ready")
    while True:
        try:
            number = connection.recv()
        except EOFError:
            return
        trial = Trial()
        started = time.monotonic()
        most = int(time.process_time() + part.longest) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
        try:
            part.trial(arena, random.Random(f"{seed} {number}"), trial)
        except Exception as error:
            trial.fail("broken", f"the attack itself failed: {error!r}")
        trial.seconds = round(time.monotonic() - started, 3)
        connection.send(trial)
