"""How the graphrag graph begins."""

from __future__ import annotations

import asyncio
from typing import Any

from ...context import GraphragContext
from ...index.communities import load_communities
from ...index.opening import open_index
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
        await asyncio.to_thread(open_index, context)
    else:
        await asyncio.to_thread(lambda: load_communities(open_index(context)))
    return {**_FRESH, "search": context.search}
