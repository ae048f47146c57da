"""Answers about the whole where no model has written reports (search ``lazy``).

Communities are ranked by the question, and the best of their sentences are read in the place of
reports. Points that these sentences state are kept as findings of the reports.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...algorithms.fusion import reciprocal_rank_fusion
from ...context import GraphragContext
from ...index.communities import load_communities
from ...index.opening import Index
from ...index.vectors import cosines_with
from ...language.analyser import count_tokens, keywords, sentences
from ...models.protocol import OFFLINE
from ...models.query_vectors import embed_queries
from ...state.errors import RagraphsError
from ...state.graphrag import GraphragState, Point
from ...state.records import Evidence
from ...state.reports import Finding, Report
from ...stores.communities import ASSEMBLED
from ..retrieve import nearest
from ..run import Run
from .searching import near_reports

LAZY = "lazy"
_COMMUNITIES = 16
_SHARE = 8  # communities whose sentences one request reads
_VOTING = 50  # passages near the question that vote for communities
_LOOKED_AT = 40  # passages of a community
_MOST_FINDINGS = 20
_BETWEEN = " … "


class CommunityText(NamedTuple):
    """The sentences of a community that a request is shown, in the order of its ``passages``."""

    title: str
    text: str
    passages: tuple[str, ...]


def share_of_context(context: GraphragContext) -> int:
    """The most tokens that a community's sentences take."""
    return context.context_tokens // _SHARE


async def communities_near(run: Run[GraphragContext], state: GraphragState) -> list[str]:
    """At most 16 communities for the question, the best first.

    By their reports, and by the passages near the question that speak of their entities.
    """
    found = await nearest(run, state, _VOTING)
    return await run.in_thread(_ranked, state["question"], found, run.context.level)


def _ranked(index: Index, question: str, found: Sequence[Evidence], level: int) -> list[str]:
    view = load_communities(index)
    ranks = {passage["id"]: rank for rank, passage in enumerate(found, start=1)}
    votes: defaultdict[str, float] = defaultdict(float)
    named: defaultdict[str, set[str]] = defaultdict(set)
    for mention in index.entities.mentions_of(ranks):
        named[mention.entity].add(mention.passage)
    told: defaultdict[str, set[str]] = defaultdict(set)
    for community, entity in index.communities.communities_of(named):
        if view.is_at(community, level):
            told[community] |= named[entity]
    for community, passages in told.items():
        votes[community] = sum(1 / ranks[passage] for passage in passages)
    voted = sorted(votes, key=lambda id: (-votes[id], id))
    rankings = [voted, near_reports(index, question, level)]
    return [id for id, _ in reciprocal_rank_fusion(rankings, [1.0, 1.0])][:_COMMUNITIES]


def community_texts(
    index: Index, question: str, ids: Sequence[str], most: int
) -> list[CommunityText]:
    """The best sentences of each community, within ``most`` tokens. Blocks."""
    view = load_communities(index)
    return [
        CommunityText(view.communities[id].title, *_best_sentences(index, question, id, most))
        for id in ids
    ]


def _best_sentences(index: Index, question: str, id: str, most: int) -> tuple[str, tuple[str, ...]]:
    """The sentences that share most words with the question, or name most of the community."""
    members = index.communities.members_of(id)
    told = Counter(
        passage for found in index.entities.passages_of(members).values() for passage in found
    )
    vector, asked = embed_queries(index.embedder, [question])[0], keywords(question)
    cosines = cosines_with(index, vector, list(told))
    near = sorted(cosines, key=lambda one: (-cosines[one], one))
    central = sorted(told, key=lambda one: (-told[one], one))
    looked_at = [one for one, _ in reciprocal_rank_fusion([near, central], [1.0, 1.0])]
    passages = index.catalogue.passages(looked_at[:_LOOKED_AT])
    places: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for mention in index.entities.mentions_of([passage["id"] for passage in passages]):
        if mention.entity in members:
            places[mention.passage].append((mention.start, mention.entity))
    known: dict[str, tuple[str, int, str]] = {}
    shared: dict[str, int] = {}
    naming: dict[str, int] = {}
    for passage in passages:
        for span in sentences(passage["text"]):
            key = f"{passage['id']} {span.start}"
            known[key] = passage["id"], span.start, span.plain
            shared[key] = len(keywords(span.plain) & asked)
            naming[key] = len(
                {entity for at, entity in places[passage["id"]] if span.start <= at < span.end}
            )
    rankings = [
        sorted(filter(by.__getitem__, by), key=lambda one: (-by[one], one))
        for by in (shared, naming)
    ]
    kept: list[tuple[str, int, str]] = []
    room = most
    for key, _ in reciprocal_rank_fusion(rankings, [1.0, 1.0]):
        room -= count_tokens(known[key][2]) + 1
        if room < 0:
            break
        kept.append(known[key])
    order = {passage["id"]: (passage["document"], passage["start"]) for passage in passages}
    kept.sort(key=lambda one: (order[one[0]], one[1]))
    return _BETWEEN.join(text for *_, text in kept), tuple(dict.fromkeys(one for one, *_ in kept))


async def keep_findings(run: Run[GraphragContext], points: Sequence[Point]) -> None:
    """Keeps the points that sentences state as findings on their communities.

    Only of communities on which no model has written. Nothing is kept while another process writes
    the index.
    """
    told: defaultdict[str, list[Finding]] = defaultdict(list)
    for point in points:
        if passages := list(dict.fromkeys(one["passage"] for one in point["citations"])):
            for id in point["communities"]:
                told[id].append({"statement": point["text"], "passages": passages})
    if not told:
        return
    try:
        async with run.index.writing():
            await run.in_thread(_keep, told)
    except RagraphsError as error:
        run.meter.warn(f"{error} The findings of this answer were not kept for later ones.")


def _keep(index: Index, told: Mapping[str, Sequence[Finding]]) -> None:
    longer: dict[str, tuple[Report, str]] = {}
    for id, community in index.communities.get(told).items():
        report = community.report
        if report is not None and community.writer in (ASSEMBLED, OFFLINE):
            new = {one["statement"]: one for one in (*told[id], *report["findings"])}
            findings = list(new.values())[:_MOST_FINDINGS]
            longer[id] = Report(**{**report, "findings": findings}), community.writer
    index.communities.put_reports(longer)
