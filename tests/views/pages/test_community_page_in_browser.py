"""The page of communities in a real browser."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

from films import ATTACKS, FILMS
from ragraphs.views.pages.community_page import (
    PageCommunity,
    PageFinding,
    PagePassage,
    to_community_html,
)


def test_communities_are_walked_from_the_root_to_the_passages_of_a_finding(
    browser: Any, tmp_path: FilePath
) -> None:
    attack = ATTACKS[0]
    communities = [
        PageCommunity("all", 0, "", ["film", "director", "place", "king"], "Films", "Of films."),
        PageCommunity("pair", 1, "all", ["film", "director"], "Red Kite", attack, 4.5,
                      [PageFinding("It was directed by Ada Quill.", ["p"])]),
        PageCommunity("rest", 1, "all", ["place", "king"]),
    ]  # fmt: skip
    passages = [PagePassage("p", "a.md", attack)]
    file = tmp_path / "communities.html"
    page_of = to_community_html(attack, FILMS.nodes, FILMS.edges, communities, passages)
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
