"""The command line: `ragraphs --help`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any, NoReturn

import typer

from ..graphs.methods import RouterContext
from . import failing, show
from .answers import PASSAGES, show_answer
from .asking import answer_of_server
from .flags import Commands, Json, context_options
from .next_steps import advise
from .running import answer_by_method
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


_Panels = dict[str, dict[str, Callable[..., None] | typer.Typer]]


def _panels() -> _Panels:
    """All commands; the first panel has the ones that most people need."""
    from .commands import calibrate, chat, communities, doctor, new, remove, status, tune
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
