"""How the graphrag graph begins."""

from __future__ import annotations

from langgraph.types import Overwrite

from ...context import GraphragContext
from ...index.communities import load_communities
from ...state.answering import QuestionInput
from ...state.graphrag import GraphragState
from ..begin import check_question, check_retriever, fresh_state, warn_of_late_layers
from ..node import node
from ..run import Run, Update

_WITHOUT_COMMUNITIES = frozenset({"text", "basic"})
_OF_ALL = frozenset({"global", "dynamic", "lazy", "drift"})  # read communities of all documents
_FRESH = fresh_state("graphrag", GraphragState)


@node(begins=True)
async def begin_search(state: QuestionInput, run: Run[GraphragContext]) -> Update:
    """Checks the question and that the index has what the chosen search needs.

    With a filter, a search that reads reports gives way to one that reads the texts.
    """
    check_question(state.get("question"))
    check_retriever("graphrag", True, run.context)
    search = run.context.search
    if search in _OF_ALL and run.context.where:
        run.meter.warn(
            f"The search {search} reads reports on all documents, so that with a filter the texts "
            "that meet it are read instead (search text)."
        )
        search = "text"
    if search not in _WITHOUT_COMMUNITIES:
        await run.in_thread(load_communities)
    await warn_of_late_layers(run, walks=True)
    warnings = Overwrite(run.meter.warnings)
    return {**_FRESH, "held": run.context.found, "search": search, "warnings": warnings}
