"""A graph to look at: as GraphML for other programs, and as one HTML page that needs nothing else.

Labels and texts come from documents, so nothing in them may act: XML forbids some characters,
and the page shows them as text only, under a policy that lets no script but its own run.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import random
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from ...state.errors import RagraphsError

if TYPE_CHECKING:
    import igraph

Attributes: TypeAlias = Mapping[str, str | int | float]
Point: TypeAlias = tuple[float, float]

_SEED = 0
_SPACING = 40.0
_ROUNDS = 1000
_PULL = 3.0
_EXACT_UP_TO = 300
_RANDOMNESS = threading.Lock()
# Control characters are left out where XML has them, too: terminals obey them.
_NOT_XML = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAKEN = {"label", "kind", "text", "weight", "id", "node_for_adding"}  # the last: by networkx
_NOT_IN_PAGE = re.compile("[<>&\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_TRIPLE = ("source", "target", "sentence")
_NOT_AN_ANSWER = "This is not the JSON of an answer, because {}; `ragraphs ask --json` prints one."


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


@dataclass(frozen=True)
class PathNode:
    """A passage of the evidence, with the quotes from it.

    Web pages are no nodes of the graph, so it carries its title and text.
    """

    id: str
    title: str = ""
    text: str = ""
    quotes: Sequence[str] = ()


@dataclass(frozen=True)
class PathEdge:
    """An edge that was walked; ``label`` says why (necessary, indirect, ...)."""

    source: str
    target: str
    question: str = ""
    label: str = ""


@dataclass(frozen=True)
class AnswerPath:
    """The path to an answer: its evidence, best first, and the edges walked, in order."""

    nodes: Sequence[PathNode]
    edges: Sequence[PathEdge] = ()
    answer: str = ""
    question: str = ""


def path_of_answer(answer: object) -> AnswerPath:
    """The path of an ``answer`` that ``ragraphs ask --json`` printed: hops and walked triples.

    Raises RagraphsError where ``answer`` is something else.
    """
    if not isinstance(answer, Mapping):
        raise RagraphsError(_NOT_AN_ANSWER.format("it is not an object"))
    details = answer.get("details")  # of the method that a router chose
    answer = {**(details if isinstance(details, Mapping) else {}), **answer}
    found = _records(answer, "evidence", ("id",))
    distinct = {each["id"]: each for each in found}
    cited = _records(answer, "citations", ("passage", "quote")) if answer.get("citations") else []
    quotes = {id: [c["quote"] for c in cited if c["passage"] == id] for id in distinct}
    hops = _records(answer, "hops", ("source", "target")) if answer.get("hops") else []
    return AnswerPath(
        nodes=[
            PathNode(**_texts(each, "id", "title", "text"), quotes=quotes[id])
            for id, each in distinct.items()
        ],
        edges=[
            *(
                PathEdge(**_texts(hop, "source", "target", "question", "label"))
                for hop in _leading_to(distinct, hops)
            ),
            *_walked_triples(answer),
        ],
        answer=_texts(answer, "answer")["answer"],
        question=_texts(answer, "asked")["asked"],
    )


def _leading_to(found: Collection[str], hops: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The hops, in their order, at whose end is something ``found``, or another such hop."""
    wanted = set(found)
    kept = []
    for hop in reversed(hops):
        if hop["source"] and hop["target"] in wanted:
            wanted.add(hop["source"])
            kept.append(hop)
    return kept[::-1]


def _walked_triples(answer: Mapping[str, Any]) -> list[PathEdge]:
    """Every triple of the answer's paths once, in the order of walking."""
    paths = _records(answer, "paths", ("entity",)) if answer.get("paths") else []
    triples = [triple for path in paths for triple in _records(path, "triples", _TRIPLE)]
    edges = (PathEdge(one["source"], one["target"], one["sentence"]) for one in triples)
    return list(dict.fromkeys(edges))


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


def layout(graph: DrawnGraph) -> list[Point]:
    """A point for each node, the same for the same graph (Fruchterman-Reingold).

    Neighbouring nodes are some 40 units apart. Parts of the graph that no edge joins lie side by
    side, largest first; isolated nodes lie in rows below them.
    """
    import igraph

    numbers = {node.id: number for number, node in enumerate(graph.nodes)}
    pairs = [(numbers[edge.source], numbers[edge.target]) for edge in graph.edges]
    whole = igraph.Graph(len(numbers), pairs).simplify()
    parts = sorted(whole.connected_components(), key=lambda part: (-len(part), part))
    alone = [part[0] for part in parts if len(part) == 1]
    joined = [part for part in parts if len(part) > 1]
    with repeatable():
        boxes = [_part_layout(whole.induced_subgraph(part)) for part in joined]
    points: list[Point] = [(0.0, 0.0)] * len(numbers)
    width = max([_row_width(boxes), math.sqrt(1.6 * len(alone)) * _SPACING])
    bottom = 0.0
    for part, moved in zip(joined, _packed(boxes, width), strict=True):
        bottom = max(bottom, max(y for _, y in moved) + 2 * _SPACING)
        for number, point in zip(part, moved, strict=True):
            points[number] = point
    columns = max(1, round(width / _SPACING))
    for place, number in enumerate(alone):
        row, column = divmod(place, columns)
        points[number] = (column * _SPACING, bottom + row * _SPACING)
    return [(round(x, 1), round(y, 1)) for x, y in points]


