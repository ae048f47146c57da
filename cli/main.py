"""The command line: `ragraphs --help`."""

from __future__ import annotations

import asyncio
import gc
import shutil
import sys
import tempfile
import time
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..context import Context, IndexContext
from ..graphs.methods import RouterContext
from ..settings import settings
from . import failing, show
from .answers import PASSAGES, TimedAnswer, show_answer
from .copying import copy, copy_to_place
from .entities import entities
from .evaluate import evaluate
from .export import export
from .flags import INDEX_ONLY, Commands, Json, Shown, context_options, parsed, shown
from .next_steps import show_next_steps
from .operating import Cluster, Workers, operate_on
from .plan import plan
from .running import ask_graph, opened, progress_bars, run_index
from .serve import serve
from .trace import Trace
from .trying import try_model

if TYPE_CHECKING:
    from ..state.index import IndexInput

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(evaluate, name="evaluate")
app.add_typer(entities, name="entities")
app.command()(serve)
app.command()(copy)

# A fact, a comparison, an open question, and two more facts.
_DEMO_QUESTIONS = (
    ("Who learned the mathematics of the cables?", 1),
    ("Which bridge was opened first, the Forth Bridge or the Brooklyn Bridge?", 2),
    ("Why did workers on the caissons fall ill?", 1),
    ("측우기는 언제 만들어졌나요?", 1),
    ("Who designed the Forth Bridge?", 1),
)

_DEMO_LAYERS = ["sentences", "entities"]
_PAGE_LAYERS = [*_DEMO_LAYERS, "hops", "communities"]

_METHODS_HELP = "Each method has settings of its own: ragraphs ask --method crag --help"
_INTERRUPTED = 130  # typer's own exit code for Ctrl-C


def main(commands: typer.Typer = app, name: str = "ragraphs") -> None:
    """Runs a command line: exit code 1 for a failure, 2 for wrong usage, 130 for Ctrl-C."""
    gc.set_threshold(50_000, 20, 100)  # usually a tenth of a run goes into looking for garbage
    try:
        code = commands(prog_name=name, standalone_mode=False)
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


@app.callback()
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
    """Five retrieval-augmented generation methods over one index."""
    failing.debug.set(debug)


app.command()(plan)
app.command("try")(try_model)


@app.command()
@context_options(IndexContext)
def index(
    *,
    sources: Annotated[
        list[str] | None, typer.Argument(help="Files, folders or globs; none: finish the index.")
    ] = None,
    triples: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="File .jsonl of entities and triples found elsewhere; may be repeated.",
        ),
    ] = None,
    copy_to: Annotated[
        str | None,
        typer.Option(
            metavar="INDEX", help="Copy the index there and do nothing else; see ragraphs copy."
        ),
    ] = None,
    on: Cluster = None,
    workers: Workers = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before costs.")] = False,
    as_json: Json = False,
    context: IndexContext,
) -> None:
    """Add documents to an index, or bring it up to date; unchanged ones cost nothing."""
    if copy_to is not None:
        if sources or triples:
            raise typer.BadParameter("--copy-to copies an index as it is; leave SOURCES out.")
        return copy_to_place(context.index, copy_to, as_json=as_json)
    operate_on(on, workers)
    given: IndexInput = {"sources": sources or [], "triples": triples or []}
    if not (context.dry_run or yes or as_json):
        _confirm_costs(given, context)
    started = time.monotonic()
    result = run_index(given, context, quiet=as_json)
    seconds = time.monotonic() - started
    show.print_json(result) if as_json else show.indexing(result, seconds)
    if result["failures"]:
        raise typer.Exit(1)


def _confirm_costs(given: IndexInput, context: IndexContext) -> None:
    """Asks before tokens are spent, when someone is there to answer."""
    from ..index.location import locate
    from ..index.upgrading import bring_up_to_date
    from ..models.protocol import OFFLINE

    is_new = not locate(context.index, settings()).holds_index(settings())
    is_local = context.embeddings in ("auto", "lexical") and context.model == OFFLINE
    if not sys.stdin.isatty() or (is_new and is_local):
        return
    bring_up_to_date(context.index)
    planned = run_index(given, context.model_copy(update={"dry_run": True}))
    plan = planned["plan"]
    if not plan["embedding_tokens"] + plan["reply_tokens"]:
        return
    show.notes(planned["warnings"])
    if not typer.confirm(f"This will send about {show.planned_tokens(plan)}. Go on?", err=True):
        raise typer.Exit(0)


