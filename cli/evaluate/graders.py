"""How well CRAG's graders tell the passages that support a question."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from ...context import GraderName, IndexContext
from ..flags import Shown, context_options, parsed, shown
from ..running import progress_bars
from ..show import notes, out
from . import tables
from .group import DryRun, Limit, Plot, Seed, Set, drawing, ended, evaluate

_MEASURES = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "auc")
_VERDICTS = ("correct", "ambiguous", "incorrect")


@evaluate.command()
@context_options(IndexContext, without={"dry_run"})
@shown
def grader(
    *,
    dataset: Set,
    grader: Annotated[GraderName, typer.Option(help="Which grader.")] = "similarity",
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=VALUE of CRAG's top_k, retriever, rerank, rerank_candidates, upper or lower."
        ),
    ] = None,
    limit: Limit = None,
    seed: Seed = 0,
    plot: Plot = None,
    dry_run: DryRun = False,
    context: IndexContext,
) -> Shown:
    """Accuracy of a grader of CRAG: of single passages, and of the verdict on a retrieval.

    The passages of each question are graded, and once more with those that support it taken away.
    With --index DIR a model's replies are kept there, and an interrupted command goes on where it
    stopped; without, they are lost at its end.
    """
    from ...evaluation.graders import GraderPlan, cost_of_grading, crag_settings, evaluate_grader
    from ...evaluation.plots import grader_plots

    pairs = dict(pair.partition("=")[::2] for pair in setting or [])
    crag = parsed(partial(crag_settings, grader, pairs))
    draw = drawing(plot)
    with progress_bars(quiet=False) as report:
        plan = GraderPlan(dataset, context, crag, limit, seed, report)
        if dry_run:
            return cost_of_grading(plan), tables.cost
        result = evaluate_grader(plan)
    plots = grader_plots(result)
    draw(plots)
    return ended("grader", result, plots, _show, context)


def _show(result: dict[str, Any]) -> None:
    """Prints the measures of single passages, and the verdicts on retrievals."""
    title = f"{result['set']} · {result['grader']} · {result['model']}"
    passages = tables.table_of(title, "%", "low", "high")
    for name in _MEASURES:
        one = result["supports"][name]
        shares = (tables.percent(one[part]) for part in ("value", "low", "high"))
        passages.add_row(name.replace("_", " "), *shares)
    out.print(passages)
    verdicts = tables.table_of("verdicts", "n", *_VERDICTS)
    for name, one in result["verdicts"].items():
        if name != "balanced_accuracy":
            n = str(one["correct"]["n"])
            verdicts.add_row(name.replace("_", " "), n, *tables.shares_of(one, _VERDICTS))
    out.print(verdicts)
    out.print(
        f"{result['questions']} questions, {result['passages']} passages; balanced accuracy of the "
        f"verdict {tables.percent(result['verdicts']['balanced_accuracy'])} %"
    )
    notes(result["warnings"])
    if result["unanswered"]:
        notes([f"{result['unanswered']} replies were of no use and are left out."])
