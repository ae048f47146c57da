"""Time, memory and size on disk as the corpus grows.

``python -m lab.benchmarks.growth measure 10000 --out growth.jsonl`` makes every
layer of a made-up corpus without a model, each in a process of its own, and then asks questions in
another. In the end one document comes, changes and goes again. ``... growth table growth.jsonl``
shows what was measured. Each part is written as soon as it is done: the same command with the same
--folder goes on where it was interrupted.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Literal

import typer
from ragraphs.cli.entry import COLLECTING
from ragraphs.state.errors import RagraphsError

from . import synthetic
from .growth_changes import CHANGES, apply_change
from .growth_parts import LAYERS, ask, make_layer
from .growth_table import constants, markdown, read_parts

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

_QUESTIONS = 50
_SERVING = "serving"
_SHARED = ("RAGRAPHS_DATABASE", "RAGRAPHS_CHROMA_URL")

Files = Annotated[list[Path], typer.Argument(help="Files that measure has written.")]


@app.command()
def measure(
    passages: int,
    out: Annotated[Path, typer.Option(help="File of JSON lines, to which each part is added.")],
    embeddings: str = "lexical",
    stores: Annotated[
        Literal["folder", "shared"],
        typer.Option(help="Where the index is: in a folder, or in PostgreSQL."),
    ] = "folder",
    folder: Annotated[
        Path | None, typer.Option(help="Folder for corpus and index, which is kept.")
    ] = None,
    process: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=ID", help="A process whose memory is told apart."),
    ] = None,
    layer: Annotated[
        list[str] | None,
        typer.Option(help="Only this layer, serving, or change; several may be named."),
    ] = None,
) -> None:
    """Adds a line to a file for each layer of so many passages, for serving, and for changes."""
    parts = layer or [*LAYERS, _SERVING, *CHANGES]
    environment = _environment(stores)
    with nullcontext(folder) if folder else tempfile.TemporaryDirectory() as place:
        work = Path(place).resolve()
        if not (work / "questions.jsonl").exists():
            synthetic.main(work, passages, _QUESTIONS)
        index = f"growth_{passages}" if stores == "shared" else str(work / "index")
        same = {"passages": passages, "embeddings": embeddings, "stores": stores}
        done = read_parts([out], same) if folder and out.exists() else {}
        for part in parts:
            if part in done:
                continue
            given = [str(work), index, embeddings, *(process or [])]
            started = time.time()
            command = [sys.executable, "-m", "lab.benchmarks.growth", "part", part]
            found = subprocess.run(
                [*command, *given], env=environment, stdout=subprocess.PIPE, text=True, check=False
            )
            if found.returncode:
                raise RagraphsError(f"The part {part} of {passages} passages ended with an error.")
            line = {**same, "part": part, "machine": _machine(), **json.loads(found.stdout)}
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            typer.echo(f"{part}: {time.time() - started:.0f} s", err=True)


@app.command(hidden=True)
def part(
    name: str,
    folder: Path,
    index: str,
    embeddings: str,
    process: Annotated[list[str] | None, typer.Argument()] = None,
) -> None:
    """Does one part of a measurement in this process, and prints its figures.

    Garbage is looked for as often as in a process of the command line.
    """
    gc.set_threshold(*COLLECTING)
    if name == _SERVING:
        processes = {each.partition("=")[0]: int(each.partition("=")[2]) for each in process or []}
        found = ask(folder, index, processes)
    elif name in CHANGES:
        found = apply_change(index, name)
    else:
        found = make_layer(folder, index, next(each for each in LAYERS if each == name), embeddings)
    print(json.dumps(found))


@app.command()
def table(
    files: Files,
    smallest: Annotated[int, typer.Option(help="Fit growth from so many passages on.")] = 10_000,
) -> None:
    """Prints all that was measured as tables in Markdown, with the exponents of growth."""
    typer.echo(markdown(files, smallest))


@app.command(name="constants")
def write_constants(
    files: Files,
    replies: Annotated[Path, typer.Option(help="Recorded replies, of which lengths are taken.")],
) -> None:
    """Prints the constants of `ragraphs plan`, cli/growth.json, from what was measured."""
    print(json.dumps(constants(files, replies), indent=1))


def _environment(stores: str) -> dict[str, str]:
    if stores == "shared":
        if not os.environ.get(_SHARED[0]):
            raise RagraphsError(f"Shared stores need {_SHARED[0]}; set it first.")
        return dict(os.environ)
    return {name: value for name, value in os.environ.items() if name not in _SHARED}


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


if __name__ == "__main__":
    try:
        app(standalone_mode=True)
    except RagraphsError as error:
        raise SystemExit(str(error)) from error
