"""``python -m lab.living``: an index lives long, and is compared with a fresh one."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from ragraphs.context import IndexContext
from ragraphs.state.errors import RagraphsError

from .changes import Plan, live_with_changes
from .crashes import live_with_crashes
from .watching import live_while_followed

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

Folder = Annotated[
    Path | None, typer.Option(help="Folder of documents and indexes, which is kept.")
]
Seconds = Annotated[float, typer.Option(min=1, help="How long it goes on.")]
Seed = Annotated[int, typer.Option(help="What all chance is drawn from.")]


@app.command()
def changes(
    source: Annotated[Path, typer.Argument(help="A question set, a folder of texts, or a text.")],
    number: Annotated[int, typer.Option(help="How many changes.")] = 300,
    together: Annotated[int, typer.Option(help="Most changes that one run makes.")] = 1,
    passages: Annotated[int, typer.Option(help="Documents to begin with, at most.")] = 1000,
    comparisons: Annotated[int, typer.Option(help="Comparisons with a fresh index.")] = 1,
    embeddings: str = "lexical",
    seed: Seed = 0,
    folder: Folder = None,
) -> None:
    """Documents come, change, move and go at random; exit code 1 for any difference in the end.

    The index has all layers, without a model. The communities of the fresh one start from the ones
    before the last change.
    """
    context = IndexContext(embeddings=embeddings)
    with _placed(folder) as place:
        plan = Plan(number, together, passages, comparisons, seed)
        result = live_with_changes(source, place, context, plan, _tell)
    _end(result, result["problems"])


@app.command()
def crashes(seconds: Seconds = 60, seed: Seed = 0, folder: Folder = None) -> None:
    """Runs are killed at random moments while questions are asked; exit code 1 for any problem.

    A stub in the model's place counts the requests. Now and then a run comes to its end, and its
    index is compared with a fresh one; communities, which have a history, are not.
    """
    with _placed(folder) as place:
        result = live_with_crashes(place, seconds, seed, _tell)
    _end(result, [*result["problems"], *result["questions_with_a_problem"]])


@app.command()
def watch(
    seconds: Seconds = 60,
    files: Annotated[int, typer.Option(min=1, help="Files at the beginning.")] = 200,
    seed: Seed = 0,
    folder: Folder = None,
) -> None:
    """Files change at random while `ragraphs index --watch` follows them; exit code 1 for a fault.

    In the end the index is compared with a fresh one, but for the communities.
    """
    with _placed(folder) as place:
        result = live_while_followed(place, files, seconds, seed)
    _end(result, result["problems"])


@contextmanager
def _placed(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="ragraphs-living-") as place:
        yield Path(place)


def _tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _end(result: dict[str, Any], problems: list[str]) -> None:
    print(json.dumps(result, indent=1, ensure_ascii=False))
    raise typer.Exit(bool(problems))


if __name__ == "__main__":
    try:
        app(standalone_mode=True)
    except RagraphsError as error:
        raise SystemExit(str(error)) from error
