"""Conditions, figures and forecasts of the commands that take answers apart into statements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from rich.table import Column, Table

from ...context import MethodName, SearchName
from ..flags import parsed
from ..show import out

if TYPE_CHECKING:
    from ...evaluation.conditions import Condition


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


def table(title: str, *columns: str) -> Table:
    """A table with figures in ``columns`` behind a column of names."""
    return Table(
        Column(no_wrap=True), *(Column(name, justify="right") for name in columns), title=title
    )


def measured(measure: Mapping[str, Any]) -> str:
    """A share in percent with its interval."""
    if measure["value"] is None:
        return "–"
    value, low, high = (100 * measure[name] for name in ("value", "low", "high"))
    return f"{value:.1f} ({low:.0f}–{high:.0f})"


def ranged(measure: Mapping[str, Any]) -> str:
    """A number with its interval."""
    if measure["value"] is None:
        return "–"
    return f"{measure['value']:.1f} ({measure['low']:.1f}–{measure['high']:.1f})"


def cost(judged: str, result: Mapping[str, Any]) -> None:
    """Prints what is still to pay, of which judging is called ``judged``."""
    indexing = result["indexing"]
    shown = table("still to pay", "requests", "tokens sent")
    shown.add_row("index", f"{indexing['calls']:,}", f"{indexing['tokens']:,}")
    for name, one in (
        (f"{result['missing_answers']:,} answers", result["answers"]),
        (judged, result["judging"]),
    ):
        pairs = [(one[f"{unit}_least"], one[f"{unit}_most"]) for unit in ("calls", "tokens")]
        shown.add_row(name, *(f"{a:,}" if a == b else f"{a:,}–{b:,}" for a, b in pairs))
    out.print(shown)