@app.command(epilog=_METHODS_HELP)
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
    asked = _answer(given, context, trace=traced, writes=not as_json)
    if as_json:
        # Only the router returns the question, which the page of an answer shows.
        show.print_json({"asked": question, **asked.output})
    else:
        show_answer(asked, context.model, passages)
        _advise(context)
    if traced:
        show.tree(traced.drawn(asked.output, asked.seconds))
    if asked.output["stop_reason"] == "model_failed":
        raise typer.Exit(1)


@app.command(epilog=_METHODS_HELP)
@context_options(RouterContext, without={"stream_answer"})
def chat(*, context: RouterContext) -> None:
    """Ask questions that follow one another, from the terminal or a pipe, one a line.

    The answers' citations are numbers that can be opened: /help lists the commands.
    """
    from .chat import Chat

    with asyncio.Runner() as runner:
        raise typer.Exit(Chat(context, runner).talk())


def _advise(context: Context) -> None:
    """Says how to get answers, where no model is asked for them."""
    from ..models.nearby import advice
    from ..models.protocol import OFFLINE

    if context.model == OFFLINE:
        show.sentence(advice(settings()))


def _answer(given: dict[str, str], context: RouterContext, **followed: Any) -> TimedAnswer:
    """The answer of the method that ``context`` names, or of the router for none.

    Statements are the router's, whatever the method.
    """
    if context.method == "auto" or "statement" in given:
        from ..graphs.router import graph as router

        return ask_graph(router, given, context, **followed)
    from ..graphs import graph_of

    graph, context_type = graph_of(context.method)
    foreign = context.model_fields_set.difference(context_type.model_fields) - {"method"}
    if foreign:
        flag = "--" + min(foreign).replace("_", "-")
        raise typer.BadParameter(f"{flag} is no setting of {context.method}; leave it out.")
    return ask_graph(graph, given, parsed(lambda: context.narrowed(context_type)), **followed)


@app.command()
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


@app.command()
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


@app.command()
@context_options(Context, INDEX_ONLY)
@shown
def calibrate(
    *,
    cross_encoder: Annotated[
        str,
        typer.Option(help="Fit this cross-encoder, such as fastembed:MODEL, in its place."),
    ] = "",
    dataset: Annotated[
        str | None,
        typer.Option(
            "--set", metavar="FOLDER", help="Questions on the index, of evaluate make-set."
        ),
    ] = None,
    context: Context,
) -> Shown:
    """Fit the grader that needs no model to an index, by its layer hops or by a question set."""
    from .calibration import calibrate
    from .cross_encoders import calibrate_cross_encoder

    if not cross_encoder:
        return calibrate(opened(context), dataset), show.calibration
    with progress_bars(quiet=False) as report:
        return calibrate_cross_encoder(
            opened(context), cross_encoder, dataset, report
        ), show.calibration


@app.command()
@context_options(IndexContext, {*Context.model_fields, "dry_run", "purge"})
@shown
def remove(
    *,
    documents: Annotated[list[str], typer.Argument(help="Names of documents or files.")],
    context: IndexContext,
) -> Shown:
    """Remove documents, with all that belongs to them, from an index."""
    return run_index({"remove": documents}, context), show.indexing


app.command()(export)


@app.command()
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


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(help="A new folder.", metavar="DIR")],
) -> None:
    """Write a starter project: a graph of your own, the server's settings, a Dockerfile."""
    from .new import write_project

    files = write_project(folder)
    show.sentence(f"{folder} has {', '.join(files)}.")
    show.sentence(f"Next: cd {folder}, then run ragraphs index documents; its README goes on.")


@app.command()
@context_options(Context)
def demo(*, context: Context) -> None:
    """Index a small bundled corpus and ask it some questions.

    The index is made in a temporary folder, or kept where --index says.
    """
    is_kept = "index" in context.model_fields_set
    with tempfile.TemporaryDirectory(prefix="ragraphs-demo-") as folder:
        with resources.as_file(resources.files("ragraphs") / "demo") as corpus:
            sources = corpus if is_kept else shutil.copytree(corpus, Path(folder) / "demo")
            place = context.index if is_kept else f"{folder}/.ragraphs"
            layers = _PAGE_LAYERS if is_kept else _DEMO_LAYERS
            layered = context.narrowed(IndexContext, index=place, layers=layers)
            show.indexing(run_index({"sources": [str(sources)]}, layered, quiet=False))
        asking = context.narrowed(RouterContext, index=place)
        for question, passages in _DEMO_QUESTIONS:
            most = ["-n", str(passages)] if passages != PASSAGES else []
            show.command("ask", question, *most, *(["--index", place] if is_kept else []))
            show_answer(_answer({"question": question}, asking), asking.model, passages)
    _advise(context)
    if is_kept:
        show_next_steps(place)
    else:
        show.sentence("This index is gone now. The next command keeps one to go on with:")
        show.command("demo", "--index", "bridges")
