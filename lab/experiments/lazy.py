"""Lazy answers about the whole against vector search (SS), by a judge, and the tokens of both."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from ragraphs.cli.evaluate.judge import print_comparison
from ragraphs.cli.planning import needs
from ragraphs.cli.show import out
from ragraphs.context import QuestionContext
from ragraphs.evaluation.judging.conditions import ways_of
from ragraphs.evaluation.judging.costs import of_an_answer
from ragraphs.evaluation.judging.experiment import ExperimentPlan, cost_of_judging, evaluate_judge
from ragraphs.evaluation.judging.questions import PersonaQuestion, QuestionQuota, keep_questions
from ragraphs.evaluation.judging.rates import rated
from ragraphs.evaluation.judging.verdicts import PairwiseJudging, Preference
from ragraphs.evaluation.question_files import read_question_file
from ragraphs.index.opening import Index, open_index
from ragraphs.language.analyser import words
from ragraphs.models.prices import Prices
from ragraphs.state.errors import RagraphsError

LAZY = "graphrag:lazy"
_CONDITIONS = (LAZY, "ss")
_FULL = "C1"  # the level that global search reads by default


def evaluate_lazy(
    file: Path, most: int, plan: ExperimentPlan, *, dry_run: bool = False
) -> dict[str, Any]:
    """The result of ``evaluate judge`` on ``most`` questions of ``file``, and the tokens planned.

    The index is asked as it is; replies are kept there, and the same command goes on from them. In
    a dry run: what is left to ask. Raises RagraphsError.
    """
    questions = _evenly(_questions(file), most)
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / "questions.jsonl"
        keep_questions(chosen, [PersonaQuestion("", "", one) for one in questions])
        own = plan._replace(
            conditions=_CONDITIONS, file=chosen, wanted=QuestionQuota(1, 1, most, most)
        )
        if dry_run:
            return cost_of_judging(own)
        result = evaluate_judge(own)
    return {**result, "plan": _planned(open_index(plan.context), plan.context, result)}


def keep_judged(file: Path, result: dict[str, Any]) -> None:
    """Writes the whole of a comparison, which ``judged_in`` reads."""
    text = json.dumps({**result, "notes": []}, ensure_ascii=False, indent=1)
    file.write_text(f"{text}\n", encoding="utf-8")


def judged_in(file: Path, seed: int = 0) -> dict[str, Any]:
    """The comparison that ``keep_judged`` wrote, its win rates counted anew from the verdicts."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        verdicts = [Preference(**one) for one in kept["reasons"]]
        names = [one["name"] for one in kept["conditions"]]
        judging = PairwiseJudging(names, kept["repeats"], kept["apart"])
        found = rated(judging, kept["answers"], verdicts, seed)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RagraphsError(
            f"{file} is no comparison that was kept ({error}); name a file that --keep wrote."
        ) from error
    quality = found.pop("quality")
    conditions = [{**one, **quality[one["name"]]} for one in kept["conditions"]]
    return {**kept, **found, "conditions": conditions}


def show_lazy(result: dict[str, Any]) -> None:
    """Prints the comparison, and the tokens of lazy answers beside full global search."""
    print_comparison(result)
    if not (plan := result.get("plan")):
        return
    out.print(
        f"Tokens: {plan['indexing']:,} to index {plan['passages']:,} passages by a model, "
        f"{plan['full_question']:,} at least for a full global question ({plan['full_calls']:,} "
        f"requests), {plan['lazy_question']:,} for a lazy one. {result['questions']} lazy questions"
        f" took {100 * plan['share']:.2f} % of the index and as many full ones."
    )


def _questions(file: Path) -> list[str]:
    if file.suffix != ".csv":
        return read_question_file(file)
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return [row["question_text"] for row in csv.DictReader(lines)]


def _evenly(questions: Sequence[str], most: int) -> list[str]:
    step = max(1.0, len(questions) / most)
    return [questions[int(place * step)] for place in range(min(most, len(questions)))]


def _planned(index: Index, context: QuestionContext, result: dict[str, Any]) -> dict[str, Any]:
    """The tokens that ``ragraphs plan`` counts for an index, and ``--dry-run`` for an answer."""
    lengths = [len(words(one["text"])) for one in index.catalogue.all_passages()]
    planned = needs(len(lengths), Prices({}), words=round(mean(lengths)), model=context.model)
    money = planned["money"]
    indexing = money["tokens_sent"] + money["tokens_received"]
    full = of_an_answer(ways_of([_FULL, "ss"], context, index)[_FULL], index)
    lazy = next(one["tokens"] for one in result["conditions"] if one["name"] == LAZY)
    asked = result["questions"]
    return {
        "passages": len(lengths),
        "indexing": indexing,
        "full_question": full.tokens_least,
        "full_calls": full.calls_least,
        "lazy_question": round(lazy),
        "share": round(asked * lazy / (indexing + asked * full.tokens_least), 5),
    }
