"""Looking up communities and their reports."""

from __future__ import annotations

from typing import Any

from ..index.communities import CommunityView, load_communities
from ..index.opening import Index
from ..index.report_material import passages_of
from ..state.errors import RagraphsError

_MOST_PASSAGES = 20


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
