"""Looking up communities and their reports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..index.communities import CommunityView, load_communities
from ..index.layers import HIERARCHY
from ..index.opening import Index
from ..index.report_material import passages_of
from ..language.support import CitablePassage, cite_point
from ..state.errors import RagraphsError
from ..state.records import Citation, Passage
from ..state.reports import Finding, Report
from ..stores.communities import StoredCommunity
from .quotation import quoted

_MOST_PASSAGES = 20
_MOST_MEMBERS = 200
_NO_REPORT: Report = {"title": "", "summary": "", "rating": 0.0, "findings": []}


def listed(index: Index, level: int | None = None) -> list[dict[str, Any]]:
    """All communities, each after its parent, or the partition at ``level``.

    Blocks. Raises RagraphsError where the index has no communities layer.
    """
    view = load_communities(index)
    if level is not None:
        return [_summary(view, id) for id in _ranked(view, view.at(level))]
    found: list[dict[str, Any]] = []
    waiting = _ranked(view, view.at(0))
    while waiting:
        id = waiting.pop(0)
        found.append(_summary(view, id))
        waiting[:0] = _ranked(view, list(view.children.get(id, ())))
    return found


def looked_up(index: Index, id: str) -> dict[str, Any]:
    """One community: its report, parent, children, entities and passages.

    ``id`` may be the beginning of an id. Blocks. Raises RagraphsError where there is none.
    """
    view = load_communities(index)
    fitting = [known for known in view.communities if known.startswith(id)]
    if len(fitting) != 1:
        raise RagraphsError(
            f"There is no community {id!r}; ragraphs communities lists them."
            if not fitting
            else f"{id!r} may be any of {', '.join(sorted(fitting)[:5])}; name one in full."
        )
    community = view.communities[fitting[0]]
    report = view.report(community.id)
    members = index.entities.get(index.communities.members_of(community.id))
    passages = index.catalogue.passages(list(passages_of(report))[:_MOST_PASSAGES])
    return {
        **_summary(view, community.id),
        "summary": report["summary"],
        "findings": report["findings"],
        "parent": community.parent,
        "children": [
            _summary(view, child)
            for child in _ranked(view, list(view.children.get(community.id, ())))
        ],
        "entities": [
            {"id": entity.id, "name": entity.name, "type": entity.type}
            for entity in members.values()
        ],
        "passages": [dict(passage) for passage in passages],
    }


def report_card(index: Index, id: str) -> dict[str, Any]:
    """One community: its report, each finding with the sentences that it rests on. Blocks.

    Where no sentence of a passage states the finding, the whole passage is cited, without a quote.
    Raises RagraphsError where there is no such community.
    """
    HIERARCHY.stamp(index)
    found = list(report_cards(index, [id]))
    if not found:
        raise RagraphsError("There is no such community any more; look at the map again.")
    return found[0]


def report_cards(index: Index, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Cards of the communities among ``ids``. Blocks."""
    inner: defaultdict[str, list[StoredCommunity]] = defaultdict(list)
    for one in sorted(index.communities.all(), key=lambda one: (-one.size, one.id)):
        inner[one.parent].append(one)
    for community in index.communities.get(ids).values():
        yield _card(index, community, inner[community.id])


def _card(
    index: Index, community: StoredCommunity, inner: Iterable[StoredCommunity]
) -> dict[str, Any]:
    report = community.report or _NO_REPORT
    passages = {one["id"]: one for one in index.catalogue.passages(list(passages_of(report)))}
    members = index.entities.largest_of(index.communities.members_of(community.id), _MOST_MEMBERS)
    return {
        "id": community.id,
        "level": community.level,
        "parent": community.parent,
        "size": community.size,
        "title": report["title"],
        "summary": report["summary"],
        "rating": report["rating"],
        "children": [
            {"id": one.id, "title": one.report["title"] if one.report else "", "size": one.size}
            for one in inner
        ],
        "entities": [
            {"id": one.id, "name": one.name, "type": one.type, "passages": spread}
            for one, spread in members
        ],
        "findings": [
            {"statement": one["statement"], "citations": _citations(one, passages)}
            for one in report["findings"]
        ],
    }


def _citations(finding: Finding, passages: Mapping[str, Passage]) -> list[Citation]:
    """The sentences of a finding's passages that state it best, the best first; then the others."""
    rests_on = [passages[id] for id in finding["passages"] if id in passages]
    sources = [CitablePassage(one["id"], one["title"], one["text"]) for one in rests_on]
    said = cite_point(finding["statement"], sources, most=len(sources)) if sources else []
    found = [quoted(passages[one.passage], one.text) for one in said]
    stating = {one.passage for one in said}
    return [*found, *(quoted(one) for one in rests_on if one["id"] not in stating)]


def _ranked(view: CommunityView, ids: list[str]) -> list[str]:
    """``ids``, the largest community first, then by rating."""
    known = view.communities
    return sorted(ids, key=lambda id: (-known[id].size, -known[id].rating, id))


def _summary(view: CommunityView, id: str) -> dict[str, Any]:
    community = view.communities[id]
    return {
        "id": id,
        "level": community.level,
        "size": community.size,
        "title": community.title,
        "rating": community.rating,
        "written_by": community.writer,
    }
