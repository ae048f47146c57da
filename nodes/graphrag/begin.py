"""How the graphrag graph begins."""

from __future__ import annotations

from typing import Any

from ...context import GraphragContext
from ...index.communities import load_communities
from ...index.opening import index_of, index_with
from ...state.answering import QuestionInput
from ...state.graphrag import GraphragState
from ..begin import check_question, fresh_state
from ..node import node

_WITHOUT_COMMUNITIES = frozenset({"text", "basic"})
_FRESH = fresh_state("graphrag", GraphragState)


@node()
async def begin_search(state: QuestionInput, context: GraphragContext) -> dict[str, Any]:
    """Checks the question and that the index has what the chosen search needs."""
    check_question(state.get("question"))
    if context.search in _WITHOUT_COMMUNITIES:
        await index_of(context)
    else:
        await index_with(context, load_communities)
    return {**_FRESH, "search": context.search}
