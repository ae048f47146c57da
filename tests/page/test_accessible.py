"""What axe-core says of each view, in both colours: nothing serious."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from page_visit import expect
from scripted_model import FACT, QUESTION

VIEWS = {
    "#documents": "document-list",
    "#explore/communities": "community-list",
    "#explore/entities": "entity-list",
    "#explore/passages": "passage",
    "#explore/graph": "node-list",
}


def serious(page) -> list[str]:
    """The serious violations on the page, each with the elements that it is of."""
    found = Axe().run(page.page).response["violations"]
    return [
        f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("colours", ["light", "dark"])
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
        found[fragment] = serious(page)
    assert not any(found.values()), found


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_an_answer_its_way_and_its_source_can_be_used_by_all(visit, modelled, script, colours):
    page = visit(modelled, color_scheme=colours)
    found = {"welcome": serious(page)}
    expect(page.ask(QUESTION, "CRAG")).to_contain_text(FACT)
    page.how()
    found["answer"] = serious(page)
    page.part("sources").get_by_role("button").first.click()
    expect(page.part("reader").locator("mark")).to_be_visible()
    found["reader"] = serious(page)
    page.page.keyboard.press("Escape")
    page.page.locator(".menu > summary").click()
    found["menu"] = serious(page)
    assert not any(found.values()), found
