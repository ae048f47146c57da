"""Answering from all of a corpus: map over reports or passages, then combine (GraphRAG)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.types import Overwrite, Send

from ...algorithms.graphrag.report_context import pack, seeded_order
from ...context import GraphragContext
from ...index.communities import CommunityView, load_communities
from ...index.opening import Index
from ...index.progress import progress_of
from ...index.report_material import ASIDE_RATING, passages_of
from ...language.analyser import count_tokens
from ...language.support import CitablePassage, cite_point, nearest_statements
from ...models.meter import current_meter
from ...models.protocol import OFFLINE, NoReplyError
from ...prompts.graphrag_replies import COMBINE_POINTS, MAP_TEXTS, RATE_REPORTS, ReplyPoint
from ...prompts.prompt import number, numbered
from ...state.graphrag import GraphragState, MapTask, Point
from ...state.records import Citation, Evidence
from ...state.reports import Report
from ...stores.metadata import metadata_at
from ..answer import checked
from ..node import node, unanswered
from ..retrieve import nearest
from ..run import Run, Update, calls_left
from ..unspoken import asks_of_any
from .lazy import LAZY, communities_told, keep_findings, passages_near
from .searching import (
    TEXTS_READ,
    first_found,
    in_form,
    joined,
    near_reports,
    read_beginnings,
    read_nearest,
)
from .texts import READ_PASSAGES, ROW_TOKENS, passage_sizes, read_batch, report_sizes, row_tokens

_SEED = 0
_FINDINGS = 3
_CITED = 2
_EXTRACTS = 3
_LAZY_CONTEXTS = 2
_GENERAL = {True: "yes", False: "no"}


@node(reserve=2)
async def select_reports(state: GraphragState, run: Run[GraphragContext]) -> Update:
    """Takes the reports of one level, or descends from the root where it helps (dynamic).

    Without a model a few are enough, nearest first: nobody sums up what all of them say.
    """
    context = run.context
    if state["search"] == LAZY:
        near = await passages_near(run, state)
        sizes = await run.in_thread(passage_sizes, near)
        if context.model == OFFLINE:
            return await read_nearest(run, state, near, sizes)
        return _dealt(near, sizes, _requests_left(state, context), context)
    if context.model == OFFLINE:
        return await _few_reports(run, state)
    view = await run.in_thread(load_communities)
    if state["search"] == "dynamic":
        chosen = await _descend(run, view, state["question"])
    else:
        chosen = view.at(context.level)
    ranked = _weightiest(view, chosen)
    sizes = await run.in_thread(report_sizes, ranked, context.level)
    return _batched(list(sizes), sizes, _requests_left(state, context), context)


async def _few_reports(run: Run[GraphragContext], state: GraphragState) -> Update:
    """The reports nearest to the question, or the heaviest where it names no subject."""
    level, of_any = run.context.level, asks_of_any(state["question"])
    if of_any:
        near = (await run.in_thread(load_communities)).heaviest(level)
    else:
        near = await run.in_thread(near_reports, state["question"], level)
    sizes = await run.in_thread(report_sizes, near[:TEXTS_READ], level)
    if of_any:
        return await read_beginnings(run, list(sizes), sizes)
    return await read_nearest(run, state, list(sizes), sizes)


@node()
async def select_passages(state: GraphragState, run: Run[GraphragContext]) -> Update:
    """Takes all passages of the index (the paper's condition TS); the nearest without a model."""
    if run.context.model == OFFLINE:
        found = await nearest(run, state, TEXTS_READ)
        near = {one["id"]: row_tokens(one["title"], one["text"]) for one in found[:TEXTS_READ]}
        return await read_nearest(run, state, list(near), near)
    sizes = await run.in_thread(passage_sizes, None)
    left = _requests_left(state, run.context)
    return _batched(list(sizes), sizes, left, run.context)


@node(reserve=lambda task: task["reserved"])
async def map_texts(state: MapTask, run: Run[GraphragContext]) -> Update:
    """Collects what one batch of reports or passages says towards the answer."""
    question, search, context = state["question"], state["search"], run.context
    batch, reports = await run.in_thread(read_batch, search, state["batch"], context.level)
    try:
        reply = await run.ask(MAP_TEXTS, question=question, texts=number(list(batch.values())))
    except NoReplyError as error:
        run.meter.warn(f"{error} A part of the corpus was not read.")
        return {"unread": [error.stop_reason]}
    points = points_of(reply.points, list(batch), search)
    extracts = context.model == OFFLINE
    points = await run.in_thread(with_citations, points, reports, extracts)
    if search == LAZY:
        told = await run.in_thread(communities_told, list(batch), context.level)
        for point in points:
            communities = [told[id] for id in point["passages"] if id in told]
            point["communities"] = list(dict.fromkeys(communities))
    return {"points": points}


@node(answers=True)
async def combine_points(state: GraphragState, run: Run[GraphragContext]) -> Update:
    """Writes the answer from the points that score, best first, and cites what they rest on."""
    points = sorted(state["points"], key=lambda point: (-point["score"], point["text"]))
    context, ranked = run.context, {"points": Overwrite(points)}
    first = await first_found(run, state)
    if first.get("sufficient") or not points:
        return {"stop_reason": max(state["unread"], default="no_evidence"), **ranked, **first}
    sizes = [ROW_TOKENS + count_tokens(point["text"]) for point in points]
    shown = points[: len(pack(sizes, context.context_tokens)[0])]
    try:
        reply = await run.ask(
            COMBINE_POINTS,
            question=in_form(state["question"], context),
            texts=number([(f"Score {point['score']:.0f}", point["text"]) for point in shown]),
            general=_GENERAL[context.general_knowledge],
        )
    except NoReplyError as error:
        return {**ranked, **first, **unanswered(error)}
    if state["search"] == LAZY and context.model != OFFLINE:
        await keep_findings(run, points)
    used = numbered(reply.used, points[: len(shown)]) or points[: len(shown)]
    cited = await run.in_thread(_cited, used, context.top_k, context.model == OFFLINE)
    if uncited := [point["text"] for point in used if not point["citations"]]:
        run.meter.warn(
            f"{len(uncited)} of the {len(used)} points of the answer stand in no passage that "
            f"could be cited, first: “{uncited[0][:80]}”."
        )
    most_cited = 2 * len(uncited) < len(used)
    sufficient = reply.sufficient and most_cited and bool(reply.answer)
    whole = joined(first, cited)
    found = await checked(
        run,
        state["question"],
        {
            "answer": reply.answer,
            "missing": [] if sufficient else reply.missing,
            "citations": whole["citations"],
            "sufficient": sufficient,
            "stop_reason": "answered" if sufficient else "insufficient",
        },
        whole["evidence"],
    )
    general = reply.general if context.general_knowledge else ""
    return {
        **whole,
        **found,
        "points": Overwrite(points),
        "answer": f"{reply.answer}\n\n[General knowledge] {general}" if general else reply.answer,
    }


def map_tasks(state: GraphragState, context: GraphragContext) -> list[Send]:
    """One task for each batch, each with its share of the requests that are left."""
    left = _requests_left(state, context)
    share = max(1, left // max(1, len(state["batches"])))
    reserved = calls_left(context, state["usage"]) - share
    return [
        Send(
            "map_texts",
            MapTask(
                question=state["question"],
                search=state["search"],
                batch=batch,
                usage=state["usage"],
                reserved=reserved,
            ),
        )
        for batch in state["batches"]
    ]


def map_contexts(index: Index, context: GraphragContext) -> list[int]:
    """The tokens of the texts in each request that maps over a level of reports, or all passages.

    ``context`` asks for a global search that is not dynamic, or for the search text. Blocks; raises
    RagraphsError without the layer.
    """
    if context.search == "text":
        sizes = passage_sizes(index, None)
    else:
        view = load_communities(index)
        ranked = _weightiest(view, view.at(context.level))
        sizes = report_sizes(index, ranked, context.level)
    return [sum(map(sizes.__getitem__, one)) for one in _shuffled(list(sizes), sizes, context)]


def points_of(points: Sequence[ReplyPoint], batch: Sequence[str], search: str) -> list[Point]:
    """The points that score, with the communities or passages that they come from."""
    found: list[Point] = []
    for point in points:
        sources = numbered(point.evidence, batch)
        if point.score > 0 and point.point:
            found.append(
                {
                    "text": point.point,
                    "score": point.score,
                    "communities": [] if search in READ_PASSAGES else sources,
                    "passages": sources if search in READ_PASSAGES else [],
                    "citations": [],
                }
            )
    return found


def with_citations(
    index: Index, points: Sequence[Point], reports: Mapping[str, Report], extracts: bool
) -> list[Point]:
    """Points with the sentences that state them; of ``extracts``, with the sentence itself.

    ``reports`` are those on the communities that the points come from. Blocks.
    """
    most = 1 if extracts else _CITED
    return [{**one, "citations": _sentences(index, reports, one, most)} for one in points]


def _requests_left(state: GraphragState, context: GraphragContext) -> int:
    """Requests for the map step, one being kept for the answer."""
    return calls_left(context, state["usage"]) - 1


async def _descend(run: Run[GraphragContext], view: CommunityView, question: str) -> list[str]:
    """Dynamic selection: from the root down, the children of every report worth reading closer.

    A community none of whose children is kept stands for itself.
    """
    chosen: list[str] = []
    rated = view.at(0)
    while rated:
        kept = set(await _worth_reading(run, view, question, rated))
        above = {view.communities[id].parent for id in kept}
        chosen = [id for id in chosen if id not in above]
        chosen += sorted(kept)
        rated = [child for id in sorted(kept) for child in view.children.get(id, ())]
    return chosen


async def _worth_reading(
    run: Run[GraphragContext], view: CommunityView, question: str, ids: Sequence[str]
) -> list[str]:
    read = await run.in_thread(lambda _: list(view.reports(ids)))
    texts = {id: (report["title"], report["summary"]) for id, report in read}
    there = list(texts)
    groups = pack([row_tokens(*one) for one in texts.values()], run.context.context_tokens)

    async def rate(group: Sequence[int]) -> list[str]:
        shown = [there[place] for place in group]
        reply = await run.ask(
            RATE_REPORTS,
            otherwise="Reports were kept without being rated.",
            model=run.context.small_model,
            question=question,
            texts=number([texts[id] for id in shown]),
        )
        return shown if reply is None else numbered(reply.keep, shown)

    kept = await asyncio.gather(*(rate(group) for group in groups))
    gone = [id for id in ids if id not in texts]  # replaced meanwhile: others are read for them
    return [*gone, *(id for group in kept for id in group)]


def _dealt(
    ranked: Sequence[str], sizes: Mapping[str, int], most: int, context: GraphragContext
) -> Update:
    """The best texts, dealt out in turn to few contexts, so that each has some of the best."""
    needed = len(pack([sizes[id] for id in ranked], context.context_tokens))
    count = min(_LAZY_CONTEXTS, most, needed)
    hands = [ranked[first::count] for first in range(count)]
    fitting = [pack([sizes[id] for id in hand], context.context_tokens)[:1] for hand in hands]
    batches = [hand[: len(groups[0])] for hand, groups in zip(hands, fitting, strict=True)]
    return {"batches": batches, "unread": ["budget"] if ranked and not count else []}


def _batched(
    ranked: Sequence[str], sizes: dict[str, int], most: int, context: GraphragContext
) -> Update:
    """The texts in a seeded random order, cut into contexts; the best if there are too many."""
    limit = context.context_tokens
    groups = pack([sizes[id] for id in ranked], limit)
    if len(groups) > most:
        kept = [ranked[place] for group in groups[: max(0, most)] for place in group]
        current_meter().warn(
            f"{len(ranked) - len(kept)} of {len(ranked)} texts were left out; to read all takes "
            f"{len(groups) + 1} requests (--max-calls)."
        )
        best = [[ranked[place] for place in group] for group in groups[: max(0, most)]]
        return {"batches": best, "unread": ["budget"]}
    return {"batches": _shuffled(ranked, sizes, context)}


def _shuffled(
    ranked: Sequence[str], sizes: Mapping[str, int], context: GraphragContext
) -> list[list[str]]:
    """The texts in a seeded random order, cut into contexts."""
    shuffled = [ranked[place] for place in seeded_order(ranked, _SEED)]
    packed = pack([sizes[id] for id in shuffled], context.context_tokens)
    return [[shuffled[place] for place in group] for group in packed]


def _weightiest(view: CommunityView, chosen: Sequence[str]) -> list[str]:
    """The communities that are worth reading, the best rated first; all where none stands out."""
    known = view.communities
    weighty = [id for id in chosen if known[id].rating > ASIDE_RATING]
    return sorted(weighty or chosen, key=lambda id: (-known[id].rating, -known[id].size, id))


def _cited(index: Index, points: Sequence[Point], most: int, extracts: bool) -> dict[str, Any]:
    """The citations of points, their passages as evidence, communities.

    Points that are ``extracts`` are sentences themselves, of which three a passage are enough.
    """
    citations: list[Citation] = []
    scores: dict[str, float] = {}
    for point in points:
        for citation in point["citations"]:
            others = [one for one in citations if one["passage"] == citation["passage"]]
            if extracts and (len(others) >= _EXTRACTS or citation in others):
                continue
            if citation["passage"] in scores or len(scores) < most:
                citations.append(citation)
                scores.setdefault(citation["passage"], point["score"] / 100)
    communities = dict.fromkeys(id for point in points for id in point["communities"])
    view = load_communities(index) if communities else None
    by = "community" if view else "retrieved"
    evidence: list[Evidence] = [
        {**passage, "score": scores[passage["id"]], "found": by}
        for passage in index.catalogue.passages(list(scores))
    ]
    progress_of("combine")(len(points), len(points))
    there = {one["id"] for one in evidence}  # a run may have removed some since the points
    told = [one for one in citations if one["passage"] in there]
    known = view.communities if view else ()
    return {
        "citations": [one for place, one in enumerate(told) if one not in told[:place]],
        "evidence": evidence,
        "communities": [view.reference(id) for id in communities if id in known] if view else [],
    }


def _sentences(
    index: Index, reports: Mapping[str, Report], point: Point, most: int
) -> list[Citation]:
    """The sentences that state a point: of its passages, or of those that its reports rest on.

    The passages of the findings nearest to it come first.
    """
    if not point["communities"] or point["passages"]:
        return _stated(index, point, point["passages"], most)
    findings = [f for id in point["communities"] for f in reports[id]["findings"]]
    statements = [finding["statement"] for finding in findings]
    near = nearest_statements(point["text"], statements, _FINDINGS)
    first = list(dict.fromkeys(id for place in near for id in findings[place]["passages"]))
    rest = [p for id in point["communities"] for p in passages_of(reports[id])]
    return _stated(index, point, first, most) or _stated(index, point, rest, most)


def _stated(index: Index, point: Point, ids: Sequence[str], most: int) -> list[Citation]:
    passages = {passage["id"]: passage for passage in index.catalogue.passages(ids)}
    names = index.entities.names_in(passages)  # "the clerk" is Bob Cratchit
    sources = [
        CitablePassage(id, passage["title"], passage["text"], "; ".join(names.get(id, ())))
        for id, passage in passages.items()
    ]
    return [
        {
            "passage": found.passage,
            "document": (passage := passages[found.passage])["document"],
            "title": passage["title"],
            "start": passage["start"] + found.start,
            "end": passage["start"] + found.end,
            "quote": found.text,
            "metadata": metadata_at(passage, passage["start"] + found.start),
        }
        for found in cite_point(point["text"], sources, most)
    ]
