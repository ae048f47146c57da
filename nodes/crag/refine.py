"""Knowledge refinement: decompose into strips, filter, recompose in document order."""

from __future__ import annotations

from collections.abc import Sequence

from ...algorithms.crag.strips import decompose, recompose
from ...context import CragContext
from ...index.opening import Index
from ...models.graders import SimilarityGrader
from ...models.lexical import LexicalEmbedder
from ...prompts.library import GRADE_STRIPS
from ...prompts.prompt import number_passages
from ...state.crag import CragState
from ...state.records import Evidence
from ..node import node
from ..run import Run, Update
from .grade import grade_texts

_MOST_STRIPS = 80  # of whole pages; ten passages have less


def _reserve(state: CragState) -> int:
    """One request for the answer, and one for the rewriting that runs beside it."""
    rewriting = state["verdict"] == "ambiguous" and state["stop_reason"] != "web_unavailable"
    return 2 if rewriting else 1


@node(reserve=_reserve)
async def refine(state: CragState, run: Run[CragContext]) -> Update:
    """Keeps the strips of the retrieved passages that help to answer the question."""
    return {"refined": await _refine(run, state["question"], state["retrieved"])}


@node(reserve=1)
async def refine_web(state: CragState, run: Run[CragContext]) -> Update:
    """Keeps the strips of the web's pages that help to answer the question."""
    return {"web_refined": await _refine(run, state["question"], state["pages"])}


@node()
async def merge(state: CragState, context: CragContext) -> Update:
    """Joins what was kept of the index and of the web, the same text once."""
    kept: dict[str, Evidence] = {}
    for strip in [*state["refined"], *state["web_refined"]]:
        kept.setdefault(" ".join(strip["text"].split()).lower(), strip)
    return {"evidence": list(kept.values())}


def _nearest(index: Index, question: str, strips: Sequence[Evidence]) -> list[Evidence]:
    """The strips of long texts that share most with the question, in their order. Blocks."""
    grader = SimilarityGrader(LexicalEmbedder())
    scores = grader.scores(question, number_passages(strips))
    best = sorted(range(len(strips)), key=lambda place: -scores[place])[:_MOST_STRIPS]
    return [strips[place] for place in sorted(best)]


async def _refine(
    run: Run[CragContext], question: str, passages: Sequence[Evidence]
) -> list[Evidence]:
    size = run.context.strip_sentences
    strips = [strip for passage in passages for strip in decompose(passage, size)]
    if not strips:
        return []
    if len(strips) > _MOST_STRIPS:
        strips = await run.in_thread(_nearest, question, strips)
    scores, thresholds = await grade_texts(run, GRADE_STRIPS, question, strips)
    return recompose(strips, scores, thresholds.cut, thresholds.most)
