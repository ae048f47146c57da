"""The entities layer of the index: reading, merging, corrections, restart, edits and deletions."""

from __future__ import annotations

import json
import re

import pytest
from http_stub import Response
from ragraphs.algorithms.entity_aliases import normalised
from ragraphs.context import IndexContext, settings
from ragraphs.graphs.index import graph as index_graph
from ragraphs.nodes.drawing import drawn_index
from ragraphs.nodes.entities_layer import entities_stamp, entity_of
from ragraphs.nodes.entity_lookup import correct
from ragraphs.nodes.status import describe
from ragraphs.state.errors import RagraphsError
from ragraphs.stores import schema
from sqlalchemy import select
from stub_openai import failure

MODEL = "openai:stub"
TEXTS = {
    "bridge": "The Forth Bridge was designed by Benjamin Baker. It opened in 1890.",
    "engineer": "Benjamin Baker was born in Frome in 1840.",
    "town": "Frome is a town in Somerset.",
}
FACTS = {
    "Bridge": [("Forth Bridge", "was designed by", "Benjamin Baker")],
    "Engineer": [("Benjamin Baker", "was born in", "Frome")],
    "Town": [("Frome", "is a town in", "Somerset")],
}
TYPES = {"Benjamin Baker": "person", "Forth Bridge": "work"}


def documents(**texts):
    return [{"id": id, "title": id.title(), "text": text} for id, text in texts.items()]


ALL = documents(**TEXTS)


def prompt_of(body):
    """Which of the prompts a request renders."""
    human = body["messages"][1]["content"]
    for name, sign in {
        "read_passage": "Write the questions, entities",
        "extract_facts": "List the entities",
        "glean_check": "Was an entity missed",
        "glean": "List what was missed",
        "write_questions": "Write both lists",
        "summarise_description": "Write the one description",
    }.items():
        if sign in human:
            return name
    raise AssertionError(human)


def title_in(body):
    return re.search(r'title="([^"]+)"', body["messages"][1]["content"])[1]


def facts_of(triples, said_in=""):
    names = dict.fromkeys(name for source, _, target in triples for name in (source, target))
    return {
        "entities": [
            {"name": name, "type": TYPES.get(name, "place"), "description": f"{name}{said_in}."}
            for name in names
        ],
        "relations": [
            {"source": source, "relation": relation, "target": target, "strength": 5}
            for source, relation, target in triples
        ],
        "claims": [],
    }


def reply(body):
    """A model that reads every passage well."""
    prompt, title = prompt_of(body), title_in(body)
    questions = {"incoming": [f"What is {title}?"], "outgoing": [f"Who made {title}?"]}
    if prompt == "write_questions":
        return questions
    if prompt == "summarise_description":
        return {"description": f"All of {title}."}
    if prompt == "glean_check":
        return {"missed": False}
    facts = facts_of(FACTS.get(title, []), f" in {title}")
    return {**questions, **facts} if prompt == "read_passage" else facts


@pytest.fixture
def model(openai):
    openai.answer = reply
    return openai


@pytest.fixture
def other(tmp_path, indexing):
    """A second index beside the first."""
    return type(indexing)(tmp_path, "other")


def build(indexing, given=ALL, layers=("entities",), **context):
    return indexing.run(documents=given, context={"layers": list(layers), **context})


def asked(model, *prompts):
    return [body for body in model.chats if prompt_of(body) in prompts]


def reading_calls(model):
    return [prompt_of(b) for b in model.chats if prompt_of(b) != "summarise_description"]


def layer_of(indexing):
    """What the layer holds, as it is exported."""
    lines = [json.loads(line) for line in indexing.export().splitlines()]
    return [line for line in lines if line["kind"] in {"facts", "entity", "relation"}]


def triples_of(indexing):
    store = indexing.index.entities
    names = {entity.id: entity.name for entity in store.all_entities()}
    return {(names[one.source], one.relation, names[one.target]) for one in store.all_relations()}


def names_of(indexing):
    return sorted(entity.name for entity in indexing.index.entities.all_entities())


def rows_of(indexing):
    """Every row of every table that is made of the facts, as one text."""
    with indexing.index.entities._engine.connect() as connection:
        return "\n".join(
            str(tuple(row))
            for name in (
                "entities descriptions aliases entity_passages mentions relations "
                "relation_passages claims merges readings"
            ).split()
            for row in connection.execute(select(schema.metadata.tables[name]))
        )


