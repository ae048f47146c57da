"""Answers about the whole where no model has written reports (search ``lazy``).

Passages near the question are read in the place of reports, spread over the communities that they
speak of. Points that these passages state are kept as findings of the reports.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ...context import GraphragContext
from ...index.communities import load_communities
from ...index.opening import Index
from ...models.protocol import OFFLINE
from ...state.errors import RagraphsError
from ...state.graphrag import GraphragState, Point
from ...state.reports import Finding, Report
from ...stores.communities import ASSEMBLED
from ..retrieve import nearest
from ..run import Run

LAZY = "lazy"
_NEAR = 100  # passages
_MOST_FINDINGS = 20


async def passages_near(run: Run[GraphragContext], state: GraphragState) -> list[str]:
    """The passages near the question, each community in turn: the best of each, then the next."""
    found = await nearest(run, state, _NEAR)
    near = [passage["id"] for passage in found[:_NEAR]]
    told = await run.in_thread(communities_told, near, run.context.level)
    turns: Counter[str] = Counter()
    places: list[tuple[int, int]] = []
    for rank, id in enumerate(near):
        group = told.get(id, id)
        places.append((turns[group], rank))
        turns[group] += 1
    return [near[rank] for _, rank in sorted(places)]


def communities_told(index: Index, passages: Sequence[str], level: int) -> dict[str, str]:
    """For each of ``passages`` the community of a level of which it names most entities. Blocks."""
    view = load_communities(index)
    named: defaultdict[str, set[str]] = defaultdict(set)
    for mention in index.entities.mentions_of(passages):
        named[mention.entity].add(mention.passage)
    told: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for community, entity in index.communities.communities_of(named):
        if view.is_at(community, level):
            for passage in named[entity]:
                told[passage][community] += 1
    return {id: min(of, key=lambda one: (-of[one], one)) for id, of in told.items()}


async def keep_findings(run: Run[GraphragContext], points: Sequence[Point]) -> None:
    """Keeps the points that passages state as findings on their communities.

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
