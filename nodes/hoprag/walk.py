"""Hopping from passage to passage along questions (HopRAG: retrieve, reason, prune)."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

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
from ...index.grading import hop_skill
from ...index.hops import AskedEdges, LoadedHops, load_hops
from ...index.opening import Index
from ...index.progress import progress_of
from ...index.vectors import cosines_with, passage_keywords
from ...models.protocol import OFFLINE
from ...state.found import Found, cited_evidence
from ...state.hoprag import Hop, HopragState
from ...state.records import Evidence
from ..node import node
from ..retrieve import nearest, ranking
from ..run import Run, Update
from .asking import Labeller, labels_of, model_labeller

_DEPTH = 5  # times top_k passages are ranked, since a hop's target may be one of the lower
_KNOWN = 5  # passages whose sentence the model sees in every round
_SAID = (True, False)
_HEAD = 2  # of the retriever's passages keep their places
_WALK = 0.2  # the walk's weight before its labels are measured, against the retriever's 1


class _HopStep(NamedTuple):
    """The edge that a passage is left by, and why."""

    edge: int
    label: str


@node()
async def retrieve_edges(state: HopragState, run: Run[HopragContext]) -> Update:
    """Finds the edges nearest to the question; the walk starts where they lead.

    Beyond the paper, it starts from what the retriever finds as well: questions alone miss passages
    that speak of the question in other words. The ``top_k`` best of both together are the start;
    the passages that an earlier method cited go before them.
    """
    context, top_k = run.context, run.context.top_k
    if context.as_printed:
        edges = await run.in_thread(_nearest_edges, state["question"], top_k)
        run.meter.retrievals += 1
        counts, frontier = start([hop["target"] for hop in edges])
        return {"counts": counts, "hops": edges, "round": 1, **_going(frontier, context)}
    edges, found = await asyncio.gather(
        run.in_thread(_nearest_edges, _sought(state), top_k), nearest(run, state, _DEPTH * top_k)
    )
    hops = await run.in_thread(load_hops)
    read = _read(hops, state["held"])
    cited = [passage for passage, said in read.items() if said]
    retrieved = list(dict.fromkeys(hops.vertex(passage["id"]) for passage in found))
    ends = list(dict.fromkeys(hop["target"] for hop in edges))
    fused = reciprocal_rank_fusion([retrieved[:top_k], ends], [1.0, WALK_WEIGHT])[:top_k]
    frontier = list(dict.fromkeys([*cited, *(passage for passage, _ in fused)]))[:top_k]
    rest = [passage for passage in found if not read.get(hops.vertex(passage["id"]))]
    arrivals = [*_retrieved(hops, cited_evidence(state["held"])), *edges, *_retrieved(hops, rest)]
    arrivals = [hop for hop in arrivals if hop["target"] in frontier]
    run.meter.retrievals += 1
    return {
        "ranked": ranking(found),
        "judged": read,
        "counts": entry_worths(frontier)
        if _by_similarity(context)
        else start([hop["target"] for hop in arrivals])[0],
        "hops": arrivals,
        "round": 1,
        **_going(frontier, context),
    }


def _going(frontier: list[str], context: HopragContext) -> Update:
    return {"frontier": frontier if context.n_hop else []}


@node(reserve=1, late=lambda _: {"frontier": []})
async def reason(state: HopragState, run: Run[HopragContext]) -> Update:
    """One round: each passage of the frontier is left by the edge that promises most, if any."""
    label = None if _by_similarity(run.context) else model_labeller(run, _model_name(run.context))
    return await hop_on(state, run, label)


async def hop_on(state: HopragState, run: Run[HopragContext], label: Labeller | None) -> Update:
    """One round in which ``label`` judges the hops that are shown, or else similarity does."""
    context = run.context
    hops = await run.in_thread(load_hops)
    asked = await asyncio.to_thread(hops.ask, _sought(state))
    frontier, counts, number = state["frontier"], state["counts"], state["round"]
    worths, judged = None, dict(state["judged"])
    others: list[tuple[str, _HopStep]] = []
    if label is None:
        steps = _most_similar(hops, asked, frontier, _read(hops, state["held"]), context)
        worths = None if context.as_printed else _worths(asked, steps, counts)
    else:
        steps, others = await _labelled(run, label, hops, asked, state, judged)
    chosen = {passage: step and hops.target(step.edge) for passage, step in steps.items()}
    most = (context.n_hop + 1) * context.top_k
    counts, found = advance(counts, frontier, chosen, most, worths)
    for passage, other in others:
        counts, new = advance(counts, [passage], {passage: hops.target(other.edge)}, most)
        found += new
    taken = [(id, step) for id in frontier if (step := steps.get(id)) is not None]
    walked = [one for one in [*taken, *others] if hops.target(one[1].edge) in counts]
    progress_of("reason")(number, context.n_hop)
    return {
        "counts": counts,
        "frontier": found[: context.top_k] if number < context.n_hop else [],
        "hops": [*state["hops"], *_hops(hops, asked, number, walked)],
        "round": number + 1,
        "judged": judged,
    }


@node()
async def prune_passages(state: HopragState, run: Run[HopragContext]) -> Update:
    """Keeps ``top_k`` passages: the retriever's ranking, fused with the walk's by helpfulness H."""
    return {"evidence": await run.in_thread(_most_helpful, state, run.context)}


def _sought(state: HopragState) -> str:
    """The text that edges are compared with: the question, and the first one still missing.

    The question alone would lead back to what was read; what is sought is the missing link.
    """
    return " ".join([state["question"], *state["held"]["missing"][:1]])


def _read(hops: LoadedHops, held: Found) -> dict[str, bool]:
    """The passages that an earlier method read, those cited first, and whether each was cited."""
    cited = [hops.vertex(text["id"]) for text in cited_evidence(held)]
    every = [hops.vertex(text["id"]) for text in held["evidence"]]
    return {passage: passage in cited for passage in [*cited, *every]}


def _nearest_edges(index: Index, sought: str, top_k: int) -> list[Hop]:
    """The arrivals at first along edges, best edge first."""
    hops = load_hops(index)
    asked = hops.ask(sought)
    edges = hops.nearest(asked, top_k)
    return _hops(hops, asked, 0, [("", _HopStep(edge, "retrieved")) for edge in edges])


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


def _hops(
    hops: LoadedHops, asked: AskedEdges, number: int, steps: Sequence[tuple[str, _HopStep]]
) -> list[Hop]:
    """The hops of round ``number`` from passages, by their steps."""
    similarities = asked.similarities([step.edge for _, step in steps]).tolist()
    return [
        {
            "round": number,
            "source": source,
            "target": hops.target(step.edge),
            "raised": hops.graph.raised(step.edge),
            "question": hops.graph.answered(step.edge),
            "label": step.label,
            "similarity": round(similarity, 4),
        }
        for (source, step), similarity in zip(steps, similarities, strict=True)
    ]


def _by_similarity(context: HopragContext) -> bool:
    """Whether edges are chosen without a model: the offline reader's way, too."""
    return context.traversal == "similarity" or _model_name(context) == OFFLINE


