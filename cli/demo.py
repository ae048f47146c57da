"""The command `ragraphs demo`: a folder of documents, their index, and questions about them."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import Annotated, get_args

import typer

from ..context import Context, IndexContext, LayerName, RouterContext
from ..state.errors import RagraphsError
from ..state.places import INDEX
from . import show
from .answers import PASSAGES, show_answer
from .flags import context_options
from .next_steps import advise, show_next_steps
from .running import answer_by_method, run_index

# A person, a comparison and a year that the documents tell, and a person whom they do not know.
_QUESTIONS = (
    ("Who designed the Forth Bridge?", 1),
    ("Which bridge was opened first, the Forth Bridge or the Brooklyn Bridge?", 2),
    ("측우기는 언제 만들어졌나요?", 1),
    ("What did Gustave Eiffel build?", 1),
)


@context_options(Context, without={"index"})
def demo(
    *,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to write.")] = Path(
        "bridges"
    ),
    context: Context,
) -> None:
    """Write some documents into a folder, index them there, and ask them four questions."""
    _write_documents(folder)
    place = os.path.join(folder, INDEX)
    indexing = context.narrowed(IndexContext, index=place, layers=list(get_args(LayerName)))
    show.indexing(run_index({"sources": [str(folder)]}, indexing, quiet=False))
    show.sentence(f"Questions that are asked in {folder}:")
    asking = context.narrowed(RouterContext, index=place)
    for question, passages in _QUESTIONS:
        most = ["-n", str(passages)] if passages != PASSAGES else []
        show.command(show.this_program(folder), "ask", question, *most)
        show_answer(answer_by_method({"question": question}, asking), asking.model, passages)
    advise(asking)
    show_next_steps(folder)


def _write_documents(folder: Path) -> None:
    """Writes the documents into ``folder``, which is new, empty, or has them already."""
    with resources.as_file(resources.files("ragraphs") / "demo") as corpus:
        texts = {file.name: file.read_bytes() for file in corpus.iterdir()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if others := {file.name for file in folder.iterdir()} - {*texts, INDEX}:
            raise RagraphsError(
                f"{folder} has other files, such as {min(others)}; name a new folder: ragraphs "
                "demo FOLDER"
            )
        for name, text in texts.items():
            (folder / name).write_bytes(text)
    except OSError as error:
        raise RagraphsError(
            f"The documents cannot be written into {folder} ({error.strerror}); name another "
            "folder: ragraphs demo FOLDER"
        ) from error
