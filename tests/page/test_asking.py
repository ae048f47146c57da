"""Asking on the page: answers with citations, follow-ups, stopping, and searching."""

from __future__ import annotations

import re
import threading

import pytest
from http_stub import Response
from page_site import KOREAN, PLACE, WHERE
from page_visit import expect
from scripted_model import FACT, QUESTION

pytestmark = pytest.mark.slow


def test_an_answer_is_followed_up_and_its_citation_opened_at_its_place(visit, modelled, script):
    page = visit(modelled)
    turn = page.ask(QUESTION, "Basic")
    expect(turn).to_have_attribute("data-status", "answered")
    expect(turn).to_contain_text(FACT)
    expect(turn.locator('[data-part="way"]')).to_have_text("Found by searching for words.")
    script.replies["StandAloneQuestion"] = {"question": WHERE}
    script.replies["Answer"] = lambda human: script.quoting(human, PLACE)
    turn = page.ask("And the one in the Alps?")
    expect(turn).to_contain_text(WHERE)
    page.press(turn.get_by_role("button", name=re.compile("^Source 1")))
    if page.size == "phone":
        expect(page.part("quote-box")).to_contain_text(PLACE)
        page.press(page.part("quote-box").get_by_role("button"))
    reader = page.part("reader")
    expect(reader.locator("mark")).to_have_text(PLACE)
    expect(reader.locator("mark")).to_be_in_viewport()
    page.page.keyboard.press("Escape")
    expect(reader).to_have_count(0)
    page.open()  # a conversation is kept by the browser
    expect(page.part("turn")).to_have_count(2)


def test_a_model_that_fails_is_told_before_what_was_found(visit, modelled, script):
    script.replies["Answer"] = lambda human: {"wrong": "form"}
    try:
        page = visit(modelled)
        turn = page.ask(f"What did a model fail to answer on a {page.size}?", "Basic")
        expect(turn).to_contain_text("There is no answer.")
        expect(turn).not_to_contain_text("The documents do not say.")
        [cause, found] = turn.locator(".warnings, .sources, .results").all()[:2]
        expect(cause).to_contain_text("was no use")
        assert cause.bounding_box()["y"] < found.bounding_box()["y"]
    finally:
        del script.replies["Answer"]


def test_a_run_is_stopped_and_asked_again(visit, modelled, script):
    question = f"Which bridge is the oldest, seen on a {visit.size}?"
    asked, stopped = threading.Event(), threading.Event()

    def waits(human):
        asked.set()
        stopped.wait(120)
        return Response({}, 500)  # nobody hears it

    script.replies["Answer"] = waits
    page = visit(modelled)
    page.page.clock.install()
    page.open()
    turn = page.ask(question, "Basic")
    assert asked.wait(60)
    expect(turn).to_have_attribute("data-status", "running")
    try:
        page.page.clock.fast_forward(20_000)
        expect(turn).to_contain_text(re.compile(r"at work… \d\d+ s"))
        page.page.get_by_role("button", name="Stop").click()
        expect(turn).to_have_attribute("data-status", "stopped")
        expect(turn).not_to_contain_text(FACT)
    finally:
        stopped.set()
        del script.replies["Answer"]
    turn.get_by_role("button", name="Ask again").click()
    expect(page.part("turn").last).to_have_attribute("data-status", "answered")


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_what_the_documents_do_not_say_is_shown_with_what_is_missing(visit, modelled, script):
    missing = ["When was it painted?"]
    script.replies["Answer"] = {
        "quotes": [], "sufficient": False, "answer": "", "missing": missing
    }  # fmt: skip
    page = visit(modelled)
    turn = page.ask("When was the Forth Bridge painted red?", "Basic")
    lacking = turn.locator('[data-part="lacking"]')
    expect(lacking).to_contain_text("The documents do not say")
    expect(lacking.get_by_role("button", name=missing[0])).to_be_visible()


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_a_failure_of_the_model_is_told_in_a_sentence(visit, modelled, script):
    script.replies["Answer"] = Response({"error": {"message": "broken"}}, 400)
    page = visit(modelled)
    turn = page.ask(f"Who paid for the bridges, on a {visit.size}?", "Basic")
    expect(turn.get_by_role("alert").or_(turn.locator('[data-part="lacking"]'))).to_be_visible()


