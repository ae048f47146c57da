"""The communities of an index as a page to walk through."""

from __future__ import annotations

from collections import defaultdict

from ..index.communities import load_communities
from ..index.opening import Index
from ..index.report_material import passages_of
from .pages.community_page import to_community_html
from .pages.drawing import DrawnEdge, DrawnNode


def communities_page(index: Index) -> str:
    """One HTML page of the entities, their communities and the reports on them.

    Entities without a relation or a reported community are left out.
    Blocks. Raises RagraphsError where the index has no communities layer.
    """
    view = load_communities(index)
    members: defaultdict[str, list[str]] = defaultdict(list)
    for community, entity in index.communities.members():
        members[community].append(entity)
    relations = drawn_relations(index)
    drawn = {end for one in relations for end in (one.source, one.target)}
    drawn.update(entity for id in view.communities for entity in members[id])
    nodes = [
        DrawnNode(entity.id, entity.name, entity.type, entity.description)
        for entity in index.entities.all_entities()
        if entity.id in drawn
    ]
    cited = dict.fromkeys(
        passage for id in view.communities for passage in passages_of(view.report(id))
    )
    return to_community_html(
        f"Communities of {index.short_name}",
        nodes,
        relations,
        list(view.communities.values()),
        members,
        index.catalogue.passages(list(cited)),
    )


def drawn_relations(index: Index) -> list[DrawnEdge]:
    """Every relation between two entities. Blocks."""
    return [
        DrawnEdge(one.source, one.target, one.relation, round(one.weight, 4), "relation")
        for one in index.entities.all_relations()
    ]


def paths_of_entities(index: Index) -> dict[str, list[str]]:
    """The communities that each entity is in, from the root down. Blocks."""
    levels = {community.id: community.level for community in index.communities.all()}
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for community, entity in sorted(
        index.communities.members(), key=lambda pair: (levels[pair[0]], pair[0])
    ):
        paths[entity].append(community)
    return dict(paths)
