"""A node of the index's graph with its neighbours, to walk on from one to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ..algorithms.hoprag.graph import HopGraph
from ..algorithms.linear_rag.passage_graph import WholeGraph
from ..algorithms.tog2.triple_sentences import CO_OCCURRENCE
from ..index.hops import stored_hops
from ..index.layers import built_layers
from ..index.opening import Index
from ..index.sentences import stored_graph
from ..state.errors import RagraphsError
from .passage_graph import NAME, first_words, name_id
from .quotation import quoted

_MOST_RELATIONS = 300
_MOST_MENTIONS = 300
_FEW = 3


def neighbourhood(index: Index, around: str, most: int) -> dict[str, Any]:
    """The node ``around`` and at most ``most`` neighbours, with all edges among them.

    Nodes are passages, entities, and names where the index has no entities: the sentences layer's.
    Without ``around``, the entities that most passages speak of, else some passages. ``more``
    is the number of neighbours left out. An edge is a ``relation``, of entities that are only
    mentioned ``together``, a ``mention`` by a passage, or a ``hop`` between passages. Blocks.
    Raises RagraphsError for a node there is not.
    """
    graph = _LayeredGraph(index)
    if around:
        near = graph.neighbours(around)
        ids = [around, *near[:most]]
        return graph.part(ids, len(near) - len(ids) + 1)
    return graph.part(graph.beginning(most), 0)


def whole_graph(
    index: Index, passages: Sequence[str], entities: Sequence[str], most: int
) -> dict[str, Any]:
    """``passages``, ``entities`` and the names that passages share, with all edges among them.

    ``beginning`` has at most ``most`` nodes to begin with. Passages come without texts. Blocks.
    """
    graph = _LayeredGraph(index)
    names = dict.fromkeys(name for passage in passages for name in graph.names_of(passage))
    part = graph.part([*entities, *passages, *names], 0)
    for node in part["nodes"]:
        if node["kind"] == "passage":
            del node["text"], node["citation"]
    return {"nodes": part["nodes"], "edges": part["edges"], "beginning": graph.beginning(most)}


class _LayeredGraph:
    """The layers of an index as one graph; they are read when they are asked for."""

    def __init__(self, index: Index) -> None:
        self._index = index
        layers = built_layers(index)
        self._has_entities = "entities" in layers
        self._hops: HopGraph | None = stored_hops(index) if "hops" in layers else None
        self._names: _Names | None = None
        if "sentences" in layers and not self._has_entities:
            self._names = _Names(*stored_graph(index))

    def beginning(self, most: int) -> list[str]:
        """The nodes to begin with: the largest entities, else passages and their neighbours."""
        if self._has_entities:
            return [entity.id for entity, _ in self._index.entities.largest(most)]
        found: dict[str, None] = {}
        for passage in self._index.catalogue.all_passages():
            near = self.neighbours(passage["id"])[:_FEW]
            found.update(dict.fromkeys([passage["id"], *near]))
            if len(found) >= most:
                break
        return list(found)[:most]

    def neighbours(self, id: str) -> list[str]:
        """The neighbours of a node, the most telling first; raises RagraphsError without it."""
        kind = self._kind(id)
        if kind == "name":
            assert self._names is not None
            found = self._names.passages(id)
        elif kind == "entity":
            found = _in_turns(self._related(id), self._speaking(id))
        else:
            found = _in_turns(self._spoken(id), [edge["target"] for edge in self._hops_from(id)])
            found += [edge["source"] for edge in self._hops_to(id)]
        return [one for one in dict.fromkeys(found) if one != id]

    def part(self, ids: Sequence[str], more: int) -> dict[str, Any]:
        """The nodes ``ids`` and the edges among them, as a page shows them."""
        nodes = list(self._nodes(ids))
        known = {node["id"] for node in nodes}
        edges = [
            edge
            for edge in self._edges(nodes)
            if edge["source"] in known and edge["target"] in known
        ]
        return {"nodes": nodes, "edges": edges, "more": max(more, 0)}

    def _kind(self, id: str) -> str:
        if self._names is not None and id.startswith(NAME) and self._names.number(id) is not None:
            return "name"
        if self._has_entities and self._index.entities.get([id]):
            return "entity"
        if self._index.catalogue.passages([id]):
            return "passage"
        raise RagraphsError("There is nothing of that id in the index any more; search for it.")

    def _related(self, entity: str) -> list[str]:
        found = self._index.entities.heaviest_of([entity], _MOST_RELATIONS).get(entity, [])
        return [one.target if one.source == entity else one.source for one in found]

    def _speaking(self, entity: str) -> list[str]:
        return self._index.entities.passages_of([entity], _MOST_MENTIONS).get(entity, [])

    def names_of(self, passage: str) -> list[str]:
        """The ids of the names that ``passage`` shares, where names are nodes."""
        return [] if self._names is None else self._names.of(passage)

    def _spoken(self, passage: str) -> list[str]:
        """The entities or names that a passage speaks of."""
        if self._names is not None:
            return self._names.of(passage)
        if not self._has_entities:
            return []
        return [one.entity for one in self._index.entities.mentions_of([passage])]

    def _hops_from(self, passage: str) -> list[dict[str, Any]]:
        graph = self._hops
        vertex = None if graph is None else graph.vertex(passage)
        if graph is None or vertex is None:
            return []
        ends = np.searchsorted(graph.edges.source, [vertex, vertex + 1])
        return [_hop(graph, edge) for edge in range(int(ends[0]), int(ends[1]))]

    def _hops_to(self, passage: str) -> list[dict[str, Any]]:
        graph = self._hops
        vertex = None if graph is None else graph.vertex(passage)
        if graph is None or vertex is None:
            return []
        return [_hop(graph, int(edge)) for edge in np.flatnonzero(graph.edges.target == vertex)]

    def _nodes(self, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
        passages = {one["id"]: one for one in self._index.catalogue.passages(ids)}
        entities = self._index.entities.get(ids) if self._has_entities else {}
        for id in dict.fromkeys(ids):
            if id in entities:
                one = entities[id]
                told = {"label": one.name, "text": one.description, "type": one.type}
                yield {"id": id, "kind": "entity", **told}
            elif id in passages:
                text, title = passages[id]["text"], passages[id]["title"]
                told = {"label": first_words(text) or title, "text": text, "type": title}
                cited = quoted(passages[id], text)
                yield {"id": id, "kind": "passage", **told, "citation": cited}
            elif self._names is not None and self._names.number(id) is not None:
                name = id.removeprefix(NAME)
                yield {"id": id, "kind": "name", "label": name, "text": "", "type": ""}

    def _edges(self, nodes: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        passages = [node["id"] for node in nodes if node["kind"] == "passage"]
        entities = [node["id"] for node in nodes if node["kind"] == "entity"]
        if entities:
            yield from self._relations(entities)
            spoken = self._index.entities.passages_of(entities, among=passages)
            for entity, speaking in spoken.items():
                yield from (_edge(passage, entity, "", "mention") for passage in speaking)
        for passage in passages:
            yield from self._hops_from(passage)
            if self._names is not None:
                yield from (_edge(passage, name, "", "mention") for name in self._names.of(passage))

    def _relations(self, entities: Sequence[str]) -> Iterator[dict[str, Any]]:
        heaviest = self._index.entities.heaviest_of(entities, _MOST_RELATIONS)
        found = {one.id: one for some in heaviest.values() for one in some}
        for one in sorted(found.values(), key=lambda one: (-one.weight, one.id)):
            if one.relation in CO_OCCURRENCE:
                first, second = sorted((one.source, one.target))
                yield _edge(first, second, "", "together")
            else:
                yield _edge(one.source, one.target, one.relation, "relation")


class _Names:
    """The names of the sentences layer that at least two passages mention."""

    def __init__(self, graph: WholeGraph, ids: Sequence[str]) -> None:
        self._graph, self._ids = graph, ids
        self._places = {id: place for place, id in enumerate(ids)}

    def number(self, id: str) -> int | None:
        """The number of the name with the node's id."""
        return self._graph.keys.get(id.removeprefix(NAME))

    def passages(self, id: str) -> list[str]:
        """The passages that mention a name."""
        number = self.number(id)
        return [] if number is None else self._mentioning(number)

    def of(self, passage: str) -> list[str]:
        """The ids of the names that a passage shares with another one, the rarest first."""
        graph, place = self._graph, self._places.get(passage)
        if place is None:
            return []
        first = int(graph.first_edge[place]), int(graph.first_edge[place + 1])
        numbers = np.unique(graph.edge_entity[first[0] : first[1]])
        order = np.argsort(-graph.rarity[numbers], kind="stable")
        return [
            name_id(graph.keys[int(number)])
            for number in numbers[order]
            if len(self._mentioning(int(number))) > 1
        ]

    def _mentioning(self, number: int) -> list[str]:
        graph = self._graph
        start, end = int(graph.entity_offsets[number]), int(graph.entity_offsets[number + 1])
        places = graph.edge_passage[graph.entity_edges[start:end]]
        return list(dict.fromkeys(self._ids[int(place)] for place in places))


def _hop(graph: HopGraph, edge: int) -> dict[str, Any]:
    source = graph.ids[int(graph.edges.source[edge])]
    target = graph.ids[int(graph.edges.target[edge])]
    return _edge(source, target, graph.answered(edge), "hop")


def _edge(source: str, target: str, label: str, kind: str) -> dict[str, Any]:
    return {"source": source, "target": target, "label": label, "kind": kind}


def _in_turns(first: Iterable[str], second: Iterable[str]) -> list[str]:
    """Both one after the other in turns, so that neither crowds the other out."""
    pairs = zip_longest(dict.fromkeys(first), dict.fromkeys(second))
    return [one for pair in pairs for one in pair if one is not None]
