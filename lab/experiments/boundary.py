"""Whether DeepRAG retrieves where its model lacks the answer (arXiv 2502.01142)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from ragraphs.evaluation.answering import AnsweringPlan, Way, contexts_of, unfinished
from ragraphs.evaluation.answers import Scored, answerable, asked_by
from ragraphs.evaluation.asking import Estimate, gathered, open_asker
from ragraphs.evaluation.bootstrap import Interval, draws, middle
from ragraphs.evaluation.closed_book import closed_book
from ragraphs.evaluation.cost import estimated
from ragraphs.evaluation.curve import answered
from ragraphs.evaluation.datasets import LabelledQuestion, load_dataset
from ragraphs.evaluation.intervals import Measure, mean_of, measure_of, share_of
from ragraphs.evaluation.metrics import containment, exact_match
from ragraphs.evaluation.plots import Bar, Plot, bars, measured_bar
from ragraphs.evaluation.retrieval import is_kept
from ragraphs.index.opening import Index, open_index
from ragraphs.language.analyser import count_tokens
from ragraphs.models.protocol import OFFLINE
from ragraphs.prompts.deeprag_replies import CLOSED_BOOK, ClosedBookAnswer
from ragraphs.settings import settings
from ragraphs.state.errors import IndexNotFoundError, RagraphsError

_USER = "The boundary of knowledge"
_METHOD: Final = "deeprag"
_WORD = "the model's word"
MEASURES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "f1": "F1",
    "mcc": "MCC",
}


class Counts(NamedTuple):
    """How often something was retrieved or not, where it was needed or not; or arrays of that.

    Retrieval is needed where the model does not know the answer without documents.
    """

    retrieved_needed: Any
    retrieved_known: Any
    kept_needed: Any
    kept_known: Any


def counts_of(cases: NDArray[Any]) -> Counts:
    """The counts of ``cases`` along their last axis: each is 2 · not retrieved + known."""
    return Counts(*((cases == place).sum(axis=-1) for place in range(4)))


def accuracy(counts: Counts) -> Any:
    """The share of the questions that were retrieved for if, and only if, it was needed."""
    return (counts.retrieved_needed + counts.kept_known) / sum(counts)


def balanced_accuracy(counts: Counts) -> Any:
    """The mean of that share where it was needed, and where it was not."""
    needed = _ratio(counts.retrieved_needed, counts.retrieved_needed + counts.kept_needed)
    return (needed + _ratio(counts.kept_known, counts.kept_known + counts.retrieved_known)) / 2


def f1(counts: Counts) -> Any:
    """The F1 of "needs retrieval"."""
    wrong = counts.retrieved_known + counts.kept_needed
    return _ratio(2 * counts.retrieved_needed, 2 * counts.retrieved_needed + wrong)


def mcc(counts: Counts) -> Any:
    """Matthews' correlation of retrieval with its need: 0 for chance."""
    right = counts.retrieved_needed * counts.kept_known
    wrong = counts.retrieved_known * counts.kept_needed
    margins = (
        np.float64(counts.retrieved_needed + counts.retrieved_known)
        * (counts.retrieved_needed + counts.kept_needed)
        * (counts.kept_known + counts.retrieved_known)
        * (counts.kept_known + counts.kept_needed)
    )
    return _ratio(right - wrong, np.sqrt(margins))


_FUNCTIONS: dict[str, Callable[[Counts], Any]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "f1": f1,
    "mcc": mcc,
}


def evaluate_boundary(folder: str, plan: AnsweringPlan, *, seed: int = 0) -> dict[str, Any]:
    """The decisions of DeepRAG to retrieve, against what its model knows, as ``--json`` has them.

    Raises RagraphsError without a model, and for what concerns all questions.
    """
    ways, dataset = _ways(plan), load_dataset(folder, plan.limit)
    with asked_by(ways, dataset, answerable, plan) as asked:
        rows = asked.scored[_METHOD]
        questions = [row.question for row in rows]
        told = asyncio.run(_known(asked.index, questions, plan))
    pairs = [
        (row, reply)
        for row, reply in zip(rows, told, strict=True)
        if reply is not None and not row.outcome["error"]
    ]
    if not pairs:
        raise RagraphsError(
            "No question has both an answer of deeprag and one without documents; look at the "
            "model with: ragraphs doctor"
        )
    cases = [_case(*pair) for pair in pairs]
    return {
        "set": dataset.name,
        "model": plan.context.model,
        "questions": len(questions),
        "measured": len(cases),
        "unanswered": sum(reply is None for reply in told),
        "left_out": len(dataset.questions) - len(questions),
        "needs_retrieval": share_of(not case["knows"] for case in cases),
        "retrievals": mean_of([case["retrievals"] for case in cases], seed),
        "deciders": {
            _METHOD: _decided([case["retrieved"] for case in cases], cases, seed),
            _WORD: _decided([not case["sure"] for case in cases], cases, seed),
        },
        "deeprag": answered(rows, seed),
        "cases": cases,
    }


