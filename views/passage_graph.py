"""The graph of an index, to be drawn: its passages, and names, hops and entities between them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ..algorithms.hoprag.graph import HopGraph
from ..algorithms.linear_rag.passage_graph import PassageGraph, WholeGraph
from ..index.hops import stored_hops
from ..index.layers import built_layers
from ..index.opening import Index
from ..index.sentences import stored_graph
from ..language.analyser import one_line
from ..language.mentions import key
from ..state.errors import RagraphsError
from ..state.records import Passage
from .entities import with_passages
from .graphml import DrawnEdge, DrawnGraph, DrawnNode

_SHARED = 2
_FIRST_WORDS = 60
_HEADING = re.compile(r"^#{1,6}\s.*$", re.M)
NAME = "name:"  # begins the ids of the nodes of names
_DRAWN = frozenset({"sentences", "hops", "entities"})


def drawn_index(index: Index) -> DrawnGraph:
    """Every passage, the names that at least two of them mention, hops, entities and relations.

    Each comes from its layer, names from the sentences layer. Blocks. Raises RagraphsError where
    the index has none of these layers.
    """
    layers = built_layers(index)
    if not _DRAWN.intersection(layers):
        raise RagraphsError(
            "The index has no layer that joins its passages; build one with: ragraphs index "
            f"--layers sentences,hops,entities --index {index.name}"
        )
    nodes = _passages(list(index.catalogue.all_passages()))
    edges: list[DrawnEdge] = []
    entities: list[DrawnNode] = []
    bearers: Mapping[str, Collection[str]] = {}
    if "entities" in layers:
        paths = index.communities.paths_of() if "communities" in layers else {}
        entities, edges, bearers = _entities(index, paths)
        edges += _relations(index)
    if "hops" in layers:
        edges += _hops(stored_hops(index))
    if "sentences" in layers:
        names, mentions = _names(*stored_graph(index))
        names, edges = _as_entities(names, mentions, bearers, edges)
        nodes += names
    nodes += entities
    directed = bool({"hops", "entities"} & set(layers))
    return DrawnGraph(f"Passages of {index.short_name}", nodes, edges, directed=directed)


def _passages(passages: Sequence[Passage]) -> list[DrawnNode]:
    """The passages, named by their titles; those that share one, by their first words."""
    titles = Counter(passage["title"] for passage in passages)
    nodes: list[DrawnNode] = []
    for passage in passages:
        said: dict[str, str | int] = {
            "document": passage["document"],
            "start": passage["start"],
            "end": passage["end"],
        }
        label = passage["title"]
        if not label or titles[label] > 1:
            said |= {"title": label} if label else {}
            label = first_words(passage["text"])
        nodes.append(DrawnNode(passage["id"], label, text=passage["text"], attributes=said))
    return nodes


def first_words(text: str) -> str:
    """How a passage begins below its headings, on one line, to tell it from others."""
    prose = _HEADING.sub("", text)
    line = one_line(prose if prose.strip() else text)
    cut = line[:_FIRST_WORDS]
    return line if cut == line else f"{cut.rpartition(' ')[0] or cut}…"


def _entities(
    index: Index, paths: Mapping[str, Sequence[str]]
) -> tuple[list[DrawnNode], list[DrawnEdge], Mapping[str, Collection[str]]]:
    """The entities, the edges from the passages that mention them, and the entities of each name.

    ``paths`` are the communities of each entity; names are given as ids of nodes.
    """
    bearers: defaultdict[str, set[str]] = defaultdict(set)
    nodes: list[DrawnNode] = []
    edges: list[DrawnEdge] = []
    drawn = index.catalogue.passage_ids()
    for entity, aliases, passages in with_passages(index, index.entities.all_entities()):
        for name in (entity.name, *aliases):
            bearers[name_id(key(name))].add(entity.id)
        said = {"type": entity.type, "aliases": "; ".join(aliases)}
        if entity.id in paths:
            said["communities"] = " ".join(paths[entity.id])
        nodes.append(DrawnNode(entity.id, entity.name, "entity", entity.description, said))
        edges += [
            DrawnEdge(passage, entity.id, "mentions", kind="mention")
            for passage in passages
            if passage in drawn
        ]
    return nodes, edges, bearers


def _relations(index: Index) -> list[DrawnEdge]:
    """Every relation between two entities. Blocks."""
    return [
        DrawnEdge(one.source, one.target, one.relation, round(one.weight, 4), "relation")
        for one in index.entities.all_relations()
    ]


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


def _names(graph: WholeGraph, ids: list[str]) -> tuple[list[DrawnNode], list[DrawnEdge]]:
    mentions = _mentions(graph)
    spread = Counter(entity for _, entity in mentions)
    shared = {entity for entity, count in spread.items() if count >= _SHARED}
    nodes = [
        DrawnNode(name_id(graph.keys[entity]), graph.keys[entity], kind="name")
        for entity in sorted(shared)
    ]
    edges = [
        DrawnEdge(
            ids[passage],
            name_id(graph.keys[entity]),
            "title" if is_title else "mentions",
            kind="title" if is_title else "mention",
            attributes={"rarity": round(float(graph.rarity[entity]), 4)},
        )
        for (passage, entity), is_title in sorted(mentions.items())
        if entity in shared
    ]
    return nodes, edges


def _as_entities(
    names: Sequence[DrawnNode],
    mentions: Sequence[DrawnEdge],
    bearers: Mapping[str, Collection[str]],
    edges: Sequence[DrawnEdge],
) -> tuple[list[DrawnNode], list[DrawnEdge]]:
    """The ``names`` that are not drawn as an entity, and all edges.

    ``bearers`` are the entities of each name. A passage that mentions the name of one entity is
    joined to the entity. Several may bear a name: a passage that mentions one of them is not
    joined to the name as well.
    """
    joined = {(edge.source, edge.target): edge for edge in edges if edge.kind == "mention"}
    others = [edge for edge in edges if edge.kind != "mention"]
    for edge in mentions:
        same = bearers.get(edge.target, ())
        known = [entity for entity in same if (edge.source, entity) in joined]
        ends = known or (list(same) if len(same) == 1 else [edge.target])
        if not known or (len(known) == 1 and edge.kind == "title"):
            joined[edge.source, ends[0]] = replace(edge, target=ends[0])
    passages = Counter(target for _, target in joined)
    once = {name.id for name in names if passages[name.id] < _SHARED}
    kept = [name for name in names if name.id not in once]
    return kept, [*(edge for edge in joined.values() if edge.target not in once), *others]


def name_id(name: str) -> str:
    """The id of the node of a name."""
    return f"{NAME}{name}"


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
