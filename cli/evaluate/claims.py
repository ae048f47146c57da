"""`ragraphs evaluate claims`: the claims of answers, and whether they are supported."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from ...context import IndexContext
from ..flags import Shown, WrongUsageError, context_options, shown
from ..running import progress_bars
from ..show import notes, out
from .group import Fresh, Limit, Parallel, Plot, Seed, Settings, drawing, ended, evaluate, pairs
from .statement_tables import Conditions, conditions_chosen, cost, ranged
from .tables import table_of, with_interval

_THRESHOLD = "0.6"
QuestionFile = Annotated[
    Path | None,
    typer.Option(
        help="Questions, one a line, or JSON lines with 'question'; else those of the set, or "
        "evaluations/questions.jsonl in the index."
    ),
]


@evaluate.command()
@context_options(IndexContext)
@shown
def claims(
    *,
    dataset: Annotated[
        str | None,
        typer.Argument(help="Folder of passages.jsonl and questions.jsonl; or name an --index."),
    ] = None,
    question_file: QuestionFile = None,
    method: Conditions = None,
    judge: Annotated[
        str | None, typer.Option(help="Model that lists and checks claims; none: the model.")
    ] = None,
    against: Annotated[
        Literal["passages", "sentences"],
        typer.Option(help="Check claims against the cited passages, or the cited sentences alone."),
    ] = "passages",
    limit: Limit = None,
    setting: Settings = None,
    parallel: Parallel = 1,
    fresh: Fresh = False,
    seed: Seed = 0,
    plot: Plot = None,
    context: IndexContext,
) -> Shown:
    """Claims an answer, how varied they are, and how many the cited evidence supports.

    A model lists the claims of every answer and checks each against the answer's citations.
    Finished work is kept with --index DIR: an interrupted command goes on where it stopped.
    """
    from ...evaluation.answering import AnsweringPlan
    from ...evaluation.statements.claims import claim_plots, evaluate_claims

    draw = drawing(plot)
    conditions = conditions_chosen(method, "global")
    methods = list(dict.fromkeys(one.method for one in conditions))
    questions = _questions(dataset, question_file, limit, context)
    with progress_bars(quiet=False) as report:
        plan = AnsweringPlan(
            methods, context, limit, pairs(setting, methods), fresh, parallel, report
        )
        result = evaluate_claims(questions, conditions, plan, judge, against, seed)
    if context.dry_run:
        return result, partial(cost, "claims")
    plots = claim_plots(result)
    draw(plots)
    return ended("claims", result, plots, _print, context)


def _questions(
    folder: str | None, file: Path | None, limit: int | None, context: IndexContext
) -> Any:
    """The questions of a set or of a file, with what is to be indexed for them."""
    from ...evaluation.datasets import load_dataset
    from ...evaluation.question_files import kept_file, read_question_file
    from ...evaluation.retrieval import is_kept, is_made_from
    from ...evaluation.statements.claims import Questions
    from ...index.opening import open_index

    if folder is not None:
        dataset = load_dataset(folder, limit)
        own = list(dict.fromkeys(one.question for one in dataset.questions))
        asked = own if file is None else read_question_file(file, limit)
        given = {} if is_made_from(dataset, context) else dataset.sources
        return Questions(dataset.name, given, asked)
    if not is_kept(context):
        raise WrongUsageError("Name the folder of a question set, or an index with --index.")
    index = open_index(context)
    kept = kept_file(index)
    if file is None and not kept.is_file():
        raise WrongUsageError(
            f"The index at {index.name} keeps no questions; name a file with --question-file."
        )
    return Questions(index.folder.name, {}, read_question_file(file or kept, limit))


def _print(result: Any) -> None:
    title = f"{result['set']} · {result['judge']} · {result['questions']} questions"
    shown = table_of(title, "claims", f"clusters at {_THRESHOLD}", "supported", "unsupported", "n")
    for one in result["conditions"]:
        shown.add_row(
            one["condition"],
            ranged(one["claims"]),
            ranged(one["clusters"][_THRESHOLD]),
            with_interval(one["supported"]),
            with_interval(one["unsupported"]),
            f"{one['supported']['n']:,}",
        )
    out.print(shown)
    out.print("Claims an answer; shares of the n claims that have a verdict; intervals of 95 %.")
    for one in result["conditions"]:
        said = {
            "failures": f"questions failed and are left out; the first: {one['first_failure']}",
            "without_reply": "answers got no usable reply of the judge and are left out",
            "without_claims": "answers claim nothing",
            "without_citations": "answers cite nothing; their claims count as unsupported",
        }
        counts = [f"{one[name]} {words}" for name, words in said.items() if one[name]]
        if one["unclear"]["value"]:
            counts.append(f"{with_interval(one['unclear'])} % of the claims got no clear verdict")
        if counts:
            out.print(escape(f"{one['condition']}: {'; '.join(counts)}."))
    notes(result["warnings"])
