"""The hops layer of the index: questions, edges, restart, edits and deletions."""

from __future__ import annotations

import json
import re
from importlib import resources

import pytest
from http_stub import Response
from ragraphs.index.hops import stored_hops
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from ragraphs.views.status import describe
from stub_openai import failure

MODEL = "openai:stub"
BRIDGE = "The Forth Bridge was designed by Benjamin Baker. It opened in 1890."
ENGINEER = "Benjamin Baker was born in Frome in 1840."
TOWN = "Frome is a town in Somerset."


def documents(**texts):
    return [{"id": id, "title": id.title(), "text": text} for id, text in texts.items()]


ALL = documents(bridge=BRIDGE, engineer=ENGINEER, town=TOWN)


def layer_of(indexing):
    """Content of the layer, as it is exported."""
    lines = [json.loads(line) for line in indexing.export().splitlines()]
    return [line for line in lines if line["kind"] in {"questions", "hop"}]


def build(indexing, given=ALL, **context):
    return indexing.run(documents=given, context={"layers": ["hops"], **context})


def title_in(body):
    return re.search(r'title="(\w+)"', body["messages"][1]["content"])[1]


def questions(body):
    """A model that asks the same kind of question about every text."""
    title = title_in(body)
    known = {"Bridge": "Engineer", "Engineer": "Town", "Town": "Bridge"}
    return {
        "incoming": [f"What is {title}?", f"Where is {title}?"],
        "outgoing": [f"What is {known.get(title, 'Bridge')}?"],
    }


@pytest.fixture
def model(openai):
    openai.answer = questions
    return openai


@pytest.mark.slow
def test_an_edge_leads_from_what_a_passage_asks_to_the_passage_that_answers_it(indexing, model):
    build(indexing, model=MODEL)
    graph = stored_hops(indexing.index)
    titles = {p["id"]: p["title"] for p in indexing.index.catalogue.all_passages()}
    edges = {
        (titles[graph.ids[source]], titles[graph.ids[target]], graph.answered(edge))
        for edge, (source, target) in enumerate(
            zip(graph.edges.source, graph.edges.target, strict=True)
        )
    }
    assert edges == {
        ("Bridge", "Engineer", "What is Engineer?"),
        ("Engineer", "Town", "What is Town?"),
        ("Town", "Bridge", "What is Bridge?"),
    }


@pytest.mark.slow
def test_the_paper_s_bounds_on_questions_are_chosen_by_a_prompt_of_one_s_own(
    indexing, openai, tmp_path, monkeypatch
):
    words = resources.files("ragraphs.prompts").joinpath("write_questions.md").read_text("utf-8")
    own = words.replace("up to six", "at least two").replace("up to four", "at least four")
    assert own.count("at least") == 2
    (tmp_path / "write_questions.md").write_text(own, encoding="utf-8")
    monkeypatch.setenv("RAGRAPHS_PROMPTS", str(tmp_path))
    settings.cache_clear()
    many = {
        kind: [f"What of the {kind} {n}?" for n in range(40)] for kind in ("incoming", "outgoing")
    }
    openai.answer = lambda _: many
    build(indexing, ALL[:1], model=MODEL)
    assert '"outgoing": at least four' in openai.chats[0]["messages"][0]["content"]
    [(_, read)] = indexing.index.readings.values("questions")
    assert [len(read[kind]) for kind in many] == [40, 40]


@pytest.mark.slow
def test_one_request_for_each_passage_and_none_for_what_is_known(indexing, model):
    build(indexing, model=MODEL)
    assert len(model.chats) == 3
    build(indexing)
    assert len(model.chats) == 3


@pytest.mark.slow
def test_the_layer_keeps_its_model_until_another_is_named(indexing, model):
    build(indexing, model=MODEL)
    build(indexing, documents(bridge=BRIDGE, extra="A cantilever is a beam."))
    assert len(model.chats) == 4
    build(indexing, ALL, model="offline")
    assert describe(indexing.index)["reader"] == "offline"
    assert indexing.index.readings.missing("questions", "offline") == []
    assert len(model.chats) == 4


@pytest.mark.slow
def test_the_status_tells_edges_and_their_degree(indexing):
    build(indexing)
    told = describe(indexing.index)
    graph = stored_hops(indexing.index)
    assert told["hops"] == len(graph.edges.source) > 0
    assert told["hops_a_passage"] == round(told["hops"] / len(graph.ids), 2)
    assert told["most_hops"] >= told["hops_a_passage"]


