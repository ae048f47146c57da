"""Grading retrieved passages (CRAG's retrieval evaluator)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...algorithms.crag.strips import verdict
from ...context import CragContext
from ...index.grading import grader_of, with_thresholds
from ...models.graders import Grading
from ...models.meter import current_meter
from ...models.web import web_search
from ...prompts.library import GRADE_PASSAGES
from ...prompts.prompt import Prompt, number_passages
from ...prompts.replies import Grades
from ...settings import settings
from ...state.crag import CragState, Grade, Verdict
from ...state.found import cited_evidence
from ...state.records import Evidence
from ..node import node
from ..run import Run, Update


@node(reserve=1)
async def grade(state: CragState, run: Run[CragContext]) -> Update:
    """Scores every retrieved passage and draws the verdict over all of them."""
    return await graded(state, run, verdict)


async def graded(
    state: CragState,
    run: Run[CragContext],
    draw: Callable[[Sequence[float], float, float], Verdict],
) -> Update:
    """The scores of the passages, and the verdict that ``draw`` gives by them and thresholds."""
    retrieved = state["evidence"]
    scores, thresholds = await grade_texts(run, GRADE_PASSAGES, state["question"], retrieved)
    drawn = draw(scores, thresholds.upper, thresholds.lower)
    grades: list[Grade] = [
        {"passage": p["id"], "document": p["document"], "title": p["title"], "score": score}
        for p, score in zip(retrieved, scores, strict=True)
    ]
    return {"retrieved": retrieved, "evidence": [], "grades": grades, **_drawn(drawn, run.context)}


@node()
async def take_up(state: CragState, context: CragContext) -> Update:
    """Takes over the passages that an earlier answer cites, ungraded and whole.

    It did not suffice, so the verdict is *ambiguous*; *incorrect* where nothing was cited.
    """
    cited = cited_evidence(state["held"])
    return {
        "ranked": state["held"]["ranked"],
        "retrieved": cited,
        "refined": cited,
        **_drawn("ambiguous" if cited else "incorrect", context),
    }


def _drawn(verdict: Verdict, context: CragContext) -> Update:
    """The verdict, with a warning where it asks for a web search that cannot be had."""
    own = context.own.web
    if verdict == "correct" or web_search(settings(), own) is not None:
        return {"verdict": verdict, "stop_reason": None}
    why = "no TAVILY_API_KEY" if own is None else "web=False"
    current_meter().warn(
        f"The passages were graded {verdict}, and the web could not be asked: {why}."
    )
    return {"verdict": verdict, "stop_reason": "web_unavailable"}


async def grade_texts(
    run: Run[CragContext], prompt: Prompt[Grades], question: str, texts: Sequence[Evidence]
) -> Grading:
    """A score for each of ``texts``, and the thresholds: the caller's, else the grader's."""
    model = await run.model(run.context.small_model)
    grader = await run.in_thread(grader_of, run.context, model)
    grading = await grader.grade(prompt, question, number_passages(texts))
    return with_thresholds(run.context, grading)
