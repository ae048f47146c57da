"""Outputs of measurements for each question, with how they were made, to be counted again.

A file holds JSON lines, compressed: each measurement is a manifest and a row for each question.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from ..state.errors import RagraphsError
from .datasets import QUESTIONS, Dataset, LabelledQuestion
from .intervals import Measure, mean_of
from .metrics import CUTOFFS, all_support_at, answer_f1, containment, exact_match, recall_at

_FOLDERS = re.compile(r"(?<![^:@=])(?:~|\.{1,2})?/(?:[^/:@=]+/)*(?=[^/])")  # absolute, or dots
_COSTS = ("calls", "tokens")
_ROUNDING = 1e-4

Counted = dict[str, dict[str, Measure]]


class Manifest(BaseModel):
    """The circumstances of a measurement, and its ``figures`` as they were told."""

    model_config = ConfigDict(extra="forbid")

    command: str
    commit: str
    set: str
    sha256: str
    machine: str
    made: str
    notes: list[str] = []
    figures: dict[str, dict[str, float | None]] = {}


class Output(BaseModel):
    """Output for a question by ``method``: passages ``found``, an ``answer``, or judged ``scores``.

    ``gold`` is empty where nothing answers the question.
    """

    model_config = ConfigDict(extra="allow")

    method: str
    id: str
    kind: str = ""
    supporting: list[str] = []
    found: list[str] | None = None
    gold: list[str] | None = None
    answer: str | None = None
    sufficient: bool = False
    calls: int | None = None
    tokens: int | None = None
    scores: dict[str, float | None] = {}


class Measurement(NamedTuple):
    """A measurement of a file: its manifest, and its outputs."""

    manifest: Manifest
    outputs: list[Output]


def manifest_of(
    name: str, files: Sequence[Path], notes: Sequence[str] = (), program: str = "ragraphs"
) -> Manifest:
    """The manifest of the command that runs, without folders of the machine. Blocks."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
    return Manifest(
        command=f"{program} {shlex.join(_FOLDERS.sub('', part) for part in sys.argv[1:])}",
        commit=_commit(),
        set=name,
        sha256=hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest(),
        machine=f"{machine}, Python {platform.python_version()}",
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        notes=list(notes),
    )


def set_manifest(dataset: Dataset) -> Manifest:
    """The manifest of the command that runs, on the question set ``dataset``. Blocks."""
    files = [dataset.passages, dataset.passages.with_name(QUESTIONS)]
    return manifest_of(dataset.name, files, dataset.notes)


def output_of(method: str, question: LabelledQuestion, found: Sequence[str]) -> dict[str, Any]:
    """The row of a ``question`` for which ``method`` found the passages ``found``, best first."""
    return {
        "method": method,
        "id": question.id,
        "kind": question.kind,
        "supporting": sorted(question.supporting),
        "found": list(found[: CUTOFFS[-1]]),
    }


def record(file: Path, manifest: Manifest, rows: Iterable[Mapping[str, Any]]) -> None:
    """Adds a measurement to ``file``, in place of one by the same command. Raises RagraphsError."""
    before = read_figures(file) if file.exists() else []
    outputs = [Output.model_validate(row) for row in rows]
    told = {
        name: {measure: one["value"] for measure, one in found.items()}
        for name, found in counted(outputs).items()
    }
    new = Measurement(manifest.model_copy(update={"figures": told}), outputs)
    kept = [one for one in before if one.manifest.command != manifest.command]
    lines = (
        line.model_dump_json(exclude_unset=True)
        for measurement in [*kept, new]
        for line in (measurement.manifest, *measurement.outputs)
    )
    text = "".join(f"{line}\n" for line in lines)
    try:
        file.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    except OSError as error:
        raise RagraphsError(
            f"The outputs cannot be written to {file} ({error}); name another file."
        ) from error


def check_record(file: Path | None) -> None:
    """Raises RagraphsError where ``file`` could not be written once all is measured."""
    if file is None:
        return
    if file.exists():
        read_figures(file)
    elif not file.parent.is_dir():
        raise RagraphsError(f"{file} cannot be written; name a file in a folder that exists.")


