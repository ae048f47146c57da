"""The page of a graph in a real browser: it reads, finds and highlights, and nothing in it acts."""

from __future__ import annotations

import itertools
import random
from pathlib import Path as FilePath
from typing import Any

import pytest
from films import ATTACKS, FILMS
from ragraphs.views.pages.drawing import (
    AnswerPath,
    DrawnEdge,
    DrawnGraph,
    DrawnNode,
    path_of_answer,
    to_html,
)

pytestmark = pytest.mark.slow
_ANSWER: dict[str, Any] = {
    "asked": "Where was the director of Red Kite born?",
    "answer": "In Bergen.",
    "citations": [{"passage": "place", "quote": "in <b>Bergen</b>"}],
    "evidence": [
        {"id": "place", "title": "Bergen", "text": "Born in <b>Bergen</b>, she left."},
        {"id": "film", "title": "Red Kite (film)"},
        {"id": "https://example.org/", "title": "A page of the web"},
    ],
    "hops": [
        {
            "source": "film",
            "target": "director",
            "question": "Who directed it?",
            "label": "retrieved",
        },
        {"source": "director", "target": "place", "question": "Born where?", "label": "necessary"},
    ],
}


def _written(folder: FilePath, graph: DrawnGraph, path: AnswerPath | None = None) -> FilePath:
    file = folder / "graph.html"
    file.write_text(to_html(graph, path=path), encoding="utf-8")
    return file


def _hostile() -> tuple[DrawnGraph, AnswerPath]:
    nodes = [DrawnNode(text, text, text, text, {text: text, "n": float("inf")}) for text in ATTACKS]
    edges = [
        DrawnEdge(source, target, source + target, 1.0, target, {source: target})
        for source, target in itertools.pairwise(ATTACKS)
    ]
    hops = [{"source": e.source, "target": e.target, "question": e.label} for e in edges]
    texts = [*ATTACKS, "<script>elsewhere</script>"]
    answer = {
        **{"answer": ATTACKS[0], "asked": ATTACKS[0], "hops": hops},
        "evidence": [{"id": text, "title": text, "text": text} for text in texts],
        "citations": [{"passage": text, "quote": text} for text in texts],
    }
    return DrawnGraph(ATTACKS[0], nodes, edges), path_of_answer(answer)


def test_nothing_in_documents_runs_or_loads(browser: Any, tmp_path: FilePath) -> None:
    graph, path = _hostile()
    page = browser.open(_written(tmp_path, graph, path))
    assert page.text("#title") == ATTACKS[0]
    for number, attack in enumerate(ATTACKS):
        page.evaluate(f"select(nodes[{number}])")
        page.settle()
        assert page.evaluate("document.querySelector('#panel .text').textContent") == attack
    assert page.evaluate("typeof window.ran") == "undefined"
    assert page.evaluate("document.querySelectorAll('img, svg, script').length") == 2
    assert page.complaints() == []


def test_the_policy_stops_what_the_page_itself_never_does(browser: Any, tmp_path: FilePath) -> None:
    page = browser.open(_written(tmp_path, FILMS))
    page.evaluate("""
        const added = document.createElement("div");
        document.body.append(added);
        added.innerHTML = "<img src='http://127.0.0.1:9/x' onerror='window.ran = 1'>";
        const script = document.createElement("script");
        script.textContent = "window.ran = 1";
        document.body.append(script);
        fetch("http://127.0.0.1:9/x").catch(() => 0);
    """)
    page.settle()
    assert page.evaluate("typeof window.ran") == "undefined"
    assert len(page.complaints()) >= 3


def test_search_finds_and_selects_by_title_and_text(browser: Any, tmp_path: FilePath) -> None:
    page = browser.open(_written(tmp_path, FILMS))
    assert page.pixels("match") == 0
    page.find("ada QUILL")
    assert page.text("#found") == "2 found, Enter shows the first"
    assert page.pixels("match") > 50
    page.press("Enter", 13)
    assert (page.text("h2"), page.text("#found")) == ("Ada Quill", "1 of 2")
    assert page.lines("dl") == ["document", "a.md"]
    page.press("Enter", 13)
    assert (page.text("h2"), page.text("#found")) == ("Red Kite (film)", "2 of 2")
    assert page.text("mark") == "Ada Quill"
    page.press("Enter", 13, modifiers=8)
    assert page.text("h2") == "Ada Quill"
    assert page.complaints() == []


def test_a_click_shows_a_node_and_leads_to_its_neighbours(browser: Any, tmp_path: FilePath) -> None:
    page = browser.open(_written(tmp_path, FILMS), "#node=director")
    page.evaluate("document.querySelector('.back').click()")
    assert page.text("h2") == "Overview"
    box = page.evaluate("""(() => {
        const box = document.querySelector("#drawing").getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2];
    })()""")
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
    assert page.evaluate("drawing.hovered.id") == "director"
    page.click(*box)
    assert page.text("h2") == "Ada Quill"
    assert page.lines("#panel")[-8:] == [
        *("Leads to (1)", "Bergen", "Where was she born?", "question · weight 0.6"),
        *("Reached from (1)", "Red Kite (film)", "Who directed Red Kite?", "question · weight 0.8"),
    ]
    page.evaluate("[...document.querySelectorAll('#panel li button')].at(-1).click()")
    assert page.text("h2") == "Red Kite (film)"
    assert page.complaints() == []


