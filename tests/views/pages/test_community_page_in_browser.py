"""The page of communities in a real browser."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

from films import ATTACKS, FILMS
from ragraphs.state.records import Passage
from ragraphs.state.reports import Report
from ragraphs.stores.communities import StoredCommunity
from ragraphs.views.pages.community_page import to_community_html
from ragraphs.views.pages.drawing import DrawnEdge, DrawnNode


def test_communities_are_walked_from_the_root_to_the_passages_of_a_finding(
    browser: Any, tmp_path: FilePath
) -> None:
    attack = ATTACKS[0]
    films: Report = {"title": "Films", "summary": "Of films.", "rating": 0.0, "findings": []}
    kite: Report = {
        "title": "Red Kite",
        "summary": attack,
        "rating": 4.5,
        "findings": [{"statement": "It was directed by Ada Quill.", "passages": ["p"]}],
    }
    communities = [
        StoredCommunity("all", 0, "", 4, films, None),
        StoredCommunity("pair", 1, "all", 2, kite, None),
        StoredCommunity("rest", 1, "all", 2, None, None),
    ]
    members = {
        "all": ["film", "director", "place", "king"],
        "pair": ["film", "director"],
        "rest": ["place", "king"],
    }
    passages: list[Passage] = [
        {"id": "p", "document": "d", "title": "a.md", "text": attack, "start": 0, "end": 9}
    ]
    file = tmp_path / "communities.html"
    page_of = to_community_html(attack, FILMS.nodes, FILMS.edges, communities, members, passages)
    file.write_text(page_of, encoding="utf-8")
    page = browser.open(file)
    assert page.text("#size") == "4 entities, 3 communities"
    page.evaluate("document.querySelector('#panel details').open = true")
    page.wait("document.querySelectorAll('#panel details li').length === 2")
    page.evaluate("document.querySelector('#panel details li button').click()")
    assert page.text("h2") == "Red Kite"
    assert page.lines("#panel")[-6:-4] == ["1 passage", "Entities (2)"]
    assert page.evaluate("document.querySelector('blockquote .text').textContent") == attack
    assert page.evaluate("shown.level") == 1
    assert page.evaluate("new Set(nodes.map(node => node.colour)).size") == 2
    page.find("ada quill")
    page.press("Enter", 13)
    assert page.text("h2") == "Ada Quill"
    assert page.evaluate("typeof window.ran") == "undefined"
    assert page.complaints() == []


def test_on_a_phone_the_map_is_large_and_each_community_has_an_area(
    browser: Any, tmp_path: FilePath
) -> None:
    pairs = [(f"{name} {n}", f"{name} {n} Junior") for name in ("Adam", "Eve") for n in range(6)]
    nodes = [DrawnNode(name, name, "person") for pair in pairs for name in pair]
    edges = [DrawnEdge(first, second, "is a parent of") for first, second in pairs]
    report: Report = {"title": "A family", "summary": "", "rating": 5.0, "findings": []}
    communities = [
        StoredCommunity(first, 0, "", 2, {**report, "title": f"The long story of {first}"}, None)
        for first, _ in pairs
    ]
    members = {first: [first, second] for first, second in pairs}
    page_of = to_community_html("Families", nodes, edges, communities, members, [])
    file = tmp_path / "communities.html"
    file.write_text(page_of, encoding="utf-8")
    page = browser.open(file)
    page.send(
        "Emulation.setDeviceMetricsOverride",
        **{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True},
    )
    page.settle()
    high = page.evaluate("document.querySelector('#sheet').getBoundingClientRect().height")
    assert high > 320
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("""(() => {
        const { width, height } = drawing.base;
        const { data } = drawing.base.getContext("2d").getImageData(0, 0, width, height);
        return communities.every(({ members: [{ x, y }] }) => {
            const [left, top] = drawing.place({ x: x - 11, y }).map((at) => Math.round(at));
            return data[(top * width + left) * 4 + 3] > 0;
        });
    })()""")
    assert page.complaints() == []
