"""Results of evaluations, kept with an index, so that the page can show them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from ..state.errors import RagraphsError
from .plots import Plot

FOLDER = "evaluations"


class Head(TypedDict):
    """Entry in a list of results: ``name`` names the result, ``made`` is a time in ISO 8601."""

    name: str
    experiment: str
    made: str
    titles: list[str]


class StoredResult(Head):
    """A result with its plots, and the figures as ``--json`` prints them."""

    plots: list[Plot]
    result: Any


def keep(folder: Path, experiment: str, result: Any, plots: list[Plot], made: datetime) -> str:
    """Keeps a result in the index in ``folder``, and gives the name that it got there. Blocks."""
    name = f"{experiment}-{made:%Y%m%dT%H%M%S%f}"
    kept: StoredResult = {
        "name": name,
        "experiment": experiment,
        "made": made.isoformat(timespec="seconds"),
        "titles": [plot["title"] for plot in plots],
        "plots": plots,
        "result": result,
    }
    place = folder / FOLDER
    try:
        place.mkdir(parents=True, exist_ok=True)
        written = place / f"{name}.new"
        written.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
        written.replace(place / f"{name}.json")
    except OSError as error:
        raise RagraphsError(
            f"The result cannot be kept in {place} ({error}); print it with --json instead."
        ) from error
    return name


def has_results(folder: Path) -> bool:
    """Whether the index in ``folder`` keeps any result. Blocks."""
    return any((folder / FOLDER).glob("*.json"))


def heads(folder: Path) -> list[Head]:
    """The results kept in the index in ``folder``, the newest first. Blocks.

    A file that is none, or that another release wrote, is left out.
    """
    found = [_read(file) for file in sorted((folder / FOLDER).glob("*.json"))]
    known = [
        Head(name=one["name"], experiment=one["experiment"], made=one["made"], titles=one["titles"])
        for one in found
        if one is not None
    ]
    return sorted(known, key=lambda head: head["made"], reverse=True)


def kept(folder: Path, name: str) -> StoredResult | None:
    """The result of that name in the index in ``folder``; None where there is none. Blocks."""
    file = next((one for one in (folder / FOLDER).glob("*.json") if one.stem == name), None)
    return None if file is None else _read(file)


def _read(file: Path) -> StoredResult | None:
    try:
        # What is no number, such as NaN, was not measured; it is no JSON either.
        text = file.read_text(encoding="utf-8")
        found: StoredResult = json.loads(text, parse_constant=lambda said: None)
        return found if found.keys() == StoredResult.__annotations__.keys() else None
    except (OSError, ValueError, AttributeError):
        return None
