"""The graph of an index, to be drawn: its passages, and names, hops and entities between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..algorithms.hoprag.graph import HopGraph
from ..algorithms.linear_rag.passage_graph import PassageGraph
from ..index.hops import stored_hops
from ..index.opening import Index
from ..index.sentences import stored_graph
from ..state.errors import RagraphsError
from .community_graph import drawn_relations, paths_of_entities
from .entities import with_passages
from .pages.drawing import DrawnEdge, DrawnGraph, DrawnNode

_SHARED = 2
_DRAWN = frozenset({"sentences", "hops", "entities"})


def drawn_index(index: Index) -> DrawnGraph:
    """Every passage, the names that at least two of them mention, hops, entities and relations.

    Each comes from its layer, names from the sentences layer. Blocks. Raises RagraphsError where
    the index has none of these layers.
    """
    layers = index.catalogue.property("layers") or []
    if not _DRAWN.intersection(layers):
        raise RagraphsError(
            "The index has no layer that joins its passages; build one with: ragraphs index "
            f"--layers sentences,hops,entities --index {index.folder}"
        )
    nodes = [
        DrawnNode(
            passage["id"],
            passage["title"] or passage["text"][:60],
            text=passage["text"],
            attributes={
                "document": passage["document"],
                "start": passage["start"],
                "end": passage["end"],
            },
        )
        for passage in index.catalogue.all_passages()
    ]
    edges: list[DrawnEdge] = []
    if "sentences" in layers:
        names, mentions = _names(*stored_graph(index))
        nodes += names
        edges += mentions
    if "hops" in layers:
        edges += _hops(stored_hops(index))
    if "entities" in layers:
        paths = paths_of_entities(index) if "communities" in layers else {}
        entities, relations = _entities(index, paths)
        nodes += entities
        edges += relations
    directed = bool({"hops", "entities"} & set(layers))
    return DrawnGraph(f"Passages of {index.folder.name}", nodes, edges, directed=directed)


def _entities(
    index: Index, paths: Mapping[str, Sequence[str]]
) -> tuple[list[DrawnNode], list[DrawnEdge]]:
    """The entities, what relates them, and the passages that speak of them.

    ``paths`` are the communities of each entity.
    """
    nodes: list[DrawnNode] = []
    edges: list[DrawnEdge] = []
    drawn = index.catalogue.passage_ids()
    for entity, aliases, passages in with_passages(index, index.entities.all_entities()):
        said = {"type": entity.type, "aliases": "; ".join(aliases)}
        if entity.id in paths:
            said["communities"] = " ".join(paths[entity.id])
        nodes.append(DrawnNode(entity.id, entity.name, "entity", entity.description, said))
        edges += [
            DrawnEdge(passage, entity.id, "mentions", kind="mention")
            for passage in passages
            if passage in drawn
        ]
    return nodes, [*edges, *drawn_relations(index)]


def _hops(graph: HopGraph) -> Iterator[DrawnEdge]:
    for edge in range(len(graph.edges)):
        yield DrawnEdge(
            graph.ids[graph.edges.source[edge]],
            graph.ids[graph.edges.target[edge]],
            graph.answered(edge),
            weight=round(float(graph.edges.similarity[edge]), 4),
            kind="hop",
            attributes={"raised": graph.raised(edge)},
        )


def _names(graph: PassageGraph, ids: list[str]) -> tuple[list[DrawnNode], list[DrawnEdge]]:
    mentions = _mentions(graph)
    spread = Counter(entity for _, entity in mentions)
    shared = {entity for entity, count in spread.items() if count >= _SHARED}
    nodes = [
        DrawnNode(f"name:{graph.keys[entity]}", graph.keys[entity], kind="name")
        for entity in sorted(shared)
    ]
    edges = [
        DrawnEdge(
            ids[passage],
            f"name:{graph.keys[entity]}",
            "title" if is_title else "mentions",
            kind="title" if is_title else "mention",
            attributes={"rarity": round(float(graph.rarity[entity]), 4)},
        )
        for (passage, entity), is_title in sorted(mentions.items())
        if entity in shared
    ]
    return nodes, edges


def _mentions(graph: PassageGraph) -> dict[tuple[int, int], bool]:
    """Pairs of passage and entity, and whether the entity is the passage's title."""
    pairs: dict[tuple[int, int], bool] = {}
    rows = zip(
        graph.edge_passage.tolist(),
        graph.edge_entity.tolist(),
        graph.edge_title.tolist(),
        strict=True,
    )
    for passage, entity, title in rows:
        pairs[passage, entity] = pairs.get((passage, entity), False) or title == 1
    return pairs
