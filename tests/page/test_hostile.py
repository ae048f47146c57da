"""Markup and script in titles, names, reports, texts and answers: shown as text, and never run."""

from __future__ import annotations

import re

import pytest
from page_site import IMAGE, LINK, SCRIPT, HostileReader
from page_visit import expect

pytestmark = pytest.mark.slow
# Goes to a place, and ends when the page has drawn what is there.
_GO = """place => new Promise((done) => {
  addEventListener("hashchange", () => setTimeout(done), {once: true});
  location.hash = place;
})"""


@pytest.fixture
def hostile(visit, modelled):
    """The page on an index of markup, with a model that answers in markup."""
    HostileReader(modelled.openai)
    page = visit(modelled)
    page.choose_index("hostile")
    return page


def is_plain(page) -> None:
    """Asserts that there is no element and no address of a document's making."""
    assert (
        page.evaluate("document.querySelectorAll('main img, main script, main iframe').length") == 0
    )
    assert page.evaluate("[...document.links].every((a) => !/^javascript:/i.test(a.href))")
    assert page.evaluate("document.querySelectorAll('[onerror]').length") == 0


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_answers_and_documents(hostile):
    page = hostile
    turn = page.ask("Who built the tower?", "Basic")
    expect(turn).to_contain_text(f"{IMAGE} {SCRIPT} [here]({LINK})")
    is_plain(page)
    turn.locator(".source").first.click()
    expect(page.part("reader")).to_contain_text("tower")
    is_plain(page)
    page.open("#documents")
    expect(page.part("document-list")).to_contain_text(IMAGE)
    is_plain(page)


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_communities_entities_passages_and_graph(hostile):
    page = hostile
    page.open("#explore/communities")
    page.part("community-list").get_by_role("link").first.click()
    expect(page.part("report")).to_contain_text(SCRIPT)
    is_plain(page)
    page.open("#explore/entities")
    page.part("entity-list").get_by_role("link", name=re.compile("^Tower")).first.click()
    expect(page.part("entity")).to_contain_text("built by <img src=x")
    is_plain(page)
    page.open("#explore/passages")
    page.page.get_by_role("searchbox").fill("<script>")
    found = page.part("passage").filter(has_text="was built by")  # the other one is so called
    expect(found.locator("mark").first).to_have_text("<script>")
    is_plain(page)
    page.open("#explore/graph")
    page.part("node-list").get_by_role("button").first.click()
    expect(page.part("node")).to_be_visible()
    is_plain(page)


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
@pytest.mark.parametrize("fragment", [f"#explore/entities/{IMAGE}", f"#{SCRIPT}", f"#{LINK}"])
def test_addresses(visit, searching, fragment):
    page = visit(searching)
    page.expects("status of 4")  # an entity that is not there
    page.evaluate(_GO, fragment)
    if "entities" in fragment:
        expect(page.page.get_by_role("alert").first).to_be_visible()
    is_plain(page)
