"""A graph as GraphML for other programs; characters that XML forbids are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Attributes: TypeAlias = Mapping[str, str | int | float]

# Control characters are left out where XML has them, too: terminals obey them.
_NOT_XML = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAKEN = {"label", "kind", "text", "weight", "id", "node_for_adding"}  # the last: by networkx


@dataclass(frozen=True)
class DrawnNode:
    """``kind`` is passage, entity, community, ...; ``text`` is the document's own."""

    id: str
    label: str
    kind: str = "passage"
    text: str = ""
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True)
class DrawnEdge:
    """``label`` is what the edge says (the question on it), ``weight`` orders edges by strength."""

    source: str
    target: str
    label: str = ""
    weight: float = 1.0
    kind: str = ""
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True)
class DrawnGraph:
    """Nodes with distinct ids, and edges between them; there may be several for a pair."""

    title: str
    nodes: Sequence[DrawnNode]
    edges: Sequence[DrawnEdge]
    directed: bool = True


def to_graphml(graph: DrawnGraph) -> str:
    """The graph as GraphML, attributes beside ``label``, ``kind``, ``text`` and ``weight``.

    An attribute whose name is taken is written as ``attribute_<name>``. Characters that XML
    forbids are left out, and line ends are ``\\n``, as XML readers make them anyway.
    """
    from xml.etree.ElementTree import indent, tostring

    import networkx
    from networkx.readwrite.graphml import GraphMLWriter

    drawn: Any = networkx.MultiDiGraph() if graph.directed else networkx.MultiGraph()
    drawn.graph["title"] = _xml(graph.title)
    ids = dict(zip((node.id for node in graph.nodes), _xml_ids(graph.nodes), strict=True))
    for node in graph.nodes:
        own = {"label": node.label, "kind": node.kind, "text": node.text}
        drawn.add_node(ids[node.id])
        drawn.nodes[ids[node.id]].update(_xml_attributes(own, node.attributes))
    for number, edge in enumerate(graph.edges):
        said: Attributes = {"label": edge.label, "weight": float(edge.weight), "kind": edge.kind}
        joined = ids[edge.source], ids[edge.target], f"e{number}"
        drawn.add_edge(*joined)
        drawn.edges[joined].update(_xml_attributes(said, edge.attributes))
    root = GraphMLWriter(graph=drawn).xml
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _xml(text: str) -> str:
    return _NOT_XML.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _xml_ids(nodes: Iterable[DrawnNode]) -> Iterator[str]:
    """Ids without the characters that XML forbids, still distinct."""
    nodes = list(nodes)
    taken = {node.id for node in nodes if _xml(node.id) == node.id}
    for node in nodes:
        id = clean = _xml(node.id)
        count = 1
        while id != node.id and id in taken:
            count += 1
            id = f"{clean}_{count}"
        taken.add(id)
        yield id


def _xml_attributes(own: Attributes, further: Attributes) -> dict[str, str | int | float]:
    named = {f"attribute_{name}" if name in _TAKEN else name: further[name] for name in further}
    return {
        _xml(name): _xml(value) if isinstance(value, str) else value
        for name, value in {**named, **own}.items()
    }
