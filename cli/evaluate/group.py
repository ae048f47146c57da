"""The group `ragraphs evaluate`: options that its commands share, and how they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ...context import Context
from ..flags import Commands, Shown, parsed

evaluate = typer.Typer(cls=Commands, help="Measure on data sets.", no_args_is_help=True)

Set = Annotated[str, typer.Argument(help="Folder of passages.jsonl and questions.jsonl.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first questions.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(help="NAME=VALUE for every method that has the setting, such as top_k=5."),
]
Parallel = Annotated[int, typer.Option(min=1, help="Questions at the same time.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Forget what is kept; ask all again.")]
Seed = Annotated[int, typer.Option(help="Seed of the intervals.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what it would cost.")]
Record = Annotated[
    Path | None,
    typer.Option(help="File .jsonl.gz to add the outputs to, for `evaluate recompute`."),
]
Plot = Annotated[Path | None, typer.Option(help="File .svg to draw the result into.")]


def drawing(file: Path | None) -> Callable[[list[Any]], None]:
    """A function that draws plots into ``file``; fails at once without matplotlib."""
    if file is None:
        return lambda plots: None
    from ...evaluation.drawing import draw

    return lambda plots: draw(file, plots)


def ended(
    experiment: str, result: Any, plots: list[Any], show: Callable[[Any], None], context: Context
) -> Shown:
    """The end of a command: its result is kept with the index that ``context`` names, if any.

    The page shows the ``plots`` of an ``experiment``; ``show`` prints the result.
    """
    from ...evaluation.results import keep
    from ...evaluation.retrieval import is_kept

    if is_kept(context):
        keep(context.folder, experiment, result, plots, datetime.now(UTC))
    return result, show


def pairs(settings: list[str] | None, methods: Sequence[str]) -> dict[str, str]:
    """The values of NAME=VALUE, by name, which fit the ``methods`` that have the setting."""
    from ...graphs import graph_of

    pairs = dict(pair.partition("=")[::2] for pair in settings or [])
    for method in methods if pairs else ():
        _, context_type = graph_of(method)
        own: dict[str, Any] = {n: pairs[n] for n in pairs if n in context_type.model_fields}
        parsed(partial(context_type, **own))
    return pairs
