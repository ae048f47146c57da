"""The last node of the index graph."""

from __future__ import annotations

import asyncio
from typing import Any

from ..context import IndexContext
from ..state.indexing import IndexState
from .node import node
from .scan import open_for_indexing


@node()
async def finish(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Says how large the index is now."""
    index = await asyncio.to_thread(open_for_indexing, context)
    return {
        "inline": [],
        "document_count": await asyncio.to_thread(index.catalogue.count_documents),
        "passage_count": await asyncio.to_thread(index.catalogue.count_passages),
    }