def _model_name(context: HopragContext) -> str:
    return context.small_model or context.model


def _most_similar(
    hops: LoadedHops,
    asked: AskedEdges,
    frontier: Sequence[str],
    read: Collection[str],
    context: HopragContext,
) -> dict[str, _HopStep | None]:
    """For each passage the edge that promises most, but for those to passages ``read`` before.

    As printed, the edge most similar to the question.
    """
    edges = {
        passage: [edge for edge in hops.out_edges(passage) if hops.target(edge) not in read]
        for passage in frontier
    }
    every = [edge for own in edges.values() for edge in own]
    measured = asked.similarities(every) if context.as_printed else asked.promises(every)
    promises = dict(zip(every, measured.tolist(), strict=True))
    chosen = {
        passage: choose_by_similarity({edge: promises[edge] for edge in own})
        for passage, own in edges.items()
    }
    return {
        passage: None if edge is None else _HopStep(edge, "similarity")
        for passage, edge in chosen.items()
    }


async def _labelled(
    run: Run[HopragContext],
    label: Labeller,
    hops: LoadedHops,
    asked: AskedEdges,
    state: HopragState,
    judged: dict[str, bool],
) -> tuple[dict[str, _HopStep | None], list[tuple[str, _HopStep]]]:
    """The edge that ``label`` would follow from each passage, and the other necessary ones.

    A target is shown once, so that nothing else would lead there; as printed there are no others.
    ``judged`` gets what was said of the targets.
    """
    useful, context = [passage for passage, said in judged.items() if said], run.context
    read = _read(hops, state["held"])
    if context.as_printed:
        edges = [(id, edge) for id in state["frontier"] for edge in hops.out_edges(id)]
        offers = [Offer(id, hops.target(edge), edge, 0.0) for id, edge in edges]
    else:
        offers = _offers(hops, asked, state, useful, context)
    known = list(dict.fromkeys([*useful, *_retriever_ranking(hops, state)]))[:_KNOWN]
    shown = [] if context.as_printed else known
    labelled = await labels_of(run, label, state, hops, shown, offers)
    steps: dict[str, _HopStep | None] = {}
    others: list[tuple[str, _HopStep]] = []
    for source, labels in labelled.items():
        if labels is None:
            steps |= _most_similar(hops, asked, [source], read, context)
            continue
        own = [offer for offer in offers if offer.source == source]
        judged |= {offer.target: offer.edge in labels for offer in own}
        similarities = asked.similarities([hop.edge for hop in own]).tolist()
        edge = choose(labels, dict(zip((hop.edge for hop in own), similarities, strict=True)))
        steps[source] = None if edge is None else _HopStep(edge, labels[edge])
        others += [
            (source, _HopStep(hop.edge, "necessary"))
            for hop in own
            if labels.get(hop.edge) == "necessary" and hop.edge != edge
        ]
    return steps, [] if context.as_printed else others


