"""Visits of the tests take turns in a context of the browser, and leave nothing there."""

from __future__ import annotations

import pytest
from page_visit import Visit

pytestmark = pytest.mark.slow
_KEPT = "localStorage.length + document.cookie.length"


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_a_visit_knows_nothing_of_the_one_before(contexts, searching, size):
    seen = []
    for _ in range(2):
        visit = Visit(contexts, searching.url, size)
        visit.page.goto(f"{searching.url}/live")
        seen.append(visit.page.context)
        assert visit.evaluate(_KEPT) == 0 and len(visit.page.context.pages) == 2
        visit.evaluate("localStorage.left = document.cookie = 'left=here'; open('/live')")
        visit.end()
    assert seen[0] is seen[1]


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_visits_at_the_same_time_know_nothing_of_each_other(contexts, searching, size):
    visits = [Visit(contexts, searching.url, size).open() for _ in range(2)]
    visits[0].evaluate("localStorage.left = 'here'")
    assert visits[1].evaluate("localStorage.left === undefined")
    for visit in visits:
        visit.end()
