"""Finding passages in the index."""

from __future__ import annotations

from ..context import QuestionContext
from ..state.answering import QuestionState
from .node import node
from .run import Run, Update


@node()
async def retrieve(state: QuestionState, run: Run[QuestionContext]) -> Update:
    """Finds the passages nearest to the question, best first."""
    return {"evidence": await run.search(state["question"], run.context.top_k)}
