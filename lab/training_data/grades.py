"""Graded passages for CRAG: what retrieval finds, and whether it supports the answer."""

from __future__ import annotations

import asyncio

from ragraphs.evaluation.asking import gathered
from ragraphs.evaluation.datasets import LabelledQuestion, supported
from ragraphs.evaluation.metrics import containment
from ragraphs.index.retrieval import search
from ragraphs.prompts.library import GRADE_PASSAGES
from ragraphs.prompts.prompt import Inputs, number_passages
from ragraphs.prompts.replies import Grades, TextGrade
from ragraphs.state.records import Evidence

from ..gold import is_gold
from .examples import ExampleRows, ExampleTurn, Row, imitation
from .planning import Choices, Sources


async def grades(sources: Sources, choices: Choices) -> ExampleRows:
    """The retrieved passages of every question with gold support, graded by it."""
    asked = supported(sources.dataset)

    async def found_for(question: LabelledQuestion) -> list[Evidence]:
        context = sources.context
        given = question.question, context.retriever, context.top_k
        return await asyncio.to_thread(search, sources.index, *given)

    works = [lambda question=question: found_for(question) for question in asked]
    found = dict(zip(asked, await gathered("retrieve", works, choices.report), strict=True))
    make = _pairs if choices.form == "pairs" else _graded
    rows = [
        row for one, passages in found.items() if passages for row in make(sources, one, passages)
    ]
    labels = [
        [is_support(sources, one, passage) for passage in passages]
        for one, passages in found.items()
    ]
    return ExampleRows(
        rows,
        {
            "questions": len(asked),
            "without_support": len(sources.dataset.questions) - len(asked),
            "passages": sum(map(len, labels)),
            "supporting": sum(map(sum, labels)),
            "nothing_supporting": sum(not any(one) for one in labels),
        },
    )


def is_support(sources: Sources, question: LabelledQuestion, passage: Evidence) -> bool:
    """Whether ``passage`` is of a gold passage of ``question``."""
    return is_gold(sources.dataset, question, passage, sources.index.home)


def _graded(sources: Sources, question: LabelledQuestion, passages: list[Evidence]) -> list[Row]:
    """The request of the graph's grader, and the reply that gold support makes right.

    Where some of the gold passages have the answer, the others only lead to it.
    """
    texts = number_passages(passages)
    gold = [
        (text["id"], bool(containment(passage["text"], question.answers)))
        for text, passage in zip(texts, passages, strict=True)
        if is_support(sources, question, passage)
    ]
    some = any(states for _, states in gold)
    graded = [TextGrade(id=id, grade=4 if states or not some else 3) for id, states in gold]
    inputs: Inputs = {"question": question.question, "texts": texts}
    turn = ExampleTurn(GRADE_PASSAGES, inputs, Grades(grades=graded))
    return [imitation(turn, sources.prompts, sources.source(question))]


def _pairs(sources: Sources, question: LabelledQuestion, passages: list[Evidence]) -> list[Row]:
    """A row for each passage, for cross-encoders: its text stands under its title."""
    return [
        {
            "query": question.question,
            "text": "\n".join(filter(None, [passage["title"], passage["text"]])),
            "label": int(is_support(sources, question, passage)),
            "source": sources.source(question, passage=passage["id"]),
        }
        for passage in passages
    ]
