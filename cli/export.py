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
    page: Annotated[
        Literal["passages", "communities"],
        typer.Option(metavar="NAME", help="What the page draws: passages or communities."),
    ] = "passages",
    answer: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="An answer as JSON, whose passages the page highlights."),
    ] = None,
    context: Context,
) -> None:
    """Print an index: its passages as JSON lines, or the graph that joins them."""
    if answer is not None and (format, page) != ("html", "passages"):
        raise typer.BadParameter("Only --format html with --page passages shows an --answer.")
    index = opened(context)
    if format == "jsonl":
        from ..views.status import export_lines

        for line in export_lines(index):
            show.print_data(line)
    elif format == "html" and page == "communities":
        from ..views.community_graph import communities_page

        print(communities_page(index))
    else:
        from ..views.pages.drawing import path_of_answer, to_graphml, to_html
        from ..views.passage_graph import drawn_index

        graph = drawn_index(index)
        path = None if answer is None else path_of_answer(_read_json(answer))
        print(to_graphml(graph) if format == "graphml" else to_html(graph, path=path))


def _read_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RagraphsError(
            f"{file} is no JSON file that can be read; write one with: ragraphs ask --json"
        ) from error
