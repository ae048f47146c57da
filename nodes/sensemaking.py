"""Choosing how the graphrag graph searches."""

from __future__ import annotations

import asyncio
from typing import Any

from ..context import GraphragContext
from ..state.sensemaking import GraphragState
from .community_view import load_communities
from .node import node
from .opening import index_of

_WITHOUT_COMMUNITIES = frozenset({"text", "basic"})


@node()
async def begin_search(state: GraphragState, context: GraphragContext) -> dict[str, Any]:
    """Notes the search that was chosen, and checks that the index has the layer for it."""
    if context.search not in _WITHOUT_COMMUNITIES:
        index = await index_of(context)
        await asyncio.to_thread(load_communities, index)
    return {"search": context.search}
