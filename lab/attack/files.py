"""Part ``files``: hostile files are indexed, asked about and listed by the command line."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragraphs.cli.main import main
from ragraphs.evaluation.measuring import peak_megabytes
from ragraphs.settings import settings

from ..benchmarks.stub_model import apart
from .hostile_files import HostileFile, make
from .hostile_filters import odd_prices
from .replies import DOCUMENTS, LAYERS
from .signs import controls, leaks
from .trials import AttackPart, Trial

_QUESTION = "Who designed the Forth Bridge?"
_SECONDS = 20.0
_LARGEST = 100_000
_MB = 1024 * 1024
# The cost of a byte; a passage counts as many besides, and a small file has its constant cost.
_BYTES_A_PASSAGE = 1000
# A sentence of three characters has a vector of 384 numbers.
_INDEX_RATIO, _INDEX_FREE = 600.0, 2 * _MB
_MEMORY_RATIO, _MEMORY_FREE = 1000.0, 150.0
_COMMANDS = (
    ("ask", "--method", "basic", _QUESTION),
    ("ask", "--method", "graphrag", "--search", "local", "What is said of Ann Bell?"),
    ("status", "--documents"),
    ("status", "--documents", "--json"),
    ("entities", "list", "--limit", "50"),
    ("communities",),
    ("export",),
    ("export", "--format", "graphml"),
)


@dataclass(frozen=True)
class Honest:
    """The index of honest documents alone: its bytes, and the memory of making it, in MiB."""

    folder: str
    size: int
    memory: float


@dataclass(frozen=True)
class _Ended:
    code: int
    out: str
    err: str
    seconds: float


class _Terminal(io.StringIO):
    """A terminal that shows no colours."""

    def isatty(self) -> bool:
        return True


@contextmanager
def arena() -> Iterator[Honest]:
    """The measures of an index without hostile files."""
    with tempfile.TemporaryDirectory(prefix="ragraphs-files-") as folder:
        size, memory = apart(_measured, f"{folder}/honest")
        yield Honest(folder, size, memory)


def _measured(folder: str) -> tuple[int, float]:
    place = Path(folder)
    _write_honest(place)
    with chdir(place):
        _command("index", "docs", "--yes", "--layers", ",".join(LAYERS))
    return _size(place / ".ragraphs"), peak_megabytes()


def _write_honest(place: Path) -> None:
    (place / "docs").mkdir(parents=True)
    for title, text in DOCUMENTS:
        (place / "docs" / f"{title}.txt").write_text(text)


def trial(arena: Honest, chance: random.Random, result: Trial) -> None:
    """One hostile file among honest ones: indexed, asked about, listed."""
    place = Path(tempfile.mkdtemp(prefix="trial-", dir=arena.folder))
    _write_honest(place)
    made = make(place / "docs", chance)
    result.labels = [made.label]
    with chdir(place):
        _attack(arena, made, result, chance.random() < 0.2)
        _try_prices(chance, result)
    shutil.rmtree(place, ignore_errors=True)


def _attack(arena: Honest, made: HostileFile, result: Trial, small_pieces: bool) -> None:
    pieces = ("--chunk-tokens", "40") if small_pieces else ()
    index = ("index", "docs", "--yes", "--layers", ",".join(LAYERS), *pieces)
    indexed = _judged(made, result, *index)
    if indexed.code not in (0, 1):
        return
    figures = result.figures
    figures["bytes"] = made.size
    figures["index"] = _size(Path(".ragraphs")) - arena.size
    figures["memory"] = peak_megabytes() - arena.memory
    ended = [_judged(made, result, *command) for command in _COMMANDS]
    figures["seconds"] = round(max(each.seconds for each in (indexed, *ended)), 2)
    if "Forth Bridge was designed" not in ended[0].out:
        result.fail("broken", f"an honest question is not answered: {ended[0].out + ended[0].err}")
    again = _judged(made, result, *index)
    if "0 documents added, 0 updated" not in again.out:
        result.fail("lost", f"a second run changes the index: {again.out[:200]}")
    try:
        described: dict[str, Any] = json.loads(ended[3].out)
    except ValueError:
        result.fail("crash", f"status --json is no JSON: {ended[3].out[:100]!r}")
        return
    figures["passages"] = described["passages"] - len(DOCUMENTS)
    _judge_named(made, indexed, described, result)
    _judge_size(made, result)


def _try_prices(chance: random.Random, result: Trial) -> None:
    """A hostile file of prices: it is read, or refused in one sentence."""
    prices = Path("prices.json")
    prices.write_bytes(odd_prices(chance))
    result.labels.append("prices")
    try:
        ended = _command("ask", "--prices", prices.name, _QUESTION)
    except Exception as error:
        result.fail("crash", f"prices: {type(error).__name__}: {error}")
        return
    refused = ended.code == 1 and ended.err.startswith("ragraphs: The prices in")
    if not refused and (ended.code or "Forth Bridge was designed" not in ended.out):
        result.fail("unclear", f"{ended.code} {ended.err[:200]!r}: {prices.read_bytes()[:200]!r}")
    for words in (*leaks(ended.err), *controls(ended.out + ended.err)):
        result.fail("leak", f"prices: {words}")


def _command(*arguments: str) -> _Ended:
    """A command of the command line, run in this process on a terminal without colours."""
    os.environ |= {"TERM": "dumb", "RAGRAPHS_EMBEDDINGS": "lexical", "COLUMNS": "200"}
    settings.cache_clear()
    out, err, code = _Terminal(), _Terminal(), 0
    sys.argv = ["ragraphs", *arguments]
    sys.stdin = io.StringIO()
    started = time.process_time()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return _Ended(code, out.getvalue(), err.getvalue(), time.process_time() - started)


def _judged(made: HostileFile, result: Trial, *arguments: str) -> _Ended:
    name = arguments[0]
    try:
        ended = _command(*arguments)
    except Exception as error:
        result.fail("crash", f"{name}: {type(error).__name__}: {error}")
        return _Ended(-1, "", "", 0.0)
    if ended.seconds > _SECONDS * max(1.0, made.size / _LARGEST):
        result.fail("hang", f"{name}: {ended.seconds:.0f} s for {made.size // 1000} KB")
    for words in leaks(ended.err):
        result.fail("leak", f"{name}: {words}")
    for words in controls(ended.out + ended.err):
        result.fail("leak", f"{name} to the terminal: {words}")
    if ended.code == 2 or "the options" in ended.err:
        result.fail("crash", f"{name} is told to be wrong usage: {ended.err}")
    if ended.code not in (0, 1) or (ended.code == 1 and name != "index"):
        result.fail("crash", f"{name} ends with {ended.code}: {ended.err}")
    elif ended.code == 1 and "ragraphs: " in ended.err:
        result.fail("crash", f"{name}: {ended.err}")
    return ended


def _judge_size(made: HostileFile, result: Trial) -> None:
    figures = result.figures
    source = max(1.0, made.size + _BYTES_A_PASSAGE * figures["passages"])
    index = max(0.0, figures["index"] - _INDEX_FREE) / source
    memory = max(0.0, figures["memory"] - _MEMORY_FREE) * _MB / source
    figures |= {"index_ratio": round(index, 1), "memory_ratio": round(memory)}
    if index > _INDEX_RATIO:
        result.fail("unbounded", f"{index:.0f} bytes of index for a byte of {made.label}")
    if memory > _MEMORY_RATIO:
        result.fail("unbounded", f"{memory:.0f} bytes of memory for a byte of {made.label}")


def _judge_named(
    made: HostileFile, indexed: _Ended, described: dict[str, Any], result: Trial
) -> None:
    """Fails ``result`` unless the run or the status names the file ``made``, read or not."""
    read = [each["path"] for each in described["document_list"]]
    failures = [each["path"] for each in described["failures"]]
    name = _plain(made.name.encode("utf-8", "replace").decode())
    if not any(name in _plain(place) for place in (*read, *failures, indexed.err)):
        result.fail("lost", f"{made.label} is neither read nor named: {indexed.err[:200]}")


def _plain(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


PART = AttackPart("files", 200, arena, trial, each=1, longest=150)
