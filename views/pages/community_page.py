"""The communities of an entity graph as one HTML page: drawing, tree and reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...state.records import Passage
from ...state.reports import Report
from ...stores.communities import StoredCommunity
from .drawing import DrawnEdge, DrawnGraph, DrawnNode, page_data, to_page

_LEVELS = (
    '<p id="levels"><label for="level">Communities of level</label> '
    '<select id="level"></select></p>'
)
_NO_REPORT: Report = {"title": "", "summary": "", "rating": 0.0, "findings": []}


def to_community_html(
    title: str,
    nodes: Sequence[DrawnNode],
    edges: Sequence[DrawnEdge],
    communities: Sequence[StoredCommunity],
    members: Mapping[str, Sequence[str]],
    passages: Iterable[Passage],
) -> str:
    """One HTML page on which a person walks through the communities and reads their reports.

    The page loads nothing and works from a file. ``nodes`` are entities, of which ``kind`` is the
    type; the page colours them by community at a chosen level. ``members`` are the entities of
    each community, ``passages`` those that the reports cite. The same input gives the same page.
    """
    graph = DrawnGraph(title, nodes, edges, directed=False)
    numbers = {node.id: number for number, node in enumerate(nodes)}
    places = {one.id: place for place, one in enumerate(communities)}
    data = page_data(graph, None) | {
        "communities": [
            {
                "id": one.id,
                "level": one.level,
                "parent": places.get(one.parent, -1),
                "members": [numbers[member] for member in members[one.id]],
                **(one.report or _NO_REPORT),
            }
            for one in communities
        ],
        "passages": [
            {"id": one["id"], "title": one["title"], "text": one["text"]} for one in passages
        ],
    }
    return to_page(title, data, "community_page", _LEVELS)
