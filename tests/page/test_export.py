"""The exported page, opened as a file: it is read, searched and walked, and asks nobody."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_site import IMAGE, LINK, PLACE, SCRIPT, WHERE, Site
from page_visit import expect
from ragraphs import IndexContext, RouterContext, index_graph, router_graph
from ragraphs.graphs.methods import told_methods
from ragraphs.index.opening import open_index
from ragraphs.views import page_data as module
from ragraphs.views.page_data import page_data
from ragraphs.views.page_file import page_file

pytestmark = pytest.mark.slow
METHODS = told_methods()


@pytest.fixture(scope="module")
def folder(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of exported pages: of bridges, with an answer and without, and of markup."""
    folder = tmp_path_factory.mktemp("exported")
    context = RouterContext(index=str(made / "bridges"), method="hoprag")
    answer = router_graph.invoke({"question": WHERE}, context=context)
    answer = {"asked": WHERE, **{key: answer[key] for key in answer if key != "messages"}}
    printed = json.loads(json.dumps(answer))
    hostile = printed | {"asked": SCRIPT, "answer": f"{IMAGE} [here]({LINK})", "missing": [IMAGE]}
    written = {
        "answer": page_data(open_index(str(made / "bridges")), METHODS, printed),
        "index": page_data(open_index(str(made / "bridges")), METHODS),
        "hostile": page_data(open_index(str(made / "hostile")), METHODS, hostile),
    }
    for name, data in written.items():
        (folder / f"{name}.html").write_text(page_file(name, data), encoding="utf-8")
    return folder


@pytest.fixture
def opened(visit: Any, folder: Path) -> Iterator[Any]:
    """Opens an exported page; requests but for the file itself fail the test."""
    site = Site(folder.as_uri(), folder, None, None)  # type: ignore[arg-type]
    pages = []

    def open_page(name: str, fragment: str = "", **options: Any) -> Any:
        pages.append(visit(site, f"{name}.html{fragment}", **options))
        return pages[-1]

    yield open_page
    for page in (one for one in pages if not one.expected):
        asked = "performance.getEntriesByType('resource').map((one) => one.name)"
        assert [one for one in page.evaluate(asked) if not one.startswith("data:")] == []


def test_an_answer_is_read_with_its_evidence_and_its_way(opened):
    page = opened("answer")
    turn = page.part("turn")
    expect(turn).to_contain_text(WHERE)
    expect(turn.locator("mark").first).to_contain_text("Robert Maillart")
    expect(page.part("exported")).to_contain_text("A copy to read and search")
    expect(page.page.locator("textarea")).to_have_count(0)
    hoprag = page.how().locator('[data-method="hoprag"]')
    expect(hoprag.locator(".walk-root")).to_have_text(WHERE)
    expect(hoprag.locator(".attempt-name")).to_have_text("HopRAG")
    turn.get_by_role("button", name="Bridges of the Alps").first.click()
    expect(page.part("reader").locator("mark")).to_have_text(PLACE)
    expect(page.part("reader").locator("mark")).to_be_in_viewport()


def test_without_an_answer_the_page_begins_with_its_documents(opened):
    page = opened("index")
    expect(page.page).to_have_title(re.compile("Bridges of the Alps"))
    page.part("overview").get_by_role("button", name="Bridges of the Alps").click()
    expect(page.part("reader")).to_be_visible()
    page.page.keyboard.press("Escape")
    page.open("index.html#explore/communities")
    listed = page.part("community-list")
    listed.get_by_role("link", name=re.compile("Fowler")).click()
    report = page.part("report")
    report.locator(".findings").get_by_role("button").first.click()
    expect(page.part("reader").locator("mark")).to_contain_text("Fowler")
    page.page.keyboard.press("Escape")
    page.page.get_by_role("link", name="Whole map").click()
    expect(listed).to_be_visible()
    names = page.page.locator("nav.tabs a").all_inner_texts()
    assert names == ["Ask", "Documents", "Explore"]


def test_entities_are_searched_and_lead_to_sentences(opened):
    page = opened("index", "#explore/entities")
    page.page.get_by_role("searchbox").fill("fowler")
    page.part("entity-list").get_by_role("link", name=re.compile("^John Fowler")).click()
    relations = page.part("relations")
    relations.get_by_role("button", name=re.compile("designed by John Fowler")).click()
    expect(page.part("reader").locator("mark")).to_contain_text("designed by John Fowler")
    page.page.keyboard.press("Escape")
    expect(page.part("entity")).not_to_contain_text("RAGRAPHS_CORRECTIONS")


def test_passages_are_searched_and_the_graph_is_walked(opened):
    page = opened("index", "#explore/passages")
    page.page.get_by_role("searchbox").fill("stands in brussels")
    expect(page.part("passage").first.locator("mark")).to_have_text("stands in Brussels")
    page.page.get_by_role("searchbox").fill("brussels atomium designed")
    expect(page.page.locator("h2.group")).to_have_text(re.compile("With all of these words"))
    page.part("passage").first.get_by_role("link").click()
    chosen = page.part("node").locator("h2")
    expect(chosen).to_contain_text("The Atomium was designed")
    page.part("node").locator(".edge").filter(has_text="André Waterkeyn").first.click()
    expect(chosen).to_have_text("André Waterkeyn")
    expect(page.part("node-list").locator("[aria-expanded=true]")).to_have_count(2)


