"""Experiments on question sets: ``python -m lab.experiments --help``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from ragraphs.cli.evaluate import tables as shared_tables
from ragraphs.cli.evaluate.group import (
    DryRun,
    Fresh,
    Limit,
    Parallel,
    Plot,
    Record,
    Seed,
    Set,
    Settings,
    drawing,
    ended,
    pairs,
)
from ragraphs.cli.evaluate.judge import print_cost
from ragraphs.cli.evaluate.measures import Methods, chosen
from ragraphs.cli.flags import Commands, Shown, context_options, parsed, shown
from ragraphs.cli.main import main
from ragraphs.cli.running import progress_bars
from ragraphs.cli.show import out
from ragraphs.context import GraderName, IndexContext, QuestionContext
from ragraphs.evaluation.answering import AnsweringPlan
from ragraphs.evaluation.asking import Estimate
from ragraphs.evaluation.judging.experiment import ExperimentPlan
from ragraphs.graphs.methods import METHODS

from . import tables
from .ablation import ablation_cost, ablation_plots, evaluate_ablation
from .boundary import boundary_cost, boundary_plots, evaluate_boundary
from .documentation import documentation_bars, evaluate_documentation
from .graders import GraderPlan, cost_of_grading, crag_settings, evaluate_grader, grader_plots
from .hops import evaluate_hops
from .lazy import LAZY, claims_kept, evaluate_lazy, judged_in, keep_judged, show_lazy
from .natural import evaluate_natural, natural_bars
from .router import evaluate_recorded, evaluate_router, quality_against_cost
from .trust import evaluate_trust, replayed
from .verify import evaluate_verify

experiments = typer.Typer(cls=Commands, help="Experiments on question sets.", no_args_is_help=True)


@experiments.command()
@context_options(IndexContext)
@shown
def natural(
    *,
    dataset: Annotated[str, typer.Argument(help="Folder of documents and questions.jsonl.")],
    method: Annotated[str, typer.Option(help=f"{', '.join(METHODS)}.")] = "basic",
    record: Record = None,
    context: IndexContext,
) -> Shown:
    """Questions as people ask them: what is answered, how much of it is right, what is found.

    Every retriever is measured by the sentences that support the answers, on each kind of document.
    """
    [only] = chosen([method])
    with progress_bars(quiet=False) as report:
        result = evaluate_natural(dataset, only, context, report, record)
    return ended("natural", result, natural_bars(result), tables.natural, context)


@experiments.command()
@context_options(IndexContext)
@shown
def documentation(
    *,
    folder: Annotated[str, typer.Argument(help="Folder of documents.")],
    questions: Annotated[
        str, typer.Argument(help='File of lines {"question": …, "pages": [paths in the folder]}.')
    ],
    record: Record = None,
    context: IndexContext,
) -> Shown:
    """Whether the pages that answer are found first: by every retriever, and by the router.

    Also the kinds that questions are taken for, times, and how many end for a limit. Fetches
    nothing. With --index DIR the index is kept and used again.
    """
    with progress_bars(quiet=False) as report:
        result = evaluate_documentation(folder, questions, context, report, record)
    plots = documentation_bars(result)
    return ended("documentation", result, plots, tables.documentation, context)


@experiments.command()
@context_options(IndexContext)
@shown
def router(
    *,
    dataset: Set,
    method: Methods = None,
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
    draw = drawing(plot)
    methods = chosen(method)
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


@experiments.command()
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
    draw = drawing(plot)
    with progress_bars(quiet=False) as report:
        settings = pairs(setting, ["crag"])
        plan = AnsweringPlan(["crag"], context, limit, settings, fresh, parallel, report)
        study = Study(
            partial(ablation_cost, dataset, plan),
            partial(evaluate_ablation, dataset, plan, seed=seed),
            ablation_plots,
            tables.ablation,
        )
        return studied("ablation", study, draw, context)


@experiments.command()
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
    draw = drawing(plot)
    with progress_bars(quiet=False) as report:
        settings = pairs(setting, ["deeprag"])
        plan = AnsweringPlan(["deeprag"], context, limit, settings, fresh, parallel, report)
        study = Study(
            partial(boundary_cost, dataset, plan),
            partial(evaluate_boundary, dataset, plan, seed=seed),
            boundary_plots,
            tables.boundary,
        )
        return studied("boundary", study, draw, context)


@experiments.command()
@context_options(IndexContext, without={"dry_run"})
@shown
def trust(
    *,
    dataset: Annotated[str, typer.Argument(help="Folder of a set, or a file to --replay.")],
    method: Methods = None,
    limit: Limit = None,
    unanswerable: Annotated[
        int, typer.Option(min=0, help="Questions that lose their supporting passages.")
    ] = 15,
    replay: Annotated[
        bool,
        typer.Option("--replay", help="Ask nothing: what rules make of the answers in a file."),
    ] = False,
    setting: Settings = None,
    parallel: Parallel = 1,
    fresh: Fresh = False,
    context: IndexContext,
) -> Shown:
    """Whether "sufficient" can be believed: wrong answers so marked, and refusals.

    Ask a weak reader under a model's name of its own for every seed. The index is read by rules.
    """
    if replay:
        return replayed(dataset), tables.replayed
    methods = [*chosen(method), "router"]
    with progress_bars(quiet=False) as report:
        own = pairs(setting, methods)
        plan = AnsweringPlan(methods, context, limit, own, fresh, parallel, report)
        result = evaluate_trust(dataset, plan, unanswerable)
    return ended("trust", result, [], tables.trust, context)


@experiments.command()
@context_options(IndexContext, without={"dry_run"})
@shown
def hops(
    *,
    dataset: Set,
    error: Annotated[
        list[float] | None, typer.Option(min=0, max=1, help="Share of labels that are wrong.")
    ] = None,
    retriever: Annotated[str, typer.Option(help="Where the walks start from.")] = "hybrid",
    limit: Limit = None,
    context: IndexContext,
) -> Shown:
    """HopRAG's walks, as printed and as they are here, by similarity and by gold labels."""
    with progress_bars(quiet=False) as report:
        result = evaluate_hops(dataset, error or [0.0], context, limit, retriever, report)
    return ended("hops", result, [], tables.hops, context)


