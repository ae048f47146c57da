"""How an answer was found: the picture of each method, and plans that a person changes."""

from __future__ import annotations

import re

import deeprag_support
import pytest
from deeprag_support import CHAIN, OLDER
from page_visit import expect
from ragraphs.server.page.files import FOLDER
from scripted_model import FACT, QUESTION

pytestmark = pytest.mark.slow
NUMBER = re.compile(r"^\d+\.\d+", re.MULTILINE)


def numbers(human: str) -> list[str]:
    """The numbers of all hops or relations that a prompt offers."""
    return NUMBER.findall(human)


@pytest.fixture
def following(script):
    """A model that follows every hop and every relation."""
    script.replies["HopLabels"] = lambda human: {"necessary": numbers(human), "indirect": []}
    script.replies["RelationScores"] = lambda human: {
        "scores": [{"id": id, "score": 1} for id in numbers(human)]
    }
    script.replies["Judgement"] = {"sufficient": False, "clue": "where he was born"}
    return script


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_a_basic_run_shows_the_passages_that_the_answer_does_not_cite(visit, modelled, script):
    page = visit(modelled)
    page.ask(QUESTION, "Basic")
    ranked = page.how().locator('[data-method="basic"] [data-part="ranked"]')
    expect(ranked.nth(2)).to_be_visible()
    expect(page.part("sources")).to_contain_text("Forth Bridge")
    expect(ranked.filter(has_text=FACT)).to_have_count(0)


def test_a_crag_run_shows_grades_verdict_and_strips(visit, modelled, script):
    page = visit(modelled)
    page.ask(QUESTION, "CRAG")
    picture = page.how().locator('[data-method="crag"]')
    expect(picture.locator('[data-part="verdict"]')).to_be_visible()
    expect(picture.locator('[data-part="grade"]').nth(3)).to_be_visible()
    expect(picture.locator(".strip", has_text=FACT).first).to_be_visible()


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_a_method_without_a_picture_of_its_own_shows_its_steps_and_passages(
    visit, modelled, script
):
    page = visit(modelled)
    without = (FOLDER / "found.js").read_text(encoding="utf-8").replace("crag: Crag, ", "")
    page.page.route(
        "**/found.js", lambda route: route.fulfill(body=without, content_type="text/javascript")
    )
    page.page.reload()
    page.ask(QUESTION, "CRAG")
    picture = page.how().locator('[data-method="crag"]')
    expect(picture.locator('[data-part="verdict"]')).to_have_count(0)
    expect(picture.locator('[data-part="step"]', has_text="grades")).to_contain_text("Forth Bridge")
    expect(picture.locator('[data-part="ranked"]').first).to_be_visible()


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_a_hoprag_run_shows_the_walk_by_its_questions(visit, modelled, following):
    page = visit(modelled)
    page.ask("Who was born in 1817 and designed a bridge?", "HopRAG")
    walk = page.how().locator('[data-method="hoprag"] .walk')
    expect(walk.locator(".walk-root")).to_contain_text("born in 1817")
    expect(walk.locator('[data-part="hop"] .hop-asks').first).to_contain_text("?")
    expect(walk).to_contain_text("John Fowler")


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_a_tog2_run_shows_triples_with_their_sentences(visit, modelled, following):
    page = visit(modelled)
    page.ask("Where did the designer of the Atomium study?", "ToG-2")
    triples = page.how().locator('[data-method="tog2"] [data-part="triple"]')
    expect(triples.first).to_be_visible()
    designed = triples.filter(has_text="Atomium").filter(has_text="André Waterkeyn").first
    expect(designed).to_contain_text("The Atomium was designed by André Waterkeyn.")
    designed.get_by_role("button").first.click()
    expect(page.part("reader").locator("mark")).to_contain_text("designed by André Waterkeyn")


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_a_deeprag_run_shows_its_steps_with_their_answers(visit, modelled):
    deeprag_support.Script(modelled.openai)
    page = visit(modelled)
    turn = page.ask(OLDER, "DeepRAG")
    expect(turn).to_contain_text("the Forth Bridge")
    steps = page.how().locator('[data-method="deeprag"] [data-part="step"]')
    for question, answer, _ in CHAIN:
        expect(steps.filter(has_text=question)).to_contain_text(answer)


