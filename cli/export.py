"""`ragraphs export`: an index as lines, as a graph or as a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..context import Context
from ..state.errors import RagraphsError
from . import show
from .flags import INDEX_ONLY, context_options
from .running import opened


@context_options(Context, INDEX_ONLY)
def export(
    *,
    format: Annotated[
        Literal["jsonl", "graphml", "html"],
        typer.Option(metavar="FORM", help="What to write: jsonl, graphml or html."),
    ] = "jsonl",
    answer: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An answer as JSON, which the page shows.")
    ] = None,
    context: Context,
) -> None:
    """Print an index: its passages as JSON lines, its graph as GraphML, or a page to explore it."""
    if answer is not None and format != "html":
        raise typer.BadParameter("Only --format html shows an --answer.")
    index = opened(context)
    if format == "jsonl":
        from ..views.status import export_lines

        for line in export_lines(index):
            show.print_data(line)
    elif format == "graphml":
        from ..views.graphml import to_graphml
        from ..views.passage_graph import drawn_index

        print(to_graphml(drawn_index(index)))
    else:
        from ..graphs.methods import told_methods
        from ..views.page_data import page_data
        from ..views.page_file import page_file

        told = None if answer is None else _read_json(answer)
        data = page_data(index, told_methods(), told)
        print(page_file(f"{data['state']['title']} · ragraphs", data))


def _read_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RagraphsError(
            f"{file} is no JSON file that can be read; write one with: ragraphs ask --json"
        ) from error