@experiments.command()
@context_options(QuestionContext, without={"where", "stream_answer"})
@shown
def lazy(
    *,
    file: Annotated[
        Path, typer.Argument(help="Questions: a line each, JSON lines, or .csv (question_text).")
    ],
    limit: Annotated[int, typer.Option(min=1, help="Questions, evenly from the whole file.")] = 12,
    condition: Annotated[str, typer.Option(help="What to compare with ss.")] = LAZY,
    keep: Annotated[
        Path | None, typer.Option(help="File for the answers, verdicts and reasons.")
    ] = None,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="FILE is one that --keep wrote; asks nothing.")
    ] = False,
    claims: Annotated[
        bool,
        typer.Option("--claims", help="With --recorded: ask for the claims of its answers, too."),
    ] = False,
    parallel: Parallel = 1,
    dry_run: DryRun = False,
    seed: Seed = 0,
    context: QuestionContext,
) -> Shown:
    """Answers about the whole of --index, judged against vector search in both orders.

    The index needs communities, and no report by a model. Replies are kept in it: an interrupted
    command goes on where it stopped. The tokens of a full index and full answers stand beside.
    """
    if recorded and not claims:
        return judged_in(file, seed), show_lazy
    context = context.model_copy(update={"index": context.index})  # replies stay with it
    if recorded:
        with progress_bars(quiet=False) as report:
            keep_judged(file, claims_kept(judged_in(file, seed), context, report))
        return judged_in(file, seed), show_lazy
    with progress_bars(quiet=False) as report:
        plan = ExperimentPlan(context, parallel=parallel, seed=seed, report=report)
        result = evaluate_lazy(file, limit, condition, plan, dry_run=dry_run)
    if dry_run:
        return result, partial(print_cost, console=out)
    if keep is not None:
        keep_judged(keep, result)
    return result, show_lazy


@experiments.command()
@context_options(IndexContext, without={"dry_run"})
@shown
def verify(
    *,
    folder: Annotated[str, typer.Argument(help="Folder of documents and statements.")],
    method: Methods = None,
    context: IndexContext,
) -> Shown:
    """Statements that texts support, refute or leave open: what the router says, or a method."""
    methods = chosen(method) if method else ["auto"]
    with progress_bars(quiet=False) as report:
        result = evaluate_verify(folder, methods, context, report)
    return ended("verify", result, [], tables.verify, context)


@experiments.command()
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
    pairs = dict(pair.partition("=")[::2] for pair in setting or [])
    crag = parsed(partial(crag_settings, grader, pairs))
    draw = drawing(plot)
    with progress_bars(quiet=False) as report:
        plan = GraderPlan(dataset, context, crag, limit, seed, report)
        if dry_run:
            return cost_of_grading(plan), shared_tables.cost
        result = evaluate_grader(plan)
    plots = grader_plots(result)
    draw(plots)
    return ended("grader", result, plots, tables.grader, context)


class Study(NamedTuple):
    """An experiment: its cost, its result, the plots of the result, and how it is printed."""

    cost: Callable[[], Estimate]
    evaluate: Callable[[], Any]
    plots: Callable[[Any], list[Any]]
    show: Callable[[Any], None]


def studied(
    name: str, study: Study, draw: Callable[[list[Any]], None], context: IndexContext
) -> Shown:
    """The result of an experiment, drawn and kept; or what it would cost, in a dry run."""
    if context.dry_run:
        return {"model": context.model, **study.cost()._asdict()}, shared_tables.cost
    result = study.evaluate()
    plots = study.plots(result)
    draw(plots)
    return ended(name, result, plots, study.show, context)


if __name__ == "__main__":
    main(experiments, "python -m lab.experiments")
