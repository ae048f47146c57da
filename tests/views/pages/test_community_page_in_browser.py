"""The page of communities in a real browser."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

from films import ATTACKS, FILMS
from ragraphs.state.records import Passage
from ragraphs.state.reports import Report
from ragraphs.stores.communities import StoredCommunity
from ragraphs.views.pages.community_page import to_community_html


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