def test_korean_texts_are_marked_as_korean(browser: Any, tmp_path: FilePath) -> None:
    page = browser.open(_written(tmp_path, FILMS), "#search=훈민정음")
    assert page.text("h2") == "세종대왕"
    for selector in ("h2", ".text", "#panel li p"):
        assert page.evaluate(f"document.querySelector('{selector}').lang") == "ko"
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.evaluate("document.querySelector('#panel li button').lang") == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_path_of_an_answer_is_highlighted_and_listed(
    browser: Any, tmp_path: FilePath, scheme: str
) -> None:
    plain = browser.open(_written(tmp_path, FILMS), prefers_color_scheme=scheme)
    assert plain.pixels("path") == 0
    file = _written(tmp_path, FILMS, path_of_answer(_ANSWER))
    page = browser.open(file, prefers_color_scheme=scheme)
    assert page.pixels("path") > 300
    assert page.lines("#panel") == [
        "Where was the director of Red Kite born?",
        "In Bergen.",
        "Evidence, best first",
        *("1", "Bergen", "in <b>Bergen</b>", "The passage"),
        *("2", "Red Kite (film)"),
        *("3", "A page of the web (not in this graph)"),
        "Edges walked, in order",
        *("1", "Red Kite (film) → Ada Quill", "Who directed it?", "retrieved"),
        *("2", "Ada Quill → Bergen", "Born where?", "necessary"),
    ]
    page.evaluate("document.querySelector('summary').click()")
    assert page.lines("details") == ["The passage", "Born in <b>Bergen</b>, she left."]
    assert page.text("details mark") == "in <b>Bergen</b>"
    assert page.complaints() == []


def test_keys_move_zoom_and_clear(browser: Any, tmp_path: FilePath) -> None:
    page = browser.open(_written(tmp_path, FILMS), "#node=film")
    page.evaluate("document.querySelector('#drawing').focus()")
    before = page.evaluate("({...drawing.view})")
    page.press("+", 187)
    page.press("ArrowRight", 39)
    after = page.evaluate("({...drawing.view})")
    assert after["zoom"] > before["zoom"] and after["x"] > before["x"]
    page.press("Escape", 27)
    assert page.text("h2") == "Overview"
    page.press("0", 48)
    assert page.evaluate("drawing.nodes.every(node => drawing.onScreen(node))")


def test_nodes_that_nothing_joins_are_drawn_when_they_are_asked_for(
    browser: Any, tmp_path: FilePath
) -> None:
    alone = [DrawnNode(str(n), f"Lone {n}") for n in range(1200)]
    graph = DrawnGraph("Films", [*FILMS.nodes, *alone], FILMS.edges)
    page = browser.open(_written(tmp_path, graph))
    assert page.text("#alone") == "Show 1,200 without an edge"
    assert page.evaluate("drawing.visible.length") == 4
    page.evaluate("document.querySelector('#alone').click()")
    page.settle()
    assert page.text("#alone") == "Hide 1,200 without an edge"
    assert page.evaluate("drawing.visible.length") == 1204
    page.evaluate("document.querySelector('#alone').click()")
    page.find("Lone 7")
    page.press("Enter", 13)
    assert page.text("h2") == "Lone 7"
    assert page.evaluate("drawing.onScreen(drawing.selected)")
    cited = path_of_answer({"evidence": [{"id": "5"}]})
    page = browser.open(_written(tmp_path, graph, cited))
    assert page.text("#alone") == "Show 1,199 without an edge"
    assert page.evaluate("drawing.visible.length") == 5
    page = browser.open(_written(tmp_path, DrawnGraph("Lone", alone[:3], [])))
    assert page.evaluate("document.querySelector('#alone').hidden")
    assert page.evaluate("drawing.visible.length") == 3
    assert page.complaints() == []


def test_an_empty_graph_is_a_page_too(browser: Any, tmp_path: FilePath) -> None:
    page = browser.open(_written(tmp_path, DrawnGraph("Nothing", [], [])))
    assert page.text("#size") == "0 nodes, 0 edges"
    page.find("x")
    page.press("Enter", 13)
    assert page.text("#found") == "Nothing found"
    assert page.complaints() == []


def test_two_thousand_nodes_stay_usable(browser: Any, tmp_path: FilePath) -> None:
    chance = random.Random(0)
    nodes = [DrawnNode(str(n), f"Passage {n}", text=f"Text {n}. " * 40) for n in range(2000)]
    ends = [(chance.randrange(2000), chance.randrange(2000)) for _ in range(15_000)]
    edges = [DrawnEdge(str(a), str(b), f"From {a} to {b}?", chance.random()) for a, b in ends]
    page = browser.open(_written(tmp_path, DrawnGraph("Large", nodes, edges)))
    page.find("Passage 1234")
    page.press("Enter", 13)
    assert page.text("h2") == "Passage 1234"
    assert page.complaints() == []
