"""The page of communities: all is in it, nothing in a text can act, and it can be repeated."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_support import HOSTILE, PageReader, data_of
from ragraphs.views.pages.community_page import (
    PageCommunity,
    PageFinding,
    PagePassage,
    to_community_html,
)
from ragraphs.views.pages.drawing import DrawnEdge, DrawnNode

NODES = [
    DrawnNode("scrooge", "Scrooge", "person", "A miser."),
    DrawnNode("marley", "Marley", "person"),
    DrawnNode("king", "세종", "person"),
]
EDGES = [DrawnEdge("scrooge", "marley", "was the partner of", 0.5)]
FINDINGS = [PageFinding("Scrooge was the partner of Marley.", ["p1", "gone"])]
COMMUNITIES = [
    PageCommunity("all", 0, "", ["king", "marley", "scrooge"], "All", "Of all.", 7.5, FINDINGS),
    PageCommunity("firm", 1, "all", ["marley", "scrooge"]),
    PageCommunity("alone", 1, "all", ["king"]),
]
PASSAGES = [PagePassage("p1", "Stave One", "Marley was dead."), PagePassage("p2", "", "Uncited.")]


def page(title="Carol", nodes=NODES, edges=EDGES, communities=COMMUNITIES, passages=PASSAGES):
    return to_community_html(title, nodes, edges, communities, passages)


def test_the_page_holds_nodes_edges_communities_and_the_passages_that_are_cited():
    data = data_of(page())
    assert [(node["id"], node["kind"], node["text"]) for node in data["nodes"]] == [
        (node.id, node.kind, node.text) for node in NODES
    ]
    assert all(math.isfinite(node["x"] + node["y"]) for node in data["nodes"])
    assert [(e["source"], e["target"], e["label"]) for e in data["edges"]] == [
        (0, 1, "was the partner of")
    ]
    first, firm, alone = data["communities"]
    assert (first["parent"], firm["parent"], alone["parent"]) == (-1, 0, 0)
    assert (first["members"], firm["members"]) == ([2, 1, 0], [1, 0])
    assert (first["title"], first["summary"], first["rating"]) == ("All", "Of all.", 7.5)
    assert first["findings"] == [
        {"statement": "Scrooge was the partner of Marley.", "passages": ["p1", "gone"]}
    ]
    assert data["passages"] == [{"id": "p1", "title": "Stave One", "text": "Marley was dead."}]


def test_a_level_can_be_chosen_and_words_be_found():
    reader = PageReader(page())
    ids = {names.get("id") for _, names, _ in reader.found}
    assert {"level", "search", "drawing", "panel", "legend"} <= ids


def test_hostile_texts_add_no_element():
    def skeleton(text):
        found = page(
            text,
            [DrawnNode(text, text, text, text)],
            [DrawnEdge(text, text, text)],
            [PageCommunity(text, 0, "", [text], text, text, 1.0, [PageFinding(text, [text])])],
            [PagePassage(text, text, text)],
        )
        assert data_of(found)["communities"][0]["summary"] == text
        assert PageReader(found).texts("title") == [text]
        return [tag for tag, _, _ in PageReader(found).found]

    assert skeleton(HOSTILE) == skeleton("harmless")


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=40))
def test_any_text_comes_back_equal_from_the_page(text):
    communities = [PageCommunity("c", 0, "", ["king"], text, text, 1.0, [PageFinding(text, "p")])]
    found = data_of(page(text, communities=communities, passages=[PagePassage("p", text, text)]))
    one = found["communities"][0]
    assert one["title"] == one["summary"] == one["findings"][0]["statement"] == text
    assert found["passages"] == [{"id": "p", "title": text, "text": text}]


def test_the_page_names_nothing_outside_itself_and_writes_no_markup():
    written = page()
    assert not re.search(r"https?:|//\w+\.\w|@import|url\(", written)
    reader = PageReader(written)
    assert not [1 for _, names, _ in reader.found if names.keys() & {"src", "href", "style"}]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", written)
    assert "{{" not in written


def test_the_same_graph_is_the_same_page():
    assert page() == page()
    assert page(nodes=[], edges=[], communities=[]) == page(nodes=[], edges=[], communities=[])


def test_a_rating_that_is_no_number_does_not_break_the_page():
    one = PageCommunity("all", 0, "", ["king"], rating=math.nan)
    assert data_of(page(communities=[one]))["communities"][0]["rating"] == 0


@pytest.mark.parametrize(
    ("communities", "why"),
    [
        ([COMMUNITIES[0], COMMUNITIES[0]], "distinct ids"),
        ([PageCommunity("c", 0, "", ["nobody"])], "nodes of the graph"),
        ([PageCommunity("c", 1, "gone", ["king"])], "one level above"),
        ([COMMUNITIES[0], PageCommunity("c", 2, "all", ["king"])], "one level above"),
        ([PageCommunity("c", 1, "", ["king"])], "one level above"),
    ],
)
def test_communities_must_fit_together(communities, why):
    with pytest.raises(ValueError, match=why):
        page(communities=communities)
