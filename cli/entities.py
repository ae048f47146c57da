"""`ragraphs entities`: look entities up, and correct them."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..context import Context
from .flags import Json, context_options
from .show import print_json

entities = typer.Typer(help="Look up entities, and correct them.", no_args_is_help=True)


@entities.command("list")
@context_options(Context)
def list_entities(
    *,
    name: Annotated[str | None, typer.Argument(help="Part of a name; none: all.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 20,
    as_json: Json = False,
    context: Context,
) -> None:
    """List entities, those that most passages speak of first."""
    from ..index.opening import open_index
    from ..views.entities import listed
    from .show import show_entities

    found = listed(open_index(context), limit, name or "")
    print_json(found) if as_json else show_entities(found)


@entities.command("show")
@context_options(Context)
def show_entity(
    *,
    name: Annotated[str, typer.Argument(help="Name or id of an entity.")],
    as_json: Json = False,
    context: Context,
) -> None:
    """Show what is known of an entity: its names, relations, claims and passages."""
    from ..index.opening import open_index
    from ..views.entities import looked_up
    from .show import show_entity

    found = looked_up(open_index(context), name)
    if as_json:
        print_json(found)
        return
    for one in found:
        show_entity(one)


@entities.command("merges")
@context_options(Context)
def list_merges(*, as_json: Json = False, context: Context) -> None:
    """List what was taken for one entity, and why."""
    from ..index.opening import open_index
    from ..views.entities import merges
    from .show import show_merges

    found = merges(open_index(context))
    print_json(found) if as_json else show_merges(found)


@entities.command("merge")
@context_options(Context)
def merge_entities(
    *,
    a: Annotated[str, typer.Argument(help="Name or id of an entity.")],
    b: Annotated[str, typer.Argument(help="Name or id of the one that it is, too.")],
    as_json: Json = False,
    context: Context,
) -> None:
    """Make two entities one, now and whenever the index is built."""
    _correct("merge", a, b, context, as_json)


@entities.command("split")
@context_options(Context)
def split_entities(
    *,
    a: Annotated[str, typer.Argument(help="Name or id of an entity.")],
    b: Annotated[str, typer.Argument(help="Another name, or the id that it was merged under.")],
    as_json: Json = False,
    context: Context,
) -> None:
    """Keep two names apart, now and whenever the index is built."""
    _correct("split", a, b, context, as_json)


def _correct(
    action: Literal["merge", "split"], a: str, b: str, context: Context, as_json: bool
) -> None:
    from ..index.corrections import correct
    from .show import show_cost, show_entities, show_warnings

    result = correct(context, action, a, b)
    if as_json:
        print_json(result)
    else:
        show_entities(result["entities"])
        show_cost(result["usage"])
        show_warnings(result["warnings"])
