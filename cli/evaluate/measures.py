"""Measures on question sets: retrieval and answers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ...context import IndexContext, RankerName
from ...graphs.methods import METHODS
from ..flags import Shown, context_options, shown
from ..running import progress_bars
from . import tables
from .group import (
    Fresh,
    Limit,
    Parallel,
    Plot,
    Record,
    Set,
    Settings,
    drawing,
    ended,
    evaluate,
    pairs,
)

Methods = Annotated[
    list[str] | None,
    typer.Option(help=f"{', '.join(METHODS)}; may be repeated; none: every method."),
]


@evaluate.command()
@context_options(IndexContext)
@shown
def retrieval(
    *,
    dataset: Set,
    retriever: Annotated[
        RankerName, typer.Option(help="How passages are found, or by which method.")
    ] = "hybrid",
    rerank: Annotated[
        str, typer.Option(help="Cross-encoder that orders anew what was found: fastembed:MODEL.")
    ] = "",
    rerank_candidates: Annotated[
        int | None, typer.Option(min=1, help="Passages that the cross-encoder reads.")
    ] = None,
    limit: Limit = None,
    setting: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE of a method's setting, such as n_hop=2.")
    ] = None,
    plot: Plot = None,
    record: Record = None,
    context: IndexContext,
) -> Shown:
    """Recall and precision of supporting passages, time and memory of a retriever."""
    from ...evaluation.plots import recall_curve
    from ...evaluation.retrieval import evaluate_retrieval

    methods = [retriever] if retriever in METHODS else []
    draw = drawing(plot)
    settings: dict[str, Any] = {"rerank": rerank, **pairs(setting, methods)}
    if rerank_candidates is not None:
        settings["rerank_candidates"] = rerank_candidates
    result = evaluate_retrieval(dataset, retriever, context, limit, settings, record)
    plots = [recall_curve(result)]
    draw(plots)
    return ended("retrieval", result, plots, tables.retrieval, context)


@evaluate.command()
@context_options(IndexContext)
@shown
def answers(
    *,
    dataset: Set,
    method: Methods = None,
    limit: Limit = None,
    setting: Settings = None,
    parallel: Parallel = 1,
    fresh: Fresh = False,
    record: Record = None,
    context: IndexContext,
) -> Shown:
    """EM, F1, containment, recall of the evidence, and cost of methods.

    With --index DIR, finished questions are kept in DIR/answers.jsonl: an interrupted command goes
    on where it stopped, and asks again only where documents, settings, the model or the program
    have changed. Layers that methods need and the index lacks are built first, by --model.
    """
    from ...evaluation.answering import AnsweringPlan
    from ...evaluation.answers import evaluate_answers
    from ...evaluation.plots import answer_bars

    methods = chosen(method)
    settings = pairs(setting, methods)
    with progress_bars(quiet=False) as report:
        plan = AnsweringPlan(methods, context, limit, settings, fresh, parallel, report)
        result = evaluate_answers(dataset, plan, record)
    return ended("answers", result, answer_bars(result), tables.answers, context)


def chosen(methods: list[str] | None) -> list[str]:
    """The methods that are named, each once, or all methods."""
    for name in methods or ():
        if name not in METHODS:
            raise typer.BadParameter(f"{name!r} is no method; choose from {', '.join(METHODS)}.")
    return list(dict.fromkeys(methods or METHODS))
