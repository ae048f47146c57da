"""Exploring on the page: communities, entities and their correction, passages, the graph."""

from __future__ import annotations

import re
from itertools import product

import pytest
from page_site import KOREAN
from page_visit import expect

pytestmark = pytest.mark.slow
OPENED = "aria-expanded", "true"


def test_communities_are_walked_from_the_map_to_a_sentence(visit, searching):
    page = visit(searching, "#explore/communities")
    expect(page.part("graph").locator("canvas").first).to_be_visible()
    listed = page.part("community-list")
    listed.get_by_role("link", name=re.compile("Fowler")).click()
    report = page.part("report")
    expect(report).to_contain_text("Fowler")
    report.locator(".findings").get_by_role("button").first.click()
    expect(page.part("reader").locator("mark")).to_contain_text("Fowler")
    page.page.keyboard.press("Escape")
    page.page.get_by_role("link", name="Whole map").click()
    expect(listed).to_be_visible()


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_a_circle_of_the_map_is_chosen_by_a_click_and_zoomed_into(visit, searching):
    page = visit(searching, "#explore/communities")
    canvas = page.part("graph").locator(".graph-canvas")
    expect(canvas.locator("canvas").first).to_be_visible()
    box = canvas.bounding_box()
    for across in range(1, 20):  # somewhere on this line there is a circle
        x, y = box["x"] + box["width"] * across / 20, box["y"] + box["height"] / 2
        page.page.mouse.click(x, y)
        if page.evaluate("location.hash") != "#explore/communities":  # a click is heard at once
            break
    expect(page.part("report").or_(page.part("entity"))).to_be_visible()


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_a_node_of_the_graph_is_chosen_by_a_click_and_zoomed_to(visit, searching):
    page = visit(searching, "#explore/graph")
    drawing = page.part("graph").locator(".graph-canvas")
    expect(drawing).to_have_attribute("data-drawn", re.compile("^[1-9]"))
    drawn = int(drawing.get_attribute("data-drawn"))
    expect(page.part("node-list").get_by_role("button")).to_have_count(drawn)
    box = drawing.bounding_box()
    places = product(range(20, int(box["height"]), 12), range(20, int(box["width"]), 12))
    for down, across in places:
        page.page.mouse.click(box["x"] + across, box["y"] + down)
        if page.evaluate("Boolean(document.querySelector('[data-part=node]'))"):
            break
    expect(page.part("node")).to_be_visible()
    expect(page.part("node-list").locator("[aria-pressed=true]")).to_have_attribute(*OPENED)
    before = page.drawn()
    page.page.get_by_role("button", name="Zoom in").click()
    assert page.drawn() != before
    page.page.get_by_role("button", name="Show everything").click()
    expect(page.part("node-list").locator("[aria-pressed=true]")).to_have_count(1)


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
@pytest.mark.parametrize(
    ("view", "listed", "shown"),
    [("communities", "community-list", "report"), ("graph", "node-list", "node")],
)
def test_keys_move_zoom_and_leave_a_drawing(visit, searching, view, listed, shown):
    page = visit(searching, f"#explore/{view}")
    press, drawn = page.page.keyboard.press, page.drawn
    page.part(listed).locator("a, button").first.click()
    expect(page.part(shown)).to_be_visible()
    if view == "graph":  # the neighbours of the node come with a reply, and move the others
        chosen = page.part(listed).locator("[aria-pressed=true]")
        expect(chosen).to_have_attribute(*OPENED)
    page.tab_to(".graph-canvas", back=True)
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    press("0")
    whole = drawn()
    press("+")
    near = drawn()
    press("ArrowRight")
    beside = drawn()
    assert len({whole, near, beside}) == 3
    press("ArrowLeft")
    assert drawn() == near
    press("Control+ArrowRight")
    assert drawn() == near
    press("-")
    press("0")
    assert drawn() == whole
    press("Escape")
    expect(page.part(shown)).to_have_count(0)
    expect(page.part("graph").locator(".graph-canvas")).to_be_focused()


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_entities_are_merged_and_the_merge_is_undone(visit, searching):
    page = visit(searching, "#explore/entities")
    search = page.page.get_by_role("searchbox", name="Search entities")
    search.fill("Mons")
    page.part("entity-list").get_by_role("link", name=re.compile("Mons")).click()
    card = page.part("entity")
    expect(card).to_contain_text("André Waterkeyn")
    card.get_by_role("searchbox").fill("Sheffield")
    card.get_by_role("button", name="Merge Sheffield into Mons").click()
    expect(page.part("outcome")).to_contain_text("one entity now")
    expect(card).to_contain_text("Sheffield")
    page.part("outcome").get_by_role("button", name="Undo").click()
    expect(page.part("outcome")).to_contain_text("withdrawn")
    page.open("#explore/entities")
    search.fill("Sheffield")
    listed = page.part("entity-list").get_by_role("link", name=re.compile("^Sheffield"))
    expect(listed).to_be_visible()


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_a_relation_of_an_entity_leads_to_its_sentence(visit, searching):
    page = visit(searching, "#explore/entities")
    page.part("entity-list").get_by_role("link", name=re.compile("^John Fowler")).click()
    relations = page.part("relations")
    relations.get_by_role("button", name=re.compile("designed by John Fowler")).click()
    expect(page.part("reader").locator("mark")).to_contain_text("designed by John Fowler")


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_exact_words_come_first_among_passages(visit, searching):
    page = visit(searching, "#explore/passages")
    page.page.get_by_role("searchbox").fill("stands in brussels")
    expect(page.part("passage").first.locator("mark")).to_have_text("stands in Brussels")
    page.part("passage").first.get_by_role("link").click()
    expect(page.part("node")).to_contain_text("The Atomium was designed")


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_texts_are_marked_with_their_language(visit, searching):
    page = visit(searching, "#explore/passages")
    for words, language in ((KOREAN, "ko"), ("Atomium", None)):
        page.page.get_by_role("searchbox").fill(words)
        row = page.part("passage").filter(has_text=words).first
        expect(row).to_be_visible()
        for part in (row.locator(".passage-title"), row.locator(".passage-text")):
            assert part.get_attribute("lang") == language
        row.get_by_role("button").click()
        text = page.part("reader").locator(".document-text")
        expect(text).to_contain_text(words)
        assert text.get_attribute("lang") == language
        page.page.keyboard.press("Escape")
    page.open("#ask")
    turn = page.ask("훈민정음은 언제 반포되었나?")
    for part in (".asked [lang=ko]", ".result h3 [lang=ko]", ".result-text[lang=ko]"):
        expect(turn.locator(part).first).to_be_visible()


