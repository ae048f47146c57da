"""Findings of axe-core in each view, in both colours: nothing serious."""

from __future__ import annotations

import pytest
from page_visit import SIZE_AND_COLOURS, expect
from scripted_model import FACT, QUESTION

pytestmark = pytest.mark.slow
VIEWS = {
    "#documents": "document-list",
    "#explore/communities": "community-list",
    "#explore/entities": "entity-list",
    "#explore/passages": "passage",
    "#explore/graph": "node-list",
}


@SIZE_AND_COLOURS
def test_every_view_of_an_index_can_be_used_by_all(visit, searching, colours):
    page = visit(searching, color_scheme=colours)
    found = {}
    for fragment, part in VIEWS.items():
        page.open(fragment)
        expect(page.part(part).first).to_be_visible()
        if part == "community-list":
            page.part(part).get_by_role("link").first.click()
            expect(page.part("report")).to_be_visible()
        if part == "entity-list":
            page.part(part).get_by_role("link").first.click()
            expect(page.part("entity")).to_be_visible()
        found[fragment] = page.violations()
    assert not any(found.values()), found


@SIZE_AND_COLOURS
def test_an_answer_its_way_and_its_source_can_be_used_by_all(visit, modelled, script, colours):
    page = visit(modelled, color_scheme=colours)
    found = {"welcome": page.violations()}
    expect(page.ask(QUESTION, "CRAG")).to_contain_text(FACT)
    page.how()
    found["answer"] = page.violations()
    page.part("sources").get_by_role("button").first.click()
    expect(page.part("reader").locator("mark")).to_be_visible()
    found["reader"] = page.violations()
    page.page.keyboard.press("Escape")
    expect(page.part("reader")).to_have_count(0)
    page.page.locator(".composer .menu > summary").click()
    expect(page.page.locator(".composer .menu-sheet")).to_be_visible()
    found["menu"] = page.violations()
    assert not any(found.values()), found
