"""The graph that an index holds, to be drawn: its passages and the names that join them."""

from __future__ import annotations

from collections import Counter

from ..algorithms.drawing import DrawnEdge, DrawnGraph, DrawnNode
from ..algorithms.passage_graph import PassageGraph
from .graph_search import stored_graph
from .opening import Index

_SHARED = 2


def drawn_passages(index: Index) -> DrawnGraph:
    """Every passage, and every name that at least two of them mention. Blocks.

    Raises RagraphsError where the index has no sentences layer.
    """
    graph, ids = stored_graph(index)
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
        for passage in index.catalogue.passages(ids)
    ]
    mentions = _mentions(graph)
    spread = Counter(entity for _, entity in mentions)
    shared = {entity for entity, count in spread.items() if count >= _SHARED}
    nodes += [
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
    return DrawnGraph(f"Passages and names of {index.folder.name}", nodes, edges, directed=False)


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