def _offers(
    hops: LoadedHops,
    asked: AskedEdges,
    state: HopragState,
    useful: Sequence[str],
    context: HopragContext,
) -> list[Offer]:
    """The hops of the frontier that are worth showing, those to judged passages left out.

    Hops to passages read before are no measure of worth either: they are near the question.
    """
    read = _read(hops, state["held"])
    ranks = {id: rank for rank, id in enumerate(_retriever_ranking(hops, state), start=1)}
    reached = dict.fromkeys([*useful, *state["counts"]])
    edges = {source: hops.out_edges(source) for source in reached}
    every = [edge for own in edges.values() for edge in own]
    promises = dict(zip(every, asked.promises(every).tolist(), strict=True))
    offers = [
        Offer(source, target, edge, hop_worth(promises[edge], ranks.get(target), place))
        for place, (source, own) in enumerate(edges.items(), start=1)
        for edge in own
        for target in [hops.target(edge)]
        if target not in read
    ]
    best = max((offer.worth for offer in offers), default=0.0)
    frontier, judged = set(state["frontier"]), state["judged"]
    new = (hop for hop in offers if hop.source in frontier and hop.target not in judged)
    return worth_showing(new, best, every=context.traversal == "every")


def _retriever_ranking(hops: LoadedHops, state: HopragState) -> list[str]:
    return list(dict.fromkeys(map(hops.vertex, state["ranked"])))


def _worths(
    asked: AskedEdges, steps: Mapping[str, _HopStep | None], counts: Mapping[str, float]
) -> dict[str, float]:
    """The worth of the hop from each passage: the passage's count times the edge's quality."""
    taken = {passage: step.edge for passage, step in steps.items() if step is not None}
    promises = asked.promises(list(taken.values())).tolist()
    return {
        passage: counts[passage] * promise / asked.best_promise
        for passage, promise in zip(taken, promises, strict=True)
    }


def _most_helpful(index: Index, state: HopragState, context: HopragContext) -> list[Evidence]:
    counts, hops = state["counts"], load_hops(index)
    asked = hops.ask(_sought(state))
    passages = {passage["id"]: passage for passage in index.catalogue.passages(list(counts))}
    cosines = cosines_with(index, asked.vector, list(passages))
    similarities = {
        id: hybrid_similarity(
            jaccard(passage_keywords(passage), asked.keywords),
            min(1.0, max(-1.0, cosines.get(id, 0.0))),
        )
        for id, passage in passages.items()
    }
    shares = importance({id: counts[id] for id in passages})
    helpful = dict(prune(helpfulness(similarities, shares), len(passages)))
    first = {hop["target"] for hop in state["hops"] if hop["round"] == 0}
    if context.as_printed:
        return [
            {
                **passages[id],
                "score": round(score, 6),
                "found": "retrieved" if id in first else "hop",
            }
            for id, score in list(helpful.items())[: context.top_k]
        ]
    read, retrieved = _read(hops, state["held"]), _retriever_ranking(hops, state)
    texts = cited_evidence(state["held"])
    texts += [
        {**passages[id], "score": 0.0, "found": "retrieved" if id in first else "hop"}
        for id in _fused(state, retrieved, list(helpful), context, _weight(index, context))
        if not read.get(id)
    ]
    return [
        {**text, "score": round(1 / place, 6)}
        for place, text in enumerate(texts[: context.top_k], start=1)
    ]


def _weight(index: Index, context: HopragContext) -> float | None:
    """The weight of the walk by how well the labels of its model were measured; None before."""
    return None if _by_similarity(context) else hop_skill(index, _model_name(context))


def _fused(
    state: HopragState,
    retrieved: Sequence[str],
    helpful: Sequence[str],
    context: HopragContext,
    weight: float | None,
) -> list[str]:
    """The ``helpful`` passages in the retriever's order, fused with those that a hop led to.

    Beyond the paper: H alone lowers what the walk starts from. The retriever's first passages keep
    their places. The walk, in which earlier rounds go first, has the ``weight`` that was measured;
    else it weighs less the less its labels agree with the retriever on the passages that both know.
    Where an earlier method has read what the retriever puts first, the passages that the model
    called useful are first.
    """
    judged, known = state["judged"], set(helpful)
    if weight is None:
        ranks = {passage: rank for rank, passage in enumerate(retrieved[: context.top_k])}
        told = [
            [ranks[id] for id in judged if judged[id] is said and id in ranks] for said in _SAID
        ]
        weight = _WALK * trust(*told)
    reached: dict[str, int] = {}
    for hop in state["hops"]:
        if hop["round"]:
            reached.setdefault(hop["target"], hop["round"])
    rest = list(dict.fromkeys([*(id for id in retrieved if id in known), *helpful]))
    walked = sorted((id for id in helpful if id in reached), key=reached.__getitem__)
    useful = [id for id in walked if judged.get(id)]
    lead = useful if state["held"]["evidence"] else rest[:_HEAD]
    return fuse_behind(lead, [rest, walked], [1.0, weight])
