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
    """Says how large the index is now, and clears the input for the next run on a thread."""
    index = await asyncio.to_thread(open_for_indexing, context)
    documents = await asyncio.to_thread(index.catalogue.documents)
    passages = await asyncio.to_thread(index.catalogue.count_passages)
    return {
        "document_count": len(documents),
        "passage_count": passages,
        "sources": [],
        "documents": [],
        "remove": [],
    }
