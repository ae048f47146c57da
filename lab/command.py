"""Modules that are commands: ``python -m lab...``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer
from ragraphs.state.errors import RagraphsError

Sets = Annotated[
    list[str], typer.Argument(help="Folders of passages.jsonl and questions.jsonl.", metavar="SET")
]
Out = Annotated[
    typer.FileTextWrite | None, typer.Option(help="File for the parameters; none: stdout.")
]


def run(main: Callable[..., None]) -> None:
    """Runs ``main`` with the command line's arguments; a RagraphsError ends it in a sentence."""
    try:
        typer.run(main)
    except RagraphsError as error:
        raise SystemExit(str(error)) from error