def vector_texts(indexing):
    with indexing.index.vectors._opened("entities") as store:
        return sorted(store.get(include=["documents"])["documents"])


ALL_TRIPLES = {triple for triples in FACTS.values() for triple in triples}


def test_entities_of_all_passages_become_one_graph(indexing, model):
    build(indexing, model=MODEL)
    assert triples_of(indexing) == ALL_TRIPLES
    baker = indexing.index.entities.named(["benjamin baker"])["benjamin baker"]
    assert len(indexing.index.entities.passages_of(baker)[baker[0]]) == 2
    assert indexing.index.entities.get(baker)[baker[0]].description == "All of Benjamin Baker."


def test_both_layers_together_cost_one_request_for_each_passage(indexing, model):
    build(indexing, layers=["hops", "entities"], model=MODEL)
    assert reading_calls(model) == ["read_passage"] * 3
    assert triples_of(indexing) == ALL_TRIPLES
    assert indexing.index.readings.count("questions") == 3
    build(indexing, layers=["hops", "entities"], model=MODEL)
    assert len(reading_calls(model)) == 3


def test_without_joint_reading_the_layers_cost_two_requests_for_each_passage(indexing, model):
    build(indexing, layers=["hops", "entities"], model=MODEL, joint=False)
    assert sorted(reading_calls(model)) == ["extract_facts"] * 3 + ["write_questions"] * 3
    assert triples_of(indexing) == ALL_TRIPLES


def test_a_layer_added_later_asks_only_for_what_it_lacks(indexing, model):
    build(indexing, layers=["hops"], model=MODEL)
    build(indexing, layers=["entities"])
    assert reading_calls(model) == ["write_questions"] * 3 + ["extract_facts"] * 3


def test_a_model_that_cannot_write_one_long_reply_is_asked_for_two_short_ones(indexing, model):
    model.answer = lambda body: "no" if prompt_of(body) == "read_passage" else reply(body)
    result = build(indexing, ALL[:1], layers=["hops", "entities"], model=MODEL)
    assert result["failures"] == []
    assert names_of(indexing) == ["Benjamin Baker", "Forth Bridge"]
    assert indexing.index.readings.count("questions") == 1


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


def test_gleaning_ends_after_its_rounds(indexing, model):
    model.answer = lambda body: (
        {"missed": True} if prompt_of(body) == "glean_check" else reply(body)
    )
    build(indexing, ALL[:1], model=MODEL, gleanings=2)
    assert len(asked(model, "glean_check")) <= 2
    assert len(asked(model, "glean")) <= 2


def test_a_useless_reply_of_gleaning_keeps_what_was_found_and_is_told(indexing, model):
    model.answer = lambda body: "what?" if prompt_of(body) == "glean_check" else reply(body)
    result = build(indexing, model=MODEL, gleanings=1)
    assert triples_of(indexing) == ALL_TRIPLES
    assert any("missed entities" in warning for warning in result["warnings"])


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


def test_a_model_that_does_not_reply_is_not_asked_for_every_passage(indexing, openai):
    openai.answer = lambda _: Response({}, 500)
    many = documents(**{f"d{number}": f"Text number {number}." for number in range(60)})
    result = build(indexing, many, model=MODEL, max_retries=0, concurrency=2)
    assert len(openai.chats) < 20
    assert any("stopped replying" in warning for warning in result["warnings"])
    assert describe(indexing.index)["unread_facts"] == 60


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


def test_a_model_that_finds_no_entities_is_told(indexing, openai):
    openai.answer = lambda _: {"entities": [], "relations": [], "claims": []}
    result = build(indexing, model=MODEL)
    assert any("no entities in 3 of 3 passages" in warning for warning in result["warnings"])


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


def test_only_entities_with_several_descriptions_are_summarised(indexing, model):
    build(indexing, model=MODEL)
    summarised = {title_in(body) for body in asked(model, "summarise_description")}
    assert summarised == {"Benjamin Baker", "Frome"}


def test_an_update_pays_only_for_descriptions_that_changed(indexing, model):
    build(indexing, model=MODEL)
    before = len(asked(model, "summarise_description"))
    FACTS["Annex"] = [("Frome", "lies near", "Bath")]
    try:
        build(indexing, documents(annex="Frome lies near Bath."))
    finally:
        del FACTS["Annex"]
    later = asked(model, "summarise_description")[before:]
    assert [title_in(body) for body in later] == ["Frome"]


