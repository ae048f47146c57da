"""Graphs of CRAG without one of its actions or operations, by nodes in the place of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ragraphs.algorithms.crag.strips import verdict
from ragraphs.context import CragContext
from ragraphs.graphs.crag import builder
from ragraphs.models.runs import RunWatch
from ragraphs.nodes.crag.grade import graded
from ragraphs.nodes.node import node
from ragraphs.nodes.run import Run, Update
from ragraphs.state.crag import CragState, Verdict


@node()
async def whole_passages(state: CragState, context: CragContext) -> Update:
    """Passes the retrieved passages on as they are."""
    return {"refined": state["retrieved"]}


@node()
async def whole_pages(state: CragState, context: CragContext) -> Update:
    """Passes the pages of the web on as they are."""
    return {"web_refined": state["pages"]}


@node()
async def question_as_query(state: CragState, context: CragContext) -> Update:
    """Searches the web for the question itself."""
    return {"queries": [state["question"]]}


def grading(draw: Callable[[Sequence[float], float, float], Verdict]) -> Any:
    """A node that grades as CRAG does, with verdicts by ``draw``."""

    @node(reserve=1)
    async def grade(state: CragState, run: Run[CragContext]) -> Update:
        return await graded(state, run, draw)

    return grade


def never(unwanted: Verdict) -> Callable[[Sequence[float], float, float], Verdict]:
    """CRAG's verdict, with *ambiguous* in the place of the ``unwanted`` one."""

    def draw(scores: Sequence[float], upper: float, lower: float) -> Verdict:
        drawn = verdict(scores, upper, lower)
        return "ambiguous" if drawn == unwanted else drawn

    return draw


def correct_or_incorrect(scores: Sequence[float], upper: float, lower: float) -> Verdict:
    """The verdict by one threshold, midway between the two."""
    middle = (upper + lower) / 2
    return verdict(scores, middle, middle)


_REPLACED = {
    "correct": ("grade", grading(never("correct"))),
    "incorrect": ("grade", grading(never("incorrect"))),
    "ambiguous": ("grade", grading(correct_or_incorrect)),
    "refine": ("refine", whole_passages),
    "rewrite": ("rewrite", question_as_query),
    "select": ("refine_web", whole_pages),
}
PARTS = tuple(_REPLACED)


def graph_without(part: str) -> Any:
    """The compiled graph of CRAG without ``part``, one of ``PARTS``."""
    name, replacing = _REPLACED[part]
    graph = builder()
    del graph.nodes[name]
    compiled = graph.add_node(name, replacing).compile(name=f"crag without {part}")
    return compiled.with_config(recursion_limit=15, callbacks=[RunWatch("crag")])
