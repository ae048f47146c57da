"""The command line: `ragraphs --help`."""

from __future__ import annotations

import gc
import json
import sys
import tempfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..context import Context, IndexContext, MethodName, RouterContext
from ..state.errors import RagraphsError
from . import show
from .entities import entities
from .evaluate import evaluate
from .flags import Json, Shown, context_options, parsed, shown
from .running import ask_graph, opened, run_index

if TYPE_CHECKING:
    from ..state.answering import AnswerOutput
    from ..state.index import IndexInput

app = typer.Typer(
    help="Five retrieval-augmented generation methods over one index.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(evaluate, name="evaluate")
app.add_typer(entities, name="entities")

_DEMO_QUESTIONS: tuple[tuple[MethodName, str], ...] = (
    ("deeprag", "Which bridge was opened first, the Forth Bridge or the Brooklyn Bridge?"),
    ("tog2", "Who learned the mathematics of the cables of the Brooklyn Bridge?"),
    ("crag", "훈민정음은 언제 반포되었습니까?"),
)

_INTERRUPTED = 130  # typer's own exit code for Ctrl-C


def main() -> None:
    """Runs the command line: exit code 1 for a failure, 2 for wrong usage, 130 for Ctrl-C."""
    gc.set_threshold(50_000, 20, 100)  # usually a tenth of a run goes into looking for garbage
    try:
        code = app(standalone_mode=False)
        if code == _INTERRUPTED:
            raise KeyboardInterrupt
    except (RagraphsError, typer.TyperException) as error:
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        print(f"ragraphs: {show.visible(message)}", file=sys.stderr)
        code = getattr(error, "exit_code", 1)
    except (KeyboardInterrupt, typer.Abort):
        print("ragraphs: interrupted; the same command goes on from here.", file=sys.stderr)
        code = _INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    sys.exit(code)


@app.command()
@context_options(IndexContext)
def index(
    *,
    sources: Annotated[
        list[str] | None, typer.Argument(help="Files, folders or globs; none: finish the index.")
    ] = None,
    triples: Annotated[
        list[str] | None,
        typer.Option(help="File .jsonl of entities and triples found elsewhere; may be repeated."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before costs.")] = False,
    as_json: Json = False,
    context: IndexContext,
) -> None:
    """Add documents to an index, or bring it up to date; unchanged ones cost nothing."""
    given: IndexInput = {"sources": sources or [], "triples": triples or []}
    if not (context.dry_run or yes or as_json):
        _confirm_costs(given, context)
    result = run_index(given, context, quiet=as_json)
    show.print_json(result) if as_json else show.indexing(result)
    if result["failures"]:
        raise typer.Exit(1)


def _confirm_costs(given: IndexInput, context: IndexContext) -> None:
    """Asks before tokens are spent, when someone is there to answer."""
    from ..models.protocol import OFFLINE
    from ..stores.schema import DATABASE

    is_new = not (context.folder / DATABASE).exists()
    is_local = context.embeddings in ("auto", "lexical") and context.model == OFFLINE
    if not sys.stdin.isatty() or (is_new and is_local):
        return
    planned = run_index(given, context.model_copy(update={"dry_run": True}))
    tokens = planned["plan"]["embedding_tokens"] + planned["plan"]["reply_tokens"]
    if not tokens:
        return
    show.notes(planned["warnings"])
    if not typer.confirm(f"This will send about {tokens:,} tokens. Go on?", err=True):
        raise typer.Exit(0)


@app.command()
@context_options(RouterContext)
@shown
def ask(
    *,
    question: Annotated[str, typer.Argument(help="The question, in any language.")],
    trace: Annotated[bool, typer.Option("--trace", help="Show what every node did.")] = False,
    context: RouterContext,
) -> Shown:
    """Answer a question from an index, with citations."""
    if not trace:
        return _answer(question, context), show.answer
    result = _answer(question, context, show.update)
    show.tree(result)
    return result, show.answer


def _answer(
    question: str,
    context: RouterContext,
    watch: Callable[[str, dict[str, Any]], None] = lambda node, update: None,
) -> AnswerOutput:
    """The output of the method that ``context`` names, or of the router for none.

    ``watch`` sees every node's update on the way.
    """
    if context.method == "auto":
        from ..graphs.router import graph as router

        return ask_graph(router, question, context, watch)
    from ..graphs import graph_of

    graph, context_type = graph_of(context.method)
    foreign = context.model_fields_set.difference(context_type.model_fields) - {"method"}
    if foreign:
        flag = "--" + min(foreign).replace("_", "-")
        raise typer.BadParameter(f"{flag} is no setting of {context.method}; leave it out.")
    return ask_graph(graph, question, parsed(lambda: context.narrowed(context_type)), watch)


@app.command()
@context_options(Context)
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
@context_options(IndexContext)
@shown
def remove(
    *,
    documents: Annotated[list[str], typer.Argument(help="Names of documents or files.")],
    context: IndexContext,
) -> Shown:
    """Remove documents, with all that belongs to them, from an index."""
    return run_index({"remove": documents}, context), show.indexing


@app.command()
@context_options(Context)
def export(
    *,
    format: Annotated[
        Literal["jsonl", "graphml", "html"], typer.Option(help="What to write.")
    ] = "jsonl",
    page: Annotated[
        Literal["passages", "communities"], typer.Option(help="What the page draws.")
    ] = "passages",
    answer: Annotated[
        Path | None, typer.Option(help="An answer as JSON, whose passages the page highlights.")
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


@app.command()
@context_options(Context)
@shown
def communities(
    *,
    level: Annotated[
        int | None, typer.Option(min=0, help="Only those of a level; 0 has the largest.")
    ] = None,
    id: Annotated[
        str | None, typer.Option("--id", help="Show one community's report, and what it leads to.")
    ] = None,
    context: Context,
) -> Shown:
    """Show the communities of entities, and the reports on them."""
    from ..views.communities import listed, looked_up

    if id is not None:
        return looked_up(opened(context), id), show.community
    return listed(opened(context), level), show.communities


@app.command()
@context_options(RouterContext)
def demo(*, context: RouterContext) -> None:
    """Index a small bundled corpus and ask it three questions."""
    with tempfile.TemporaryDirectory(prefix="ragraphs-demo-") as folder:
        place = f"{folder}/index"
        with resources.as_file(resources.files("ragraphs") / "demo") as corpus:
            layered = IndexContext(index=place, layers=["sentences", "entities"])
            show.indexing(run_index({"sources": [str(corpus)]}, layered, quiet=False))
        for method, question in _DEMO_QUESTIONS:
            show.out.print(f'\n[bold]ragraphs ask --method {method} "{question}"[/bold]')
            chosen = {"index": place, "method": method}
            show.answer(_answer(question, context.narrowed(RouterContext, **chosen)))
