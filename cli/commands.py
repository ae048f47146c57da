"""Commands that need little more than a view of an index, or one call."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..context import Context, IndexContext
from ..graphs.methods import RouterContext
from . import show
from .flags import INDEX_ONLY, Json, Shown, context_options, shown
from .operating import Wait
from .running import opened, progress_bars, run_index


@context_options(RouterContext, without={"stream_answer"})
def chat(*, context: RouterContext) -> None:
    """Ask questions that follow one another, from the terminal or a pipe, one a line.

    The answers' citations are numbers that can be opened: /help lists the commands.
    """
    from .chat import Chat

    with asyncio.Runner() as runner:
        raise typer.Exit(Chat(context, runner).talk())


@context_options(Context, INDEX_ONLY)
@shown
def status(
    *,
    list_documents: Annotated[
        bool, typer.Option("--documents", help="List the documents.")
    ] = False,
    context: Context,
) -> Shown:
    """Show what an index holds, and what could not be read."""
    from ..views.status import describe

    return describe(opened(context), list_documents=list_documents), show.status


@context_options(Context, {"index", "model"})
def doctor(
    *,
    connect: Annotated[
        bool,
        typer.Option("--connect", help="Ask the servers that would be used whether they answer."),
    ] = False,
    as_json: Json = False,
    context: Context,
) -> None:
    """Say what is installed, what would be used and why, and what the index lacks.

    Exit code 1 if something is broken. Nothing leaves this machine without --connect.
    """
    from ..views.doctor import examine

    found = examine(context, connect=connect)
    show.print_json(found) if as_json else show.examination(found)
    raise typer.Exit(not found["healthy"])


@context_options(Context)
@shown
def calibrate(
    *,
    cross_encoder: Annotated[
        str, typer.Option(help="Fit this cross-encoder, such as fastembed:MODEL, in its place.")
    ] = "",
    dataset: Annotated[
        str | None,
        typer.Option(
            "--set", metavar="FOLDER", help="Questions on the index, of evaluate make-set."
        ),
    ] = None,
    context: Context,
) -> Shown:
    """Fit a grader to an index, by its own questions or a set of them.

    Without --model the grader that needs none; with it, the thresholds for that model's grades and
    the weight of its hops (HopRAG).
    """
    from .calibration import calibrate
    from .cross_encoders import calibrate_cross_encoder
    from .model_calibration import calibrate_model

    index = opened(context)
    with progress_bars(quiet=False) as report:
        if cross_encoder:
            fitted = calibrate_cross_encoder(index, cross_encoder, dataset, report)
        elif "model" in context.model_fields_set:
            fitted = calibrate_model(index, context, dataset, report)
        else:
            fitted = calibrate(index, dataset)
    return fitted, show.calibration


@context_options(Context)
@shown
def tune(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and keep nothing.")
    ] = False,
    only: Annotated[
        Literal["extraction", "reports"] | None, typer.Option(help="Tune only this part.")
    ] = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Take back what was kept; no model is asked.")
    ] = False,
    context: Context,
) -> Shown:
    """Fit prompts to the corpus: types, examples, language and tone of extraction and reports.

    They come from a sample of the index's passages, in five requests at most, and are kept with
    the index: the next `ragraphs index` reads its passages, and writes its reports, that way.
    """
    from .tuning import print_tuning, tuned

    index = opened(context)
    with progress_bars(quiet=False) as report:
        found = tuned(
            index, context, only=only, withdraws=withdraw, keep=not dry_run, report=report
        )
        return found, print_tuning


@context_options(IndexContext, {*Context.model_fields, "dry_run", "purge"})
@shown
def remove(
    *,
    documents: Annotated[list[str], typer.Argument(help="Names of documents or files.")],
    wait: Wait = False,
    context: IndexContext,
) -> Shown:
    """Remove documents, with all that belongs to them, from an index."""
    return run_index({"remove": documents}, context, waits=wait), show.indexing


@context_options(Context, INDEX_ONLY)
@shown
def communities(
    *,
    level: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Only those of a level; 0 has the largest."),
    ] = None,
    id: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="ID", help="Show one community's report, and what it leads to."
        ),
    ] = None,
    context: Context,
) -> Shown:
    """Show the communities of entities, and the reports on them."""
    from ..views.communities import listed, looked_up

    if id is not None:
        return looked_up(opened(context), id), show.community
    return listed(opened(context), level), show.communities


def new(folder: Annotated[Path, typer.Argument(help="A new folder.", metavar="DIR")]) -> None:
    """Write a starter project: a graph of your own, the server's settings, a Dockerfile."""
    from .new import write_project

    files = write_project(folder)
    show.sentence(f"{folder} has {', '.join(files)}.")
    show.sentence(f"Next: cd {folder}, then run ragraphs index documents; its README goes on.")