def boundary_cost(folder: str, plan: AnsweringPlan) -> Estimate:
    """Cost of ``evaluate_boundary``; see ``estimated``."""
    ways, questions = _ways(plan), answerable(load_dataset(folder, plan.limit))
    asked = [one.question for one in questions]
    answers = estimated(ways, unfinished(ways, asked, plan), asked, plan)
    try:
        index = open_index(plan.context) if is_kept(plan.context) else None
    except IndexNotFoundError:
        index = None
    if index is not None:
        return answers + asyncio.run(_missing(index, questions, plan))
    shown = [CLOSED_BOOK.render({"question": q.question}, settings().prompts) for q in questions]
    tokens = sum(count_tokens(part) for parts in shown for part in parts)
    return answers + Estimate(len(questions), len(questions), tokens, tokens)


def boundary_plots(result: Mapping[str, Any]) -> list[Plot]:
    """The measures of each decider, and the confusion table of deeprag."""
    title = f"{result['set']}, {result['model']}, {result['measured']} questions"
    groups: dict[str, list[Bar]] = {
        decider: [measured_bar(said, decided[name]) for name, said in MEASURES.items()]
        for decider, decided in result["deciders"].items()
    }
    counts, n = result["deciders"][_METHOD]["counts"], result["measured"]
    return [
        bars(f"{title}: retrieved where it is needed", groups, "number"),
        {
            "kind": "matrix",
            "title": f"{title}: deeprag",
            "unit": "share",
            "rows": ["the model does not know", "the model knows"],
            "columns": ["retrieved", "not retrieved"],
            "values": [
                [counts[f"{done}_{need}"] / n for done in ("retrieved", "kept")]
                for need in ("needed", "known")
            ],
        },
    ]


def _ways(plan: AnsweringPlan) -> dict[str, Way]:
    if plan.context.model == OFFLINE:
        raise RagraphsError(f"{_USER} is a model's; name one with --model.")
    chosen = {**plan.settings, "policy": "model", "mode": "narrative"}
    context = contexts_of(plan._replace(methods=[_METHOD], settings=chosen))[_METHOD]
    return {_METHOD: Way(_METHOD, context)}


async def _known(
    index: Index, questions: Sequence[LabelledQuestion], plan: AnsweringPlan
) -> list[ClosedBookAnswer | None]:
    asker = await open_asker(index, plan.context, _USER)
    works = [partial(closed_book, asker, one.question) for one in questions]
    return await gathered("without documents", works, plan.report)


async def _missing(
    index: Index, questions: Sequence[LabelledQuestion], plan: AnsweringPlan
) -> Estimate:
    asker = await open_asker(index, plan.context, _USER)
    costs = [await asker.missing(CLOSED_BOOK, question=one.question) for one in questions]
    return sum(costs, Estimate())


def _case(row: Scored, reply: ClosedBookAnswer) -> dict[str, Any]:
    """A question with the decision, and whether the model knows the answer without documents."""
    question, outcome = row.question, row.outcome
    golds = question.answers
    return {
        "id": question.id,
        "question": question.question,
        "type": question.kind,
        "retrieved": bool(outcome["retrievals"]),
        "retrievals": outcome["retrievals"] or 0,
        "knows": bool(exact_match(reply.answer, golds) or containment(reply.answer, golds)),
        "sure": reply.known,
        "without_documents": reply.answer,
        "deeprag": outcome["answer"],
    }


def _decided(
    retrieved: Sequence[bool], cases: Sequence[Mapping[str, Any]], seed: int
) -> dict[str, Any]:
    """The counts of a decider, and each measure with its interval; None where it has no value."""
    pairs = zip(retrieved, cases, strict=True)
    rows = np.array([2 * (not done) + case["knows"] for done, case in pairs])
    counts = {name: int(count) for name, count in counts_of(rows)._asdict().items()}
    return {"counts": counts} | {
        name: _resampled(rows, function, seed) for name, function in _FUNCTIONS.items()
    }


def _resampled(rows: NDArray[Any], function: Callable[[Counts], Any], seed: int) -> Measure:
    def measure(cases: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(function(counts_of(cases)))

    value = float(measure(rows))
    if np.isnan(value):
        return measure_of(None, len(rows))
    bounds = middle(measure(rows[draws(len(rows), seed)]))
    return measure_of(Interval(value, *bounds, len(rows)))


def _ratio(part: Any, whole: Any) -> Any:
    """``part`` of ``whole``; NaN where that is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(part, whole)
