"""The command line: `ragraphs --help`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import typer

from ..context import Context, IndexContext
from ..graphs.methods import RouterContext
from . import failing, show
from .answers import PASSAGES, show_answer
from .asking import answer_of_server
from .flags import INDEX_ONLY, Commands, Json, Shown, context_options, shown
from .next_steps import advise
from .operating import Wait
from .running import answer_by_method, opened, progress_bars, run_index
from .trace import Trace

_METHODS_HELP = "Each method has settings of its own: ragraphs ask --method crag --help"
_INTERRUPTED = 130  # typer's own exit code for Ctrl-C


def main(commands: Callable[..., Any] | None = None, name: str = "ragraphs") -> NoReturn:
    """Runs a command line: exit code 1 for a failure, 2 for wrong usage, 130 for Ctrl-C."""
    try:
        code = (commands or program(*sys.argv[1:2]))(prog_name=name, standalone_mode=False)
        if code == _INTERRUPTED:
            raise KeyboardInterrupt
        sys.stdout.flush()  # where it fails, it is told
    except (KeyboardInterrupt, typer.Abort):
        print("ragraphs: interrupted; the same command goes on from here.", file=sys.stderr)
        code = _INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    except Exception as error:
        code = failing.fail(error)
    sys.exit(code)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"ragraphs {version('ragraphs')}")
        raise typer.Exit


def every_command(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")
    ] = False,
) -> None:
    """Ask questions of your own documents, and get answers with their sources."""
    failing.debug.set(debug)


@context_options(RouterContext, without={"stream_answer"})
def ask(
    *,
    question: Annotated[str, typer.Argument(help="The question, in any language.")],
    passages: Annotated[
        int,
        typer.Option(
            "--passages", "-n", min=1, metavar="N", help="Passages to show without an answer."
        ),
    ] = PASSAGES,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show on stderr what every node did.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Check a statement: supported, refuted or not enough to tell."
        ),
    ] = False,
    as_json: Json = False,
    context: RouterContext,
) -> None:
    """Answer a question from an index, with citations; without a model, find the best passages."""
    traced = Trace() if trace else None
    given = {"statement" if verify else "question": question}
    asked = None if traced else answer_of_server(given, context)
    asked = asked or answer_by_method(given, context, trace=traced, writes=not as_json)
    if as_json:
        from ..nodes.subgraph import with_plain_messages

        show.print_json({"asked": question, **with_plain_messages(asked.output)})
    else:
        show_answer(asked, context.model, passages)
        advise(context)
    if traced:
        show.tree(traced.drawn(asked.output, asked.seconds))
    if asked.output["stop_reason"] == "model_failed":
        raise typer.Exit(1)


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


_Panels = dict[str, dict[str, Callable[..., None] | typer.Typer]]


def _panels() -> _Panels:
    """All commands; the first panel has the ones that most people need."""
    from .copying import backup, copy
    from .demo import demo
    from .entities import entities
    from .evaluate import evaluate
    from .export import export
    from .indexes import indexes
    from .indexing import index
    from .keys import keys
    from .plan import plan
    from .serve import serve
    from .trying import try_model

    return {
        "Begin": {"ask": ask, "index": index, "chat": chat, "serve": serve, "demo": demo},
        "Look into an index": {
            "status": status,
            "entities": entities,
            "communities": communities,
            "export": export,
        },
        "Look after it": {
            "doctor": doctor,
            "remove": remove,
            "copy": copy,
            "backup": backup,
            "indexes": indexes,
            "plan": plan,
            "keys": keys,
        },
        "Try and measure": {
            "try": try_model,
            "evaluate": evaluate,
            "calibrate": calibrate,
            "tune": tune,
        },
        "Build on it": {"new": new},
    }


def program(command: str = "") -> typer.Typer:
    """The program with ``command`` alone, or with all where none has that name.

    All flags take ten times as long as the flags of one command, and a question imports no other.
    """
    app = typer.Typer(cls=Commands, no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(every_command)
    panels: _Panels = {"Begin": {"ask": ask}} if command == "ask" else _panels()
    known = any(command in panel for panel in panels.values())
    for panel, commands in panels.items():
        for name, asked in commands.items():
            if known and name != command:
                continue
            if isinstance(asked, typer.Typer):
                app.add_typer(asked, name=name, rich_help_panel=panel)
            else:
                epilog = _METHODS_HELP if name in ("ask", "chat") else None
                app.command(name, rich_help_panel=panel, epilog=epilog)(asked)
    return app
