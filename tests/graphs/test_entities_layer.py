"""The entities layer of the index: reading, gleaning, restart, edits, deletions."""

from __future__ import annotations

import pytest
from entities_support import (
    ALL,
    ALL_TRIPLES,
    MODEL,
    asked,
    build,
    documents,
    layer_of,
    names_of,
    prompt_of,
    reading_calls,
    reply,
    rows_of,
    title_in,
    triples_of,
    vector_texts,
)
from http_stub import Response
from ragraphs.index.layers import ENTITIES
from ragraphs.index.vectors import owner_of
from ragraphs.language.mentions import key, normalised
from ragraphs.state.errors import RagraphsError
from ragraphs.views.graphml import DrawnEdge, DrawnNode
from ragraphs.views.passage_graph import _as_entities, drawn_index
from ragraphs.views.status import describe
from stub_openai import failure


@pytest.fixture
def model(openai):
    openai.answer = reply
    return openai


@pytest.mark.slow
def test_entities_of_all_passages_become_one_graph(indexing, model):
    build(indexing, model=MODEL)
    assert triples_of(indexing) == ALL_TRIPLES
    baker = indexing.index.entities.named(["benjamin baker"])["benjamin baker"]
    assert len(indexing.index.entities.passages_of(baker)[baker[0]]) == 2
    assert indexing.index.entities.get(baker)[baker[0]].description == "All of Benjamin Baker."


@pytest.mark.slow
def test_both_layers_together_cost_one_request_for_each_passage(indexing, model):
    build(indexing, layers=["hops", "entities"], model=MODEL)
    assert reading_calls(model) == ["read_passage"] * 3
    assert triples_of(indexing) == ALL_TRIPLES
    assert indexing.index.readings.count("questions") == 3
    build(indexing, layers=["hops", "entities"], model=MODEL)
    assert len(reading_calls(model)) == 3


@pytest.mark.slow
def test_a_layer_added_later_asks_only_for_what_it_lacks(indexing, model):
    build(indexing, layers=["hops"], model=MODEL)
    build(indexing, layers=["entities"])
    assert reading_calls(model) == ["write_questions"] * 3 + ["extract_facts"] * 3


@pytest.mark.slow
def test_a_model_that_cannot_write_one_long_reply_is_asked_for_two_short_ones(indexing, model):
    model.answer = lambda body: "no" if prompt_of(body) == "read_passage" else reply(body)
    result = build(indexing, ALL[:1], layers=["hops", "entities"], model=MODEL)
    assert result["failures"] == []
    assert names_of(indexing) == ["Benjamin Baker", "Forth Bridge"]
    assert indexing.index.readings.count("questions") == 1


@pytest.mark.slow
def test_gleaning_goes_on_as_long_as_the_model_says_that_something_was_missed(indexing, model):
    missed = {"Bridge": ["John Fowler", "Tancred Arrol"], "Engineer": ["Butler"]}

    def answer(body):
        prompt, title = prompt_of(body), title_in(body)
        if prompt == "glean_check":
            return {"missed": any(n not in str(body) for n in missed.get(title, []))}
        if prompt == "glean":
            name = next(n for n in missed[title] if n not in str(body))
            return {"entities": [{"name": name, "type": "person"}], "relations": [], "claims": []}
        return reply(body)

    model.answer = answer
    build(indexing, model=MODEL, gleanings=5)
    assert {"John Fowler", "Tancred Arrol", "Butler"} <= set(names_of(indexing))
    # Bridge is asked yes, yes, no; Engineer yes, no; Town no.
    assert len(asked(model, "glean_check")) == 6
    assert len(asked(model, "glean")) == 3


@pytest.mark.slow
def test_gleaning_ends_after_its_rounds(indexing, model):
    model.answer = lambda body: (
        {"missed": True} if prompt_of(body) == "glean_check" else reply(body)
    )
    build(indexing, ALL[:1], model=MODEL, gleanings=2)
    assert len(asked(model, "glean_check")) <= 2
    assert len(asked(model, "glean")) <= 2


@pytest.mark.slow
def test_a_useless_reply_of_gleaning_keeps_what_was_found_and_is_told(indexing, model):
    model.answer = lambda body: "what?" if prompt_of(body) == "glean_check" else reply(body)
    result = build(indexing, model=MODEL, gleanings=1)
    assert triples_of(indexing) == ALL_TRIPLES
    assert any("missed entities" in warning for warning in result["warnings"])


@pytest.mark.slow
@pytest.mark.parametrize("layers", [["entities"], ["hops", "entities"]])
def test_what_the_model_could_not_read_is_reported_and_asked_again(indexing, other, model, layers):
    model.answer = lambda body: failure(400, "no") if title_in(body) == "Town" else reply(body)
    result = build(indexing, layers=layers, model=MODEL)
    assert [failed["path"] for failed in result["failures"]] == ["town, characters 0–28"]
    status = describe(indexing.index)
    assert status["unread_facts"] == 1
    assert status["failures"] == result["failures"]
    model.answer = reply
    before = len(reading_calls(model))
    result = indexing.run()
    assert len(reading_calls(model)) == before + 1
    assert result["failures"] == [] == describe(indexing.index)["failures"]
    build(other, layers=layers, model=MODEL)
    assert layer_of(indexing) == layer_of(other)


