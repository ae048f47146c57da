"""Hopping from passage to passage along questions (HopRAG: retrieve, reason, prune)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...algorithms.fusion import UNJUDGED_WALK, reciprocal_rank_fusion
from ...algorithms.hoprag.walk import (
    Label,
    advance,
    choose,
    choose_by_similarity,
    entry_worths,
    helpfulness,
    importance,
    prune,
    start,
)
from ...algorithms.similarity import hybrid_similarity, jaccard
from ...context import HopragContext
from ...index.hops import AskedEdges, LoadedHops, load_hops
from ...index.opening import Index
from ...index.progress import progress_of
from ...index.vectors import passage_keywords
from ...models.protocol import OFFLINE
from ...prompts.library import CHOOSE_HOPS
from ...prompts.prompt import Excerpt
from ...state.hoprag import Hop, HopragState
from ...state.records import Evidence
from ..node import node
from ..run import Run, Update

_MOST_QUESTIONS = 12


class _Step(NamedTuple):
    """The edge that a passage is left by, and why."""

    edge: int
    label: str


@node()
async def retrieve_edges(state: HopragState, run: Run[HopragContext]) -> Update:
    """Finds the edges nearest to the question; the walk starts where they lead.

    Beyond the paper, it starts from what the retriever finds as well: questions alone miss passages
    that speak of the question in other words.
    """
    context, question, top_k = run.context, state["question"], run.context.top_k
    edges, found = await asyncio.gather(
        run.in_thread(_nearest_edges, question, top_k), run.search(question, top_k)
    )
    hops = [*edges, *_retrieved(await run.in_thread(load_hops), found)]
    worths = None
    if _by_similarity(context):
        worths = [*entry_worths(len(edges)), *entry_worths(len(found))]
    counts, reached = start([hop["target"] for hop in hops], worths)
    frontier = sorted(reached, key=lambda passage: -counts[passage])[:top_k]
    run.meter.retrievals += 1
    return {
        "counts": counts,
        "frontier": frontier if context.n_hop else [],
        "hops": hops,
        "round": 1,
    }


@node(reserve=1)
async def reason(state: HopragState, run: Run[HopragContext]) -> Update:
    """One round: each passage of the frontier is left by the edge that promises most, if any."""
    context = run.context
    hops = await run.in_thread(load_hops)
    asked = await asyncio.to_thread(hops.ask, state["question"])
    frontier, counts, number = state["frontier"], state["counts"], state["round"]
    worths = None
    if _by_similarity(context):
        steps = {passage: _most_similar(hops, asked, passage) for passage in frontier}
        worths = _worths(asked, steps, counts)
    else:
        steps = await _ask_model(run, hops, asked, state["question"], frontier)
    chosen = {passage: step and hops.target(step.edge) for passage, step in steps.items()}
    counts, found = advance(counts, frontier, chosen, (context.n_hop + 1) * context.top_k, worths)
    walked = [
        _hop(hops, asked, number, passage, step)
        for passage in frontier
        if (step := steps.get(passage)) is not None and hops.target(step.edge) in counts
    ]
    progress_of("reason")(number, context.n_hop)
    return {
        "counts": counts,
        "frontier": found[: context.top_k] if number < context.n_hop else [],
        "hops": [*state["hops"], *walked],
        "round": number + 1,
    }


@node()
async def prune_passages(state: HopragState, run: Run[HopragContext]) -> Update:
    """Keeps the ``top_k`` passages with the highest helpfulness H."""
    return {"evidence": await run.in_thread(_most_helpful, state, run.context)}


def _nearest_edges(index: Index, question: str, top_k: int) -> list[Hop]:
    """The arrivals at first along edges, best edge first."""
    hops = load_hops(index)
    asked = hops.ask(question)
    edges = hops.edges.top(asked.similarity, top_k)
    return [_hop(hops, asked, 0, "", _Step(edge, "retrieved")) for edge in edges]


def _retrieved(hops: LoadedHops, found: Sequence[Evidence]) -> list[Hop]:
    """The arrivals at first at what the retriever found."""
    return [
        {
            "round": 0,
            "source": "",
            "target": hops.vertex(passage["id"]),
            "raised": "",
            "question": "",
            "label": "retrieved",
            "similarity": passage["score"],
        }
        for passage in found
    ]


def _hop(hops: LoadedHops, asked: AskedEdges, number: int, source: str, step: _Step) -> Hop:
    return {
        "round": number,
        "source": source,
        "target": hops.target(step.edge),
        "raised": hops.graph.raised(step.edge),
        "question": hops.graph.answered(step.edge),
        "label": step.label,
        "similarity": round(float(asked.similarity[step.edge]), 4),
    }


def _by_similarity(context: HopragContext) -> bool:
    """Whether edges are chosen without a model: the offline reader's way, too."""
    return context.traversal == "similarity" or _model_name(context) == OFFLINE


def _model_name(context: HopragContext) -> str:
    return context.traversal_model or context.small_model or context.model


