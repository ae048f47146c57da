"""Copying an index between a folder and the shared stores."""

from __future__ import annotations

from typing import Annotated

import typer

from . import show
from .flags import Json
from .operating import PriceFile, Verbose, operate
from .running import progress_bars


def copy(
    source: Annotated[
        str, typer.Argument(metavar="FROM", help="The index: a name, or ./FOLDER with a slash.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TO", help="A new one: a name, or ./FOLDER with a slash.")
    ],
    as_json: Json = False,
    verbose: Verbose = 0,
    prices: PriceFile = None,
) -> None:
    """Copy an index from a folder to the operator's database and server, or back.

    A path with a slash is a folder of this machine, and a name is an index of the database that
    RAGRAPHS_DATABASE sets. All that was paid for is copied, and the copy asks no model anything.
    """
    operate(verbose=verbose, prices=prices)
    copy_to_place(source, target, as_json=as_json)


def copy_to_place(source: str, target: str, *, as_json: bool) -> None:
    """Copies an index, and shows what the copy holds."""
    from ..index.copying import copy_index

    with progress_bars(quiet=as_json) as report:
        copied = copy_index(source, target, report)
    show.print_json(copied) if as_json else show.copied(copied)
