"""Running a graph from the command line: progress, streamed answers, questions to the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import typer
from rich.markup import escape
from rich.status import Status

from ..context import Context
from ..language.analyser import one_line
from ..state.answering import AnswerOutput
from .show import err

if TYPE_CHECKING:
    from ..evaluation.retrieval import Report
    from ..index.opening import Index
    from ..state.index import IndexInput


def opened(context: Context) -> Index:
    """The index that ``context`` names; imported when asked, so that ``--help`` is quick."""
    from ..index.opening import open_index

    return open_index(context)


def run_index(given: IndexInput, context: Context, *, quiet: bool = True) -> Any:
    """The output of the index graph; unless ``quiet``, with a bar for every step that reports."""
    from ..graphs.index import graph
    from ..nodes.subgraph import relay

    with progress_bars(quiet=quiet) as report:
        # asyncio.run hands Ctrl-C on to the nodes; a blocking run would wait for them to end.
        return asyncio.run(
            relay(graph, given, context, lambda e: report(e["step"], e["done"], e["total"]))
        )


@contextmanager
def progress_bars(*, quiet: bool) -> Iterator[Report]:
    """A function that shows, as a bar on stderr, how many parts of a step are done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    tasks: dict[str, Any] = {}
    with Progress(
        *columns, console=err, transient=True, disable=quiet or not err.is_terminal
    ) as progress:

        def report(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(step, total=total)
            progress.update(tasks[step], completed=done, total=total)

        yield report


def ask_graph(
    graph: Any, question: str, context: Context, watch: Callable[[str, dict[str, Any]], None]
) -> AnswerOutput:
    """The output of ``graph``; ``watch`` sees updates, and a person is asked where it stops to ask.

    Messages are given as roles and contents.
    """
    from langchain_core.messages import convert_to_openai_messages
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    asking = graph.copy({"checkpointer": InMemorySaver()})
    given: Any = {"question": question}
    while True:
        result, stopped = _run_watched(asking, given, context, watch)
        if stopped is None:
            break
        err.print(escape(f"{stopped['message']} {'; '.join(stopped['queries'])}"))
        given = Command(
            resume=typer.prompt("Go on? [y/N]", default="no", show_default=False, err=True)
        )
    output = {key: result[key] for key in graph.output_channels}
    if "messages" in output:
        output["messages"] = convert_to_openai_messages(output["messages"])
    return cast(AnswerOutput, output)


def _run_watched(
    graph: Any, given: Any, context: Context, watch: Callable[[str, dict[str, Any]], None]
) -> tuple[Any, Any]:
    """The last values, and the question that the run stopped at, if it did.

    Progress shows on stderr at a terminal. So does the text of an answer that is streamed, until
    the answer is whole, which is then printed; elsewhere it is written to stderr.
    """
    result: Any = None
    stopped: Any = None
    pieces: dict[str, str] = {}
    with _waiting() as waiting:
        for mode, part in graph.stream(
            given,
            config={"configurable": {"thread_id": "command line"}},
            context=context,
            stream_mode=["updates", "values", "custom"],
        ):
            if mode == "values":
                result = part
            elif mode == "custom" and "text" in part:
                pieces[part["id"]] = pieces.get(part["id"], "") + part["text"]
                waiting.update(escape(pieces[part["id"]]))
                if not err.is_terminal:
                    err.print(escape(part["text"]), end="")
            elif mode == "custom":
                _show_progress(part, waiting)
            else:
                for node, update in part.items():
                    if node == "__interrupt__":
                        stopped = update[0].value
                    else:
                        watch(node, update)
    if pieces and not err.is_terminal:
        err.print()
    return result, stopped


def _show_progress(event: dict[str, Any], waiting: Status) -> None:
    """Shows how far a step is; and on a line that stays, at a terminal, what is tried and why."""
    if "done" in event:
        waiting.update(f"{event['step']} {event['done']}/{event['total']}")
    elif event["step"] == "try":
        waiting.update("asking")
        if err.is_terminal:
            line = escape(one_line(f"{event['method']}: {event['why']}"))
            err.print(f"[dim]{line}[/dim]", no_wrap=True, overflow="ellipsis")


@contextmanager
def _waiting() -> Iterator[Status]:
    """A line on stderr that moves while a person waits; none where nobody looks."""
    status = err.status("asking")
    if err.is_terminal:
        status.start()
    try:
        yield status
    finally:
        status.stop()
