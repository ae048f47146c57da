"""A method at every value of its settings."""

from __future__ import annotations

from typing import Annotated

import typer

from ...context import IndexContext
from ...graphs.methods import MethodName
from ..flags import Shown, context_options, parsed, shown
from ..running import progress_bars
from . import tables
from .group import (
    Fresh,
    Limit,
    Parallel,
    Plot,
    Seed,
    Set,
    Settings,
    drawing,
    ended,
    evaluate,
    pairs,
)


@evaluate.command()
@context_options(IndexContext)
@shown
def curve(
    *,
    dataset: Set,
    method: Annotated[MethodName, typer.Option(help="The method to measure.")],
    vary: Annotated[
        list[str],
        typer.Option(
            help="NAME=V1,V2,...: a setting of the method and its values; may be repeated, and "
            "then every value is tried with every other."
        ),
    ],
    retrieval: Annotated[
        bool, typer.Option("--retrieval", help="Only recall of the evidence; asks no model.")
    ] = False,
    limit: Limit = None,
    setting: Settings = None,
    parallel: Parallel = 1,
    fresh: Fresh = False,
    seed: Seed = 0,
    plot: Plot = None,
    context: IndexContext,
) -> Shown:
    """A method at every value of a setting: quality with its interval, calls, tokens, seconds.

    With --index DIR, finished questions are kept and shared with `evaluate answers`. --retrieval
    asks no model about questions; --model then only builds layers that the index lacks.
    """
    from ...evaluation.answering import AnsweringPlan
    from ...evaluation.curve import Vary, curve_cost, curve_plots, evaluate_curve

    draw = drawing(plot)
    varied = Vary(method, _values(vary), retrieval)
    with progress_bars(quiet=False) as report:
        plan = AnsweringPlan(
            [method], context, limit, pairs(setting, [method]), fresh, parallel, report
        )
        parsed(lambda: varied.ways(plan))
        if context.dry_run:
            cost = curve_cost(dataset, varied, plan)
            return {"model": context.model, **cost._asdict()}, tables.cost
        result = evaluate_curve(dataset, varied, plan, seed=seed)
    plots = curve_plots(result)
    draw(plots)
    return ended("curve", result, plots, tables.curve, context)


def _values(vary: list[str]) -> dict[str, list[str]]:
    """The values of each setting in texts of the form NAME=V1,V2."""
    values: dict[str, list[str]] = {}
    for text in vary:
        name, _, listed = text.partition("=")
        found = [value.strip() for value in listed.split(",") if value.strip()]
        if not name or not found:
            raise typer.BadParameter(f"{text!r} needs the form NAME=V1,V2,...")
        if name in values:
            raise typer.BadParameter(f"{name} is varied twice; give all its values at once.")
        if name == "index":
            raise typer.BadParameter("The index cannot be varied; it is the same for all values.")
        values[name] = found
    return values
