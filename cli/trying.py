"""`ragraphs try`: the uses that a language model is good for here."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from ..context import Context
from ..models.trials import Trial, keep_trial, uses
from ..settings import settings
from ..state.errors import IndexNotFoundError
from . import show
from .flags import Shown, context_options, shown
from .running import opened, progress_bars

_HOUR = 3600.0
_NAMES = {
    "fact": "facts",
    "two_step": "two steps",
    "unanswerable": "unanswerable",
    "extraction": "names of a passage",
    "grading": "grading",
    "report": "reports",
}


@context_options(Context, without={"model"})
@shown
def try_model(
    *,
    model: Annotated[
        str, typer.Argument(help="Language model, such as openai:gpt-4o-mini.", metavar="MODEL")
    ],
    context: Context,
) -> Shown:
    """Find out what a language model is good for, by 24 tasks; ask and index then go by it.

    The tasks come with the package, in English and Korean: facts, questions in two steps,
    questions without an answer, names of passages, grading, and reports.
    """
    from ..evaluation.trial import tried

    context = context.narrowed(Context, model=model)
    with progress_bars(quiet=False) as report:
        trial, results = asyncio.run(tried(context, report))
    keep_trial(trial, settings())
    hours = _hours(trial, context)
    told = {
        **trial.model_dump(),
        "verdicts": {use: trial.verdict(use)._asdict() for use in uses()},
        "trusted": trial.is_trusted,
        "small": trial.is_small,
        "hours": hours,
        "tasks": [
            {
                **result.task,
                **(result.done._asdict() if result.done else {}),
                "error": str(result.error or ""),
                "seconds": result.seconds,
            }
            for result in results
        ],
    }
    return told, lambda _: _print(trial, hours)


def _hours(trial: Trial, context: Context) -> float | None:
    """The hours of reading the index that ``context`` names; None where there is none."""
    try:
        passages = opened(context).catalogue.count_passages()
    except IndexNotFoundError:
        return None
    return passages * trial.seconds_of("layers") / _HOUR if passages else None


def _print(trial: Trial, hours: float | None) -> None:
    rows: dict[str, Any] = {
        _NAMES[kind]: f"{score.right} of {score.tasks} right"
        + (f", {score.tasks - score.forms} without a usable reply" * (score.forms < score.tasks))
        + f", {score.seconds / score.tasks:.1f} s each"
        for kind, score in trial.scores.items()
    }
    rows["sentences"] = f"{trial.pointed} of {trial.cited} answers point at the right ones"
    rows["sufficient"] = (
        f"{trial.sufficient_right} right of {trial.sufficient} that it called sufficient"
    )
    if trial.tokens_received:
        rows["speed"] = (
            f"{trial.tokens_received / trial.seconds:.1f} tokens a second written, reading "
            f"included; {trial.seconds_of('answers'):.1f} s a question"
        )
    if hours is not None:
        rows["this index"] = f"about {show.told_hours(hours)} for the layers hops and entities"
    show.named(rows)
    for use in uses():
        show.sentence(trial.verdict(use).says)
