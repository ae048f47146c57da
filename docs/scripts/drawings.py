"""Draws every graph as an SVG file: ``python docs/scripts/drawings.py docs/images``."""

from __future__ import annotations

import sys
from html import escape
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import igraph
from langchain_core.runnables.graph import Graph
from ragraphs.graphs import CONTEXTS

GRAPHS = sorted(CONTEXTS)
_ENDS = {"__start__": "start", "__end__": "end"}
_HEIGHT, _GAP, _LAYER, _MARGIN = 32, 28, 74, 16
_STYLE = """
  rect { fill: #f4f2ff; stroke: #7c6fd6; }
  rect.end { fill: #7c6fd6; }
  text { font: 14px system-ui, sans-serif; fill: #1f1b3a; text-anchor: middle; }
  text.end { fill: #ffffff; }
  path.edge { fill: none; stroke: #77778a; stroke-width: 1.4; marker-end: url(#arrow); }
  path.choice { stroke-dasharray: 5 4; }
"""


class Middle(NamedTuple):
    """The middle of something drawn."""

    x: float
    y: float


def graph_of(name: str) -> Graph:
    """The nodes and edges of the graph ``name``; the index graph has the steps of ``update``."""
    compiled = import_module(f"ragraphs.graphs.{name}").graph
    drawn: Graph = compiled.get_graph(xray=name == "index")
    return drawn


def to_svg(graph: Graph, title: str) -> str:
    """``graph`` from top to bottom; a dashed arrow is one of several that may be taken."""
    names = list(graph.nodes)
    labels = {name: _ENDS.get(name, name.rpartition(":")[2]) for name in names}
    widths = {name: 8 * len(label) + 24 for name, label in labels.items()}
    places, ways = _laid_out(graph, names, widths)
    everywhere = [*places.values(), *(place for way in ways for place in way)]
    width = max(place.x for place in everywhere) + max(widths.values()) / 2 + 2 * _MARGIN
    height = max(place.y for place in everywhere) + _HEIGHT / 2 + _MARGIN
    edges = [
        f'<path class="{"edge choice" if edge.conditional else "edge"}" d="{line}"/>'
        for edge, way in zip(graph.edges, ways, strict=True)
        for line in [_line(places[edge.source], places[edge.target], way, widths[edge.source])]
    ]
    boxes = [_box(labels[name], places[name], widths[name], name in _ENDS) for name in names]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#77778a"/></marker>'
            "</defs>",
            *edges,
            *boxes,
            "</svg>\n",
        ]
    )


def _laid_out(
    graph: Graph, names: list[str], widths: dict[str, int]
) -> tuple[dict[str, Middle], list[list[Middle]]]:
    """The place of every node, and the places that every edge passes on its way."""
    numbers = {name: number for number, name in enumerate(names)}
    pairs = [(numbers[edge.source], numbers[edge.target]) for edge in graph.edges]
    drawn = igraph.Graph(len(names), pairs, directed=True)
    layout = drawn.layout_sugiyama(_layers(drawn, numbers["__start__"]))
    bends: list[list[list[float]]] = layout.edge_routing
    taken = [(x, y, widths[name] / 2) for name, (x, y) in zip(names, layout, strict=True)]
    taken += [(x, y, 0) for bend in bends for x, y in bend]
    scale = _scale(taken)
    left = _MARGIN - min(x * scale - half for x, _, half in taken)
    top = _MARGIN + _HEIGHT / 2

    def placed(x: float, y: float) -> Middle:
        return Middle(x * scale + left, y * _LAYER + top)

    places = {name: placed(*point) for name, point in zip(names, layout, strict=True)}
    return places, [[placed(*point) for point in bend] for bend in bends]


def _scale(taken: list[tuple[float, float, float]]) -> float:
    """The least factor that keeps neighbours in a layer apart; each is x, layer, half a width."""
    beside = sorted(taken, key=lambda one: (one[1], one[0]))
    return max(
        (
            (half + following + _GAP / 2) / (right - left)
            for (left, layer, half), (right, other, following) in pairwise(beside)
            if layer == other and right > left
        ),
        default=1.0,
    )


def _layers(drawn: igraph.Graph, start: int) -> list[int]:
    """The layer of every node: one below the lowest that leads to it, leaving out ways back.

    A way back stays within a circle, and leads to a node that is reached sooner from ``start``.
    """
    order = {node: place for place, node in enumerate(drawn.bfs(start)[0])}
    circle = drawn.connected_components(mode="strong").membership
    forward = [
        (edge.source, edge.target)
        for edge in drawn.es
        if circle[edge.source] != circle[edge.target] or order[edge.source] < order[edge.target]
    ]
    layers = [0] * drawn.vcount()
    for _ in layers:
        for source, target in forward:
            layers[target] = max(layers[target], layers[source] + 1)
    return layers


def _line(start: Middle, end: Middle, way: list[Middle], width: float) -> str:
    """An arrow's path from a node to the next, or back to itself."""
    if start == end:
        x, y = start.x + width / 2, start.y
        return f"M{x:.0f} {y - 8:.0f}c34 -12 34 28 2 16"
    down = end.y > start.y
    side = 0 if down else 14  # a way back stands beside the way there
    edge = _HEIGHT / 2 if down else -_HEIGHT / 2
    points = [
        Middle(start.x + side, start.y + edge),
        *(Middle(x + side, y) for x, y in way),
        Middle(end.x + side, end.y - edge - (2 if down else -2)),
    ]
    parts = [f"M{points[0].x:.0f} {points[0].y:.0f}"]
    for one, other in pairwise(points):
        middle = (one.y + other.y) / 2
        parts.append(
            f"C{one.x:.0f} {middle:.0f} {other.x:.0f} {middle:.0f} {other.x:.0f} {other.y:.0f}"
        )
    return "".join(parts)


def _box(label: str, place: Middle, width: float, is_end: bool) -> str:
    """A node: a rectangle with its name."""
    kind, radius = (' class="end"', _HEIGHT / 2) if is_end else ("", 6)
    return (
        f'<rect{kind} x="{place.x - width / 2:.0f}" y="{place.y - _HEIGHT / 2:.0f}" '
        f'width="{width}" height="{_HEIGHT}" rx="{radius:.0f}"/>'
        f'<text{kind} x="{place.x:.0f}" y="{place.y + 5:.0f}">{escape(label)}</text>'
    )


if __name__ == "__main__":
    for name in GRAPHS:
        drawing = to_svg(graph_of(name), f"The graph {name}")
        Path(sys.argv[1], f"{name}.svg").write_text(drawing, encoding="utf-8")
