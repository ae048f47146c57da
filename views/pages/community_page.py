"""The communities of an entity graph as one HTML page: drawing, tree and reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from .drawing import DrawnEdge, DrawnGraph, DrawnNode, page_data, to_page

_LEVELS = (
    '<p id="levels"><label for="level">Communities of level</label> '
    '<select id="level"></select></p>'
)


class PageFinding(NamedTuple):
    """What a report says, and the ids of the passages that say it."""

    statement: str
    passages: Sequence[str] = ()


@dataclass(frozen=True)
class PageCommunity:
    """A community of entities, by their ids, with its report; without one, ``title`` is empty.

    ``level`` is 0 at the root and one more than the parent's below it; ``rating`` is in 0..10.
    """

    id: str
    level: int
    parent: str
    members: Sequence[str]
    title: str = ""
    summary: str = ""
    rating: float = 0.0
    findings: Sequence[PageFinding] = ()


class PagePassage(NamedTuple):
    """A passage that findings cite."""

    id: str
    title: str
    text: str


def to_community_html(
    title: str,
    nodes: Sequence[DrawnNode],
    edges: Sequence[DrawnEdge],
    communities: Sequence[PageCommunity],
    passages: Sequence[PagePassage] = (),
    *,
    seed: int = 0,
) -> str:
    """One HTML page on which a person walks through the communities and reads their reports.

    It loads nothing and works from a file. Nodes are entities, of which ``kind`` is the type; they
    are coloured by community at a level that is chosen. Findings show those of ``passages`` that
    they name. The same for the same input and seed. Raises ValueError where communities name
    nodes or parents that there are not.
    """
    graph = DrawnGraph(title, nodes, edges, directed=False)
    _check(graph, communities)
    numbers = {node.id: number for number, node in enumerate(graph.nodes)}
    places = {one.id: place for place, one in enumerate(communities)}
    cited = {id for one in communities for finding in one.findings for id in finding.passages}
    data: dict[str, Any] = page_data(graph, None, seed) | {
        "communities": [
            asdict(one)
            | {
                "parent": places.get(one.parent, -1),
                "members": [numbers[member] for member in one.members],
                "rating": one.rating if math.isfinite(one.rating) else 0.0,
                "findings": [
                    {"statement": found.statement, "passages": list(found.passages)}
                    for found in one.findings
                ],
            }
            for one in communities
        ],
        "passages": [passage._asdict() for passage in passages if passage.id in cited],
    }
    return to_page(title, data, "community_page", _LEVELS)


def _check(graph: DrawnGraph, communities: Sequence[PageCommunity]) -> None:
    nodes = {node.id for node in graph.nodes}
    levels = {one.id: one.level for one in communities}
    if len(levels) < len(communities):
        raise ValueError("communities must have distinct ids")
    for one in communities:
        if not nodes.issuperset(one.members):
            raise ValueError("members of communities must be nodes of the graph")
        if one.level != (levels.get(one.parent, one.level) + 1 if one.parent else 0):
            raise ValueError("the parent of a community must be a community one level above it")
