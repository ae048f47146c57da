"""Conditions, figures and forecasts of the commands that take answers apart into statements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...context import SearchName
from ...graphs.methods import METHODS
from ..flags import parsed
from ..show import out
from .tables import least_to_most, table_of

if TYPE_CHECKING:
    from ...evaluation.conditions import Condition

Conditions = Annotated[
    list[str] | None,
    typer.Option(
        help=f"{', '.join(METHODS)}, or such as graphrag:global:1 (search, level);"
        " may be repeated; none: every method."
    ),
]


def conditions_chosen(methods: list[str] | None, search: SearchName) -> list[Condition]:
    """The conditions that are named, each once, or all methods; ``search`` is GraphRAG's."""
    from ...evaluation.conditions import condition_of
    from ...graphs import graph_of

    named = dict.fromkeys(methods or METHODS)
    found = {one.name: one for one in (condition_of(text, search) for text in named)}
    for one in found.values():
        settings: Mapping[str, Any] = one.settings
        parsed(partial(graph_of(one.method)[1], **settings))
    return list(found.values())


def ranged(measure: Mapping[str, Any]) -> str:
    """A number with its interval."""
    if measure["value"] is None:
        return "–"
    return f"{measure['value']:.1f} ({measure['low']:.1f}–{measure['high']:.1f})"


def cost(judged: str, result: Mapping[str, Any]) -> None:
    """Prints what is still to pay, of which judging is called ``judged``."""
    indexing = result["indexing"]
    shown = table_of("still to pay", "requests", "tokens sent")
    shown.add_row("index", f"{indexing['calls']:,}", f"{indexing['tokens']:,}")
    for name, one in (
        (f"{result['missing_answers']:,} answers", result["answers"]),
        (judged, result["judging"]),
    ):
        shown.add_row(name, *least_to_most(one))
    out.print(shown)
