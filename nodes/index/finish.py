"""The last nodes of the index graph."""

from __future__ import annotations

from ...context import IndexContext
from ...index.communities import is_complete
from ...index.opening import Index
from ...prompts.library import SUMMARISE_DESCRIPTION, WRITE_REPORT
from ...state.index import IndexState
from ...stores.catalogue import FORGETTING
from ..node import node
from ..run import Run, Update


@node()
async def forget(state: IndexState, run: Run[IndexContext]) -> Update:
    """Deletes what is still kept of removed texts: their terms, the replies that may quote them.

    What a model read in a passage is kept with the passage; summaries and reports that the layers
    still use are kept, so that an update pays only for what changed.
    """
    await run.in_thread(_forget)
    return {}


@node()
async def count(state: IndexState, run: Run[IndexContext]) -> Update:
    """Says how large the index is now."""
    return {
        "inline": [],
        "document_count": await run.in_thread(lambda index: index.catalogue.count_documents()),
        "passage_count": await run.in_thread(lambda index: index.catalogue.count_passages()),
    }


def _forget(index: Index) -> None:
    if not index.catalogue.property(FORGETTING):
        return
    index.catalogue.forget_terms()
    complete = is_complete(index)
    index.replies.forget_unused([SUMMARISE_DESCRIPTION.name, WRITE_REPORT.name], complete)
    if complete:
        index.catalogue.set_property(FORGETTING, None)
