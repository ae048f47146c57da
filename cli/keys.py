"""`ragraphs keys`: make keys for the callers of a server, list them, take them back."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from . import show
from .flags import Commands, Shown, shown

keys = typer.Typer(cls=Commands, help="Make keys for callers of a server.", no_args_is_help=True)

_File = Annotated[
    Path, typer.Option("--file", metavar="FILE", help="File of the keys, for serve --keys.")
]
_Name = Annotated[str, typer.Argument(help="Name of the holder.")]
_FILE = Path("keys.json")


def _quota(of: str) -> Any:
    return typer.Option(min=0, metavar="N", help=f"Most {of} a day (UTC).")


@keys.command("make")
def make(
    name: _Name,
    index: Annotated[
        list[str],
        typer.Option("--index", metavar="NAME", help="An index of the holder's; may be repeated."),
    ],
    file: _File = _FILE,
    right: Annotated[
        list[str],
        typer.Option("--right", metavar="NAME", help="ask, write or watch; may be repeated."),
    ] = ["ask"],  # noqa: B006
    requests: Annotated[int | None, _quota("questions")] = None,
    calls: Annotated[int | None, _quota("requests to models")] = None,
    tokens: Annotated[int | None, _quota("tokens")] = None,
    cost: Annotated[float | None, _quota("US dollars")] = None,
    expires: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="End of the key, in UTC."),
    ] = None,
) -> None:
    """Make a key and print it, once: the file holds its hash alone."""
    from ..server.keys import make_key

    rights: dict[str, Any] = {"indexes": index, "rights": right, "expires": expires}
    quotas = {"requests": requests, "calls": calls, "tokens": tokens, "cost": cost}
    print(make_key(file, name, **rights, **quotas))
    show.err.print(f"The key of {name} is shown this once; {file} has its hash.")


@keys.command("list")
@shown
def list_keys(*, file: _File = _FILE) -> Shown:
    """List the holders of keys, with their indexes, rights and quotas."""
    from ..server.keys import read_keys

    unsaid = {"sha256"}
    return {
        name: key.model_dump(mode="json", exclude=unsaid, exclude_none=True)
        for name, key in read_keys(file).items()
    }, _listed


@keys.command("revoke")
def revoke(name: _Name, file: _File = _FILE) -> None:
    """Take a key back; a server that runs refuses it from then on."""
    from ..server.keys import revoke_key

    revoke_key(file, name)
    show.sentence(f"The key of {name} is taken back.")


def _listed(found: dict[str, dict[str, Any]]) -> None:
    table = Table("name", "indexes", "rights", "a day", "until", box=None)
    for name, key in found.items():
        indexes, rights = (", ".join(key.pop(one)) for one in ("indexes", "rights"))
        until = key.pop("expires", "")
        quotas = ", ".join(f"{most:,} {what}" for what, most in key.items())
        table.add_row(name, indexes, rights, quotas, until)
    show.out.print(table)
