"""How the graphrag graph begins."""

from __future__ import annotations

from langgraph.types import Overwrite

from ...context import GraphragContext
from ...index.communities import load_communities
from ...state.answering import QuestionInput
from ...state.graphrag import GraphragState
from ..begin import check_question, check_retriever, fresh_state
from ..node import node
from ..run import Run, Update

_WITHOUT_COMMUNITIES = frozenset({"text", "basic"})
_FRESH = fresh_state("graphrag", GraphragState)


@node()
async def begin_search(state: QuestionInput, run: Run[GraphragContext]) -> Update:
    """Checks the question and that the index has what the chosen search needs."""
    check_question(state.get("question"))
    check_retriever("graphrag", run.context)
    if run.context.search not in _WITHOUT_COMMUNITIES:
        await run.in_thread(load_communities)
    warnings = Overwrite(run.meter.warnings)
    held = run.context.found
    return {**_FRESH, "held": held, "search": run.context.search, "warnings": warnings}
