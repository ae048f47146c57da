"""Results of evaluations on the page: their list, each kind of plot, and the figures as tables."""

from __future__ import annotations

import json
from typing import Any

import pytest
from page_plots import METHODS, PLOTS, keep_results
from page_site import IMAGE, Site
from page_visit import SIZE_AND_COLOURS, expect

pytestmark = pytest.mark.slow
# How far the page, the card and the plots reach beyond the room that each has.
_BEYOND = """() => ["html", "main > section:not([hidden])", ".half-card", ".plot", ".plot-box"]
  .flatMap((part) => [...document.querySelectorAll(part)])
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className)"""
_ROWS = """table => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent))"""


@pytest.fixture(scope="module")
def measured(searching: Site) -> Site:
    """A server whose index has results."""
    keep_results(searching.root / "bridges")
    return searching


def table_of(plot: Any) -> Any:
    """The rows of the table below a plot, which is opened."""
    plot.locator("summary").click()
    return plot.locator("table").evaluate(_ROWS)


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_an_index_without_results_shows_no_place_for_them(visit, modelled):
    page = visit(modelled, "#evaluations")
    expect(page.part("overview")).to_be_visible()
    expect(page.page.get_by_role("link", name="Results")).to_have_count(0)


@SIZE_AND_COLOURS
def test_a_result_is_chosen_by_the_keyboard_and_every_plot_is_drawn(visit, measured, colours):
    page = visit(measured, "#ask", color_scheme=colours)
    page.tab_to('a[href="#evaluations"]')
    page.page.keyboard.press("Enter")
    listed = page.part("evaluation-list").get_by_role("link")
    expect(listed).to_have_count(2)
    expect(listed.first).to_contain_text("compare")
    expect(listed.first).to_contain_text("5 plots")
    page.tab_to('[data-part="evaluation-list"] a')
    page.page.keyboard.press("Enter")
    plots = page.part("plot")
    expect(plots).to_have_count(5)
    assert page.evaluate("location.hash").startswith("#evaluations/compare-")
    expect(plots.get_by_role("img")).to_have_count(5)
    kinds = [plot.get_attribute("data-kind") for plot in plots.all()]
    assert kinds == ["bars", "bars", "matrix", "curves", "curves"]
    marks = [plots.nth(n).locator(".mark, .cell, .plot-point .plot-sign") for n in range(4)]
    for found, count in zip(marks, (8, 1, 12, 4), strict=True):
        expect(found).to_have_count(count)
    expect(plots.nth(4).locator("svg[role=img] .curve")).to_have_count(2)
    expect(plots.nth(0).locator(".interval")).to_have_count(8)
    expect(plots.nth(3)).to_contain_text("tokens a question (logarithmic)")
    for text in ("GraphRAG global", "39.1%"):
        expect(plots.nth(0)).to_contain_text(text)
    assert page.evaluate(_BEYOND) == []
    assert page.violations() == []


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_the_tables_have_the_figures_of_the_plots_and_a_file_has_all(visit, measured):
    page = visit(measured, "#evaluations")
    plots = page.part("plot")
    expect(plots).to_have_count(5)
    shares, prices, wins, costs, _ = [table_of(plot) for plot in plots.all()]
    assert shares[0] == ["Group", "Name", "Value", "Interval"]
    assert shares[2] == ["basic", "F1", "43%", "38% – 48%"]
    assert [row[0] for row in shares[1::2]] == list(METHODS)
    dollars = [["basic", "$0.000834"], ["CRAG", "not measured"]]
    assert [row[1:] for row in prices[1:]] == dollars
    assert wins[0] == ["", *METHODS]
    assert wins[1] == ["basic", "not measured", "62.5%", "75%", "87.5%"]
    assert costs[4] == ["GraphRAG global", "181,250", "39.1%", "34.1% – 44.1%"]
    assert page.violations() == []
    with page.page.expect_download() as got:
        page.page.get_by_role("link", name="All figures").click()
    assert json.loads(got.value.path().read_text(encoding="utf-8")) == {"f1": METHODS}
    assert got.value.suggested_filename.startswith("compare-")


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_in_korean_the_page_says_all_in_korean(visit, measured):
    page = visit(measured, "#evaluations", locale="ko-KR")
    expect(page.page.get_by_role("link", name="평가", exact=True)).to_be_visible()
    page.press(page.part("evaluation-list").get_by_role("link").first)
    expect(page.part("plot").first).to_contain_text("오차 막대는 95 % 구간입니다.")
    assert table_of(page.part("plot").nth(1))[2][2] == "측정하지 않음"
    page.press(page.page.get_by_role("link", name="← 모든 결과"))
    expect(page.part("evaluation-list")).to_be_visible()
    assert page.evaluate(_BEYOND) == []


def test_hostile_names_run_nothing_and_break_no_layout(visit, measured):
    page = visit(measured, "#evaluations")
    page.press(page.part("evaluation-list").get_by_role("link").nth(1))
    plots = page.part("plot")
    expect(plots.first).to_contain_text(IMAGE)
    expect(plots.first.locator(".mark")).to_have_count(60)
    expect(plots.nth(1).locator(".cell")).to_have_count(144)
    expect(plots.nth(2).locator("svg[role=img] .curve")).to_have_count(14)
    expect(plots.nth(3)).to_contain_text("Nothing was measured.")
    for plot in plots.all():
        plot.locator("summary").click()
    assert page.evaluate("document.querySelectorAll('.plot img, .plot script').length") == 0
    assert page.evaluate(_BEYOND) == []
    assert page.violations() == []


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_a_result_that_is_not_there_is_said_beside_the_list(visit, measured):
    page = visit(measured)
    page.expects("status of 4")
    page.open("#evaluations/gone")
    expect(page.page.get_by_role("alert")).to_contain_text("There is no result 'gone'")
    expect(page.part("evaluation-list").get_by_role("link")).to_have_count(2)
    page.part("evaluation-list").get_by_role("link").first.click()
    expect(page.part("plot")).to_have_count(len(PLOTS))


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_on_paper_there_are_plots_and_nothing_to_press(visit, measured):
    page = visit(measured, "#evaluations", color_scheme="dark")
    expect(page.part("plot")).to_have_count(5)
    page.page.emulate_media(media="print")
    for hidden in (".head", ".half-list", ".evaluation .button", ".figures"):
        expect(page.page.locator(hidden).first).to_be_hidden()
    card = page.page.locator(".half-card")
    assert card.evaluate("one => one.scrollHeight <= one.clientHeight + 1")
    expect(page.part("plot").last).to_be_visible()
