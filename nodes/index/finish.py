"""The last node of the index graph."""

from __future__ import annotations

import asyncio
from typing import Any

from ...context import IndexContext
from ...index.communities import is_complete
from ...index.opening import Index
from ...index.recorded import open_for_indexing
from ...prompts.library import SUMMARISE_DESCRIPTION, WRITE_REPORT
from ...state.index import IndexState
from ...stores.catalogue import FORGETTING
from ...stores.lock import writing
from ..node import node


@node()
async def finish(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Says how large the index is now."""
    index = await asyncio.to_thread(open_for_indexing, context)
    if not context.dry_run:
        async with writing(index.folder):
            await asyncio.to_thread(_forget, index)
    return {
        "inline": [],
        "document_count": await asyncio.to_thread(index.catalogue.count_documents),
        "passage_count": await asyncio.to_thread(index.catalogue.count_passages),
    }


def _forget(index: Index) -> None:
    """Deletes the terms of texts that are gone, and the replies in which they may be quoted.

    What a model read in a passage is kept with the passage; summaries and reports that the layers
    still use are kept, so that an update pays only for what changed.
    """
    if not index.catalogue.property(FORGETTING):
        return
    index.catalogue.forget_terms()
    complete = is_complete(index)
    index.replies.forget_unused([SUMMARISE_DESCRIPTION.name, WRITE_REPORT.name], complete)
    if complete:
        index.catalogue.set_property(FORGETTING, None)
