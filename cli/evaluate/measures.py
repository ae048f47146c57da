"""Measures on question sets: retrieval, answers, natural questions and the router."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from ...context import IndexContext, MethodName, RankerName
from ..flags import Shown, context_options, shown
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

_Methods = Annotated[
    list[str] | None,
    typer.Option(help=f"{', '.join(get_args(MethodName))}; may be repeated; none: every method."),
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
    context: IndexContext,
) -> Shown:
    """Recall and precision of supporting passages, time and memory of a retriever."""
    from ...evaluation.plots import recall_curve
    from ...evaluation.retrieval import evaluate_retrieval

    methods = [cast(MethodName, retriever)] if retriever in get_args(MethodName) else []
    draw = drawing(plot)
    settings: dict[str, Any] = {"rerank": rerank, **pairs(setting, methods)}
    if rerank_candidates is not None:
        settings["rerank_candidates"] = rerank_candidates
    result = evaluate_retrieval(dataset, retriever, context, limit, settings)
    plots = [recall_curve(result)]
    draw(plots)
    return ended("retrieval", result, plots, tables.retrieval, context)


@evaluate.command()
@context_options(IndexContext)
@shown
def answers(
    *,
    dataset: Set,
    method: _Methods = None,
    limit: Limit = None,
    setting: Settings = None,
    parallel: Parallel = 1,
    fresh: Fresh = False,
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

    methods = _chosen(method)
    settings = pairs(setting, methods)
    with progress_bars(quiet=False) as report:
        plan = AnsweringPlan(methods, context, limit, settings, fresh, parallel, report)
        result = evaluate_answers(dataset, plan)
    return ended("answers", result, answer_bars(result), tables.answers, context)


@evaluate.command()
@context_options(IndexContext)
@shown
def natural(
    *,
    dataset: Annotated[str, typer.Argument(help="Folder of documents and questions.jsonl.")],
    method: Annotated[str, typer.Option(help=f"{', '.join(get_args(MethodName))}.")] = "basic",
    context: IndexContext,
) -> Shown:
    """Questions as people ask them: what is answered, how much of it is right, what is found.

    Every retriever is measured by the sentences that support the answers, on each kind of document.
    """
    from ...evaluation.natural import evaluate_natural
    from ...evaluation.plots import natural_bars

    [chosen] = _chosen([method])
    with progress_bars(quiet=False) as report:
        result = evaluate_natural(dataset, chosen, context, report)
    return ended("natural", result, natural_bars(result), tables.natural, context)


@evaluate.command()
@context_options(IndexContext)
@shown
def router(
    *,
    dataset: Set,
    method: _Methods = None,
    limit: Limit = None,
    setting: Settings = None,
    recorded: Annotated[
        Path | None,
        typer.Option(
            help="File of outcomes to compare instead of asking: JSON lines or a JSON list with "
            "method (or router), id or question, answer, sufficient, calls, tokens."
        ),
    ] = None,
    seed: Seed = 0,
    plot: Plot = None,
    parallel: Parallel = 1,
    fresh: Fresh = False,
    context: IndexContext,
) -> Shown:
    """The router against every single method, other ways to choose, and the best in hindsight.

    Asks every method and the router every question, as `evaluate answers` does, and keeps finished
    questions in the same file. The router takes any method that the index has the layers for.
    """
    from ...evaluation.answering import AnsweringPlan
    from ...evaluation.plots import quality_against_cost
    from ...evaluation.router import evaluate_recorded, evaluate_router

    draw = drawing(plot)
    methods = _chosen(method)
    settings = pairs(setting, [*methods, "router"])
    with progress_bars(quiet=False) as report:
        plan = AnsweringPlan(methods, context, limit, settings, fresh, parallel, report)
        result = (
            evaluate_router(dataset, plan, seed=seed)
            if recorded is None
            else evaluate_recorded(dataset, recorded, plan, seed=seed)
        )
    plots = [quality_against_cost(result)]
    draw(plots)
    return ended("router", result, plots, tables.router, context)


def _chosen(methods: list[str] | None) -> list[MethodName]:
    """The methods that are named, each once, or all methods."""
    known = get_args(MethodName)
    for name in methods or ():
        if name not in known:
            raise typer.BadParameter(f"{name!r} is no method; choose from {', '.join(known)}.")
    return [cast(MethodName, name) for name in dict.fromkeys(methods or known)]