def test_documents_are_listed_and_read_and_nothing_is_added(opened):
    page = opened("index", "#documents")
    page.page.get_by_role("searchbox").fill("alps")
    expect(page.part("document")).to_have_count(1)
    page.part("document").get_by_role("button").click()
    expect(page.part("reader")).to_contain_text(PLACE)
    page.page.keyboard.press("Escape")
    for control in ("input[type=file]", "[data-part=no-uploads]", "[data-part=document] .icon"):
        expect(page.page.locator(control)).to_have_count(0)


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_nothing_in_documents_runs_or_loads(opened):
    page = opened("hostile")
    parts = {
        "": ("turn", IMAGE),
        "#documents": ("document-list", IMAGE),
        "#explore/communities": ("community-list", IMAGE[:10]),
        "#explore/entities": ("entity-list", IMAGE[:10]),
        "#explore/passages": ("passage", SCRIPT[:10]),
        "#explore/graph": ("node-list", IMAGE[:10]),
    }
    for fragment, (part, text) in parts.items():
        page.open(f"hostile.html{fragment}")
        expect(page.part(part).first).to_contain_text(text)
        assert page.evaluate("document.querySelectorAll('main img, main script').length") == 0
        assert page.evaluate("[...document.links].every((a) => !/^javascript:/i.test(a.href))")


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_the_policy_stops_what_the_page_itself_never_does(opened):
    page = opened("index")
    page.expects("policy: |Content Security Policy|Refused|violates|another host")
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "globalThis.ran = true";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='globalThis.ran=true'>");
        return fetch("http://127.0.0.1:9/x").then(() => { globalThis.ran = true; }, () => 0);
    }""")
    page.page.wait_for_timeout(200)
    assert page.evaluate("globalThis.ran") is False


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_by_keyboard_alone_a_node_is_chosen(opened):
    page = opened("index", "#explore/graph")
    expect(page.part("node-list")).to_be_visible()
    page.tab_to("[data-part=node-list] button")
    page.page.keyboard.press("Enter")
    expect(page.part("node")).to_be_visible()


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_page_follows_the_colours_of_the_system_and_can_be_used_by_all(opened, colours):
    page = opened("answer", color_scheme=colours)
    expect(page.part("turn")).to_be_visible()
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (min(map(int, re.findall(r"\d+", paper))) > 128) == (colours == "light")
    assert not page.violations()


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_the_page_speaks_korean(opened):
    page = opened("answer", locale="ko-KR")
    expect(page.page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.part("exported")).to_contain_text("사본입니다")


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_of_a_large_index_the_page_says_how_much_it_leaves_out(opened, made, folder, monkeypatch):
    monkeypatch.setattr(module, "MOST_PASSAGES", 3)
    monkeypatch.setattr(module, "MOST_ENTITIES", 4)
    data = page_data(open_index(str(made / "bridges")), METHODS)
    (folder / "large.html").write_text(page_file("large", data), encoding="utf-8")
    page = opened("large", "#explore/entities")
    expect(page.part("left-out")).to_contain_text("leaves out")
    expect(page.part("entity-list").get_by_role("link")).to_have_count(4)
    page.open("large.html#explore/entities/unknown")
    expect(page.page.get_by_role("alert")).to_contain_text("not part of the export")


def written(folder: Path, index: Path) -> str:
    """The name of the page of ``index`` that is written to ``folder``."""
    page = page_file("own", page_data(open_index(str(index)), METHODS))
    (folder / "own.html").write_text(page, encoding="utf-8")
    return "own"


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_nodes_that_nothing_joins_are_drawn_when_they_are_asked_for(opened, folder, tmp_path):
    texts = ["Ada Byron wrote notes.", "Charles Babbage met Ada Byron.", "It rained all day."]
    documents = [{"id": text[:3], "title": text[:3], "text": text} for text in texts]
    context = IndexContext(index=str(tmp_path), embeddings="lexical", layers=["sentences"])
    index_graph.invoke({"documents": documents}, context=context)
    page = opened(written(folder, tmp_path), "#explore/graph")
    drawing = page.part("graph").locator(".graph-canvas")
    nodes = page.part("node-list").get_by_role("button")
    expect(nodes.filter(has_text=re.compile("^ ?ada byron"))).to_be_visible()
    expect(nodes.filter(has_text="It rained")).to_have_count(0)
    expect(drawing).to_have_attribute("data-drawn", re.compile("^[1-9]"))
    drawn = int(drawing.get_attribute("data-drawn"))
    page.page.get_by_role("checkbox", name=re.compile("joined to none")).check()
    expect(nodes.filter(has_text="It rained")).to_be_visible()
    expect(drawing).to_have_attribute("data-drawn", f"{drawn + 1}")


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_of_an_empty_index_the_page_says_that_there_is_nothing(opened, folder, made, tmp_path):
    index = tmp_path / "empty"
    shutil.copytree(made / "bridges", index)
    ids = [row["id"] for row in open_index(str(index)).catalogue.documents()]
    index_graph.invoke({"remove": ids}, context=IndexContext(index=str(index)))
    page = opened(written(folder, index), "#explore/graph")
    expect(page.page.locator("main")).to_contain_text("nothing to explore yet")


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_on_a_phone_the_map_is_as_wide_as_the_page_and_large(opened):
    page = opened("index", "#explore/communities")
    expect(page.part("graph").locator("[data-drawn]")).to_be_visible()
    box = page.part("graph").bounding_box()
    assert (box["x"], box["width"]) == (0, 390) and box["height"] > 320
    assert page.evaluate("document.documentElement.scrollWidth") == 390
