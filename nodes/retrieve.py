"""Finding passages in the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..context import QuestionContext
from ..state.answering import QuestionState
from ..state.records import Evidence
from .node import node
from .run import Run, Update

_RANKED = 100


@node()
async def retrieve(state: QuestionState, run: Run[QuestionContext]) -> Update:
    """Finds the passages nearest to the question, best first."""
    found = await nearest(run, state, run.context.top_k)
    return {"evidence": found[: run.context.top_k], "ranked": ranking(found)}


async def nearest(run: Run[Any], state: Mapping[str, Any], least: int) -> list[Evidence]:
    """The passages nearest to the run's question, best first; at least ``least``, if there are.

    So many that another method can start from the same ranking; where an earlier method or node
    has left its ranking, nothing is searched for again, but by a retriever of the caller's, whose
    texts the index does not hold.
    """
    from ..index.retrieval import read_ranked

    ranked = state["held"]["ranked"] or state["ranked"]
    if ranked and run.context.own.retriever is None:
        return await run.in_thread(read_ranked, ranked, state["question"])
    return await run.search(state["question"], max(least, _RANKED))


def ranking(found: list[Evidence]) -> dict[str, float]:
    """The score of each passage by its id, in the same order."""
    return {passage["id"]: passage["score"] for passage in found}
