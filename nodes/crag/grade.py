"""Grading retrieved passages (CRAG's retrieval evaluator)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...algorithms.crag.strips import verdict
from ...context import CragContext
from ...index.grading import fitted_grader
from ...models.graders import Grading, open_grader
from ...models.web import web_search
from ...prompts.library import GRADE_PASSAGES
from ...prompts.prompt import Prompt, number_passages
from ...prompts.replies import Grades
from ...settings import settings
from ...state.crag import CragState, Grade
from ...state.records import Evidence
from ..node import node
from ..run import Run, Update


@node(reserve=1)
async def grade(state: CragState, run: Run[CragContext]) -> Update:
    """Scores every retrieved passage and draws the verdict over all of them."""
    retrieved = state["evidence"]
    scores, thresholds = await grade_texts(run, GRADE_PASSAGES, state["question"], retrieved)
    drawn = verdict(scores, thresholds.upper, thresholds.lower)
    searchable = drawn == "correct" or web_search(settings()) is not None
    if not searchable:
        run.meter.warn(
            f"The passages were graded {drawn}, and the web could not be asked: no TAVILY_API_KEY."
        )
    grades: list[Grade] = [
        {"passage": p["id"], "document": p["document"], "title": p["title"], "score": score}
        for p, score in zip(retrieved, scores, strict=True)
    ]
    return {
        "retrieved": retrieved,
        "evidence": [],
        "grades": grades,
        "verdict": drawn,
        "stop_reason": None if searchable else "web_unavailable",
    }


async def grade_texts(
    run: Run[CragContext], prompt: Prompt[Grades], question: str, texts: Sequence[Evidence]
) -> Grading:
    """A score for each of ``texts``, and the thresholds: the caller's, else the grader's."""
    context = run.context
    embedder, fitted = await run.in_thread(lambda index: (index.embedder, fitted_grader(index)))
    model = await run.model(context.small_model)
    grader = open_grader(context.grader, model, embedder, fitted)
    scores, own = await grader.grade(prompt, question, number_passages(texts))
    chosen: dict[str, Any] = {
        "upper": context.upper,
        "lower": context.lower,
        "cut": context.strip_cut,
        "most": context.strips_kept,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    return Grading(scores, own._replace(**given))