def test_a_deeprag_tree_shows_its_branches_with_their_answers(visit, modelled):
    question = f"{OLDER} Asks a {visit.size}, as a tree."
    deeprag_support.Script(modelled.openai).splits[question] = [CHAIN[0][0], CHAIN[2][0]]
    page = visit(modelled)
    page.page.locator(".composer .menu > summary").click()
    page.page.get_by_role("checkbox", name=re.compile("tree")).check()
    page.page.keyboard.press("Escape")
    page.ask(question, "DeepRAG")
    branches = page.how().locator('[data-method="deeprag"] [data-part="branch"]')
    expect(branches.last).to_contain_text(CHAIN[2][0])
    for sub_question, answer in (CHAIN[0][:2], CHAIN[2][:2]):
        expect(branches.filter(has_text=sub_question).last).to_contain_text(answer)


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_an_agent_run_shows_its_searches_and_reads(visit, modelled, script):
    uses = [{"tool": "search_words", "query": "Waterkeyn"}, {"tool": "read", "query": "1"}]
    begun = {"from": [], "sufficient": False, "answer": "", "missing": ["Who?"], "next": uses}
    ended = {"from": [], "sufficient": False, "answer": "", "missing": ["Who?"], "next": []}
    script.replies["AgentTurn"] = lambda human: (
        ended if "search_words: Waterkeyn" in human else begun
    )
    page = visit(modelled)
    page.ask(QUESTION, "Agent")
    shown = page.how().locator('[data-method="agent"] [data-part="use"]')
    expect(shown.first).to_contain_text("Waterkeyn")
    expect(shown.first.get_by_role("button").first).to_be_visible()
    expect(shown).to_have_count(2)


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_a_graphrag_run_shows_the_points_with_their_reports(visit, modelled, script):
    page = visit(modelled)
    page.ask("What are these documents about as a whole?", "GraphRAG")
    picture = page.how().locator('[data-method="graphrag"]')
    expect(picture.locator('[data-part="point"]').first).to_contain_text(FACT)
    expect(picture.locator("a.from-report").first).to_be_visible()


def test_an_edited_plan_is_carried_out(visit, modelled):
    deeprag_support.Script(modelled.openai)
    page = visit(modelled)
    page.page.locator(".composer .menu > summary").click()
    page.page.get_by_role("checkbox", name=re.compile("plan")).check()
    page.page.keyboard.press("Escape")
    page.ask(f"{OLDER} Say so on a {visit.size}.", "DeepRAG")
    paused = page.part("paused")
    expect(paused.get_by_role("textbox")).to_have_value(CHAIN[0][0])
    paused.get_by_role("textbox").fill(CHAIN[2][0])
    paused.get_by_role("button", name="Go on").click()
    expect(paused.get_by_role("textbox")).to_have_value(CHAIN[1][0])
    paused.get_by_role("button", name="Don't").click()
    expect(page.part("turn").last).to_have_attribute("data-status", "answered")
    steps = page.how().locator('[data-part="step"]')
    expect(steps.filter(has_text=CHAIN[2][0])).to_contain_text("John Fowler")
    expect(steps.filter(has_text=CHAIN[0][0])).to_have_count(0)


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_edited_web_queries_are_sent_and_the_pages_shown(visit, modelled, script):
    said = "William Arrol built the Forth Bridge."
    modelled.web.pages = [("https://bridges.example/arrol", "Arrol", said)]
    script.replies["Grades"] = lambda human: (
        {"needed": ["1"], "related": []} if "Arrol" in human else {"needed": [], "related": []}
    )
    page = visit(modelled)
    page.ask(f"Who built the Forth Bridge, asks a {visit.size}?", "CRAG")
    paused = page.part("paused")
    expect(paused.get_by_role("textbox")).to_have_value("forth bridge designer")
    own = f"my own words on a {visit.size}"
    assert not {"forth bridge designer", own} & set(modelled.web.queries)
    paused.get_by_role("textbox").fill(own)
    paused.get_by_role("button", name="Go on").click()
    expect(page.part("turn")).to_have_attribute("data-status", "answered")
    assert modelled.web.queries[-1] == own
    expect(page.how().locator('[data-method="crag"]')).to_contain_text("bridges.example")
