"""The page of communities: all is in it, nothing in a text can act, and it can be repeated."""

import math
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from page_support import HOSTILE, PageReader, data_of
from ragraphs.stores.communities import StoredCommunity
from ragraphs.views.pages.community_page import to_community_html
from ragraphs.views.pages.drawing import DrawnEdge, DrawnNode

NODES = [
    DrawnNode("scrooge", "Scrooge", "person", "A miser."),
    DrawnNode("marley", "Marley", "person"),
    DrawnNode("king", "세종", "person"),
]
EDGES = [DrawnEdge("scrooge", "marley", "was the partner of", 0.5)]
MEMBERS = {"all": ["king", "marley", "scrooge"], "firm": ["marley", "scrooge"], "alone": ["king"]}


def report(title, summary, statement, passages):
    findings = [{"statement": statement, "passages": passages}]
    return {"title": title, "summary": summary, "rating": 7.5, "findings": findings}


def community(id, level=0, parent="", report=None):
    return StoredCommunity(id, level, parent, 1, report, None)


PARTNERS = "Scrooge was the partner of Marley."
COMMUNITIES = [
    community("all", report=report("All", "Of all.", PARTNERS, ["p1", "gone"])),
    community("firm", 1, "all"),
    community("alone", 1, "all"),
]
PASSAGES = [{"id": "p1", "document": "d", "title": "Stave One", "text": "Marley was dead."}]


def page(
    title="Carol",
    nodes=NODES,
    edges=EDGES,
    communities=COMMUNITIES,
    members=MEMBERS,
    passages=PASSAGES,
):
    return to_community_html(title, nodes, edges, communities, members, passages)


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
            [community(text, report=report(text, text, text, [text]))],
            {text: [text]},
            [{"id": text, "title": text, "text": text}],
        )
        assert data_of(found)["communities"][0]["summary"] == text
        assert PageReader(found).texts("title") == [text]
        return [tag for tag, _, _ in PageReader(found).found]

    assert skeleton(HOSTILE) == skeleton("harmless")


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=40))
def test_any_text_comes_back_equal_from_the_page(text):
    communities = [community("alone", report=report(text, text, text, ["p"]))]
    passages = [{"id": "p", "title": text, "text": text}]
    found = data_of(page(text, communities=communities, passages=passages))
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
