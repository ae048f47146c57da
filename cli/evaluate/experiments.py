"""The papers' experiments: a setting varied, parts of CRAG left out, the boundary of knowledge."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ...context import IndexContext, MethodName
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

if TYPE_CHECKING:
    from ...evaluation.asking import Estimate


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
    from ...evaluation.experiments.curve import Vary, curve_cost, curve_plots, evaluate_curve

    draw = drawing(plot)
    varied = Vary(method, _values(vary), retrieval)
    with progress_bars(quiet=False) as report:
        plan = AnsweringPlan(
            [method], context, limit, pairs(setting, [method]), fresh, parallel, report
        )
        parsed(lambda: varied.ways(plan))
        study = _Study(
            partial(curve_cost, dataset, varied, plan),
            partial(evaluate_curve, dataset, varied, plan, seed=seed),
            curve_plots,
            tables.curve,
        )
        return _studied("curve", study, draw, context)


@evaluate.command()
@context_options(IndexContext)
@shown
def ablation(
    *,
    dataset: Set,
    limit: Limit = None,
    setting: Settings = None,
    parallel: Parallel = 1,
    fresh: Fresh = False,
    seed: Seed = 0,
    plot: Plot = None,
    context: IndexContext,
) -> Shown:
    """CRAG without each of its verdicts and operations, against the full method.

    With --index DIR, finished questions are kept and shared with `evaluate answers`. Rewriting and
    selection are of the web search, and measured only where TAVILY_API_KEY is set.
    """
    from ...evaluation.answering import AnsweringPlan
    from ...evaluation.experiments.ablation import (
        ablation_cost,
        ablation_plots,
        evaluate_ablation,
    )

    draw = drawing(plot)
    with progress_bars(quiet=False) as report:
        settings = pairs(setting, ["crag"])
        plan = AnsweringPlan(["crag"], context, limit, settings, fresh, parallel, report)
        study = _Study(
            partial(ablation_cost, dataset, plan),
            partial(evaluate_ablation, dataset, plan, seed=seed),
            ablation_plots,
            tables.ablation,
        )
        return _studied("ablation", study, draw, context)


@evaluate.command()
@context_options(IndexContext)
@shown
def boundary(
    *,
    dataset: Set,
    limit: Limit = None,
    setting: Settings = None,
    parallel: Parallel = 1,
    fresh: Fresh = False,
    seed: Seed = 0,
    plot: Plot = None,
    context: IndexContext,
) -> Shown:
    """Whether DeepRAG retrieves where its model does not know the answer, and only there.

    DeepRAG runs under the policy `model`, and the same model answers every question without
    documents. With --index DIR, finished questions and replies are kept.
    """
    from ...evaluation.answering import AnsweringPlan
    from ...evaluation.experiments.boundary import (
        boundary_cost,
        boundary_plots,
        evaluate_boundary,
    )

    draw = drawing(plot)
    with progress_bars(quiet=False) as report:
        settings = pairs(setting, ["deeprag"])
        plan = AnsweringPlan(["deeprag"], context, limit, settings, fresh, parallel, report)
        study = _Study(
            partial(boundary_cost, dataset, plan),
            partial(evaluate_boundary, dataset, plan, seed=seed),
            boundary_plots,
            tables.boundary,
        )
        return _studied("boundary", study, draw, context)


class _Study(NamedTuple):
    """An experiment: its cost, its result, the plots of the result, and how it is printed."""

    cost: Callable[[], Estimate]
    evaluate: Callable[[], Any]
    plots: Callable[[Any], list[Any]]
    show: Callable[[Any], None]


def _studied(
    name: str, study: _Study, draw: Callable[[list[Any]], None], context: IndexContext
) -> Shown:
    """The result of an experiment, drawn and kept; or what it would cost, in a dry run."""
    if context.dry_run:
        return {"model": context.model, **study.cost()._asdict()}, tables.cost
    result = study.evaluate()
    plots = study.plots(result)
    draw(plots)
    return ended(name, result, plots, study.show, context)


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
