"""How well methods answer the questions of a set, and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Generic, NamedTuple, TypeVar

from ..index.opening import Index
from ..state.errors import RagraphsError
from .answering import AnsweringPlan, Way, indexing, outcomes_in, ways_of
from .datasets import UNANSWERABLE, Dataset, LabelledQuestion, load_dataset
from .figures import check_record, output_of, record, set_manifest
from .intervals import share_of
from .metrics import answer_f1, containment, exact_match, f1_at, precision_at, recall_at
from .outcomes import Outcome, failures_of
from .retrieval import indexed_set

W = TypeVar("W", bound=Hashable)

_QUALITY = ("em", "f1", "containment", "support_recall", "support_precision", "support_f1")
_OF_EVIDENCE = (recall_at, precision_at, f1_at)


@dataclass(frozen=True)
class AskedSet(Generic[W]):
    """A set whose questions were asked: its index, and by each way all questions in order.

    ``unanswerable`` are the outcomes of questions that nothing answers, where they were asked.
    """

    dataset: Dataset
    index: Index
    scored: dict[W, list[Scored]]
    unanswerable: dict[W, list[Outcome]]


class Scored(NamedTuple):
    """A question, what a method did with it, and how good that was.

    ``found`` are the set's ids of the evidence, best first. ``support_recall`` is the share of the
    supporting passages that are in the evidence, ``support_precision`` the share of the evidence
    that supports, and ``support_f1`` their harmonic mean; None for a question without supporting
    passages.
    """

    question: LabelledQuestion
    outcome: Outcome
    found: list[str]
    em: float
    f1: float
    containment: float
    support_recall: float | None
    support_precision: float | None
    support_f1: float | None


def evaluate_answers(
    folder: str, plan: AnsweringPlan, outputs: Path | None = None
) -> list[dict[str, Any]]:
    """For every method its measures over the set in ``folder``, in the form of ``--json``.

    The answers are added to the file ``outputs``, if one is named.

    Raises RagraphsError for what concerns all questions.
    """
    check_record(outputs)
    dataset = load_dataset(folder, plan.limit)
    with asked_by(ways_of(plan), dataset, answerable, plan, unanswerable=True) as asked:
        if outputs is not None:
            record(outputs, set_manifest(asked.dataset), _outputs(asked))
        unasked = len(asked.dataset.questions) - len(answerable(asked.dataset))
        return [
            {
                "set": asked.dataset.name,
                "method": method,
                "model": plan.context.model,
                **summary(rows),
                "unanswerable": refusals(asked.unanswerable[method]),
                "without_answer": unasked - len(asked.unanswerable[method]),
                "notes": list(asked.dataset.notes),
            }
            for method, rows in asked.scored.items()
        ]


def _outputs(asked: AskedSet[Any]) -> Iterator[dict[str, Any]]:
    """A row for each question and method, as files of figures have it."""
    open_ones = [one for one in asked.dataset.questions if _is_unanswerable(one)]
    for method, rows in asked.scored.items():
        pairs = [(row.question, row.outcome, row.found) for row in rows]
        refused = zip(open_ones, asked.unanswerable[method], strict=True)
        for question, outcome, found in [*pairs, *((*pair, []) for pair in refused)]:
            kept = ("answer", "sufficient", "missing", "calls", "tokens", "tried", "error")
            yield {
                **output_of(method, question, found),
                "gold": list(question.answers),
                **{name: outcome[name] for name in kept},  # type: ignore[literal-required]
                "citations": len(outcome["citations"]),
            }


@contextmanager
def asked_by(
    ways: Mapping[W, Way],
    dataset: Dataset,
    select: Callable[[Dataset], Sequence[LabelledQuestion]],
    plan: AnsweringPlan,
    *,
    unanswerable: bool = False,
) -> Iterator[AskedSet[W]]:
    """Asks the questions that ``select`` takes of ``dataset`` by each of ``ways``, over one index.

    With ``unanswerable`` also those that nothing answers. Where ``plan.context`` names an index,
    that one is used, brought up to date with the layers needed, and finished questions are kept in
    it. Raises RagraphsError for what concerns all questions.
    """
    select(dataset)  # fails before anything is indexed
    wanted = indexing(plan.context, ways.values())
    with indexed_set(dataset, wanted, plan.report) as (dataset, index, _):
        golden = select(dataset)
        open_ones = [one for one in dataset.questions if unanswerable and _is_unanswerable(one)]
        questions = [one.question for one in [*golden, *open_ones]]
        asked: AskedSet[W] = AskedSet(dataset, index, {}, {})
        for name, outcomes in outcomes_in(index, questions, ways, plan).items():
            asked.scored[name] = [
                score(question, outcome, _found(dataset, outcome, index))
                for question, outcome in zip(golden, outcomes, strict=False)
            ]
            asked.unanswerable[name] = outcomes[len(golden) :]
        yield asked


def answerable(dataset: Dataset) -> list[LabelledQuestion]:
    """The questions that have a gold answer. Raises RagraphsError where there is none."""
    questions = [question for question in dataset.questions if question.answers]
    if not questions:
        raise RagraphsError(
            f"No question of {dataset.name} has an answer to compare with; name another set."
        )
    return questions


def _is_unanswerable(question: LabelledQuestion) -> bool:
    return question.kind == UNANSWERABLE and not question.answers


def _found(dataset: Dataset, outcome: Outcome, index: Index) -> list[str]:
    passages = [piece["passage"] for piece in outcome["evidence"]]
    return dataset.ids(outcome["documents"], passages, index.home)


def refusals(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The number of ``questions`` that nothing answers, and the share that was ``refused``.

    Refused is what has no answer, or one that is not marked sufficient; a failure is neither.
    """
    refused = share_of(
        not outcome["error"] and not (outcome["answer"] and outcome["sufficient"])
        for outcome in outcomes
    )
    return {"questions": len(outcomes), "refused": refused}


