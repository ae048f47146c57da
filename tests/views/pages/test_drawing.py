"""Graphs as GraphML and as a page: nothing is lost, and nothing in a text can act."""

import json
import math
import re
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_support import HOSTILE, PageReader, data_of
from ragraphs.state.errors import RagraphsError
from ragraphs.views.pages.drawing import (
    AnswerPath,
    DrawnEdge,
    DrawnGraph,
    DrawnNode,
    PathEdge,
    PathNode,
    layout,
    path_of_answer,
    to_graphml,
    to_html,
)

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


def same(text: str) -> str:
    """Two halves of a character, which JSON joins, are that character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def fit(text: str) -> str:
    try:
        return same(text)
    except UnicodeDecodeError:
        return text


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


@quick
@given(st.lists(texts, max_size=4, unique=True), texts, texts)
def test_graphml_of_any_text_can_be_read(ids: list[str], text: str, name: str) -> None:
    nodes = [DrawnNode(id, text, text, text, {name: text}) for id in ids]
    edges = [DrawnEdge(id, ids[0], text, 1.0, text, {name: text}) for id in ids]
    again = read(to_graphml(DrawnGraph(text, nodes, edges)))
    assert (len(again), again.number_of_edges()) == (len(ids), len(ids))


def test_the_page_holds_all_data() -> None:
    data = data_of(to_html(GRAPH))
    assert data["path"] is None and data["directed"] is True
    for node, drawn in zip(GRAPH.nodes, data["nodes"], strict=True):
        assert drawn.pop("x") + drawn.pop("y") >= 0
        assert drawn == vars(node)
    ends = [(edge["source"], edge["target"]) for edge in data["edges"]]
    assert ends == [(0, 1), (0, 1), (1, 0)]
    assert data["edges"][1]["label"] == "누구인가?"
    assert data["edges"][0]["attributes"] == {"similarity": 0.8}


def test_hostile_texts_add_no_element() -> None:
    def skeleton(text: str) -> list[str]:
        node = DrawnNode(text, text, text, text, {text: text})
        edge = DrawnEdge(text, text, text, 1.0, text, {text: text})
        path = AnswerPath([PathNode(text, text)], [PathEdge(text, text, text, text)], text)
        page = to_html(DrawnGraph(text, [node], [edge]), path=path)
        assert data_of(page)["nodes"][0]["text"] == text
        assert PageReader(page).texts("title") == [text]
        return [tag for tag, _, _ in PageReader(page).found]

    assert skeleton(HOSTILE) == skeleton("harmless")


@quick
@given(texts, texts)
def test_any_text_comes_back_equal_from_the_page(text: str, title: str) -> None:
    graph = DrawnGraph(title, [DrawnNode(text, text, text, text)], [DrawnEdge(text, text, text)])
    page = to_html(graph, path=AnswerPath([PathNode(text)], answer=text))
    page.encode()
    embedded = page.split('id="data">')[1].split("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(embedded)
    data = json.loads(embedded)
    node = data["nodes"][0]
    for name in ("id", "label", "kind", "text"):
        assert fit(node[name]) == fit(text)
    assert fit(data["edges"][0]["label"]) == fit(data["path"]["answer"]) == fit(text)


def test_numbers_that_json_lacks_become_text() -> None:
    node = DrawnNode("a", "A", attributes={"far": math.inf, "none": math.nan, "one": 1})
    data = data_of(to_html(DrawnGraph("", [node], [DrawnEdge("a", "a", weight=math.nan)])))
    assert data["nodes"][0]["attributes"] == {"far": "inf", "none": "nan", "one": 1}
    assert data["edges"][0]["weight"] == 0


def test_the_page_names_nothing_outside_itself() -> None:
    page = to_html(GRAPH)
    assert not re.search(r"https?:|//\w+\.\w|@import|url\(", page)
    reader = PageReader(page)
    assert not [1 for _, names, _ in reader.found if names.keys() & {"src", "href", "style"}]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", page)


def test_the_policy_allows_the_own_style_and_script_only() -> None:
    import base64
    import hashlib

    reader = PageReader(to_html(GRAPH))
    policy = next(str(at["content"]) for _, at, _ in reader.found if "http-equiv" in at)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for content in (reader.texts("style")[0], reader.texts("script")[1]):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_the_layout_is_repeatable_and_keeps_nodes_apart() -> None:
    nodes = [DrawnNode(str(n), "") for n in range(60)]
    edges = [DrawnEdge(str(n), str((n * 7) % 40)) for n in range(40)]
    graph = DrawnGraph("", nodes, edges)
    points = layout(graph)
    assert points == layout(graph)
    assert len(set(points)) == 60


def test_isolated_nodes_lie_in_rows_below_the_rest() -> None:
    nodes = [DrawnNode(str(n), "") for n in range(20)]
    ring = [DrawnEdge(str(n), str((n + 1) % 10)) for n in range(10)]
    points = layout(DrawnGraph("", nodes, ring))
    assert max(y for _, y in points[:10]) < min(y for _, y in points[10:])
    assert layout(DrawnGraph("", nodes[:1], [])) == [(0.0, 0.0)]
    assert layout(DrawnGraph("", [], [])) == []


def test_the_layout_leaves_other_users_of_chance_alone() -> None:
    import random

    random.seed(5)
    expected = random.random()
    random.seed(5)
    layout(GRAPH)
    assert random.random() == expected


def test_the_path_of_an_answer() -> None:
    answer = {
        **{"asked": "Where?", "answer": "In Bergen."},
        "citations": [{"passage": "a", "quote": "In"}, {"passage": "gone", "quote": "Out"}],
        "evidence": [{"id": "b", "title": "B", "score": 1.0}, {"id": "a"}, {"id": "b"}],
        "hops": [
            {"source": "a", "target": "b", "question": "Who?", "label": "necessary", "round": 1}
        ],
    }
    assert path_of_answer(answer) == AnswerPath(
        [PathNode("b", quotes=[]), PathNode("a", quotes=["In"])],
        [PathEdge("a", "b", "Who?", "necessary")],
        "In Bergen.",
        "Where?",
    )
    assert path_of_answer({"evidence": []}) == AnswerPath([], [])


def test_arrivals_from_nowhere_are_no_edges_of_the_path() -> None:
    hops = [{"source": "", "target": "a"}, {"source": "a", "target": "gone"}]
    assert path_of_answer({"evidence": [{"id": "a"}], "hops": hops}).edges == []


def test_walked_triples_are_edges_of_the_path_each_once() -> None:
    born = {"source": "e1", "target": "e2", "sentence": "Ada was born in London."}
    lies = {"source": "e2", "target": "e3", "sentence": "London is in England."}
    paths = [{"entity": "e2", "triples": [born]}, {"entity": "e3", "triples": [born, lies]}]
    assert path_of_answer({"evidence": [], "paths": paths}).edges == [
        PathEdge("e1", "e2", "Ada was born in London."),
        PathEdge("e2", "e3", "London is in England."),
    ]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ([], "it is not an object"),
        ({}, "it has no list `evidence`"),
        ({"evidence": "x"}, "it has no list `evidence`"),
        ({"evidence": [{"title": "t"}]}, "an entry of `evidence` has no `id`"),
        ({"evidence": [], "citations": [{"quote": "q"}]}, "an entry of `citations` has no"),
        ({"evidence": [], "hops": {"a": 1}}, "it has no list `hops`"),
        ({"evidence": [], "hops": [{"source": "a"}]}, "`hops` has no `source` and `target`"),
        ({"evidence": [], "paths": [{"entity": "a"}]}, "it has no list `triples`"),
    ],
)
def test_what_is_no_answer_is_said_in_a_sentence(wrong: object, why: str) -> None:
    with pytest.raises(RagraphsError, match=why) as caught:
        path_of_answer(wrong)
    assert "`ragraphs ask --json` prints one" in str(caught.value)
