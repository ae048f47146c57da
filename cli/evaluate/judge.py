"""`ragraphs evaluate judge`: answers to questions about the whole, compared by a judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from ...context import QuestionContext
from ..flags import Shown, WrongUsageError, context_options, shown
from ..running import progress_bars
from ..show import cost_of, counted, err, notes, out
from .group import DryRun, Parallel, Plot, Seed, drawing, ended, evaluate
from .tables import least_to_most, percent, table_of

_PARTS = {
    "questions": "writing questions",
    "answers": "answering them",
    "judgements": "judging",
    "in_all": "in all",
}

Conditions = Annotated[
    list[str] | None,
    typer.Option(
        help="What to compare, repeated: METHOD, METHOD:NAME=VALUE, C0, C1, … (GraphRAG's "
        "reports by level), text, ss, graphrag:local, graphrag:drift. None: C0, C1, text, ss."
    ),
]
PerTask = Annotated[int, typer.Option(min=1, max=50, metavar="N", help="Questions for each task.")]
MostQuestions = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="At most so many, spread over personas and tasks."),
]
QuestionFile = Annotated[
    Path | None, typer.Option(help="Your own questions: JSON lines with question, or plain lines.")
]
NewQuestions = Annotated[
    bool, typer.Option("--new-questions", help="Write new questions; the old ones are kept.")
]
Judge = Annotated[
    str | None, typer.Option(help="Model that judges and writes questions; none: --model.")
]
Repeats = Annotated[int, typer.Option(min=1, max=50, metavar="N", help="Verdicts in each order.")]
Apart = Annotated[
    bool, typer.Option("--apart", help="Ask for each criterion by itself: four times the cost.")
]


@evaluate.command()
@context_options(QuestionContext, without={"where", "stream_answer"})
@shown
def judge(
    *,
    condition: Conditions = None,
    personas: Annotated[int, typer.Option(min=1, max=50, metavar="N", help="Personas.")] = 5,
    tasks: Annotated[int, typer.Option(min=1, max=26, metavar="N", help="Tasks of each.")] = 5,
    per_task: PerTask = 5,
    questions: MostQuestions = None,
    question_file: QuestionFile = None,
    new_questions: NewQuestions = False,
    judge: Judge = None,
    repeats: Repeats = 1,
    apart: Apart = False,
    dry_run: DryRun = False,
    seed: Seed = 0,
    plot: Plot = None,
    parallel: Parallel = 1,
    context: QuestionContext,
) -> Shown:
    """Answers to questions about the whole, compared in pairs by a judge.

    Questions are written from the index, and kept in INDEX/evaluations/questions.jsonl, where you
    may edit them. Replies are kept: an interrupted command goes on where it stopped.
    """
    from ...evaluation.judging.experiment import ExperimentPlan, cost_of_judging, evaluate_judge
    from ...evaluation.judging.questions import QuestionQuota

    if question_file is not None and new_questions:
        raise WrongUsageError("--question-file and --new-questions do not go together.")
    draw = drawing(plot)
    context = context.model_copy(update={"index": context.index})  # results stay with it
    wanted = QuestionQuota(personas, tasks, per_task, questions)
    with progress_bars(quiet=False) as report:
        plan = ExperimentPlan(
            context,
            condition or (),
            wanted,
            question_file,
            new_questions,
            judge,
            repeats,
            apart,
            parallel,
            seed,
            report,
        )
        if dry_run:
            return cost_of_judging(plan), partial(print_cost, console=out)
        tell = partial(print_cost, console=err) if err.is_terminal else None
        result = evaluate_judge(plan, tell)
    return _ended(result, draw, context)


def _ended(result: Any, draw: Callable[[list[Any]], None], context: QuestionContext) -> Shown:
    from ...evaluation.judging.pictures import judge_plots

    plots = judge_plots(result)
    draw(plots)
    return ended("judge", result, plots, print_comparison, context)


def print_cost(costs: Mapping[str, Any], console: Any) -> None:
    """Prints what each part of a comparison costs, at least and at most."""
    console.print(
        escape(
            f"{counted(costs['questions_asked'], 'question')}, "
            f"{len(costs['conditions'])} conditions ({', '.join(costs['conditions'])}), "
            f"judged by {costs['judge']}:"
        )
    )
    for name, said in _PARTS.items():
        calls, tokens = least_to_most(costs[name])
        console.print(f"  {said}: {calls} requests, {tokens} tokens sent")
    notes(costs["notes"])


def print_comparison(result: dict[str, Any]) -> None:
    """Prints the conditions, the win rates by criterion, and what the judge may have gone by."""
    _conditions(result)
    names = [one["name"] for one in result["conditions"]]
    for criterion in dict.fromkeys(one["criterion"] for one in result["comparisons"]):
        told = [one for one in result["comparisons"] if one["criterion"] == criterion]
        _matrix(criterion, names, told)
    _pairs(result)
    _bias(result)
    verdicts = result["verdicts"]
    lacking = f"; {verdicts['unanswered']:,} more did not come" if verdicts["unanswered"] else ""
    out.print(
        f"{counted(verdicts['given'], 'verdict')}, {verdicts['ties']:,} of them ties{lacking}. "
        f"Judge {escape(result['judge'])}: {escape(cost_of(result['usage']))}"
    )
    for sentence in result["sentences"]:
        out.print(escape(sentence))
    notes(result["notes"])


def _conditions(result: dict[str, Any]) -> None:
    title = f"{result['index']} · {result['model']} · {result['questions']} questions"
    table = table_of(title, "answered", "win rate", "95 %", "calls", "tokens", "words")
    for one in result["conditions"]:
        table.add_row(
            escape(one["name"]),
            f"{one['answered']} of {result['questions']}",
            percent(one["quality"]),
            _bounds(one),
            f"{one['calls']:,.1f}",
            f"{one['tokens']:,.0f}",
            "–" if one["words"] is None else f"{one['words']:,.0f}",
        )
    out.print(table)
    out.print("Win rate: mean of comprehensiveness, diversity and empowerment over all others.")
    for one in result["conditions"]:
        if one["failed"]:
            notes([f"{one['failed']} questions failed with {one['name']} and are not judged; "
                   f"the first: {one['first_failure']}"])  # fmt: skip
        if one["empty"]:
            notes([f"{one['empty']} answers of {one['name']} are empty and are not judged."])


def _matrix(criterion: str, names: Sequence[str], told: Sequence[Mapping[str, Any]]) -> None:
    """Win rates of the rows over the columns; * marks those that are significant."""
    table = table_of(f"{criterion}: % of wins of the row over the column", *map(escape, names))
    cells: dict[tuple[str, str], str] = {}
    for one in told:
        rate, mark = one["win_rate"], "*" if one["significant"] else ""
        cells[one["row"], one["column"]] = percent(rate) + mark
        cells[one["column"], one["row"]] = percent(None if rate is None else 1 - rate) + mark
    for row in names:
        table.add_row(escape(row), *(cells.get((row, column), "") for column in names))
    out.print(table)


def _pairs(result: dict[str, Any]) -> None:
    """Every comparison with its interval, its p value and the lengths of the answers."""
    columns = ("n", "win rate", "95 %", "p (Holm)", "ties", "words", "longer won")
    table = table_of("row over column", *columns)
    for one in result["comparisons"]:
        lengths = (one["row_words"], one["column_words"])
        words = " / ".join("–" if length is None else f"{length:,.0f}" for length in lengths)
        table.add_row(
            escape(f"{one['criterion']}: {one['row']} – {one['column']}"),
            str(one["n"]),
            percent(one["win_rate"]),
            _bounds(one),
            f"{one['p_holm']:.3f}" + ("*" if one["significant"] else ""),
            str(one["ties"]),
            words,
            f"{percent(one['longer_won'])} of {one['longer_n']}",
        )
    out.print(table)
    out.print("* significant at 5 % after Holm's correction over all comparisons.")


def _bias(result: dict[str, Any]) -> None:
    order = result["order"]
    out.print(
        f"Order: the first answer won {percent(order['first_won'])} % ({_bounds(order)}) of "
        f"{order['wins']:,} verdicts with a winner; {percent(order['flipped'])} % of "
        f"{order['decided_pairs']:,} comparisons flipped with the order."
    )
    for criterion, one in result["length"].items():
        out.print(
            f"Length, {criterion}: the longer answer won {percent(one['longer_won'])} % "
            f"({_bounds(one)}) of {one['comparisons']:,} comparisons."
        )


def _bounds(one: Mapping[str, Any]) -> str:
    return "–" if one["low"] is None else f"{percent(one['low'])}–{percent(one['high'])}"
