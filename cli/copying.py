"""Copying an index between a folder and the shared stores, and backing it up."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

import typer

from ..state.errors import RagraphsError
from . import show
from .flags import Json
from .operating import PriceFile, Verbose, operate
from .running import progress_bars

if TYPE_CHECKING:
    from ..index.opening import Index


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


def backup(
    target: Annotated[
        str, typer.Argument(metavar="TO", help="A new index: ./FOLDER with a slash, or a name.")
    ],
    index: Annotated[
        str | None, typer.Option("--index", metavar="NAME", help="The index; unset: the default.")
    ] = None,
    as_json: Json = False,
    verbose: Verbose = 0,
) -> None:
    """Back up an index as it is now, and check the copy, while it is asked and written to.

    The copy is an index of its own: ask it where it lies, or ragraphs copy it to its place.
    """
    from ..settings import settings

    operate(verbose=verbose)
    copy_to_place(index or settings().index, target, as_json=as_json, checked=True)


def copy_to_place(source: str, target: str, *, as_json: bool, checked: bool = False) -> None:
    """Copies an index, ``checked`` against the source as it was, and shows what the copy holds."""
    from ..index.copying import copy_index

    check = _require_same if checked else lambda *_: None
    with progress_bars(quiet=as_json) as report:
        copied = copy_index(source, target, report, check)
    show.print_json(copied) if as_json else show.copied(copied)


def _require_same(source: Index, target: Index) -> None:
    """Raises RagraphsError where the two indexes would not be exported alike."""
    from ..views.status import export_lines

    for line, copied in zip_longest(export_lines(source), export_lines(target)):
        if line != copied:
            raise RagraphsError(
                f"The backup at {target.name} is not like {source.name} was; delete it, and run "
                "the same command again."
            )