@pytest.mark.slow
def test_every_distinct_question_has_a_vector_and_no_other(indexing):
    build(indexing)
    asked = {
        question
        for _, value in indexing.index.readings.values("questions")
        for question in (*value["incoming"], *value["outgoing"])
    }
    assert asked
    assert len(indexing.index.questions.ids()) == len(asked)


@pytest.mark.slow
def test_an_added_document_gives_the_same_as_a_rebuild(indexing, other):
    build(indexing, ALL[:2])
    build(indexing, ALL[2:])
    build(other)
    assert layer_of(indexing) == layer_of(other)


@pytest.mark.slow
def test_an_edited_document_gives_the_same_as_a_rebuild(indexing, other):
    edited = documents(engineer="Benjamin Baker was born in London.")
    build(indexing)
    build(indexing, edited)
    build(other, [ALL[2], *edited, ALL[0]])
    assert layer_of(indexing) == layer_of(other)


@pytest.mark.slow
def test_a_deleted_document_leaves_no_trace(indexing, other):
    build(indexing)
    indexing.run(remove=["town"])
    build(other, ALL[:2])
    assert layer_of(indexing) == layer_of(other)
    assert indexing.index.questions.ids() == other.index.questions.ids()
    assert "Somerset" not in indexing.export()


@pytest.mark.slow
def test_what_the_model_could_not_read_is_reported_and_asked_again(indexing, other, model):
    def often_failing(body):
        return failure(400, "no") if title_in(body) == "Town" else questions(body)

    model.answer = often_failing
    result = build(indexing, model=MODEL)
    assert [failed["path"] for failed in result["failures"]] == ["town, characters 0–28"]
    status = describe(indexing.index)
    assert status["unread_questions"] == 1
    assert status["failures"] == result["failures"]
    model.answer = questions
    asked = len(model.chats)
    result = indexing.run()
    assert len(model.chats) == asked + 1
    assert result["failures"] == [] == describe(indexing.index)["failures"]
    build(other, model=MODEL)
    assert layer_of(indexing) == layer_of(other)


@pytest.mark.slow
def test_a_model_that_does_not_reply_is_not_asked_for_every_passage(indexing, openai):
    openai.answer = lambda _: Response({}, 500)
    many = documents(**{f"d{number}": f"Text number {number}." for number in range(60)})
    context = {"model": MODEL, "max_retries": 0, "concurrency": 2}
    result = build(indexing, many, **context)
    assert len(openai.chats) < 20
    assert any("stopped replying" in warning for warning in result["warnings"])
    assert describe(indexing.index)["unread_questions"] == 60


@pytest.mark.slow
def test_a_model_that_finds_no_questions_is_told(indexing, openai):
    openai.answer = lambda _: {"incoming": [], "outgoing": []}
    result = build(indexing, model=MODEL)
    assert any("no questions in 3 of 3 passages" in warning for warning in result["warnings"])


@pytest.mark.slow
def test_a_dry_run_counts_the_replies_that_are_missing_and_changes_nothing(indexing, model):
    given = {"model": MODEL, "dry_run": True}
    new = build(indexing, **given)["plan"]
    assert new["missing_replies"] == 3
    assert new["reply_tokens"] > 300
    assert model.chats == []
    indexing.run(documents=ALL[:2], context={"layers": ["passages"]})
    old = build(indexing, **given)["plan"]
    assert old["missing_replies"] == 3
    assert indexing.index.catalogue.property("layers") == ["passages"]
    build(indexing, model=MODEL)
    assert build(indexing, **given)["plan"]["missing_replies"] == 0


@pytest.mark.slow
def test_a_dry_run_of_the_offline_reader_costs_nothing(indexing):
    plan = build(indexing, dry_run=True)["plan"]
    assert plan["missing_replies"] == plan["reply_tokens"] == 0


@pytest.mark.slow
def test_passages_with_the_same_title_and_text_share_one_vertex(indexing):
    twins = [{"id": id, "title": "Bridge", "text": BRIDGE} for id in ("one", "two")]
    build(indexing, [*twins, *ALL[1:]])
    graph = stored_hops(indexing.index)
    assert len(graph.ids) == 3
    assert len(graph.members) == 4
    assert (graph.edges.source != graph.edges.target).all()


@pytest.mark.slow
def test_an_index_of_one_passage_has_no_edges(indexing):
    build(indexing, ALL[:1])
    assert len(stored_hops(indexing.index).edges) == 0


def test_a_missing_layer_is_named_with_the_command_that_builds_it(indexing):
    indexing.run(documents=ALL)
    with pytest.raises(RagraphsError, match="ragraphs index --layers hops"):
        stored_hops(indexing.index)
