"""`ragraphs entities`: look entities up, and correct them."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

import typer

from ..context import Context
from . import show
from .flags import INDEX_ONLY, Commands, Shown, context_options, shown
from .running import opened

entities = typer.Typer(
    cls=Commands, help="Look up entities, and correct them.", no_args_is_help=True
)

_Entity = Annotated[str, typer.Argument(help="Name or id of an entity.")]


@entities.command("list")
@context_options(Context, INDEX_ONLY)
@shown
def list_entities(
    *,
    name: Annotated[str | None, typer.Argument(help="Part of a name; none: all.")] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="How many at most.")] = 20,
    context: Context,
) -> Shown:
    """List entities, those that most passages speak of first."""
    from ..views.entities import listed

    found = listed(opened(context), limit + 1, name or "")
    return found[:limit], partial(show.entities, more=len(found) > limit)


@entities.command("show")
@context_options(Context, INDEX_ONLY)
@shown
def show_entity(*, name: _Entity, context: Context) -> Shown:
    """Show what is known of an entity: its names, relations, claims and passages."""
    from ..views.entities import looked_up

    return looked_up(opened(context), name), show.entities_in_full


@entities.command("merges")
@context_options(Context, INDEX_ONLY)
@shown
def list_merges(*, context: Context) -> Shown:
    """List what was taken for one entity, and why."""
    from ..views.entities import merges

    return merges(opened(context)), show.merges


@entities.command("merge")
@context_options(Context)
@shown
def merge_entities(
    *,
    a: _Entity,
    b: Annotated[str, typer.Argument(help="Name or id of the one that it is, too.")],
    context: Context,
) -> Shown:
    """Make two entities one, now and whenever the index is built."""
    return _correct("merge", a, b, context)


@entities.command("split")
@context_options(Context)
@shown
def split_entities(
    *,
    a: _Entity,
    b: Annotated[str, typer.Argument(help="Another name, or the id that it was merged under.")],
    context: Context,
) -> Shown:
    """Keep two names apart, now and whenever the index is built."""
    return _correct("split", a, b, context)


def _correct(action: Literal["merge", "split"], a: str, b: str, context: Context) -> Shown:
    from ..index.corrections import correct

    return correct(context, action, a, b), show.correction
