"""``python -m lab.attack``: tries to break the package, and tells what broke."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..command import run
from . import files, kills, replies, requests
from .table import faults, table
from .trials import AttackPart, TrialRow, attacked

PARTS: dict[str, AttackPart] = {
    part.name: part for part in (replies.PART, requests.PART, files.PART, kills.PART)
}


def main(
    parts: Annotated[
        list[str] | None, typer.Argument(help=f"Any of {', '.join(PARTS)}; none: all of them.")
    ] = None,
    seed: Annotated[int, typer.Option(help="What all chance is drawn from.")] = 0,
    count: Annotated[int | None, typer.Option(help="How many things to try in each part.")] = None,
    only: Annotated[int | None, typer.Option(help="The number of the one trial to make.")] = None,
    at_once: Annotated[int, typer.Option(help="Trials that run side by side.")] = 2,
    out: Annotated[Path | None, typer.Option(help="File for the trials as JSON lines.")] = None,
) -> None:
    """Prints a table of what was tried and met; exit code 1 for any problem."""
    unknown = set(parts or ()) - PARTS.keys()
    if unknown:
        raise typer.BadParameter(f"There is no part {min(unknown)!r}; name {', '.join(PARTS)}.")
    rows: list[TrialRow] = []
    with (out or Path("/dev/null")).open("w", encoding="utf-8") as written:
        for name in parts or PARTS:
            part = PARTS[name]
            numbers = itertools.count() if only is None else [only]
            at_most = part.count if count is None else count
            before = len(rows)
            for row in attacked(part, seed, numbers, at_most, 1 if only is not None else at_once):
                rows.append(row)
                written.write(row.line() + "\n")
                written.flush()
                _show_progress(name, rows[before:], at_most)
    print(table(rows))
    for fault in faults(rows):
        print(fault)
    raise typer.Exit(any(row.problems for row in rows))


def _show_progress(name: str, rows: list[TrialRow], count: int) -> None:
    tried = sum(len(row.labels) for row in rows)
    broken = sum(bool(row.problems) for row in rows)
    end = "\r" if sys.stderr.isatty() else "\n" if len(rows) % 50 == 0 else ""
    if end:
        print(
            f"{name}: {tried} of {count} tried, {broken} with a problem", end=end, file=sys.stderr
        )


if __name__ == "__main__":
    run(main)
