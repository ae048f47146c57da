"""Finding passages in the index."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from ..context import QuestionContext
from ..index.opening import Index
from ..language.questions import TASK
from ..state.answering import QuestionState
from ..state.records import Evidence
from .node import node
from .run import Run, Update

_RANKED = 100


@node()
async def retrieve(state: QuestionState, run: Run[QuestionContext]) -> Update:
    """Finds the passages nearest to the question, best first."""
    evidence, ranked = await first_and_ranking(run, state)
    return {"evidence": evidence, "ranked": ranked}


async def first_and_ranking(
    run: Run[Any], state: Mapping[str, Any]
) -> tuple[list[Evidence], dict[str, float]]:
    """The first passages of ``nearest``, so many as are read, and the scores of all of them by id.

    The others are not even read, but where a cross-encoder must, or the index does not hold them.
    """
    context = run.context
    if context.own.retriever is not None or context.rerank:
        read = passages_read(state["question"], context.top_k)
        return (found := await nearest(run, state, read))[:read], ranking(found)
    if not (ranked := state["held"]["ranked"] or state["ranked"]):
        run.meter.retrievals += 1
    return await run.in_thread(_first, context, state["question"], ranked)


def passages_read(question: str, top_k: int) -> int:
    """``top_k``, and twice as many for a text to be written, which has several parts."""
    return 2 * top_k if TASK.search(question) else top_k


def _first(
    index: Index, context: QuestionContext, question: str, ranked: dict[str, float]
) -> tuple[list[Evidence], dict[str, float]]:
    from ..index import retrieval

    read = passages_read(question, context.top_k)
    ranked = ranked or retrieval.ranking(index, question, context.retriever, max(read, _RANKED))
    return retrieval.read_ranked(index, dict(islice(ranked.items(), read)), question), ranked


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