def score(question: LabelledQuestion, outcome: Outcome, found: Sequence[str]) -> Scored:
    """How good an outcome is, whose evidence has the ids ``found`` in the set."""
    support = question.supporting
    return Scored(
        question,
        outcome,
        list(found),
        exact_match(outcome["answer"], question.answers),
        answer_f1(outcome["answer"], question.answers),
        containment(outcome["answer"], question.answers),
        *(metric(found, support, len(found)) if support else None for metric in _OF_EVIDENCE),
    )


def summary(rows: Sequence[Scored]) -> dict[str, Any]:
    """Means of quality and time, sums of calls and tokens; a failed question counts as wrong."""
    outcomes = [row.outcome for row in rows]
    by_type: dict[str, list[Scored]] = {}
    for row in rows:
        by_type.setdefault(row.question.kind, []).append(row)
    return {
        "questions": len(rows),
        **_quality(rows),
        "calls": sum(outcome["calls"] for outcome in outcomes),
        "tokens": sum(outcome["tokens"] for outcome in outcomes),
        "seconds_per_question": round(mean(outcome["seconds"] for outcome in outcomes), 5),
        "retrievals_per_question": _mean([outcome["retrievals"] for outcome in outcomes]),
        "retrieved_tokens_per_question": _mean([one.get("retrieved_tokens") for one in outcomes]),
        "hops_per_question": _mean([outcome["hops"] for outcome in outcomes]),
        "by_type": {
            kind: {"questions": len(part), **_quality(part)}
            for kind, part in sorted(by_type.items())
        },
        "sufficient": round(mean(outcome["sufficient"] for outcome in outcomes), 4),
        "reused": sum(outcome["reused"] for outcome in outcomes),
        **failures_of(outcomes),
    }


def _quality(rows: Sequence[Scored]) -> dict[str, float | None]:
    return {name: _mean([getattr(row, name) for row in rows]) for name in _QUALITY}


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean of the ``values`` that are known; None where none is."""
    known = [value for value in values if value is not None]
    return round(mean(known), 4) if known else None
