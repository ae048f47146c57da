"""The last nodes of the index graph."""

from __future__ import annotations

from ...context import IndexContext
from ...index import rebuilding
from ...index.communities import is_complete
from ...index.layers import built_layers
from ...index.opening import Index
from ...index.prompt_words import forget_outdated
from ...index.recorded import warn_of_language
from ...models.meter import current_meter
from ...prompts.indexing import RESOLVE_ENTITIES, SUMMARISE_DESCRIPTION, WRITE_REPORT
from ...state.index import IndexState
from ...stores.catalogue import FORGETTING
from ...stores.file_notes import repeated_documents
from ..node import node
from ..run import Run, Update


@node()
async def forget(state: IndexState, run: Run[IndexContext]) -> Update:
    """Deletes the remains of removed texts: their terms, the replies that may quote them.

    Vectors that were made beside those in use take their place before. A model's reading of a
    passage is kept with the passage; summaries and reports that the layers still use are kept, and
    replies that were made from other passages, so that an update pays only for what changed. A
    complete refresh leaves no reply to earlier words of a prompt.
    """
    await run.in_thread(_forget)
    if run.context.refresh and await run.in_thread(is_complete):
        await run.in_thread(forget_outdated)
    return {}


@node()
async def count(state: IndexState, run: Run[IndexContext]) -> Update:
    """Says how large the index is now, what is built of it, and whether its embeddings suit it."""
    planned = run.context.dry_run
    if not planned:
        await run.in_thread(warn_of_language)
    if state["added"] and not planned:
        await run.in_thread(_warn_of_repeated)
    return {
        "layers": state["layers"] if planned else await run.in_thread(built_layers),
        "inline": [],
        "document_count": await run.in_thread(lambda index: index.catalogue.count_documents()),
        "passage_count": await run.in_thread(lambda index: index.catalogue.count_passages()),
    }


def _warn_of_repeated(index: Index) -> None:
    """Says how many documents have the content of another one, in another folder perhaps."""
    if found := repeated_documents(index.engine):
        first, last, _ = min(found)
        more = sum(count - 1 for _, _, count in found)
        told = "1 document is" if more == 1 else f"{more:,} documents are"
        current_meter().warn(
            f"{told} in the index twice, such as {last}, which is the same as {first}; take one "
            f"out with: ragraphs remove {last}"
        )


def _forget(index: Index) -> None:
    rebuilding.finish(index)
    purging = rebuilding.is_purging(index)
    if purging or index.catalogue.property(FORGETTING):
        index.catalogue.forget_terms()
        _forget_replies(index, purging)
    if purging:
        rebuilding.finish_purge(index)


def _forget_replies(index: Index, purging: bool) -> None:
    """Deletes replies that are of no more use, which is sure only once the model replied to all."""
    complete = is_complete(index)
    prompts = [prompt.name for prompt in (RESOLVE_ENTITIES, SUMMARISE_DESCRIPTION, WRITE_REPORT)]
    unused = index.replies.forget_unused(prompts, complete or purging, purging)
    if complete or purging:
        index.catalogue.set_property(FORGETTING, None)
    if unused and not complete:
        current_meter().warn(
            f"{unused} stored replies of the model were deleted, of which some may be asked for "
            "again."
            if purging
            else f"{unused} stored replies of the model may quote removed texts; the next complete "
            "run of ragraphs index deletes them, and ragraphs index --purge at once."
        )
