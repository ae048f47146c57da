"""Entities and triples that were found elsewhere, and imported."""

from __future__ import annotations

import json

import pytest
from entities_support import (
    ALL,
    MODEL,
    asked,
    build,
    documents,
    names_of,
    reply,
    title_in,
    triples_of,
)
from ragraphs.context import IndexContext, Tog2Context
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.tog2 import graph as tog2_graph
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError


@pytest.fixture
def model(openai):
    openai.answer = reply
    return openai


def write_lines(indexing, *lines):
    file = indexing.folder / "triples.jsonl"
    file.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines))
    return str(file)


def import_lines(indexing, *lines, **given):
    return indexing.run(triples=[write_lines(indexing, *lines)], **given)


BAKER = {"passage": "engineer", "triples": [["Benjamin Baker", "was born in", "Frome"]]}


@pytest.mark.slow
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


@pytest.mark.slow
def test_other_triples_take_the_place_of_those_imported_before(indexing):
    import_lines(indexing, BAKER, documents=ALL[1:2])
    assert triples_of(indexing) == {("Benjamin Baker", "was born in", "Frome")}
    line = {"passage": "engineer", "entities": [{"name": "Frome", "type": "place"}], "triples": []}
    import_lines(indexing, line)
    assert triples_of(indexing) == set()
    assert names_of(indexing) == ["Frome"]


@pytest.mark.slow
def test_a_line_names_the_end_of_a_documents_id_and_triples_may_be_objects(indexing):
    line = {"passage": "2", "triples": [{"subject": "Row", "predicate": "is", "object": "second"}]}
    result = import_lines(indexing, line, sources=[str(indexing.folder / "docs" / "rows.jsonl")])
    assert result["failures"] == []
    assert triples_of(indexing) >= {("Row", "is", "second")}


@pytest.mark.slow
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


GRAPH = [
    {"entities": [{"name": "Kestrel Works", "type": "company", "aliases": ["KW", "The Works"]}]},
    {"triples": [["Kestrel Works", "was founded by", "Ada Quill"]]},
    {"triples": [["Ada Quill", "was born in", "Bergen"], ["Bergen", "is in", "Norway"]]},
]


@pytest.mark.slow
def test_a_graph_without_documents_is_loaded_and_walked(indexing):
    result = import_lines(indexing, *GRAPH)
    assert (result["failures"], result["document_count"]) == ([], 3)
    assert triples_of(indexing) >= {("Kestrel Works", "was founded by", "Ada Quill")}
    for name in ("Kestrel Works", "KW", "The Works"):
        question = {"question": f"Where was the founder of {name} born?"}
        walked = tog2_graph.invoke(question, context=Tog2Context(index=indexing.name))
        assert [topic["name"] for topic in walked["topics"]] == ["Kestrel Works"]
        told = {triple["sentence"] for path in walked["paths"] for triple in path["triples"]}
        assert "Kestrel Works was founded by Ada Quill." in told
        assert "Ada Quill was born in Bergen." in told


@pytest.mark.slow
def test_cards_of_entities_that_left_the_graph_go(indexing):
    import_lines(indexing, *GRAPH, documents=ALL[:1])
    import_lines(indexing, {"triples": [["Kestrel Works", "was founded by", "Bo Lind"]]})
    ids = {row["id"] for row in indexing.index.catalogue.documents()}
    assert ids == {"bridge", "triples.jsonl#Kestrel Works"}
    assert "Ada Quill" not in names_of(indexing) and "Bo Lind" in names_of(indexing)


@pytest.mark.slow
def test_no_card_goes_for_a_line_that_cannot_be_read(indexing):
    import_lines(indexing, *GRAPH)
    before = names_of(indexing)
    result = import_lines(indexing, GRAPH[0], '{"triples": [["Ada')
    assert len(result["failures"]) == 1
    assert names_of(indexing) == before
    (indexing.folder / "triples.jsonl").write_bytes(b"\xff\xfe\x00")
    indexing.run(triples=[str(indexing.folder / "triples.jsonl")])
    assert names_of(indexing) == before


@pytest.mark.slow
def test_what_a_loaded_graph_tells_is_cited_as_a_triple(indexing, openai):
    import_lines(indexing, *GRAPH)
    statement = "Ada Quill was born in Bergen."
    quote = {"id": "", "quote": statement}
    reply = {"quotes": [quote], "sufficient": True, "answer": "Bergen", "scores": [], "clue": ""}
    openai.answer = lambda _: reply
    asked = {"question": "Where was Ada Quill born?"}
    result = tog2_graph.invoke(asked, context=Tog2Context(index=indexing.name, model=MODEL))
    [citation] = result["citations"]
    assert (citation["kind"], citation["quote"]) == ("triple", statement)
    assert citation["document"] == "triples.jsonl#Ada Quill"
    assert citation["start"] == citation["end"] and result["sufficient"]


@pytest.mark.slow
def test_documents_are_attached_to_a_loaded_graph_by_name(indexing):
    engineer = {"passage": "engineer", "entities": ["Ada Quill"]}
    import_lines(indexing, *GRAPH, engineer, documents=ALL[1:2])
    walked = tog2_graph.invoke(
        {"question": "Who is Ada Quill?"}, context=Tog2Context(index=indexing.name)
    )
    found = {text["document"] for text in walked["evidence"]}
    assert found >= {"engineer", "triples.jsonl#Ada Quill"}


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_dry_run_does_not_count_what_is_imported(indexing, model):
    result = import_lines(indexing, BAKER, documents=ALL, context={"model": MODEL, "dry_run": True})
    assert result["plan"]["missing_replies"] == 2 + 1  # two passages, and which names are one
    assert not (indexing.folder / ".ragraphs").exists()


@pytest.mark.slow
def test_a_name_that_several_documents_may_have_is_a_failure(indexing):
    twins = [{"id": f"{folder}/one", "title": "One", "text": "Ann met Bob."} for folder in "ab"]
    ambiguous = {"passage": "one", "triples": [["Ann", "met", "Bob"]]}
    result = import_lines(indexing, ambiguous, {**ambiguous, "passage": "a/one"}, documents=twins)
    assert [failed["path"] for failed in result["failures"]] == ["triples.jsonl, line 1"]
    assert "may be any of a/one, b/one" in result["failures"][0]["reason"]
    assert ("Ann", "met", "Bob") in triples_of(indexing)


@pytest.mark.slow
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