@pytest.mark.slow
def test_a_model_that_does_not_reply_is_not_asked_for_every_passage(indexing, openai):
    openai.answer = lambda _: Response({}, 500)
    many = documents(**{f"d{number}": f"Text number {number}." for number in range(60)})
    result = build(indexing, many, model=MODEL, max_retries=0, concurrency=2)
    assert len(openai.chats) < 20
    assert any("stopped replying" in warning for warning in result["warnings"])
    assert describe(indexing.index)["unread_facts"] == 60


@pytest.mark.slow
def test_good_parts_of_a_malformed_reply_are_kept(indexing, model):
    broken = {
        "entities": [{"name": "Frome", "type": None}, 7, {"type": "place"}],
        "relations": [["Frome", "is in", "Somerset"], {"source": "Frome"}, "?"],
        "claims": "none",
    }
    model.answer = lambda body: broken if prompt_of(body) == "extract_facts" else reply(body)
    result = build(indexing, ALL[2:], model=MODEL)
    assert names_of(indexing) == ["Frome", "Somerset"]
    assert triples_of(indexing) == {("Frome", "is in", "Somerset")}
    assert result["failures"] == []
    assert result["warnings"]


@pytest.mark.slow
def test_a_model_that_finds_no_entities_is_told(indexing, openai):
    openai.answer = lambda _: {"entities": [], "relations": [], "claims": []}
    result = build(indexing, model=MODEL)
    assert any("no entities in 3 of 3 passages" in warning for warning in result["warnings"])


@pytest.mark.slow
def test_settings_that_decide_replies_are_kept_until_others_are_named(indexing, model):
    build(indexing, model=MODEL, entity_types=["ship", "harbour"])
    assert all("ship, harbour" in str(body) for body in asked(model, "extract_facts"))
    build(indexing, [*ALL, *documents(more="Frome has a port.")])
    assert len(asked(model, "extract_facts")) == 4
    assert "ship, harbour" in str(asked(model, "extract_facts")[-1])
    build(indexing, claims=True)
    assert len(asked(model, "extract_facts")) == 8
    assert "List claims as well" in str(asked(model, "extract_facts")[-1])
    build(indexing, claims=False)
    assert len(asked(model, "extract_facts")) == 8


@pytest.mark.slow
def test_claims_are_kept_with_their_entities(indexing, model):
    claim = {
        "subject": "Forth Bridge",
        "object": "Benjamin Baker",
        "type": "award",
        "status": "true",
        "description": "It is a world heritage site.",
        "quote": "It opened in 1890.",
        "start_date": "1890",
        "end_date": "",
    }

    def answer(body):
        found = reply(body)
        return {**found, "claims": [claim]} if prompt_of(body) == "extract_facts" else found

    model.answer = answer
    build(indexing, ALL[:1], model=MODEL, claims=True)
    store = indexing.index.entities
    (bridge,) = store.named(["forth bridge"])["forth bridge"]
    (found,) = store.claims_of([bridge])
    assert found.claim["quote"] == claim["quote"]
    assert store.get([found.object])[found.object].name == "Benjamin Baker"


@pytest.mark.slow
def test_every_entity_has_one_vector_that_leads_to_it(indexing):
    build(indexing)
    ids = {entity.id for entity in indexing.index.entities.all_entities()}
    vectors = indexing.index.vectors.ids("entities")
    assert {owner_of(id) for id in vectors} == ids
    assert len(vectors) == len(ids) > 0


@pytest.mark.slow
def test_an_added_document_gives_the_same_as_a_rebuild(indexing, other):
    build(indexing, ALL[:2])
    build(indexing, ALL[2:])
    build(other)
    assert layer_of(indexing) == layer_of(other)
    assert vector_texts(indexing) == vector_texts(other)


@pytest.mark.slow
def test_an_edited_document_gives_the_same_as_a_rebuild(indexing, other):
    edited = documents(engineer="Benjamin Baker was born in London.")
    build(indexing)
    build(indexing, edited)
    build(other, [ALL[2], *edited, ALL[0]])
    assert layer_of(indexing) == layer_of(other)
    assert sorted(rows_of(indexing).splitlines()) == sorted(rows_of(other).splitlines())
    assert vector_texts(indexing) == vector_texts(other)


