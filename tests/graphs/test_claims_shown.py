"""Claims keep their status and dates wherever they are shown or sent to a model."""

from __future__ import annotations

import pytest
from communities_support import MODEL, NAMES, Script, clustered
from ragraphs.cli.show import entities_in_full
from ragraphs.context import GraphragContext
from ragraphs.graphs.graphrag import graph
from ragraphs.views.entities import looked_up
from ragraphs.views.entity_card import entity_card
from ragraphs.views.status import export_lines

ACCUSED = NAMES[0]
STOLEN = f"{ACCUSED} stole the silver of the abbey"
REFUTED = f"Claim (false, 1901): {STOLEN}."
ABOUT = {"question": f"Did {ACCUSED} steal the silver of the abbey?"}
CLAIM = {
    "subject": ACCUSED,
    "object": "",
    "type": "accusation",
    "status": "false",
    "description": f"{STOLEN}.",
    "quote": "",
    "start_date": "1901",
    "end_date": "",
}


@pytest.fixture
def model(openai):
    """A model that reads the refuted claim in the passage of the accused."""
    script = Script(openai)
    script.answers["Facts"] = lambda human: {
        **script.facts(human),
        "claims": [CLAIM] if f'title="{ACCUSED}"' in human else [],
    }
    return script


def build(indexing, given=None, layer="communities"):
    context = {"layers": [layer], "claims": True, "model": MODEL}
    indexing.run(documents=given or clustered(20), context=context)


def ask(indexing, **chosen):
    fields = {"index": indexing.name, "model": MODEL, "max_retries": 0, **chosen}
    return graph.invoke(ABOUT, context=GraphragContext(**fields))


def assert_refuted(text):
    """The claim stands in ``text``, and nowhere without its status and date."""
    assert text.count(STOLEN) == text.count(REFUTED) > 0, text


@pytest.mark.slow
@pytest.mark.parametrize(("search", "kind"), [("local", "Answer"), ("drift", "LocalAnswer")])
def test_a_refuted_claim_is_sent_as_refuted(indexing, model, search, kind):
    model.answers["CommunityReport"] = {
        "title": "A circle", "summary": "People.", "rating": 5, "findings": [],
    }  # fmt: skip
    build(indexing)
    ask(indexing, search=search, top_k=1)
    for human in model.of(kind):
        assert_refuted(human.split("Main question")[0])
    assert model.of(kind)


@pytest.mark.slow
def test_a_statement_that_is_made_anyway_does_not_displace_its_refutation(indexing, model):
    told = {"statement": f"{STOLEN} in May.", "evidence": ["1"]}
    model.answers["CommunityReport"] = {
        "title": "A circle", "summary": "People.", "rating": 5, "findings": [told],
    }  # fmt: skip
    described = f"{ACCUSED} stole the silver of the abbey, they claim, in false rumours of 1901."
    read = model.answers["Facts"]
    model.answers["Facts"] = lambda human: {
        **read(human),
        "entities": [{"name": ACCUSED, "type": "person", "description": described}],
    }
    build(indexing)
    ask(indexing, search="local", top_k=1)
    assert REFUTED in model.of("Answer")[-1]


@pytest.mark.slow
def test_a_model_that_reports_is_told_the_status(indexing, model):
    build(indexing)
    lines = [human for human in model.of("CommunityReport") if STOLEN in human]
    assert lines
    for human in lines:
        assert_refuted(human)


@pytest.mark.slow
def test_a_report_that_no_model_writes_keeps_the_status(indexing, model):
    pair = {"id": "pair", "title": ACCUSED, "text": f"{ACCUSED} knows {NAMES[1]}."}
    build(indexing, [pair])
    assert model.of("CommunityReport") == []
    (community,) = indexing.index.communities.all()
    assert_refuted(str(community.report))
    shown = ask(indexing, search="global", model="offline")
    assert_refuted("\n".join(point["text"] for point in shown["points"]))


@pytest.mark.slow
def test_an_entity_s_card_tells_the_status(indexing, model):
    build(indexing, layer="entities")
    ((entity,),) = indexing.index.entities.named([ACCUSED.lower()]).values()
    (claim,) = entity_card(indexing.index, entity)["claims"]
    assert claim["told"] == REFUTED
    assert (claim["status"], claim["start_date"]) == ("false", "1901")


@pytest.mark.slow
def test_the_command_line_tells_the_status(indexing, model, capsys):
    build(indexing, layer="entities")
    entities_in_full(looked_up(indexing.index, ACCUSED))
    assert_refuted(" ".join(capsys.readouterr().out.split()))


def test_an_export_has_the_status_beside_the_description(indexing, model):
    build(indexing, layer="entities")
    lines = [line for line in export_lines(indexing.index) if STOLEN in line]
    assert lines and all('"status": "false"' in line for line in lines)
