"""Modules that are commands: ``python -m ragraphs.evaluation...``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ..state.errors import RagraphsError

Sets = Annotated[
    list[str], typer.Argument(help="Folders of passages.jsonl and questions.jsonl.", metavar="SET")
]
Out = Annotated[Path | None, typer.Option(help="File to write to; none: print.")]


def run(main: Callable[..., None]) -> None:
    """Runs ``main`` with the arguments of the command line; a RagraphsError ends it in a sentence."""
    try:
        typer.run(main)
    except RagraphsError as error:
        raise SystemExit(str(error)) from error


def write(out: Path | None, text: str) -> None:
    """Writes ``text`` into the file ``out``, or prints it."""
    if out is None:
        print(text)
    else:
        out.write_text(text + "\n", encoding="utf-8")
