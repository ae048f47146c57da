"""`ragraphs chat`: questions that follow one another, and citations that can be opened."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rich.markup import escape

from ..context import RouterContext
from ..language.analyser import one_line
from ..models.protocol import OFFLINE
from ..settings import settings
from ..state.errors import RagraphsError
from ..state.records import Usage
from ..state.usage import add_usage
from . import show
from .answers import passage_in_place, show_answer
from .excerpts import PassageExcerpt
from .running import ask_graph, opened

_PROMPT = "> "
_BESIDE = 400  # characters of the neighbouring text on each side
_MOST_DOCUMENTS = 50
_HELP = (
    ("/open N", "show the passage of citation N with the text around it"),
    ("/documents", "list the documents of the index"),
    ("/cost", "say what the questions have cost so far"),
    ("/new", "begin a new conversation"),
    ("/help", "show this"),
    ("/quit", "leave, as Ctrl-D does"),
)


class Chat:
    """A conversation over the index that ``context`` names.

    with asyncio.Runner() as runner:
        code = Chat(context, runner).talk()

    Raises RagraphsError where there is no such index.
    """

    def __init__(self, context: RouterContext, runner: asyncio.Runner) -> None:
        self._context = context
        self._runner = runner
        self._index = opened(context)
        self._messages: list[dict[str, Any]] = []
        self._numbered: list[PassageExcerpt] = []
        self._usage: Usage = {}
        self._commands: dict[str, Callable[[str], None]] = {
            "open": self._open,
            "documents": self._documents,
            "cost": lambda _: show.out.print(escape(show.cost_of(self._usage))),
            "new": self._begin,
            "help": lambda _: _help(),
        }

    def talk(self) -> int:
        """Answers lines until they end or /quit; 1 where a question of a pipe failed, else 0."""
        at_keyboard = sys.stdin.isatty()
        if at_keyboard:
            self._greet()
        failed = False
        while (line := _read(at_keyboard)) is not None and line not in {"/quit", "/exit"}:
            if line and not at_keyboard:
                show.out.print(f"[bold]{escape(_PROMPT + line)}[/bold]")
            try:
                self._take(line)
            except RagraphsError as error:
                show.problem(str(error))
                failed = True
            except KeyboardInterrupt:
                show.err.print("[dim]Stopped.[/dim]")
        return int(failed and not at_keyboard)

    def _take(self, line: str) -> None:
        """Answers a question, or does what a line with a slash says. Raises RagraphsError."""
        name, _, rest = line.removeprefix("/").partition(" ")
        if not line.startswith("/"):
            if line:
                self._ask(line)
        elif name in self._commands:
            self._commands[name](rest.strip())
        else:
            known = ", ".join(command.partition(" ")[0] for command, _ in _HELP)
            raise RagraphsError(f"There is no command /{name}; the commands are {known}.")

    def _ask(self, question: str) -> None:
        from ..graphs.router import graph

        said = {"role": "user", "content": question}
        # A question that is stopped or fails leaves the conversation as it was.
        given = {"messages": [*self._messages, said]}
        asked = ask_graph(graph, given, self._context, runner=self._runner)
        output: Any = asked.output
        if output["asked"] != question:
            show.out.print(f"[dim]{escape(one_line('Understood as: ' + output['asked']))}[/dim]")
        self._numbered = show_answer(asked, self._context.model)
        answer = output["messages"][-1].text
        self._messages += [said, {"role": "assistant", "content": answer}]
        self._usage = add_usage(self._usage, output["usage"])

    def _greet(self) -> None:
        from ..models.nearby import advice

        documents = self._index.catalogue.count_documents()
        about = (
            f"{show.counted(documents, 'document')} at {self._index.name} · /help lists commands"
        )
        show.out.print(f"[dim]{escape(about)}[/dim]")
        if self._context.model == OFFLINE:
            show.sentence(advice(settings()))

    def _begin(self, _: str) -> None:
        self._messages, self._numbered = [], []
        show.out.print("[dim]A new conversation.[/dim]")

    def _open(self, number: str) -> None:
        """Shows what stands behind a number of the last answer. Raises RagraphsError."""
        if not self._numbered:
            raise RagraphsError("The last answer has nothing that can be opened; ask first.")
        if not (number.isdecimal() and 1 <= int(number) <= len(self._numbered)):
            raise RagraphsError(
                f"Name a number from 1 to {len(self._numbered)} of the last answer: /open 1"
            )
        found = self._numbered[int(number) - 1]
        document = found.passage["document"]
        beside = self._index.catalogue.passages_of([document]).get(document, [])
        start, end = found.passage["start"], found.passage["end"]
        before = "".join(one["text"] for one in beside if one["end"] <= start)
        after = "".join(one["text"] for one in beside if one["start"] >= end)
        passage_in_place(found, _end_of(before), _beginning_of(after))

    def _documents(self, _: str) -> None:
        documents = self._index.catalogue.documents()
        for document in documents[:_MOST_DOCUMENTS]:
            passages = show.counted(document["passages"], "passage")
            show.out.print(escape(f"  {document['id']}  ({passages})"))
        if len(documents) > _MOST_DOCUMENTS:
            more = len(documents) - _MOST_DOCUMENTS
            show.sentence(f"  and {more} more: ragraphs status --documents")


def _read(at_keyboard: bool) -> str | None:
    """The next line, without spaces around it; None at the end of the input."""
    if not at_keyboard:
        line = sys.stdin.readline()
        return line.strip() if line else None
    with suppress(ImportError):  # Windows has none
        import readline  # noqa: F401  (gives input() its editing and its history)
    while True:
        try:
            return input(_PROMPT).strip()
        except EOFError:
            print()
            return None
        except KeyboardInterrupt:
            show.err.print("\n[dim]Ctrl-D leaves.[/dim]")


def _help() -> None:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for command, meaning in _HELP:
        table.add_row(command, meaning)
    show.out.print(table)


def _end_of(text: str) -> str:
    if len(text) <= _BESIDE:
        return text
    return "… " + text[-_BESIDE:].partition(" ")[2]


def _beginning_of(text: str) -> str:
    if len(text) <= _BESIDE:
        return text
    return text[:_BESIDE].rpartition(" ")[0] + " …"