def test_descriptions_that_could_not_be_summarised_are_told_and_asked_for_again(indexing, model):
    model.answer = lambda body: (
        failure(400, "no") if prompt_of(body) == "summarise_description" else reply(body)
    )
    result = build(indexing, model=MODEL)
    assert any("no summary of the descriptions of 2" in warning for warning in result["warnings"])
    assert len(indexing.index.entities.undescribed()) == 2
    assert "Benjamin Baker: Benjamin Baker in Bridge." in vector_texts(indexing)
    model.answer = reply
    assert indexing.run()["warnings"] == []
    assert indexing.index.entities.undescribed() == {}
    assert "Benjamin Baker: All of Benjamin Baker." in vector_texts(indexing)
    assert len(vector_texts(indexing)) == indexing.index.entities.counts()["entities"]


def test_every_entity_has_one_vector_that_leads_to_it(indexing):
    build(indexing)
    ids = {entity.id for entity in indexing.index.entities.all_entities()}
    vectors = indexing.index.vectors.ids("entities")
    assert {entity_of(id) for id in vectors} == ids
    assert len(vectors) == len(ids) > 0


def test_an_added_document_gives_the_same_as_a_rebuild(indexing, other):
    build(indexing, ALL[:2])
    build(indexing, ALL[2:])
    build(other)
    assert layer_of(indexing) == layer_of(other)
    assert vector_texts(indexing) == vector_texts(other)


def test_an_edited_document_gives_the_same_as_a_rebuild(indexing, other):
    edited = documents(engineer="Benjamin Baker was born in London.")
    build(indexing)
    build(indexing, edited)
    build(other, [ALL[2], *edited, ALL[0]])
    assert layer_of(indexing) == layer_of(other)
    assert sorted(rows_of(indexing).splitlines()) == sorted(rows_of(other).splitlines())
    assert vector_texts(indexing) == vector_texts(other)


def test_a_deleted_document_leaves_no_trace(indexing, other):
    build(indexing)
    assert "Somerset" in rows_of(indexing)
    indexing.run(remove=["town"])
    build(other, ALL[:2])
    assert layer_of(indexing) == layer_of(other)
    assert "Somerset" not in rows_of(indexing) + indexing.export()
    assert not any("Somerset" in text for text in vector_texts(indexing))
    assert indexing.index.vectors.ids("entities") == other.index.vectors.ids("entities")


def test_nothing_is_merged_anew_when_nothing_changed(indexing, monkeypatch):
    build(indexing)
    replaced = []
    monkeypatch.setattr(type(indexing.index.entities), "replace", replaced.append)
    build(indexing)
    assert replaced == []


def test_a_run_that_was_stopped_before_merging_is_completed_by_the_next(
    indexing, other, monkeypatch
):
    def stop(*_):
        raise RuntimeError("stopped")

    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="stopped"):
        patch.setattr("ragraphs.nodes.entities_layer.merge_facts", stop)
        build(indexing)
    indexing.run()
    build(other)
    assert layer_of(indexing) == layer_of(other)


def entities_called(indexing, *names):
    found = indexing.index.entities.named(map(normalised, names))
    return {id for ids in found.values() for id in ids}


def test_a_correction_survives_a_rebuild_and_is_undone_by_its_opposite(indexing):
    build(indexing)
    before = layer_of(indexing)
    correct(indexing.context(), "merge", "Somerset", "Frome")
    assert len(entities_called(indexing, "Somerset", "Frome")) == 1
    build(indexing, documents(more="Frome has a market."))
    assert len(entities_called(indexing, "Somerset", "Frome")) == 1
    assert [merge.reason for merge in indexing.index.entities.merges()] == ["correction"]
    indexing.run(remove=["more"])
    correct(indexing.context(), "split", "frome", "somerset")
    assert len(entities_called(indexing, "Somerset", "Frome")) == 2
    assert layer_of(indexing) == before
    assert len(indexing.index.entities.corrections()) == 1