def test_without_a_model_the_sentences_that_fit_are_marked(visit, searching):
    page = visit(searching)
    expect(page.part("overview")).to_contain_text("Bridges of the Alps")
    turn = page.ask(WHERE)
    results = turn.locator('[data-part="results"]')
    expect(results.locator("mark", has_text="Robert Maillart").first).to_be_visible()
    results.get_by_role("button", name=re.compile("other|more")).click()
    unmarked = results.locator("article:not(:has(mark))").first
    expect(unmarked.locator(".near")).to_have_text(re.compile("loosely related|distant"))
    results.get_by_role("button", name="Bridges of the Alps").first.click()
    expect(page.part("reader").locator("mark")).to_be_in_viewport()


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_documents_as_a_whole_begin_with_a_marked_sentence_and_are_not_said_to_be_near(
    visit, searching
):
    turn = visit(searching).ask("What are these documents about?")
    results = turn.locator('[data-part="results"]')
    expect(results.locator("article:has(mark)")).not_to_have_count(0)
    expect(results.locator(".near")).to_have_count(0)
    expect(turn).to_contain_text("nothing is summed up")


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_the_page_speaks_korean(visit, searching):
    page = visit(searching, locale="ko-KR")
    expect(page.page.locator("html")).to_have_attribute("lang", "ko")
    turn = page.ask("훈민정음은 언제 반포되었나?")
    expect(turn.locator("mark").first).to_contain_text("훈민정음을 반포하였다")
    expect(turn).to_contain_text(KOREAN)
    asked = turn.locator(".asked span[lang=ko]")
    expect(asked).to_have_css("word-break", "keep-all")
    asked.evaluate("(text) => (text.lang = 'ja')")
    expect(turn.locator(".asked span[lang=ja]")).to_have_css("word-break", "normal")
    if page.size == "phone":
        page.page.locator(".ways > summary").tap()
    page.page.get_by_role("button", name="English").click()
    expect(page.page.get_by_role("link", name="Documents")).to_be_visible()


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_by_keyboard_alone_a_question_is_asked_and_its_source_opened(visit, modelled, script):
    page = visit(modelled)
    keys = page.page.keyboard
    expect(page.page.locator("textarea")).to_be_focused()
    keys.type(QUESTION)
    keys.press("Enter")
    turn = page.part("turn")
    expect(turn).to_have_attribute("data-status", "answered")
    page.tab_to(".cite", back=True)
    expect(page.part("quote-box")).to_contain_text(FACT)
    keys.press("Enter")
    expect(page.part("reader").locator("mark")).to_have_text(FACT)
    for _ in range(12):  # the focus stays in the sheet
        keys.press("Tab")
        assert page.evaluate("Boolean(document.activeElement.closest('[role=dialog]'))")
    keys.press("Escape")
    expect(page.page.locator(":focus")).to_have_class("cite")


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_an_answer_is_printed_with_its_evidence_and_without_controls(visit, modelled, script):
    page = visit(modelled)
    page.evaluate("globalThis.print = () => { globalThis.printed = document.body.innerText }")
    expect(page.ask(QUESTION, "Basic")).to_contain_text(FACT)
    page.page.emulate_media(media="print")
    shown = page.page.locator("body")
    expect(shown).to_contain_text(QUESTION)
    expect(page.part("sources")).to_contain_text(FACT)
    for control in ("header.head", "textarea", ".rail", ".menu"):
        expect(page.page.locator(control).first).to_be_hidden()
    assert len(page.page.pdf()) > 5_000


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_an_index_that_others_change_is_looked_at_again_with_the_page(visit, searching):
    page = visit(searching)
    expect(page.page.locator(".size")).not_to_contain_text("4321")

    def grown(route):
        state = route.fetch().json()
        route.fulfill(json={**state, "documents": 4321, "files": 4321})

    page.page.route("**/page/state*", grown)
    page.evaluate("() => dispatchEvent(new Event('focus'))")
    expect(page.page.locator(".size")).to_contain_text("4,321")


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_the_frame_stands_before_the_scripts_have_come(visit, searching):
    page = visit(searching)
    expect(page.page.locator("header")).to_have_count(1)
    page.page.route("**/main.js", lambda route: route.abort())
    page.expects("main.js|ERR_FAILED")
    page.page.reload()
    expect(page.page.locator("header .brand")).to_be_visible()
