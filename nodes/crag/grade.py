"""Grading retrieved passages (CRAG's retrieval evaluator)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from ...algorithms.crag.strips import verdict
from ...context import CragContext
from ...index.opening import index_of, language_model_at
from ...models.graders import Grading, open_grader
from ...models.meter import current_meter
from ...models.web import web_search
from ...prompts.library import GRADE_PASSAGES
from ...prompts.prompt import Prompt, number
from ...prompts.replies import Scores
from ...settings import settings
from ...state.crag import CragState, Grade
from ...state.records import Evidence
from ..node import node


@node(reserve=1)
async def grade(state: CragState, context: CragContext) -> dict[str, Any]:
    """Scores every retrieved passage and draws the verdict over all of them."""
    retrieved = state["evidence"]
    scores, thresholds = await grade_texts(GRADE_PASSAGES, state["question"], retrieved, context)
    upper = thresholds.upper if context.upper is None else context.upper
    lower = thresholds.lower if context.lower is None else context.lower
    drawn = verdict(scores, upper, lower)
    searchable = drawn == "correct" or web_search(settings()) is not None
    if not searchable:
        current_meter().warn(
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
    prompt: Prompt[Scores], question: str, texts: Sequence[Evidence], context: CragContext
) -> Grading:
    """A score for each text by the grader that ``context`` names."""
    index = await index_of(context)
    embedder = await asyncio.to_thread(lambda: index.embedder)
    grader = open_grader(
        context.grader, await language_model_at(index, context, context.small_model), embedder
    )
    excerpts = number([(text["title"], text["text"]) for text in texts])
    return await grader.grade(prompt, question, excerpts)
