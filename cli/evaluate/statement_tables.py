"""Conditions, figures and forecasts of the commands that take answers apart into statements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from ...context import MethodName, SearchName
from ..flags import parsed
from ..show import out
from .tables import table_of

if TYPE_CHECKING:
    from ...evaluation.conditions import Condition

Methods = Annotated[
    list[str] | None,
    typer.Option(
        help=f"{', '.join(get_args(MethodName))}, or such as graphrag:global:1 (search, level);"
        " may be repeated; none: every method."
    ),
]


def conditions_chosen(methods: list[str] | None, search: SearchName) -> list[Condition]:
    """The conditions that are named, each once, or all methods; ``search`` is GraphRAG's."""
    from ...evaluation.conditions import condition_of
    from ...graphs import graph_of

    named = dict.fromkeys(methods or get_args(MethodName))
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
        pairs = [(one[f"{unit}_least"], one[f"{unit}_most"]) for unit in ("calls", "tokens")]
        shown.add_row(name, *(f"{a:,}" if a == b else f"{a:,}–{b:,}" for a, b in pairs))
    out.print(shown)