def read_figures(file: Path) -> list[Measurement]:
    """The measurements in ``file``. Raises RagraphsError."""
    found: list[Measurement] = []
    try:
        for line in gzip.decompress(file.read_bytes()).decode("utf-8").splitlines():
            row = json.loads(line)
            if "command" in row:
                found.append(Measurement(Manifest.model_validate(row), []))
            else:
                found[-1].outputs.append(Output.model_validate(row))
        if not found:
            raise ValueError("it is empty")
    except (OSError, EOFError, zlib.error, ValueError, ValidationError, LookupError) as error:
        raise RagraphsError(
            f"{file} holds no outputs that --record wrote ({str(error)[:200]}); name another file."
        ) from error
    return found


def recompute(file: Path, against: Path | None = None) -> dict[str, Any]:
    """The figures of ``file``, counted anew from its outputs; ``differ`` are those told otherwise.

    With ``against``, a file of a later run, ``outside`` are its figures that lie outside the
    intervals of ``file``. Raises RagraphsError.
    """
    measurements = read_figures(file)
    shown = [
        {**one.manifest.model_dump(exclude={"figures"}), "measures": counted(one.outputs)}
        for one in measurements
    ]
    told = [one.manifest.figures for one in measurements]
    differ = [
        f"{name}, {measure}: {value} is told, {now} counted"
        for figures, one in zip(told, shown, strict=True)
        for name, values in figures.items()
        for measure, value in values.items()
        if not _same(value, now := one["measures"].get(name, {}).get(measure, {}).get("value"))
    ]
    return {
        "file": file.name,
        "measurements": shown,
        "differ": differ,
        "outside": [] if against is None else list(_outside(measurements, read_figures(against))),
    }


def counted(outputs: Sequence[Output], seed: int = 0) -> Counted:
    """The measures of each method with intervals of 95 %, and of each kind of question it had."""
    groups: dict[str, list[Output]] = {}
    for one in outputs:
        groups.setdefault(one.method, []).append(one)
        if one.kind:
            groups.setdefault(f"{one.method}, {one.kind}", []).append(one)
    return {name: _measures(list(map(_values, rows)), seed) for name, rows in groups.items()}


def _measures(rows: Sequence[Mapping[str, float | None]], seed: int) -> dict[str, Measure]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {
        name: mean_of([row.get(name) for row in rows], seed, share=name not in _COSTS)
        for name in names
    }


def _values(one: Output) -> dict[str, float | None]:
    """The measures of an output, by name; those that it has no part in are left out."""
    values: dict[str, float | None] = {}
    if one.found is not None and one.supporting:
        support = frozenset(one.supporting)
        for k in CUTOFFS:
            values[f"recall@{k}"] = recall_at(one.found, support, k)
            values[f"all@{k}"] = all_support_at(one.found, support, k)
    if one.gold is not None and one.answer is not None:
        if one.gold:
            values["em"] = exact_match(one.answer, one.gold)
            values["f1"] = answer_f1(one.answer, one.gold)
            values["containment"] = containment(one.answer, one.gold)
            values["sufficient"] = float(one.sufficient)
        else:
            values["refused"] = float(not (one.answer and one.sufficient))
    costs = {name: getattr(one, name) for name in _COSTS if getattr(one, name) is not None}
    return {**values, **one.scores, **costs}


def _outside(old: Sequence[Measurement], new: Sequence[Measurement]) -> Iterator[str]:
    """The figures of ``new`` that lie outside the intervals of ``old``; costs are not compared."""
    before, after = (
        {name: found for one in measured for name, found in counted(one.outputs).items()}
        for measured in (old, new)
    )
    if not before.keys() & after.keys():
        yield "The files have no method in common."
    for name in before.keys() & after.keys():
        for measure, one in before[name].items():
            value = after[name].get(measure, {"value": None})["value"]
            if measure in _COSTS or value is None or one["low"] is None or one["high"] is None:
                continue
            if not one["low"] <= value <= one["high"]:
                yield f"{name}, {measure}: {value}, not {one['low']} to {one['high']}"


def _same(told: float | None, now: float | None) -> bool:
    return told is now if told is None or now is None else abs(told - now) <= _ROUNDING


def _commit() -> str:
    """The commit of the program, marked where it has changes; its version in an installed one."""
    root = Path(__file__).parents[1]
    try:
        described = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12"]
        done = subprocess.run(described, capture_output=True, text=True, timeout=10, check=True)
        return done.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return version("ragraphs")
