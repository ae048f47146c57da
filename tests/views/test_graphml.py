"""Graphs as GraphML: nothing is lost that XML can hold."""

from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.views.graphml import DrawnEdge, DrawnGraph, DrawnNode, to_graphml

GRAPH = DrawnGraph(
    "Films & 영화",
    [
        DrawnNode("film", "Red Kite", "passage", "A drama.\nFrom 1954.", {"start": 0, "n": 0.5}),
        DrawnNode("king", "세종대왕", "entity", "", {"document": "a<b>.md", "start": "none"}),
        DrawnNode("alone", "Whale"),
    ],
    [
        DrawnEdge("film", "king", "Who is it?", 0.25, "question", {"similarity": 0.8}),
        DrawnEdge("film", "king", "누구인가?", 0.5, "question"),
        DrawnEdge("king", "film"),
    ],
)
texts = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)
quick = settings(deadline=None, max_examples=60)


def read(graphml: str) -> Any:
    return networkx.parse_graphml(graphml, force_multigraph=True)


def test_graphml_keeps_everything() -> None:
    again = read(to_graphml(GRAPH))
    assert again.is_directed()
    assert again.graph["title"] == "Films & 영화"
    assert dict(again.nodes(data=True)) == {
        "film": {
            **{"label": "Red Kite", "kind": "passage", "text": "A drama.\nFrom 1954."},
            **{"start": 0, "n": 0.5},
        },
        "king": {
            **{"label": "세종대왕", "kind": "entity", "text": ""},
            **{"document": "a<b>.md", "start": "none"},
        },
        "alone": {"label": "Whale", "kind": "passage", "text": ""},
    }
    first = {"label": "Who is it?", "weight": 0.25, "kind": "question", "similarity": 0.8}
    assert list(again.edges(keys=True, data=True)) == [
        ("film", "king", "e0", first),
        ("film", "king", "e1", {"label": "누구인가?", "weight": 0.5, "kind": "question"}),
        ("king", "film", "e2", {"label": "", "weight": 1.0, "kind": ""}),
    ]


def test_graphml_is_readable_text_with_its_encoding() -> None:
    written = to_graphml(GRAPH)
    assert written.startswith('<?xml version="1.0" encoding="utf-8"?>\n<graphml')
    assert "세종대왕" in written
    assert read(to_graphml(DrawnGraph("", [], [], directed=False))).is_directed() is False


def test_graphml_attributes_with_reserved_names_are_renamed() -> None:
    names = ("label", "id", "key", "weight", "node_for_adding", "u_for_edge")
    attributes = {name: f"own {name}" for name in names}
    node = DrawnNode("a", "A", attributes=attributes)
    again = read(to_graphml(DrawnGraph("", [node], [DrawnEdge("a", "a", "q", 2, "", attributes)])))
    for data in (again.nodes["a"], again.edges["a", "a", "e0"]):
        assert data["label"] in ("A", "q")
        assert data["attribute_label"] == "own label"
        assert data["attribute_id"] == "own id"
        assert data["key"] == "own key"


def test_graphml_without_forbidden_characters_keeps_nodes_apart() -> None:
    nodes = [DrawnNode(id, "\x00L\x1b\ufffe") for id in ("a\x01", "a", "a\x02", "a_2")]
    edges = [DrawnEdge("a\x01", "a", "q\ud800"), DrawnEdge("a\x02", "a_2", "r\r\ns\rt")]
    again = read(to_graphml(DrawnGraph("t\x08", nodes, edges)))
    assert len(again) == 4
    assert again.has_edge("a_3", "a") and again.has_edge("a_4", "a_2")
    assert {data["label"] for _, data in again.nodes(data=True)} == {"L"}
    assert [data["label"] for *_, data in again.edges(data=True)] == ["q", "r\ns\nt"]


@pytest.mark.slow
@quick
@given(st.lists(texts, max_size=4, unique=True), texts, texts)
def test_graphml_of_any_text_can_be_read(ids: list[str], text: str, name: str) -> None:
    nodes = [DrawnNode(id, text, text, text, {name: text}) for id in ids]
    edges = [DrawnEdge(id, ids[0], text, 1.0, text, {name: text}) for id in ids]
    again = read(to_graphml(DrawnGraph(text, nodes, edges)))
    assert (len(again), again.number_of_edges()) == (len(ids), len(ids))