@pytest.mark.slow
def test_a_deleted_document_leaves_no_trace(indexing, other):
    build(indexing)
    assert "Somerset" in rows_of(indexing)
    indexing.run(remove=["town"])
    build(other, ALL[:2])
    assert layer_of(indexing) == layer_of(other)
    assert "Somerset" not in rows_of(indexing) + indexing.export()
    assert not any("Somerset" in text for text in vector_texts(indexing))
    assert indexing.index.vectors.ids("entities") == other.index.vectors.ids("entities")


@pytest.mark.slow
def test_nothing_is_merged_anew_when_nothing_changed(indexing, monkeypatch):
    build(indexing)
    replaced = []
    monkeypatch.setattr(type(indexing.index.entities), "replace", replaced.append)
    build(indexing)
    assert replaced == []


@pytest.mark.slow
def test_a_run_that_was_stopped_before_merging_is_completed_by_the_next(
    indexing, other, monkeypatch
):
    def stop(*_):
        raise RagraphsError("stopped")

    with monkeypatch.context() as patch, pytest.raises(RagraphsError, match="stopped"):
        patch.setattr("ragraphs.index.resolution.Merging", stop)
        build(indexing)
    indexing.run()
    build(other)
    assert layer_of(indexing) == layer_of(other)


@pytest.mark.slow
def test_a_dry_run_counts_the_requests_that_are_missing(indexing, model):
    def missing(given=ALL, layers=("hops", "entities"), **context):
        context = {"model": MODEL, "dry_run": True, **context}
        plan = build(indexing, given, layers, **context)["plan"]
        return plan["missing_replies"], plan["reply_tokens"]

    requests, tokens = missing()
    names = 1  # the request that says which names are one thing
    assert requests == 3 + names and tokens > 300
    assert missing(gleanings=2)[0] == 6 + names
    assert missing(layers=["entities"])[0] == 3 + names
    assert missing(layers=["hops"])[0] == 3
    assert model.chats == []
    build(indexing, layers=["hops"], model=MODEL)
    assert missing()[0] == 3 + names
    build(indexing, model=MODEL)
    assert missing() == (0, 0)
    assert missing(claims=True)[0] == 3 + names


def test_korean_documents_give_korean_entities(indexing):
    text = "세종대왕은 1443년에 훈민정음을 창제하였다. 세종대왕은 한양에서 태어났다."
    build(indexing, [{"id": "sejong", "title": "세종대왕", "text": text}])
    names = names_of(indexing)
    assert "세종대왕" in names
    assert "훈민정음" in names
    store = indexing.index.entities
    (sejong,) = store.named([normalised("세종대왕")])[normalised("세종대왕")]
    assert "창제" in store.get([sejong])[sejong].description


@pytest.mark.slow
def test_entities_relations_and_mentions_are_drawn(indexing, model):
    build(indexing, model=MODEL)
    graph = drawn_index(indexing.index)
    entities = {node.label: node for node in graph.nodes if node.kind == "entity"}
    assert entities["Benjamin Baker"].attributes == {"type": "person", "aliases": "Benjamin Baker"}
    assert entities["Benjamin Baker"].text == "All of Benjamin Baker."
    relations = [edge for edge in graph.edges if edge.kind == "relation"]
    assert {edge.label for edge in relations} == {triple[1] for triple in ALL_TRIPLES}
    assert all(0 < edge.weight <= 1 for edge in relations)
    assert sum(edge.kind == "mention" for edge in graph.edges) == 6
    assert graph.directed


@pytest.mark.slow
def test_a_name_that_an_entity_bears_is_drawn_once_as_the_entity(indexing, model):
    build(indexing, layers=["sentences", "entities"], model=MODEL)
    graph = drawn_index(indexing.index)
    labels = {node.id: node.label for node in graph.nodes}
    drawn = [key(node.label) for node in graph.nodes if node.kind != "passage"]
    assert len(drawn) == len(set(drawn))
    assert {"benjamin baker", "frome"} <= set(drawn)
    assert all({edge.source, edge.target} <= labels.keys() for edge in graph.edges)
    baker = [edge.source for edge in graph.edges if labels[edge.target] == "Benjamin Baker"]
    assert {"Bridge", "Engineer"} <= {labels[source] for source in baker}


def test_a_name_that_several_entities_bear_is_kept_for_passages_that_mention_none_of_them():
    name = DrawnNode("name:ghost", "ghost", "name")
    known = DrawnEdge("1", "past", "mentions", kind="mention")
    named = [DrawnEdge(passage, name.id, kind="mention") for passage in "123"]
    bearers = {name.id: {"past", "present"}}
    assert _as_entities([name], named, bearers, [known]) == ([name], [known, *named[1:]])
    assert _as_entities([name], named[:2], bearers, [known]) == ([], [known])


@pytest.mark.slow
def test_a_missing_layer_is_named_with_the_command_that_builds_it(indexing):
    indexing.run(documents=ALL)
    with pytest.raises(RagraphsError, match="ragraphs index --layers entities"):
        ENTITIES.stamp(indexing.index)