def test_a_correction_by_ids_takes_the_place_of_one_by_names(indexing):
    build(indexing)
    correct(indexing.context(), "merge", "Somerset", "Frome")
    (merge,) = indexing.index.entities.merges()
    correct(indexing.context(), "split", merge.merged_id, merge.kept_id)
    assert len(entities_called(indexing, "Somerset", "Frome")) == 2
    ids = sorted(entities_called(indexing, "Somerset", "Frome"))
    correct(indexing.context(), "merge", *ids)
    assert len(entities_called(indexing, "Somerset", "Frome")) == 1
    assert len(indexing.index.entities.corrections()) == 1


@pytest.mark.parametrize(
    ("action", "a", "b", "words"),
    [
        ("merge", "Nobody", "Frome", "no entity 'Nobody'"),
        ("merge", "Frome", "frome", "the same name"),
        ("split", "Frome", "Somerset", "two entities already"),
    ],
)
def test_a_correction_that_means_nothing_is_refused(indexing, action, a, b, words):
    build(indexing)
    with pytest.raises(RagraphsError, match=words):
        correct(indexing.context(), action, a, b)
    assert indexing.index.entities.corrections() == []


def write_lines(indexing, *lines):
    file = indexing.folder / "triples.jsonl"
    file.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines))
    return str(file)


def import_lines(indexing, *lines, **given):
    return indexing.run(triples=[write_lines(indexing, *lines)], **given)


BAKER = {"passage": "engineer", "triples": [["Benjamin Baker", "was born in", "Frome"]]}


def test_imported_triples_turn_the_layer_on_and_are_never_read_again(indexing, model):
    result = import_lines(
        indexing,
        BAKER,
        {"passage": "town", "entities": ["Frome"], "triples": [["Frome", "is in", "Somerset"]]},
        documents=ALL,
        context={"model": MODEL},
    )
    assert result["failures"] == []
    assert "entities" in result["layers"]
    assert [title_in(body) for body in asked(model, "extract_facts")] == ["Bridge"]
    assert ("Frome", "is in", "Somerset") in triples_of(indexing)
    calls = len(model.chats)
    indexing.run(context={"model": MODEL, "entity_types": ["ship"]})
    assert [title_in(body) for body in asked(model, "extract_facts")] == ["Bridge", "Bridge"]
    build(indexing, documents(town="Frome is a town in England."))
    assert title_in(asked(model, "extract_facts")[-1]) == "Town"
    assert len(model.chats) > calls


def test_other_triples_take_the_place_of_those_imported_before(indexing):
    import_lines(indexing, BAKER, documents=ALL[1:2])
    assert triples_of(indexing) == {("Benjamin Baker", "was born in", "Frome")}
    line = {"passage": "engineer", "entities": [{"name": "Frome", "type": "place"}], "triples": []}
    import_lines(indexing, line)
    assert triples_of(indexing) == set()
    assert names_of(indexing) == ["Frome"]


def test_a_line_names_the_end_of_a_documents_id_and_triples_may_be_objects(indexing):
    line = {"passage": "2", "triples": [{"subject": "Row", "predicate": "is", "object": "second"}]}
    result = import_lines(indexing, line, sources=[str(indexing.folder / "docs" / "rows.jsonl")])
    assert result["failures"] == []
    assert triples_of(indexing) >= {("Row", "is", "second")}


def test_lines_that_cannot_be_imported_are_failures_with_their_number(indexing):
    result = import_lines(
        indexing,
        BAKER,
        "not json",
        {"passage": "nowhere", "triples": []},
        {"triples": []},
        [1],
        {"passage": "town"},
        {"passage": "bridge", "entities": ["Forth Bridge", 3.5, {}], "triples": [["a", "b"]]},
        documents=ALL,
    )
    assert [failed["path"] for failed in result["failures"]] == [
        f"triples.jsonl, line {number}" for number in (2, 3, 4, 5, 6, 7)
    ]
    assert "There is no document 'nowhere'" in result["failures"][1]["reason"]
    assert "cannot be read" in result["failures"][-1]["reason"]
    assert "Forth Bridge" in names_of(indexing)


