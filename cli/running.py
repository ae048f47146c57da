"""Running a graph from the command line: progress, streamed answers, questions to the user."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import typer
from rich.markup import escape
from rich.status import Status

from ..context import Context, RouterContext
from ..language.analyser import one_line
from ..models.protocol import OFFLINE
from ..state.answering import AnswerOutput
from .answers import AnswerWriter, TimedAnswer
from .flags import parsed
from .show import err, out
from .trace import Trace

if TYPE_CHECKING:
    from ..index.opening import Index
    from ..state.index import IndexInput


_LONG = 10  # seconds


def opened(context: Context) -> Index:
    """The index that ``context`` names; imported when asked, so that ``--help`` is quick."""
    from ..index.opening import open_index

    return open_index(context)


def run_index(
    given: IndexInput, context: Context, *, quiet: bool = True, waits: bool = False
) -> Any:
    """The output of the index graph; unless ``quiet``, with a bar for every step that reports.

    Where another run writes, it ``waits`` its turn or is refused.
    """
    from ..graphs.index import graph
    from ..nodes.subgraph import relay

    given = {**given, "wait": waits}
    with progress_bars(quiet=quiet) as report:
        # asyncio.run hands Ctrl-C on to the nodes; a blocking run would wait for them to end.
        return asyncio.run(
            relay(
                graph,
                given,
                context,
                lambda e: report(e["step"], e["done"], e["total"], e.get("pace", "")),
            )
        )


@contextmanager
def progress_bars(*, quiet: bool) -> Iterator[Callable[..., None]]:
    """A function that shows, as a bar on stderr, how many parts of a step are done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    tasks: dict[str, Any] = {}
    with Progress(
        *columns, console=err, transient=True, disable=quiet or not err.is_terminal
    ) as progress:

        def report(step: str, done: float, total: int, pace: str = "") -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(step, total=total)
            told = f"{step} ({pace})" if pace else step
            progress.update(tasks[step], completed=done, total=total, description=told)

        yield report


def ask_graph(
    graph: Any,
    given: Any,
    context: Context,
    *,
    runner: asyncio.Runner | None = None,
    trace: Trace | None = None,
    writes: bool = True,
) -> TimedAnswer:
    """The output of ``graph``; a person is asked where it stops to ask.

    On a terminal the answer of a model is printed while it is written, where it ``writes``.
    ``runner`` outlives the run, which Ctrl-C ends by KeyboardInterrupt. Raises RagraphsError.
    """
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    if runner is None:
        with asyncio.Runner() as own:
            return ask_graph(graph, given, context, runner=own, trace=trace, writes=writes)
    started = time.monotonic()
    writing = AnswerWriter() if writes and out.is_terminal and context.model != OFFLINE else None
    if writing:
        context = context.model_copy(update={"stream_answer": True})
    asking = graph.copy({"checkpointer": InMemorySaver()})
    while True:
        with _followed(writing, trace) as following:
            name, value = runner.run(following.run(asking, given, context))
        if name == "answer":
            break
        shown = value.get("queries") or value["questions"]
        err.print(escape(f"{value['message']} {'; '.join(shown)}"))
        given = Command(
            resume=typer.prompt("Go on? [y/N]", default="no", show_default=False, err=True)
        )
    seconds = time.monotonic() - started
    return TimedAnswer(cast(AnswerOutput, value), seconds, writing.text if writing else "")


def answer_by_method(
    given: Mapping[str, str], context: RouterContext, **followed: Any
) -> TimedAnswer:
    """The answer of the method that ``context`` names; of the router for none and for statements.

    ``given`` is the router's input: a question or a statement.
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


@dataclass
class ElapsedTime:
    """Words on the terminal that are followed by the seconds since ``began``, where they are many.

    >>> err.status(ElapsedTime("asking"))
    """

    words: str
    began: float = field(default_factory=time.monotonic)

    def __rich__(self) -> str:
        seconds = int(time.monotonic() - self.began)
        return self.words if seconds < _LONG else f"{self.words}, for {seconds} s"


@dataclass
class _Following:
    """Progress of a run: its status, the text of the answer, the trace."""

    waiting: Status
    writing: AnswerWriter | None
    trace: Trace | None

    async def run(self, graph: Any, given: Any, context: Context) -> tuple[str, Any]:
        """The last event: the output, or the question that the run stopped at."""
        from ..nodes.subgraph import events_of

        thread: Any = {"configurable": {"thread_id": "command line"}}
        inner: Any = ["updates", "tasks"] if self.trace else ["updates"]
        last: tuple[str, Any] = ("", None)
        async for last in events_of(graph, given, context, thread, inner=inner):
            name, value = last
            if name == "tasks" and self.trace:
                namespace, task = value
                self.trace.see(namespace, task, time.monotonic())
            elif name in {"step", "text"}:
                self._tell(value)
        return last

    def _tell(self, event: dict[str, Any]) -> None:
        if "text" in event:
            if self.writing:
                self.waiting.stop()
                self.writing.add(event["text"], event["id"])
            return
        if not err.is_terminal:
            return
        if "done" in event:
            self.waiting.update(f"{event['step']} {event['done']}/{event['total']}")
        elif event["step"] == "try":
            self.waiting.update(ElapsedTime("asking"))
            line = escape(one_line(f"{event['method']}: {event['why']}"))
            err.print(f"[dim]{line}[/dim]", no_wrap=True, overflow="ellipsis")


@contextmanager
def _followed(writing: AnswerWriter | None, trace: Trace | None) -> Iterator[_Following]:
    """With a line on stderr that moves while a person waits; none where nobody looks."""
    waiting = err.status(ElapsedTime("asking"))
    if err.is_terminal:
        waiting.start()
        # Draws it now: what is printed beside a first drawing would stand on its line.
        waiting.update(spinner="dots")
    try:
        yield _Following(waiting, writing, trace)
    finally:
        waiting.stop()
        if writing:
            writing.end()
