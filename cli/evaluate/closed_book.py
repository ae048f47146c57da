"""Answers of a model without documents."""

from __future__ import annotations

from typing import Any

from ...context import Context
from ..flags import Shown, context_options, shown
from ..running import progress_bars
from ..show import notes, out
from . import tables
from .group import DryRun, Limit, Plot, Seed, Set, drawing, ended, evaluate

_QUALITY = {"em": "EM", "f1": "F1", "containment": "contains"}


@evaluate.command("closed-book")
@context_options(Context)
@shown
def closed_book(
    *,
    dataset: Set,
    limit: Limit = None,
    seed: Seed = 0,
    plot: Plot = None,
    dry_run: DryRun = False,
    context: Context,
) -> Shown:
    """Answers of the model without documents, and whether it can tell what it knows.

    With --index DIR, which may hold no documents, replies are kept there, and an interrupted
    command goes on where it stopped; without, they are lost at its end.
    """
    from ...evaluation.closed_book import cost_of_closed_book, evaluate_closed_book
    from ...evaluation.plots import closed_book_bars

    if dry_run:
        return cost_of_closed_book(dataset, context, limit), tables.cost
    draw = drawing(plot)
    with progress_bars(quiet=False) as report:
        result = evaluate_closed_book(dataset, context, limit, seed, report)
    plots = closed_book_bars(result)
    draw(plots)
    return ended("closed-book", result, plots, _show, context)


def _show(result: dict[str, Any]) -> None:
    """Prints the quality of all answers, of known ones and of guesses, and of each type."""
    title = f"{result['set']} · {result['model']} without documents"
    table = tables.table_of(title, "n", *_QUALITY.values(), "known")
    parts = {"known": result["if_known"], "guessed": result["if_guessed"]}
    types = {kind: one for kind, one in result["by_type"].items() if kind}
    for name, one in {"all": result, **parts, **types}.items():
        known = one["known"]["value"] if "known" in one else None
        shares = tables.shares_of(one, list(_QUALITY))
        table.add_row(name, str(one["em"]["n"]), *shares, tables.percent(known))
    out.print(table)
    notes(result["warnings"])
    if result["unanswered"]:
        notes([f"{result['unanswered']} questions got no usable reply and count as wrong."])