def to_html(graph: DrawnGraph, *, path: AnswerPath | None = None) -> str:
    """One HTML page that draws the graph and lets a person search and read it.

    It loads nothing, also not from where it lies, and works from a file. ``path`` is highlighted.
    """
    return to_page(graph.title, page_data(graph, path), "graph_page")


def to_page(title: str, data: object, name: str, controls: str = "") -> str:
    """One HTML page with the script ``name``.js, its style if it has one, and ``data`` for it.

    ``controls`` is HTML of ours that stands beside the title.
    """
    package = files(__package__)
    scripts = ("graph_canvas.js", "graph_controls.js", f"{name}.js")
    styles = dict.fromkeys(["graph_page.css", f"{name}.css"])
    script = "".join(package.joinpath(file).read_text("utf-8") for file in scripts)
    style = "".join(package.joinpath(file).read_text("utf-8") for file in styles)
    values = {
        "title": html.escape(_xml(title)),
        "controls": controls,
        "style": style,
        "style_hash": _policy_hash(style),
        "script": script,
        "script_hash": _policy_hash(script),
        "data": _page_json(data),
    }
    template = package.joinpath("graph_page.html").read_text("utf-8")
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)


def page_data(graph: DrawnGraph, path: AnswerPath | None) -> dict[str, Any]:
    """The data of a page that draws ``graph``; edges name nodes by number."""
    numbers = {node.id: number for number, node in enumerate(graph.nodes)}
    nodes = [
        asdict(node) | {"attributes": _finite(node.attributes), "x": x, "y": y}
        for node, (x, y) in zip(graph.nodes, layout(graph), strict=True)
    ]
    edges = [
        asdict(edge)
        | {
            "source": numbers[edge.source],
            "target": numbers[edge.target],
            "weight": edge.weight if math.isfinite(edge.weight) else 0.0,
            "attributes": _finite(edge.attributes),
        }
        for edge in graph.edges
    ]
    walked = None if path is None else asdict(path)
    return {"directed": graph.directed, "nodes": nodes, "edges": edges, "path": walked}


def _records(answer: Mapping[str, Any], name: str, needed: Sequence[str]) -> list[Any]:
    records = answer.get(name)
    if not isinstance(records, list):
        raise RagraphsError(_NOT_AN_ANSWER.format(f"it has no list `{name}`"))
    for record in records:
        if not isinstance(record, Mapping) or not all(
            isinstance(record.get(key), str) for key in needed
        ):
            keys = " and ".join(f"`{key}`" for key in needed)
            raise RagraphsError(_NOT_AN_ANSWER.format(f"an entry of `{name}` has no {keys}"))
    return records


def _texts(record: Mapping[str, Any], *names: str) -> dict[str, str]:
    return {name: value if isinstance(value := record.get(name), str) else "" for name in names}


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


@contextmanager
def repeatable() -> Iterator[None]:
    """Makes igraph's layouts the same every time; it has one generator for the whole process."""
    import igraph

    with _RANDOMNESS:
        igraph.set_random_number_generator(random.Random(_SEED))
        try:
            yield
        finally:
            igraph.set_random_number_generator(random)


def _part_layout(part: igraph.Graph) -> list[Point]:
    """Points from (0, 0) on, in an area that grows with the number of nodes.

    Edges between nodes that share neighbours pull more, so that groups can be told apart.
    """
    shared = part.similarity_jaccard(pairs=part.get_edgelist(), loops=True)
    mean = sum(shared) / len(shared)
    points = part.layout_fruchterman_reingold(
        niter=_ROUNDS,
        weights=[_PULL * (share / mean) ** 2 for share in shared],
        grid="grid" if part.vcount() > _EXACT_UP_TO else "nogrid",
    ).coords
    left, top = (min(point[axis] for point in points) for axis in (0, 1))
    extent = max(max(x - left, y - top) for x, y in points)
    scale = math.sqrt(len(points)) * _SPACING / extent
    return [((x - left) * scale, (y - top) * scale) for x, y in points]


def _row_width(boxes: Sequence[Sequence[Point]]) -> float:
    """Of rows that make the whole wider than high, as screens are."""
    sizes = [_size(box) for box in boxes]
    area = sum((wide + 2 * _SPACING) * (high + 2 * _SPACING) for wide, high in sizes)
    return max([math.sqrt(1.6 * area), *(wide for wide, _ in sizes)])


def _packed(boxes: Sequence[Sequence[Point]], width: float) -> Iterator[list[Point]]:
    """The boxes in rows of this width, one after the other."""
    x = y = height = 0.0
    for box in boxes:
        wide, high = _size(box)
        if x and x + wide > width:
            x, y, height = 0.0, y + height + 2 * _SPACING, 0.0
        yield [(x + across, y + down) for across, down in box]
        x += wide + 2 * _SPACING
        height = max(height, high)


def _size(box: Sequence[Point]) -> Point:
    return max(x for x, _ in box), max(y for _, y in box)


def _finite(attributes: Attributes) -> dict[str, str | int | float]:
    """JSON has no infinity and no NaN."""
    return {
        name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in attributes.items()
    }


def _page_json(value: object) -> str:
    """JSON that can stand in a script element, where ``</script>`` in a string would end it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _NOT_IN_PAGE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _policy_hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
