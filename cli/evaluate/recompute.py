"""`ragraphs evaluate recompute`: figures counted anew from stored outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from ...state.errors import RagraphsError
from ..flags import Shown, shown
from ..show import notes, out
from .group import evaluate
from .tables import table_of, with_interval

if TYPE_CHECKING:
    from ...evaluation.intervals import Measure

_COSTS = ("calls", "tokens")  # a question


@evaluate.command()
@shown
def recompute(
    *,
    file: Annotated[Path, typer.Argument(help="File that --record of another command wrote.")],
    against: Annotated[
        Path | None,
        typer.Option(help="File of a new run, to be within the intervals of the first."),
    ] = None,
) -> Shown:
    """Figures, counted anew from the outputs for each question.

    Fails where a figure is not the one that was told, or a new run is outside its interval.
    """
    from ...evaluation.figures import recompute as counted_anew

    result = counted_anew(file, against)
    if wrong := result["differ"] + result["outside"]:
        more = f" ({len(wrong) - 3} more)" if len(wrong) > 3 else ""
        raise RagraphsError(f"{file} is not confirmed: {'; '.join(wrong[:3])}{more}.")
    return result, _print


def _print(result: dict[str, Any]) -> None:
    for one in result["measurements"]:
        out.print(escape(f"{one['command']}\n{one['set']} {one['sha256'][:12]}, {one['made']}"))
        out.print(escape(f"commit {one['commit']}; {one['machine']}"))
        shown = table_of("", "measure", "% or number (95 %)", "n")
        for method, found in one["measures"].items():
            for name, measure in found.items():
                shown.add_row(escape(method), name, _cell(name, measure), str(measure["n"]))
        out.print(shown)
        notes(one["notes"])


def _cell(name: str, measure: Measure) -> str:
    return f"{measure['value']:,.1f}" if name in _COSTS else with_interval(measure)
