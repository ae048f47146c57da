"""Answers about the whole against vector search (SS): a judge, their claims, their tokens."""

from __future__ import annotations

import asyncio
import csv
import json
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from ragraphs.cli.evaluate.judge import print_comparison
from ragraphs.cli.planning import needs
from ragraphs.cli.show import out
from ragraphs.context import QuestionContext
from ragraphs.evaluation.asking import gathered, open_asker
from ragraphs.evaluation.judging.conditions import ways_of
from ragraphs.evaluation.judging.costs import of_an_answer
from ragraphs.evaluation.judging.experiment import ExperimentPlan, cost_of_judging, evaluate_judge
from ragraphs.evaluation.judging.questions import PersonaQuestion, QuestionQuota, keep_questions
from ragraphs.evaluation.judging.rates import rated
from ragraphs.evaluation.judging.verdicts import PairwiseJudging, Preference
from ragraphs.evaluation.question_files import read_question_file
from ragraphs.evaluation.retrieval import Report, unreported
from ragraphs.evaluation.statements.checking import claims_of
from ragraphs.evaluation.statements.claims import counted_claims
from ragraphs.index.opening import Index, open_index
from ragraphs.language.analyser import words
from ragraphs.models.prices import Prices
from ragraphs.state.errors import RagraphsError

LAZY = "graphrag:lazy"
SS = "ss"
_FULL = "C1"  # the level that global search reads by default


def evaluate_lazy(
    file: Path, most: int, condition: str, plan: ExperimentPlan, *, dry_run: bool = False
) -> dict[str, Any]:
    """The result of ``evaluate judge`` on ``most`` questions of ``file``, and the tokens planned.

    ``condition`` is compared with vector search. The index is asked as it is; replies are kept
    there, and the same command goes on from them. In a dry run: what is left to ask. Raises
    RagraphsError.
    """
    questions = _evenly(_questions(file), most)
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / "questions.jsonl"
        keep_questions(chosen, [PersonaQuestion("", "", one) for one in questions])
        own = plan._replace(
            conditions=(condition, SS), file=chosen, wanted=QuestionQuota(1, 1, most, most)
        )
        if dry_run:
            return cost_of_judging(own)
        result = evaluate_judge(own)
    if condition != LAZY:
        return result
    return {**result, "plan": _planned(open_index(plan.context), plan.context, result)}


def claims_kept(
    kept: Mapping[str, Any], context: QuestionContext, report: Report = unreported
) -> dict[str, Any]:
    """A comparison with the claims that the model of ``context`` finds in each of its answers."""
    return {**kept, "claims": asyncio.run(_claims(kept["answers"], context, report))}


async def _claims(
    answers: Mapping[str, Mapping[str, str]], context: QuestionContext, report: Report
) -> dict[str, dict[str, list[str]]]:
    index = await asyncio.to_thread(open_index, context)
    asker = await open_asker(index, context, "Counting claims")
    places = [(question, name) for question, given in answers.items() for name in given]
    works = [partial(claims_of, asker, q, answers[q][name], ()) for q, name in places]
    found: dict[str, dict[str, list[str]]] = {question: {} for question in answers}
    told = await gathered("claims", works, report)
    for (question, name), claims in zip(places, told, strict=True):
        if claims is not None:
            found[question][name] = [one["claim"] for one in claims]
    return found


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
    claims = [one for one in kept.get("claims", {}).values() if set(names) <= one.keys()]
    conditions = []
    for one in kept["conditions"]:
        counted = counted_claims([of[one["name"]] for of in claims], seed) if claims else {}
        conditions.append({**one, **quality[one["name"]], **counted})
    return {**kept, **found, "conditions": conditions}


def show_lazy(result: dict[str, Any]) -> None:
    """Prints the comparison, and the tokens of lazy answers beside full global search."""
    print_comparison(result)
    for one in result["conditions"]:
        if counted := one.get("claims"):
            groups = ", ".join(f"{of['value']:.1f} at {at}" for at, of in one["clusters"].items())
            out.print(
                f"Claims of {one['name']}: {counted['value']:.1f} ({counted['low']:.1f}–"
                f"{counted['high']:.1f}) an answer, clusters {groups}, n = {counted['n']}."
            )
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
    full = of_an_answer(ways_of([_FULL, SS], context, index)[_FULL], index)
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
