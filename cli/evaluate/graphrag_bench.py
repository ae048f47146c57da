"""`ragraphs evaluate graphrag-bench`: the questions of GraphRAG-Bench."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from ...context import IndexContext
from ..flags import Shown, context_options, shown
from ..running import progress_bars
from ..show import notes, out
from .group import Fresh, Parallel, Plot, Record, Seed, Settings, drawing, ended, evaluate, pairs
from .statement_tables import Conditions, conditions_chosen, cost
from .tables import table_of, with_interval

Sources = Annotated[
    list[str] | None,
    typer.Option(help="Only questions on the corpus of this name; may be repeated."),
]
Faithfulness = Annotated[
    Literal["creative", "all", "none"],
    typer.Option(help="Answers whose statements are sought in the retrieved texts."),
]


@evaluate.command("graphrag-bench")
@context_options(IndexContext)
@shown
def graphrag_bench(
    *,
    questions: Annotated[
        str, typer.Argument(help="File of questions (JSON), or a folder with it and the corpus.")
    ],
    corpus: Annotated[Path | None, typer.Option(help="File of the corpora (JSON).")] = None,
    source: Sources = None,
    method: Conditions = None,
    judge: Annotated[
        str | None, typer.Option(help="Model that compares statements; none: the model.")
    ] = None,
    faithfulness: Faithfulness = "creative",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first questions of each type.")
    ] = None,
    setting: Settings = None,
    parallel: Parallel = 1,
    fresh: Fresh = False,
    seed: Seed = 0,
    plot: Plot = None,
    predictions: Annotated[
        Path | None,
        typer.Option(help="File .json for the answers, as the benchmark's scripts read them."),
    ] = None,
    record: Record = None,
    context: IndexContext,
) -> Shown:
    """ROUGE-L, accuracy, coverage, faithfulness and evidence recall by type of question.

    Every corpus gets an index of its own: DIR/NAME with --index DIR, which keeps what is finished,
    else a temporary one. Without a model only what needs none is measured.
    """
    from ...evaluation.answering import AnsweringPlan
    from ...evaluation.statements.bench import bench_plots, context_of, evaluate_graphrag_bench
    from ...evaluation.statements.bench_set import load_bench

    draw = drawing(plot)
    conditions = conditions_chosen(method, "local")
    methods = list(dict.fromkeys(one.method for one in conditions))
    given = load_bench(questions, corpus, source or (), limit)
    with progress_bars(quiet=False) as report:
        plan = AnsweringPlan(
            methods, context, None, pairs(setting, methods), fresh, parallel, report
        )
        result = evaluate_graphrag_bench(
            given,
            conditions,
            plan,
            judge=judge,
            faithful=faithfulness,
            seed=seed,
            predictions=predictions,
            outputs=record,
        )
    if context.dry_run:
        return result, partial(cost, "judging")
    plots = bench_plots(result)
    draw(plots)
    alone = given.parts[0][0] if len(given.parts) == 1 else None
    place = context_of(alone, context) if alone else context
    return ended("graphrag-bench", result, plots, _print, place)


def _print(result: Any) -> None:
    names = ("rouge_l", "accuracy", "coverage", "faithfulness", "evidence_recall")
    sources = ", ".join(result["sources"])
    for one in result["conditions"]:
        title = f"{result['set']} ({sources}) · {one['condition']} · {result['judge']}"
        shown = table_of(title, *(name.replace("_", " ") for name in names), "n")
        for kind, found in one["by_type"].items():
            cells = (with_interval(found[name]) for name in names)
            shown.add_row(kind, *cells, str(found["rouge_l"]["n"]))
        out.print(shown)
        if one["average"] is not None:
            out.print(f"Mean accuracy of the types: {100 * one['average']:.1f}")
        said = {
            "failures": f"questions failed and count as wrong; the first: {one['first_failure']}",
            "without_answer": "answers are empty and count as wrong",
            "without_reply": "answers were not judged",
        }
        if counts := [f"{one[name]} {words}" for name, words in said.items() if one[name]]:
            out.print(escape(f"{one['condition']}: {'; '.join(counts)}."))
    notes(result["warnings"])
