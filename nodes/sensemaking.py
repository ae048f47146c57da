"""Choosing how the graphrag graph searches."""

from __future__ import annotations

from typing import Any

from ..context import GraphragContext
from ..state.sensemaking import GraphragState
from .community_view import load_communities
from .node import node
from .opening import index_with

_WITHOUT_COMMUNITIES = frozenset({"text", "basic"})


@node()
async def begin_search(state: GraphragState, context: GraphragContext) -> dict[str, Any]:
    """Notes the search that was chosen, and checks that the index has the layer for it."""
    if context.search not in _WITHOUT_COMMUNITIES:
        await index_with(context, load_communities)
    return {"search": context.search}
