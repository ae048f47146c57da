"""``python -m lab.attack.texts FOLDER...``: real texts through every function that reads one."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import Annotated, NamedTuple

import typer

from ..command import run
from .reading import READERS, Work

LONGEST = 2_000  # characters of a piece
_LENGTHS = (100,) * 4 + (300,) * 3 + (800,) * 2 + (LONGEST,)
_LARGEST_FILE = 4_000_000  # bytes
_FEWEST_OF_A_FILE = 3
_PIECES = 200  # for a process at once
_REPEATS = 5
_LONGEST_SECONDS = 10.0
_MOST_MEMORY = 4_000_000_000  # bytes of a process


class TextPiece(NamedTuple):
    """A piece of a file, from the character ``start`` on."""

    file: str
    start: int
    text: str


class Fault(NamedTuple):
    """Error of a function on a piece; empty where it took too many seconds."""

    function: str
    file: str
    start: int
    error: str
    seconds: float
    text: str


Read = tuple[list[Fault], dict[str, float]]  # with the longest seconds of each function


class TooLongError(Exception):
    """A function did not end."""


def main(
    folders: Annotated[list[Path], typer.Argument(help="Folders of texts of any kind.")],
    count: Annotated[int, typer.Option(help="How many pieces, shared among the folders.")] = 1_000,
    slowest: Annotated[float, typer.Option(help="Milliseconds of processor time.")] = 50.0,
    seed: Annotated[int, typer.Option(help="What the choice of pieces is drawn from.")] = 0,
    at_once: Annotated[int, typer.Option(help="Processes.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(help="File for the faults as JSON lines; a run that ended goes on by it."),
    ] = None,
) -> None:
    """Prints how many pieces were read, the faults, and the slowest of each function."""
    drawn = [[*drawn_from(folder, count // len(folders), seed)] for folder in folders]
    pieces = [piece for of_folder in drawn for piece in of_folder]
    groups = [pieces[at : at + _PIECES] for at in range(0, len(pieces), _PIECES)]
    faults, times = [], dict.fromkeys(READERS, 0.0)
    for found, took in worked(groups, slowest / 1000, at_once, out):
        faults += found
        times = {name: max(took[name], times[name]) for name in times}
    for folder, of_folder in zip(folders, drawn, strict=True):
        files = len({piece.file for piece in of_folder})
        print(f"{folder}: {len(of_folder):,} pieces of {files:,} files")
    print(f"{len(pieces):,} pieces, {sum(bool(one.error) for one in faults)} errors, ", end="")
    print(f"{sum(not one.error for one in faults)} took more than {slowest:.0f} ms")
    for (name, error), times_met in Counter((one.function, one.error) for one in faults).items():
        print(f"{times_met} x {name}: {error or 'slow'}")
    for name, seconds in sorted(times.items(), key=lambda pair: -pair[1]):
        print(f"{1000 * seconds:7.1f} ms {name}")
    raise typer.Exit(bool(faults))


def worked(
    groups: Sequence[Sequence[TextPiece]], most: float, at_once: int, out: Path | None
) -> Iterator[Read]:
    """The results of ``read_all`` on each of ``groups``; done ones are read from ``out``."""
    lines = out.read_text(encoding="utf-8").splitlines() if out and out.exists() else []
    for line in lines:
        faults, took = json.loads(line)
        yield [Fault(**fault) for fault in faults], took
    count, met = sum(map(len, groups)), 0
    with (
        (out or Path(os.devnull)).open("a", encoding="utf-8") as written,
        ProcessPoolExecutor(at_once, get_context("forkserver"), _bound_memory) as pool,
    ):
        left = groups[len(lines) :]
        work = pool.map(read_all, left, [most] * len(left))
        for done, (faults, took) in enumerate(work, start=len(lines) + 1):
            print(json.dumps([[fault._asdict() for fault in faults], took]), file=written)
            written.flush()
            met += len(faults)
            told = f"{min(done * _PIECES, count):,} of {count:,} pieces, {met} new faults"
            print(told, end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr)
            yield faults, took


def _bound_memory() -> None:
    """Makes an error of a piece that takes more memory than any may; else the run would end."""
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


def drawn_from(folder: Path, count: int, seed: int) -> Iterator[TextPiece]:
    """Pieces of the text files below ``folder``, at most some of each file, until there are enough.

    Their length varies, and they begin anywhere.
    """
    chance = random.Random(seed)
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    chance.shuffle(files)
    left, share = count, max(_FEWEST_OF_A_FILE, 2 * count // max(1, len(files)))
    for file in files:
        if left <= 0:
            return
        text = _text_of(file)
        most = min(left, share, 1 + len(text) // 200) if text.strip() else 0
        for _ in range(most):
            start = chance.randrange(len(text))
            piece = text[start : start + chance.choice(_LENGTHS)]
            yield TextPiece(str(file.relative_to(folder)), start, piece)
        left -= most


def _text_of(file: Path) -> str:
    """The text of a file; empty where it is none, or too large."""
    if file.stat().st_size > _LARGEST_FILE:
        return ""
    data = file.read_bytes()
    if b"\0" in data[:8_000]:
        return ""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_all(pieces: Sequence[TextPiece], most: float) -> Read:
    """The faults on ``pieces``, where a call may take ``most`` seconds; each function's slowest."""
    signal.signal(signal.SIGVTALRM, _stop)
    for work in READERS.values():  # patterns are compiled at their first use
        work("Marie Curie (born 1867) discovered radium in Paris.")
    faults: list[Fault] = []
    slowest: dict[str, float] = dict.fromkeys(READERS, 0.0)
    for piece in pieces:
        for name, work in READERS.items():
            try:
                seconds = _seconds(work, piece.text)
                if seconds > most:
                    again = (_seconds(work, piece.text + "\n" * n) for n in range(1, _REPEATS))
                    seconds = min(seconds, *again)
            except Exception as error:
                faults.append(Fault(name, piece.file, piece.start, repr(error), 0.0, piece.text))
                continue
            slowest[name] = max(slowest[name], seconds)
            if seconds > most:
                faults.append(Fault(name, piece.file, piece.start, "", seconds, piece.text))
    return faults, slowest


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooLongError


def _seconds(work: Work, text: str) -> float:
    """Processor time of one call. Raises TooLongError where it does not end."""
    signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST_SECONDS)
    started = time.thread_time()
    try:
        work(text)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.thread_time() - started


if __name__ == "__main__":
    run(main)
