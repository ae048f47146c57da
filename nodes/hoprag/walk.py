"""Hopping from passage to passage along questions (HopRAG: retrieve, reason, prune)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...algorithms.fusion import WALK_WEIGHT, fuse_behind, reciprocal_rank_fusion
from ...algorithms.hoprag.offers import Offer, hop_worth, trust, worth_showing
from ...algorithms.hoprag.walk import (
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
from ...state.hoprag import Hop, HopragState
from ...state.records import Evidence
from ..node import node
from ..run import Run, Update
from .asking import ask_labels

_DEPTH = 5  # times top_k passages are ranked, since a hop's target may be one of the lower
_KNOWN = 5  # passages whose sentence the model sees in every round
_SAID = (True, False)
_HEAD = 2  # of the retriever's passages keep their places
_WALK = 0.2  # the weight of the walk, against 1 for the retriever that it starts from


class _Step(NamedTuple):
    """The edge that a passage is left by, and why."""

    edge: int
    label: str


@node()
async def retrieve_edges(state: HopragState, run: Run[HopragContext]) -> Update:
    """Finds the edges nearest to the question; the walk starts where they lead.

    Beyond the paper, it starts from what the retriever finds as well: questions alone miss passages
    that speak of the question in other words. The ``top_k`` best of both together are the start.
    """
    context, question, top_k = run.context, state["question"], run.context.top_k
    edges, found = await asyncio.gather(
        run.in_thread(_nearest_edges, question, top_k), run.search(question, _DEPTH * top_k)
    )
    hops = await run.in_thread(load_hops)
    retrieved = list(dict.fromkeys(hops.vertex(passage["id"]) for passage in found))
    ends = list(dict.fromkeys(hop["target"] for hop in edges))
    fused = reciprocal_rank_fusion([retrieved[:top_k], ends], [1.0, WALK_WEIGHT])[:top_k]
    frontier = [passage for passage, _ in fused]
    arrivals = [*edges, *_retrieved(hops, found)]
    arrivals = [hop for hop in arrivals if hop["target"] in frontier]
    run.meter.retrievals += 1
    return {
        "retrieved": retrieved,
        "counts": entry_worths(frontier)
        if _by_similarity(context)
        else start([hop["target"] for hop in arrivals])[0],
        "frontier": frontier if context.n_hop else [],
        "hops": arrivals,
        "round": 1,
    }


@node(reserve=1)
async def reason(state: HopragState, run: Run[HopragContext]) -> Update:
    """One round: each passage of the frontier is left by the edge that promises most, if any."""
    context = run.context
    hops = await run.in_thread(load_hops)
    asked = await asyncio.to_thread(hops.ask, state["question"])
    frontier, counts, number = state["frontier"], state["counts"], state["round"]
    worths, judged = None, dict(state["judged"])
    if _by_similarity(context):
        steps = {passage: _most_similar(hops, asked, passage) for passage in frontier}
        worths = _worths(asked, steps, counts)
    else:
        steps = await _ask_model(run, hops, asked, state, judged)
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
        "judged": judged,
    }


@node()
async def prune_passages(state: HopragState, run: Run[HopragContext]) -> Update:
    """Keeps ``top_k`` passages: the retriever's ranking, fused with the walk's by helpfulness H."""
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
    state: HopragState,
    judged: dict[str, bool],
) -> dict[str, _Step | None]:
    """The edges that the model would follow; ``judged`` gets what it said of their targets."""
    useful = [passage for passage, said in judged.items() if said]
    offers = _offers(hops, asked, state, useful)
    known = list(dict.fromkeys([*useful, *state["retrieved"]]))[:_KNOWN]
    labelled = await ask_labels(
        run, _model_name(run.context), state["question"], hops, known, offers
    )
    steps: dict[str, _Step | None] = {}
    for source, labels in labelled.items():
        if labels is None:
            steps[source] = _most_similar(hops, asked, source)
            continue
        own = [offer for offer in offers if offer.source == source]
        judged |= {offer.target: offer.edge in labels for offer in own}
        edge = choose(labels, {hop.edge: float(asked.similarity[hop.edge]) for hop in own})
        steps[source] = None if edge is None else _Step(edge, labels[edge])
    return steps


def _offers(
    hops: LoadedHops, asked: AskedEdges, state: HopragState, useful: Sequence[str]
) -> list[Offer]:
    """The hops of the frontier that are worth showing, those to judged passages left out."""
    ranks = {passage: rank for rank, passage in enumerate(state["retrieved"], start=1)}
    reached = dict.fromkeys([*useful, *state["counts"]])
    offers = [
        Offer(source, target, edge, hop_worth(float(asked.promise[edge]), ranks.get(target), place))
        for place, source in enumerate(reached, start=1)
        for edge in hops.out_edges(source)
        for target in [hops.target(edge)]
    ]
    best = max((offer.worth for offer in offers), default=0.0)
    frontier, judged = set(state["frontier"]), state["judged"]
    new = (hop for hop in offers if hop.source in frontier and hop.target not in judged)
    return worth_showing(new, best)


def _worths(
    asked: AskedEdges, steps: Mapping[str, _Step | None], counts: Mapping[str, float]
) -> dict[str, float]:
    """The worth of the hop from each passage: the passage's count times the edge's quality."""
    best = float(asked.promise.max(initial=0)) or 1.0
    return {
        passage: counts[passage] * float(asked.promise[step.edge]) / best
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
    helpful = [id for id, _ in prune(helpfulness(similarities, shares), len(passages))]
    first = {hop["target"] for hop in state["hops"] if hop["round"] == 0}
    return [
        {
            **passages[id],
            "score": round(1 / place, 6),
            "found": "retrieved" if id in first else "hop",
        }
        for place, id in enumerate(_fused(state, helpful, context.top_k)[: context.top_k], start=1)
    ]


def _fused(state: HopragState, helpful: Sequence[str], top_k: int) -> list[str]:
    """The ``helpful`` passages in the retriever's order, fused with those that a hop led to.

    Beyond the paper: H alone lowers what the walk starts from. The retriever's first passages keep
    their places. The walk, in which earlier rounds go first, weighs less the less its labels agree
    with the retriever on the passages that both know.
    """
    judged, known = state["judged"], set(helpful)
    ranks = {passage: rank for rank, passage in enumerate(state["retrieved"][:top_k])}
    told = [[ranks[id] for id in judged if judged[id] is said and id in ranks] for said in _SAID]
    reached: dict[str, int] = {}
    for hop in state["hops"]:
        if hop["round"]:
            reached.setdefault(hop["target"], hop["round"])
    rest = list(dict.fromkeys([*(id for id in state["retrieved"] if id in known), *helpful]))
    walked = sorted((id for id in helpful if id in reached), key=reached.__getitem__)
    return fuse_behind(rest[:_HEAD], [rest, walked], [1.0, _WALK * trust(*told)])
