"""GraphRAG-Bench: answers to its questions by several methods, measured by type of question."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any, Literal, NamedTuple

from ...context import Context, IndexContext
from ...index.opening import Index
from ...models.meter import Meter
from ...models.protocol import OFFLINE
from ...prompts.evaluation import CHECK_CLAIMS, MATCH_STATEMENTS
from ...state.index import IndexInput
from ...state.usage import add_usage, add_warnings
from ..answering import AnsweringPlan, Way, answered
from ..asking import Asker, Estimate, gathered, open_asker
from ..conditions import Condition, ways_of
from ..datasets import strangers
from ..figures import check_record, manifest_of, record
from ..intervals import Measure, mean_of
from ..outcomes import Outcome, failures_of, texts_of
from ..plots import Bar, Plot, bars, measured_bar
from ..retrieval import is_kept
from .bench_set import KINDS, BenchQuestion, BenchSet, Corpus
from .checking import JudgedClaim, claims_inputs, claims_of, shown_answer
from .forecast import LONGEST_ANSWER, JudgeSettings, Requests, add_forecasts, forecast, length_of
from .likeness import found_share, rouge_l
from .predictions import check_place, prediction, write_predictions
from .scores import Matched, accuracy, faithfulness, matched, similarities

Faithful = Literal["creative", "all", "none"]
MEASURES = ("rouge_l", "accuracy", "statements", "similarity", "coverage", "faithfulness",
            "evidence_recall")  # fmt: skip
# The measures that the benchmark reports for each type.
REPORTED = {
    KINDS[0]: ("rouge_l", "accuracy"),
    KINDS[1]: ("rouge_l", "accuracy"),
    KINDS[2]: ("accuracy", "coverage"),
    KINDS[3]: ("accuracy", "coverage", "faithfulness"),
}
_USER = "Judging statements"
_LONGEST_CONTEXT = 8000  # tokens of evidence


class Judged(NamedTuple):
    """A question, what a condition did with it, the values of ``MEASURES`` and the texts it read.

    ``matched`` is None without a judge, and where its reply was no use; ``claims`` also where
    faithfulness was not asked for.
    """

    question: BenchQuestion
    outcome: Outcome
    matched: Matched | None
    claims: list[JudgedClaim] | None
    scores: dict[str, float | None]
    texts: list[str]


@dataclass
class _Judge:
    """The model of ``context`` that judges statements, or none; its cost, and notes on indexes."""

    context: Context
    faithful: Faithful
    meters: list[Meter] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def checks_claims(self, question: BenchQuestion) -> bool:
        """Whether the faithfulness of an answer to ``question`` is asked for."""
        return self.faithful == "all" or (
            self.faithful == "creative" and question.kind == "Creative Generation"
        )


def evaluate_graphrag_bench(
    given: BenchSet,
    conditions: Sequence[Condition],
    plan: AnsweringPlan,
    *,
    judge: str | None = None,
    faithful: Faithful = "creative",
    seed: int = 0,
    predictions: Path | None = None,
    outputs: Path | None = None,
) -> dict[str, Any]:
    """The measures of each condition by type of question, in the form of ``--json``.

    Every corpus has an index of its own, in the folder that ``plan.context`` names, if any. The
    model ``judge`` compares statements, or the model that answers; without a model the measures
    that need none are given. The answers are written to the file ``predictions`` as the benchmark's
    scripts read them, and added to the file ``outputs`` of figures, if these are named. In a dry
    run the cost is estimated, and nobody is asked. Raises RagraphsError.
    """
    if predictions is not None:
        check_place(predictions)
    check_record(outputs)
    judging = _Judge(plan.context.narrowed(Context, **{"model": judge} if judge else {}), faithful)
    context = plan.context
    parts = [
        (of, asked, plan._replace(context=context_of(of, context))) for of, asked in given.parts
    ]
    if plan.context.dry_run:
        costs = [_forecast(corpus, asked, conditions, own, judging) for corpus, asked, own in parts]
        return add_forecasts(costs)
    judged: dict[str, list[Judged]] = {one.name: [] for one in conditions}
    for corpus, asked, own in parts:
        for name, rows in _of_corpus(corpus, asked, ways_of(conditions, own), own, judging).items():
            judged[name] += rows
    if predictions is not None:
        write_predictions(predictions, {name: _predicted(rows) for name, rows in judged.items()})
    answers = [(name, one) for name, rows in judged.items() for one in rows]
    if outputs is not None:
        manifest = manifest_of(given.name, given.files, judging.notes)
        record(outputs, manifest, [_kept(name, one) for name, one in answers])
    return {
        "set": given.name,
        "model": plan.context.model,
        "judge": judging.context.model,
        "sources": [corpus.name for corpus, _ in given.parts],
        "questions": sum(len(asked) for _, asked in given.parts),
        "conditions": [_measured(name, rows, seed) for name, rows in judged.items()],
        **_spent(judging),
        "answers": [_row(name, one) for name, one in answers],
    }


def _predicted(rows: Sequence[Judged]) -> list[dict[str, Any]]:
    return [prediction(row.question, row.outcome["answer"], row.texts) for row in rows]


def context_of(corpus: Corpus, context: IndexContext) -> IndexContext:
    """The settings for the index of ``corpus``: a folder in the one that ``context`` names."""
    if not is_kept(context):
        return context
    name = re.sub(r"[^\w-]+", "-", corpus.name).strip("-") or "corpus"
    return context.model_copy(update={"index": f"{context.index}/{name}"})


def bench_plots(result: Mapping[str, Any]) -> list[Plot]:
    """For each type of question the measures that the benchmark reports, by condition."""
    found: list[Plot] = []
    for kind, names in REPORTED.items():
        groups: dict[str, list[Bar]] = {
            one["condition"]: [
                measured_bar(name.replace("_", " "), one["by_type"][kind][name]) for name in names
            ]
            for one in result["conditions"]
            if kind in one["by_type"]
        }
        if groups:
            found.append(bars(f"{result['set']}, {result['judge']}: {kind}", groups))
    return found


def _given(corpus: Corpus) -> IndexInput:
    document = {"id": corpus.name, "title": corpus.name, "text": corpus.text}
    return {"documents": [document]}  # type: ignore[list-item]


def _of_corpus(
    corpus: Corpus,
    asked: Sequence[BenchQuestion],
    ways: Mapping[str, Way],
    plan: AnsweringPlan,
    judge: _Judge,
) -> dict[str, list[Judged]]:
    texts = [one.question for one in asked]
    with answered(_given(corpus), texts, ways, plan) as (index, outcomes):
        judge.notes += strangers(index, corpus.name.__eq__, corpus.name)
        pairs = [
            (one, outcome)
            for found in outcomes.values()
            for one, outcome in zip(asked, found, strict=True)
        ]
        rows = iter(asyncio.run(_judge_all(index, pairs, plan, judge)))
        return {name: [next(rows) for _ in found] for name, found in outcomes.items()}


async def _judge_all(
    index: Index, pairs: Sequence[tuple[BenchQuestion, Outcome]], plan: AnsweringPlan, judge: _Judge
) -> list[Judged]:
    asker = None
    if judge.context.model != OFFLINE:
        asker = await open_asker(index, judge.context, _USER)
        judge.meters.append(asker.meter)
    golds = [(outcome["answer"], one.answer) for one, outcome in pairs]
    alike = await asyncio.to_thread(similarities, golds, index.embedder)
    works: list[Callable[[], Any]] = [
        partial(_judged, index, asker, judge, one, outcome, similarity)
        for (one, outcome), similarity in zip(pairs, alike, strict=True)
    ]
    return await gathered("judge", works, plan.report)


async def _judged(
    index: Index,
    asker: Asker | None,
    judge: _Judge,
    question: BenchQuestion,
    outcome: Outcome,
    similarity: float,
) -> Judged:
    answer = outcome["answer"]
    pieces = await asyncio.to_thread(texts_of, index, outcome["evidence"])
    texts = [text for _, text in pieces]
    found: Matched | None = None
    claims: list[JudgedClaim] | None = None
    if asker is not None and not answer.strip():
        found = Matched(0, 0, 0, 1)  # nothing is right, and all that there is to say is missing
    elif asker is not None:
        reply = await asker.ask(MATCH_STATEMENTS, **_match_inputs(question, answer))
        found = None if reply is None else matched(reply)
        if judge.checks_claims(question):
            claims = await claims_of(asker, question.question, answer, pieces)
    scores = {
        "rouge_l": rouge_l(answer, question.answer),
        "accuracy": found and accuracy(found.f1, similarity),
        "statements": found and found.f1,
        "similarity": similarity,
        "coverage": found and found.coverage,
        "faithfulness": claims and faithfulness(claims),
        "evidence_recall": found_share(question.evidence, texts),
    }
    return Judged(question, outcome, found, claims, _numbers(scores), texts)


def _numbers(scores: Mapping[str, Any]) -> dict[str, float | None]:
    return {name: value if isinstance(value, float) else None for name, value in scores.items()}


def _match_inputs(question: BenchQuestion, answer: str) -> dict[str, Any]:
    return {
        "question": question.question,
        "answer": shown_answer("answer", answer),
        "reference": shown_answer("reference", question.answer),
    }


def _forecast(
    corpus: Corpus,
    asked: Sequence[BenchQuestion],
    conditions: Sequence[Condition],
    plan: AnsweringPlan,
    judge: _Judge,
) -> dict[str, Any]:
    """Cost of the answers about ``corpus`` and of judging them."""

    def requests(index: Index, place: int, question: str, outcome: Outcome) -> Requests:
        answer, one = outcome["answer"], asked[place]
        if not answer.strip():
            return []
        found: Requests = [(MATCH_STATEMENTS, _match_inputs(one, answer))]
        if judge.checks_claims(one):
            texts = texts_of(index, outcome["evidence"])
            found.append((CHECK_CLAIMS, claims_inputs(question, answer, texts)))
        return found

    def unknown(place: int, question: str) -> Estimate:
        if judge.context.model == OFFLINE:
            return Estimate()
        most = length_of(MATCH_STATEMENTS, _match_inputs(asked[place], "")) + LONGEST_ANSWER
        found = Estimate(0, 1, 0, most)
        if judge.checks_claims(asked[place]):
            shown = length_of(CHECK_CLAIMS, claims_inputs(question, "", []))
            found += Estimate(0, 1, 0, shown + LONGEST_ANSWER + _LONGEST_CONTEXT)
        return found

    judging = JudgeSettings(judge.context, _USER, requests, unknown)
    texts = [one.question for one in asked]
    return forecast(_given(corpus), texts, ways_of(conditions, plan), plan, judging)


def _measured(name: str, rows: Sequence[Judged], seed: int) -> dict[str, Any]:
    """The measures of a condition by type, and over all questions.

    ``average`` is the benchmark's: the mean accuracy of the types, each with the same weight.
    """
    kinds = sorted({row.question.kind for row in rows}, key=lambda kind: (kind not in KINDS, kind))
    by_type = {
        kind: _measures([row for row in rows if row.question.kind == kind], seed) for kind in kinds
    }
    known = [one["accuracy"]["value"] for one in by_type.values()]
    values = [value for value in known if value is not None]
    return {
        "condition": name,
        "average": round(mean(values), 4) if values else None,
        "calls": sum(row.outcome["calls"] for row in rows),
        "tokens": sum(row.outcome["tokens"] for row in rows),
        **failures_of(row.outcome for row in rows),
        "without_answer": sum(not row.outcome["answer"].strip() for row in rows),
        "without_reply": sum(row.matched is None for row in rows),
        "by_type": {**by_type, "all": _measures(rows, seed)},
    }


def _measures(rows: Sequence[Judged], seed: int) -> dict[str, Measure]:
    return {
        name: mean_of([row.scores[name] for row in rows], seed, share=True) for name in MEASURES
    }


def _spent(judging: _Judge) -> dict[str, Any]:
    """The cost of judging in all corpora, its warnings, and notes on the indexes."""
    usage: Any = {}
    warnings = list(judging.notes)
    for meter in judging.meters:
        usage = add_usage(usage, meter.usage())
        warnings = add_warnings(warnings, meter.warnings)
    return {"usage": usage, "warnings": warnings}


def _kept(name: str, judged: Judged) -> dict[str, Any]:
    """The row of files of figures."""
    row, outcome = _row(name, judged), judged.outcome
    own = {part: row[part] for part in ("id", "kind", "question", "answer", "statements", "scores")}
    costs = {part: outcome[part] for part in ("calls", "tokens")}
    return {"method": name, **own, "reference": row["gold"], **costs}


def _row(name: str, judged: Judged) -> dict[str, Any]:
    question, outcome, found, claims, scores, _ = judged
    return {
        "condition": name,
        **question._asdict(),
        "gold": question.answer,
        "answer": outcome["answer"],
        "error": outcome["error"],
        "statements": found and found._asdict(),
        "claims": claims,
        "scores": {name: value and round(value, 4) for name, value in scores.items()},
    }
