"""The answers of a model without documents, and whether it can tell what it knows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from ..context import Context
from ..index.opening import open_index
from ..prompts.deeprag_replies import CLOSED_BOOK, ClosedBookAnswer
from .answers import answerable
from .asking import Asker, Estimate, gathered, open_asker
from .datasets import Dataset, LabelledQuestion, load_dataset
from .intervals import mean_of, share_of
from .metrics import answer_f1, containment, exact_match
from .retrieval import Report, placed, unreported

_USER = "A closed-book answer"


class Told(NamedTuple):
    """A question, the model's answer without documents, and how good that is.

    ``known`` is whether the model was sure; None where no usable reply came, which counts as a
    wrong answer.
    """

    question: LabelledQuestion
    answer: str
    known: bool | None
    em: float
    f1: float
    containment: float


async def closed_book(asker: Asker, question: str) -> ClosedBookAnswer | None:
    """The model's answer to ``question`` without documents, and whether it is sure of it.

    None where no usable reply came. Raises RagraphsError as ``Asker.ask`` does.
    """
    return await asker.ask(CLOSED_BOOK, question=question)


def evaluate_closed_book(
    folder: str,
    context: Context,
    limit: int | None = None,
    seed: int = 0,
    report: Report = unreported,
) -> dict[str, Any]:
    """EM, F1 and containment without documents, in the form of ``--json``.

    Of all questions, of those that the model says it knows, and of those that it guesses; and by
    type of question. Replies are kept in the index that ``context`` names, which needs no
    documents. Raises RagraphsError.
    """
    dataset = load_dataset(folder, limit)
    questions = answerable(dataset)
    with placed(context) as context:
        told, usage, warnings = asyncio.run(_ask(context, questions, report))
    return {
        **_head(dataset, context, questions),
        "unanswered": sum(one.known is None for one in told),
        **_measures(told, seed),
        "by_type": {
            kind: _measures([one for one in told if one.question.kind == kind], seed)
            for kind in sorted({one.question.kind for one in told})
        },
        "usage": usage,
        "warnings": warnings,
        "rows": [_row(one) for one in told],
    }


def cost_of_closed_book(folder: str, context: Context, limit: int | None = None) -> dict[str, Any]:
    """The requests and tokens sent that are still to pay, which are known exactly."""
    dataset = load_dataset(folder, limit)
    questions = answerable(dataset)
    with placed(context) as context:
        missing = asyncio.run(_missing(context, questions))
    return {**_head(dataset, context, questions), **missing._asdict()}


async def _ask(
    context: Context, questions: Sequence[LabelledQuestion], report: Report
) -> tuple[list[Told], Any, list[str]]:
    asker = await _asker(context)

    async def one(question: LabelledQuestion) -> Told:
        reply = await closed_book(asker, question.question)
        answer = "" if reply is None else reply.answer
        return Told(
            question,
            answer,
            None if reply is None else reply.known,
            exact_match(answer, question.answers),
            answer_f1(answer, question.answers),
            containment(answer, question.answers),
        )

    told = await gathered("ask", [partial(one, question) for question in questions], report)
    return told, asker.meter.usage(), asker.meter.warnings


async def _missing(context: Context, questions: Sequence[LabelledQuestion]) -> Estimate:
    asker = await _asker(context)
    asked = dict.fromkeys(question.question for question in questions)
    parts = [await asker.missing(CLOSED_BOOK, question=question) for question in asked]
    return sum(parts, Estimate())


async def _asker(context: Context) -> Asker:
    index = await asyncio.to_thread(open_index, context, create=True)
    return await open_asker(index, context, _USER)


def _head(
    dataset: Dataset, context: Context, questions: Sequence[LabelledQuestion]
) -> dict[str, Any]:
    return {
        "set": dataset.name,
        "model": context.model,
        "questions": len(questions),
        "without_answer": len(dataset.questions) - len(questions),
    }


def _measures(told: Sequence[Told], seed: int) -> dict[str, Any]:
    """Quality of all answers, of known ones and of guesses, and the share known."""
    replied = [one for one in told if one.known is not None]
    return {
        **_quality(told, seed),
        "known": share_of(bool(one.known) for one in replied),
        "if_known": _quality([one for one in replied if one.known], seed),
        "if_guessed": _quality([one for one in replied if not one.known], seed),
    }


def _quality(told: Sequence[Told], seed: int) -> dict[str, Any]:
    return {
        "em": share_of(bool(one.em) for one in told),
        "f1": mean_of([one.f1 for one in told], seed, share=True),
        "containment": share_of(bool(one.containment) for one in told),
    }


def _row(one: Told) -> dict[str, Any]:
    asked = {"id": one.question.id, "type": one.question.kind, "question": one.question.question}
    return asked | {name: value for name, value in one._asdict().items() if name != "question"}
