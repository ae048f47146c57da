"""Measuring how time, memory and disk grow with the corpus."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from lab.benchmarks import growth
from lab.benchmarks.growth_changes import CHANGES
from lab.benchmarks.growth_parts import LAYERS
from lab.benchmarks.growth_table import constants, exponent, markdown, read_parts
from lab.measuring import memory_of, watched_memory

ROOT = Path(__file__).parents[3]
Ended = subprocess.CompletedProcess[str]
REPLIES = ROOT / "tests" / "data" / "recorded" / "replies.jsonl"


def part(passages: int, name: str, seconds: float, megabytes: float) -> str:
    stored = {"tables": megabytes, "vectors": 0.0, "arrays": 0.0}
    row = {"first_seconds": 1, "median_ms": seconds, "median_processor_ms": seconds, "p95_ms": 1}
    line = {
        "passages": passages, "embeddings": "lexical", "stores": "folder", "part": name,
        "machine": "a machine", "seconds": seconds, "processor_seconds": seconds,
        "peak_mb": 10, "own_peak_mb": 9, "stored_mb": stored, "resident_mb": 7,
        "asked": {"graph": {**row, "recall_at_5": 1.0, "own_mb_after": 5}},
    }  # fmt: skip
    return json.dumps(line) + "\n"


@pytest.fixture
def measured(tmp_path) -> Path:
    """Two sizes: ten times the passages cost ten times the time, questions twice."""
    file = tmp_path / "growth.jsonl"
    lines = [
        part(passages, name, seconds * passages / 1000, at * passages / 1000)
        for passages in (1000, 10_000)
        for at, (name, seconds) in enumerate((("passages", 2), ("sentences", 3)), start=1)
    ]
    serving = [part(1000, "serving", 10, 0), part(10_000, "serving", 20, 0)]
    file.write_text("".join(lines + serving))
    return file


def test_the_exponent_of_linear_growth_is_one_and_of_constant_time_nought():
    assert exponent([10, 100, 1000], [2, 20, 200]) == pytest.approx(1)
    assert exponent([10, 100], [5, 5]) == pytest.approx(0)


def test_the_table_has_the_part_of_each_layer_and_the_exponents(measured):
    table = markdown([measured], smallest=1000)
    assert "| sentences | 10,000 | 30.0 | 30.0 | 1.00 | 10 (9) | 10.0 | 0.0 | 0.0 |" in table
    assert "| graph | 10,000 | 1.0 | 20 | 1 | 20 | 0.30 | 100 | 5 |" in table


def test_both_kinds_of_stores_stand_side_by_side(measured):
    lines = [json.loads(line) for line in measured.read_text().splitlines()]
    shares = {str(share): {"median_ms": 7.0, "processor_ms": 5.0} for share in (100, 50, 10, 1)}
    with measured.open("w") as file:
        for stores, times in (("folder", 1), ("shared", 3)):
            for line in lines:
                for row in line["asked"].values():
                    row["others_processor_ms"] = 10 * (times - 1)
                    row["median_ms"] = 20 * times
                line |= {"stores": stores, "filtered_ms": {"hybrid": shares}}
                file.write(json.dumps(line) + "\n")
    table = markdown([measured], smallest=1000)
    assert "10,000 passages in a folder and in PostgreSQL, `lexical`:" in table
    assert "| graph | 20 (20) | 60 (40) | 3.00 (2.00) |" in table
    assert "| hybrid, PostgreSQL | 7 (5) | 7 (5) | 7 (5) | 7 (5) |" in table


def test_a_size_that_was_killed_in_the_middle_keeps_its_layers_and_is_no_constant(measured):
    with measured.open("a") as file:
        file.write(part(100_000, "passages", 1000, 1))
    assert "| passages | 100,000 |" in markdown([measured], smallest=1000)
    sizes = constants([measured], REPLIES)["measured"]["lexical"]["sizes"]
    assert set(sizes) == {"1000", "10000"}
    assert sizes["10000"]["layers"]["sentences"]["tables_mb"] == 10
    assert set(read_parts([measured], {"passages": 100_000})) == {"passages"}


def test_the_memory_of_files_is_told_apart(tmp_path):
    with watched_memory() as peak:
        block = bytearray(b"x" * 60_000_000)
        highest = peak()
        del block
    assert highest.own > 55
    assert memory_of().of_files > 0


def run_here_after_the_first(run: Callable[..., Ended]) -> Callable[..., Ended]:
    seen: list[str] = []

    def run_part(command: list[str], **options: Any) -> Ended:
        name, folder, index, embeddings = command[4:]
        seen.append(name)
        if len(seen) == 1:
            return run(command, **options)
        with redirect_stdout(StringIO()) as printed:
            growth.part(name, Path(folder), index, embeddings)
        return Ended(command, 0, printed.getvalue())

    return run_part


@pytest.mark.slow
def test_a_small_corpus_is_measured_part_by_part_and_a_second_run_has_nothing_to_do(
    tmp_path, monkeypatch
):
    """The first part runs in a process of its own, as all do; the others in this one."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # as from the root, for the process of a part
    monkeypatch.setattr(growth.subprocess, "run", run_here_after_the_first(subprocess.run))
    out, folder = tmp_path / "growth.jsonl", tmp_path / "corpus"
    for _ in range(2):
        growth.measure(40, out=out, folder=folder)
    parts = [json.loads(line) for line in out.read_text().splitlines()]
    assert [each["part"] for each in parts] == [*LAYERS, "serving", *CHANGES]
    serving, *changes = parts[len(LAYERS) :]
    assert all("merge_edges" in each["steps"] for each in changes)
    assert "| remove | 40 |" in markdown([out], smallest=10)
    assert set(serving["asked"]) == {"graph", "hybrid", "hoprag", "tog2", "graphrag local"}
    assert serving["asked"]["graph"]["recall_at_5"] > 0.8
    assert set(serving["filtered_ms"]) == {"lexical", "vector", "hybrid", "graph"}
    assert serving["resident_mb"] > serving["of_files_mb"] > 0