def test_the_graph_is_walked_from_node_to_node(visit, searching):
    page = visit(searching, "#explore/graph")
    nodes = page.part("node-list")
    nodes.get_by_role("button", name=re.compile("John Fowler")).click()
    chosen = page.part("node").locator("h2")
    expect(chosen).to_have_text("John Fowler")
    expect(nodes.locator("[aria-expanded=true]")).to_have_count(1)
    page.part("node").locator(".edge").filter(has_text="The Forth Bridge was").first.click()
    expect(chosen).to_contain_text("The Forth Bridge was")
    expect(nodes.locator("[aria-expanded=true]")).to_have_count(2)


LABEL = """async () => {
  const { draw } = await import('/page/static/map_canvas.js');
  const written = [];
  const own = {
    canvas: { width: 400 }, fillText: (text, x, y) => written.push([text, y]),
    measureText: (text) => ({ width: 7 * text.length }),
  };
  const get = (known, name) => known[name] ?? (() => {});
  const context = new Proxy(own, { get, set: () => true });
  const circle = { id: 'c', x: 0, y: 0, r: 80, label: 'Ulm, Lampenhaus', colour: 0 };
  const dots = [-50, 0, 50].map((x) => ({ id: `${x}`, label: '', x, y: 0, at: 0, colour: 0 }));
  const scene = {
    circles: [circle], dots, byColour: [dots], inside: [], across: [],
    known: new Map([['c', circle]]),
  };
  const ink = { kinds: ['red'], fills: ['pink'], font: 'sans-serif' };
  draw(context, scene, { x: 200, y: 200, zoom: 1, width: 400, height: 400 }, ink, {});
  return written.filter(([text]) => text);
}"""


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_the_title_of_a_circle_stands_over_none_of_its_entities(visit, searching):
    page = visit(searching, "#explore/communities")
    written = page.evaluate(LABEL, None)
    assert " ".join(text for text, _ in written) == "Ulm, Lampenhaus"
    assert all(abs(y - 200) > 12 for _, y in written)


NAMES = """async () => {
  const { draw } = await import('/page/static/map_canvas.js');
  const written = [];
  const own = {
    canvas: { width: 200 }, fillText: (text, x, y) => written.push([text, x, y]),
    measureText: (text) => ({ width: 7 * text.length }),
  };
  const get = (known, name) => known[name] ?? (() => {});
  const context = new Proxy(own, { get, set: () => true });
  const names = [['Kettle Band', 12], ['Peter', 60], ['Hilde', 95], ['Ann Okafor', 188]];
  const dots = names.map(([label, x]) => ({ id: label, label, x, y: 60, at: 0, colour: 0 }));
  const scene = { circles: [], dots, byColour: [dots], inside: [], across: [], known: new Map() };
  const ink = { kinds: ['red'], fills: ['pink'], font: 'sans-serif' };
  draw(context, scene, { x: 0, y: 0, zoom: 1.2, width: 240, height: 300 }, ink, {});
  return written.map(([text, x, y]) => [text, x - 3.5 * text.length, x + 3.5 * text.length, y]);
}"""


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_names_on_the_map_touch_neither_each_other_nor_the_edge(visit, searching):
    page = visit(searching, "#explore/communities")
    written = page.evaluate(NAMES, None)
    assert [text for text, *_ in written] == ["Kettle Band", "Peter", "Hilde", "Ann Okafor"]
    assert all(left >= 0 and right <= 240 for _, left, right, _ in written)
    pairs = [(a, b) for a in written for b in written if a[0] < b[0] and abs(a[3] - b[3]) < 11]
    assert all(a[2] + 4 < b[1] or b[2] + 4 < a[1] for a, b in pairs)


AROUND = """async (count) => {
  const { spread } = await import('/page/static/graph_layout.js');
  const around = Array.from({ length: count }, (_, at) => ({ id: `n${at}` }));
  const edges = around.map(({ id }) => ({ source: 'hub', target: id }));
  const places = new Map();
  spread([{ id: 'hub' }, ...around], edges, places);
  const all = [...places.values()];
  const away = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
  return Math.min(...all.flatMap((a) => all.filter((b) => b !== a).map((b) => away(a, b))));
}"""


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_many_neighbours_of_one_node_leave_room_for_their_names(visit, searching):
    page = visit(searching)
    assert page.evaluate(AROUND, 20) > 120
