"""`ragraphs indexes`: all indexes of an operator, listed, renamed and deleted."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

from ..settings import settings
from ..state.errors import RagraphsError
from . import show
from .flags import Commands, Shown, shown

indexes = typer.Typer(cls=Commands, help="List, rename and delete indexes.", no_args_is_help=True)

_Name = Annotated[str, typer.Argument(help="The index.")]


@indexes.command("list")
@shown
def list_indexes() -> Shown:
    """List the indexes below RAGRAPHS_ROOT, or the working folder, or of RAGRAPHS_DATABASE."""
    from ..index.upkeep import index_names

    return [_sizes(name) for name in index_names(settings())], _listed


def _sizes(name: str) -> dict[str, Any]:
    from ..index.opening import open_index
    from ..views.status import describe

    try:
        found = describe(open_index(name))
    except RagraphsError as error:
        return {"index": name, "problem": str(error)}
    told = ("documents", "passages", "layers", "embeddings", "bytes")
    return {"index": name, **{one: found[one] for one in told}}


def _listed(found: list[dict[str, Any]]) -> None:
    table = Table("index", "documents", "passages", "layers", "embeddings", "MB", box=None)
    for one in found:
        if "problem" in one:
            table.add_row(one["index"], "", "", one["problem"])
            continue
        counts = (f"{one[name]:,}" for name in ("documents", "passages"))
        size = f"{one['bytes'] / 1e6:,.1f}"
        table.add_row(one["index"], *counts, ", ".join(one["layers"]), one["embeddings"], size)
    show.out.print(table)


@indexes.command("rename")
def rename(name: _Name, wanted: Annotated[str, typer.Argument(help="Its new name.")]) -> None:
    """Give an index another name; nothing else of it changes."""
    from ..index.upkeep import rename_index

    rename_index(name, wanted)
    show.sentence(f"The index {name} is now called {wanted}.")


@indexes.command("delete")
def delete(
    name: _Name, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
) -> None:
    """Delete an index with all that was paid for; the documents themselves stay."""
    from ..index.upkeep import delete_index

    if not yes and not typer.confirm(f"Delete the index {name} for good?", err=True):
        raise typer.Abort
    left = delete_index(name)
    show.sentence(f"The index {name} is deleted.")
    if left:
        show.sentence(f"{left} holds other files, and stays.")