def test_triples_of_a_long_document_go_to_the_passages_that_name_them(indexing):
    filler = "The river was calm and nothing happened for many years in that quiet place. " * 3
    text = f"Ann Lee met Bob Ray. {filler}\n\nBob Ray left Rome. {filler}"
    line = {
        "passage": "long",
        "triples": [["Ann Lee", "met", "Bob Ray"], ["Bob Ray", "left", "Rome"]],
    }
    result = import_lines(
        indexing, line, documents=documents(long=text), context={"chunk_tokens": 60}
    )
    assert result["passage_count"] > 1
    found = {
        relation["source"]: passage
        for passage, facts in indexing.index.readings.values("facts")
        for relation in facts["relations"]
    }
    texts = {p["id"]: p["text"] for p in indexing.index.catalogue.all_passages()}
    assert "Ann Lee met" in texts[found["Ann Lee"]]
    assert "left Rome" in texts[found["Bob Ray"]]
    assert indexing.index.readings.missing("facts", "offline") == []


def test_a_file_of_triples_must_be_one(indexing):
    with pytest.raises(RagraphsError, match=r"\.jsonl"):
        indexing.run("docs/rows.jsonl", triples=[str(indexing.folder / "docs" / "forth.txt")])


def test_a_dry_run_counts_the_requests_that_are_missing(indexing, model):
    def missing(given=ALL, layers=("hops", "entities"), **context):
        context = {"model": MODEL, "dry_run": True, **context}
        plan = build(indexing, given, layers, **context)["plan"]
        return plan["missing_replies"], plan["reply_tokens"]

    joint, tokens = missing()
    apart, more = missing(joint=False)
    assert (joint, apart) == (3, 6)
    assert 300 < tokens < more
    assert missing(gleanings=2)[0] == 6
    assert missing(layers=["entities"])[0] == 3
    assert model.chats == []
    build(indexing, layers=["hops"], model=MODEL)
    assert missing()[0] == 3
    build(indexing, model=MODEL)
    assert missing() == (0, 0)
    assert missing(claims=True)[0] == 3


def test_a_dry_run_does_not_count_what_is_imported(indexing, model):
    result = import_lines(indexing, BAKER, documents=ALL, context={"model": MODEL, "dry_run": True})
    assert result["plan"]["missing_replies"] == 2
    assert not (indexing.folder / ".ragraphs").exists()


def test_korean_documents_give_korean_entities(indexing):
    text = "세종대왕은 1443년에 훈민정음을 창제하였다. 세종대왕은 한양에서 태어났다."
    build(indexing, [{"id": "sejong", "title": "세종대왕", "text": text}])
    names = names_of(indexing)
    assert "세종대왕" in names
    assert "훈민정음" in names
    store = indexing.index.entities
    (sejong,) = store.named([normalised("세종대왕")])[normalised("세종대왕")]
    assert "창제" in store.get([sejong])[sejong].description


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


def test_a_missing_layer_is_named_with_the_command_that_builds_it(indexing):
    indexing.run(documents=ALL)
    with pytest.raises(RagraphsError, match="ragraphs index --layers entities"):
        entities_stamp(indexing.index)


def test_a_name_that_several_documents_may_have_is_a_failure(indexing):
    twins = [{"id": f"{folder}/one", "title": "One", "text": "Ann met Bob."} for folder in "ab"]
    ambiguous = {"passage": "one", "triples": [["Ann", "met", "Bob"]]}
    result = import_lines(indexing, ambiguous, {**ambiguous, "passage": "a/one"}, documents=twins)
    assert [failed["path"] for failed in result["failures"]] == ["triples.jsonl, line 1"]
    assert "may be any of a/one, b/one" in result["failures"][0]["reason"]
    assert ("Ann", "met", "Bob") in triples_of(indexing)


def test_a_server_reads_triples_only_below_its_root(indexing, monkeypatch):
    root = indexing.folder / "root"
    root.mkdir()
    outside = write_lines(indexing, BAKER)
    (root / "link.jsonl").symlink_to(outside)
    monkeypatch.setenv("RAGRAPHS_ROOT", str(root))
    settings.cache_clear()
    context = IndexContext(index="notes", embeddings="lexical")
    for name in (outside, "../triples.jsonl", "link.jsonl"):
        with pytest.raises(RagraphsError, match=r"outside|link"):
            index_graph.invoke({"documents": ALL, "triples": [name]}, context=context)
    (root / "own.jsonl").write_text(json.dumps(BAKER))
    result = index_graph.invoke({"documents": ALL, "triples": ["own.jsonl"]}, context=context)
    assert result["failures"] == []
    settings.cache_clear()