def _most_similar(hops: LoadedHops, asked: AskedEdges, passage: str) -> _Step | None:
    promises = {edge: float(asked.promise[edge]) for edge in hops.out_edges(passage)}
    edge = choose_by_similarity(promises)
    return None if edge is None else _Step(edge, "similarity")


async def _ask_model(
    run: Run[HopragContext],
    hops: LoadedHops,
    asked: AskedEdges,
    question: str,
    frontier: Sequence[str],
) -> dict[str, _Step | None]:
    """The edges that the model would follow, several passages in one request, side by side."""
    offered = {passage: _offered(hops, asked, passage) for passage in frontier}
    open_ends = [passage for passage in frontier if offered[passage]]
    size = run.context.frontier_batch
    answers = await asyncio.gather(
        *(
            _ask_about(run, question, hops, open_ends[first : first + size], offered)
            for first in range(0, len(open_ends), size)
        )
    )
    steps: dict[str, _Step | None] = {}
    for labels in answers:
        for passage, given in labels.items():
            if given is None:
                steps[passage] = _most_similar(hops, asked, passage)
                continue
            similarities = {edge: float(asked.similarity[edge]) for edge in offered[passage]}
            edge = choose(given, similarities)
            steps[passage] = None if edge is None else _Step(edge, given[edge])
    return steps


def _offered(hops: LoadedHops, asked: AskedEdges, passage: str) -> list[int]:
    """The edges of a passage that the model is shown, those nearest to the question first."""
    edges = sorted(hops.out_edges(passage), key=lambda edge: (-asked.similarity[edge], edge))
    return edges[:_MOST_QUESTIONS]


async def _ask_about(
    run: Run[HopragContext],
    question: str,
    hops: LoadedHops,
    passages: Sequence[str],
    offered: dict[str, list[int]],
) -> dict[str, dict[int, Label] | None]:
    """The labels of the edges of each passage; None for all of them where there is no reply."""
    texts: list[Excerpt] = []
    numbers: dict[str, tuple[str, int]] = {}
    for place, passage in enumerate(passages, start=1):
        lines = []
        for line, edge in enumerate(offered[passage], start=1):
            numbers[f"{place}.{line}"] = passage, edge
            lines.append(f"{place}.{line} {hops.graph.answered(edge)}")
        texts.append({"id": str(place), "title": hops.title(passage), "text": "\n".join(lines)})
    reply = await run.ask(
        CHOOSE_HOPS,
        otherwise="Hops were chosen by similarity instead.",
        model=_model_name(run.context),
        question=question,
        texts=texts,
    )
    if reply is None:
        return dict.fromkeys(passages)
    labels: dict[str, dict[int, Label]] = {passage: {} for passage in passages}
    for given in reply.labels:
        if given.id in numbers:
            passage, edge = numbers[given.id]
            labels[passage].setdefault(edge, given.label)
    return dict(labels)


def _worths(
    asked: AskedEdges, steps: Mapping[str, _Step | None], counts: Mapping[str, float]
) -> dict[str, float]:
    """The worth of the hop from each passage: the passage's count times the edge's quality."""
    best = float(asked.promise.max(initial=0)) or 1.0
    return {
        passage: counts[passage] * max(0.0, float(asked.promise[step.edge])) / best
        for passage, step in steps.items()
        if step is not None
    }


def _most_helpful(index: Index, state: HopragState, context: HopragContext) -> list[Evidence]:
    counts = state["counts"]
    asked = load_hops(index).ask(state["question"])
    passages = {passage["id"]: passage for passage in index.catalogue.passages(list(counts))}
    vectors = index.vectors.get("passages", list(passages))
    cosines = np.clip(vectors @ asked.vector, -1, 1).tolist() if passages else []
    similarities = {
        id: hybrid_similarity(jaccard(passage_keywords(passage), asked.keywords), cosine)
        for (id, passage), cosine in zip(passages.items(), cosines, strict=True)
    }
    shares = importance({id: counts[id] for id in passages}, context.normalise)
    helpful = prune(helpfulness(similarities, shares), len(passages))
    if _by_similarity(context):
        helpful = _fused(state["hops"], [id for id, _ in helpful])
    first = {hop["target"] for hop in state["hops"] if hop["round"] == 0}
    return [
        {
            **passages[id],
            "score": round(score, 6),
            "found": "retrieved" if id in first else "hop",
        }
        for id, score in helpful[: context.top_k]
    ]


def _fused(hops: Sequence[Hop], helpful: Sequence[str]) -> list[tuple[str, float]]:
    """The ``helpful`` passages, fused with what the retriever found.

    Beyond the paper: hops that nobody judged must not push out what the question itself found.
    """
    known = set(helpful)
    first = [hop["target"] for hop in hops if hop["round"] == 0 and not hop["question"]]
    retrieved = [passage for passage in dict.fromkeys(first) if passage in known]
    return reciprocal_rank_fusion([retrieved, helpful], [1.0, UNJUDGED_WALK])
