"""Training data for small models, of question sets: ``python -m lab.training_data --help``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from ragraphs.cli.evaluate.group import Limit, Set, Settings, pairs
from ragraphs.cli.flags import Shown, WrongUsageError, context_options, shown
from ragraphs.cli.main import main
from ragraphs.cli.running import progress_bars
from ragraphs.cli.show import counted, notes, out
from ragraphs.context import IndexContext
from rich.markup import escape

from .exporting import export
from .planning import FORMS, METHODS, Choices

commands = typer.Typer()


@commands.command()
@context_options(IndexContext)
@shown
def training_data(
    *,
    kind: Annotated[
        Literal["deeprag", "crag", "hops"],
        typer.Argument(help="deeprag: trajectories; crag: graded passages; hops: labelled hops."),
    ],
    dataset: Set,
    file: Annotated[Path, typer.Option("--out", help="File of JSON lines to write.")],
    form: Annotated[
        Literal["messages", "preferences", "pairs"],
        typer.Option(
            help="messages: chats to imitate; preferences (deeprag): the better and the worse "
            "reply; pairs (crag): query, text and label."
        ),
    ] = "messages",
    steps: Annotated[int, typer.Option(min=1, max=10, help="deeprag: most sub-questions.")] = 4,
    most_calls: Annotated[
        int, typer.Option(min=1, help="deeprag: most requests for a question.")
    ] = 40,
    match: Annotated[
        Literal["em", "containment"],
        typer.Option(help="deeprag: an answer is right if it is the gold one, or contains it."),
    ] = "em",
    empty: Annotated[
        float,
        typer.Option(min=0, help="hops: examples with nothing necessary, for each of the others."),
    ] = 1.0,
    limit: Limit = None,
    setting: Settings = None,
    seed: Annotated[int, typer.Option(help="hops: seed of the draw of examples.")] = 0,
    context: IndexContext,
) -> Shown:
    """Examples for training small models: messages as the graphs send them, with right replies.

    deeprag asks a model for the cheapest right trajectory of each question; crag and hops take
    their labels from the supporting passages of the set, and ask nobody. With --index DIR, replies
    are kept, so that an interrupted command goes on, and another --form costs nothing.
    """
    if form not in FORMS[kind]:
        forms = " and ".join(FORMS[kind])
        raise WrongUsageError(f"{kind} has no form {form!r}; it has {forms}.")
    settings = pairs(setting, [METHODS[kind]])
    with progress_bars(quiet=False) as report:
        choices = Choices(kind, form, steps, most_calls, match, empty, seed, report)
        result = export(dataset, file, choices, context, limit, settings)
    return result, _table


def _table(result: dict[str, Any]) -> None:
    """Prints what was written, or what it would cost."""
    if result.get("dry_run"):
        calls = f"{result['calls_least']:,} to {result['calls_most']:,} requests"
        out.print(
            f"{calls} are still to be paid, which send {result['tokens_least']:,} to about "
            f"{result['tokens_most']:,} tokens; nothing was written."
        )
        return
    out.print(f"{counted(result['examples'], 'example')} in {escape(result['file'])}")
    _FIGURES[result["kind"]](result)


def _trajectories(result: dict[str, Any]) -> None:
    solved, unsolved, decided = result["solved"], result["unsolved"], result["decisions"]
    out.print(
        f"{100 * solved['value']:.1f} % (95 %: {100 * solved['low']:.1f} to "
        f"{100 * solved['high']:.1f}) of {counted(solved['n'], 'question')} have a right "
        f"trajectory; {unsolved['no_trajectory']} have none, {unsolved['most_calls']} none within "
        "--most-calls"
    )
    for retrievals, questions in result["retrievals"].items():
        out.print(
            f"  {counted(questions, 'question')} with {counted(int(retrievals), 'retrieval')}"
        )
    out.print(
        f"Sub-questions: {decided['known']} known, {decided['earlier']} from earlier answers, "
        f"{decided['retrieve']} looked up. {counted(result['calls'], 'request')}, "
        f"{result['tokens']:,} tokens; {result['reused']} replies were kept."
    )
    notes(result["notes"])


def _grades(result: dict[str, Any]) -> None:
    out.print(
        f"{result['supporting']} of {counted(result['passages'], 'passage')} support the answer; "
        f"for {result['nothing_supporting']} of {counted(result['questions'], 'question')} none "
        f"was found. {_without(result)}"
    )


def _hops(result: dict[str, Any]) -> None:
    out.print(
        f"{result['with_necessary']} requests have a necessary hop, {result['nothing_necessary']} "
        f"have none, {result['left_out']} more without one were left out. {_without(result)}"
    )


def _without(result: dict[str, Any]) -> str:
    return f"{counted(result['without_support'], 'question')} without support were not used."


_FIGURES = {"deeprag": _trajectories, "crag": _grades, "hops": _hops}

if __name__ == "__main__":
    main(commands, "python -m lab.training_data")
