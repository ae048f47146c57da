"""Metadata travels from documents to passages, vectors, evidence, citations and the export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from earlier_formats import as_in_format
from entities_support import facts_of
from pdf_files import pdf
from ragraphs.context import CragContext, QuestionContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.crag import graph as crag
from ragraphs.index import opening
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.loading.reader import FileReader
from ragraphs.stores.loading.types import DocumentBlock, LoadedDocument
from ragraphs.stores.vectors import Entry
from ragraphs.views.status import describe
from scripted_model import MODEL

ADA = {"id": "ada", "title": "Ada", "text": "Ada Lovelace wrote notes on the engine."}
NOTES = {"author": "Ada", "year": 1843, "tags": ["engine", "notes"], "draft": False}
BREAKWATER = "The breakwater of Cherbourg was begun in 1783."
LIGHTHOUSE = "The lighthouse of Gatteville was lit in 1835."


def entries(indexing: Any) -> dict[str, dict[str, Any]]:
    """The metadata beside each vector, by the id of its passage."""
    stored = indexing.index.vectors.entries("passages")
    return {entry.id: entry.metadata for found, _ in stored for entry in found}


def passages(indexing: Any) -> list[dict[str, Any]]:
    return list(indexing.index.catalogue.all_passages())


def as_in_format_2(indexing: Any) -> None:
    """Takes all metadata from an index, and closes it."""
    for id, entry in entries(indexing).items():
        only = {key: entry[key] for key in ("document", "title")}
        indexing.index.vectors.describe("passages", [Entry(id, "", only)])
    index = indexing.index
    as_in_format(index.engine, 2)
    index.vectors.close()
    index.engine.dispose()
    opening._open.pop(index.location)
    opening._alive.pop(index.location)


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Has every file loaded as the document that the test gives."""

    def loads(*blocks: str, **metadata: Any) -> None:
        def load(*_: Any, **__: Any) -> Iterator[LoadedDocument]:
            yield LoadedDocument("", "Loaded", blocks, metadata)

        monkeypatch.setattr(FileReader, "load", load)

    return loads


@pytest.mark.slow
def test_metadata_of_an_inline_document_is_beside_its_passages_and_vectors(indexing):
    indexing.run(documents=[{**ADA, "metadata": {**NOTES, "page": None}}])
    [passage] = passages(indexing)
    assert passage["metadata"] == NOTES
    assert entries(indexing) == {passage["id"]: {**NOTES, "document": "ada", "title": "Ada"}}
    [document] = describe(indexing.index, list_documents=True)["document_list"]
    assert document["metadata"] == NOTES


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"$in": 1}, r"document 'ada' has the key '\$in'"),
        ({"by": {"name": "Ada"}}, r"document 'ada' has under 'by'"),
        ("Ada", r"'documents' must be a list.* documents\[0\]\['metadata'\]"),
    ],
)
def test_metadata_that_does_not_fit_is_refused_before_anything_is_stored(indexing, metadata, said):
    with pytest.raises(RagraphsError, match=said):
        indexing.run(documents=[{**ADA, "metadata": metadata}])
    assert not (indexing.folder / ".ragraphs").exists()


@pytest.mark.slow
def test_metadata_of_a_file_and_of_its_parts_is_its_passages(indexing, loading):
    loading(
        DocumentBlock("One. ", {"page": 1}),
        DocumentBlock("Two. ", {"page": 2}),
        "Three.",
        author="Ada",
    )
    indexing.run("docs/forth.txt")
    path = {"author": "Ada", "path": "docs/forth.txt"}
    assert [(one["text"], one["metadata"]) for one in passages(indexing)] == [
        ("One.", {**path, "page": 1}),
        ("Two.", {**path, "page": 2}),
        ("Three.", path),
    ]


@pytest.mark.slow
def test_metadata_of_a_file_that_no_index_can_keep_is_left_out(indexing):
    odd = {"$x": 1, "#y": 2, 'a"b': 3, "chroma:document": "x", "big": 10**400, "year": 1843}
    row = {"id": "1", "text": "A text.", "metadata": odd}
    (indexing.folder / "docs" / "rows.jsonl").write_text(json.dumps(row))
    indexing.run("docs/rows.jsonl")
    assert [one["metadata"] for one in passages(indexing)] == [
        {"path": "docs/rows.jsonl", "year": 1843}
    ]


@pytest.mark.slow
def test_a_citation_names_the_section_of_its_quote_where_a_passage_has_two(
    indexing, loading, script
):
    text = f"{BREAKWATER} {LIGHTHOUSE}"
    second = text.index(LIGHTHOUSE)
    loading(DocumentBlock(text, {"section": "Piers"}, [(second, {"section": "Lights"})]))
    indexing.run("docs/forth.txt")
    assert [one["metadata"]["section"] for one in passages(indexing)] == ["Piers"]
    script.replies["Answer"] = lambda human: script.quoting(human, LIGHTHOUSE)
    context = QuestionContext(index=indexing.name, model=MODEL)
    result = basic.invoke({"question": "When was the lighthouse lit?"}, context=context)
    [citation] = result["citations"]
    assert citation["metadata"] == {"path": "docs/forth.txt", "section": "Lights"}
    assert [one["metadata"]["section"] for one in result["evidence"]] == ["Piers"]


@pytest.mark.slow
def test_evidence_of_a_method_that_cuts_passages_up_keeps_their_metadata(indexing, script):
    indexing.run(documents=[{**ADA, "metadata": NOTES}])
    context = CragContext(index=indexing.name, model=MODEL)
    result = crag.invoke({"question": "What did Ada Lovelace write?"}, context=context)
    assert [one["metadata"] for one in result["evidence"]] == [NOTES]
    assert [one["metadata"] for one in result["citations"]] == [NOTES]


@pytest.mark.slow
def test_metadata_that_changes_alone_is_stored_anew_and_nothing_is_embedded_or_asked(
    indexing, script, embedded
):
    layers = {"layers": ["entities"], "model": MODEL}
    script.replies["Facts"] = facts_of([("Ada Lovelace", "wrote", "notes")])
    given = [{**ADA, "metadata": NOTES}, {"id": "b", "text": "Babbage built the engine."}]
    indexing.run(documents=given, context=layers)
    before = passages(indexing), indexing.vectors()
    script.asked.clear()
    embedded.clear()
    changed = {"author": "Augusta Ada", "year": 1844}
    result = indexing.run(documents=[{**ADA, "metadata": changed}], context=layers)
    assert (result["added"], result["updated"], result["unchanged"]) == (0, 1, 0)
    assert (script.asked, embedded) == ([], [])
    assert passages(indexing) == [{**before[0][0], "metadata": changed}, before[0][1]]
    assert indexing.vectors() == before[1]
    assert entries(indexing)[before[0][0]["id"]] == {**changed, "document": "ada", "title": "Ada"}
    assert indexing.index.catalogue.outdated_entries() == []
    again = indexing.run(documents=[{**ADA, "metadata": changed}], context=layers)
    assert (again["updated"], again["unchanged"]) == (0, 1)


@pytest.mark.slow
def test_metadata_of_which_chroma_did_not_learn_is_told_by_the_next_run(indexing, monkeypatch):
    indexing.run(documents=[{**ADA, "metadata": NOTES}])

    def broken(*_: Any) -> None:
        raise RagraphsError("Chroma went away.")

    with monkeypatch.context() as patched, pytest.raises(RagraphsError, match="went away"):
        patched.setattr(type(indexing.index.vectors), "describe", broken)
        indexing.run(documents=[{**ADA, "metadata": {"author": "Augusta"}}])
    indexing.run()
    [entry] = entries(indexing).values()
    assert entry == {"author": "Augusta", "document": "ada", "title": "Ada"}


@pytest.mark.slow
def test_a_repair_makes_the_metadata_beside_vectors_anew(indexing):
    indexing.run(documents=[{**ADA, "metadata": NOTES}])
    good = entries(indexing)
    others = [Entry(id, "", {"author": "Nobody"}) for id in good]
    indexing.index.vectors.describe("passages", others)
    indexing.run(context={"repair": True})
    assert entries(indexing) == good


@pytest.mark.slow
def test_the_export_has_metadata_and_is_the_same_for_the_same_content(indexing, other):
    def run(one: Any, metadata: dict[str, Any]) -> list[dict[str, Any]]:
        one.run(documents=[{**ADA, "metadata": metadata}])
        return [json.loads(line) for line in one.export().split("\n")]

    lines = run(indexing, NOTES)
    run(other, dict(reversed(NOTES.items())))
    found = {line["kind"]: line["metadata"] for line in lines if "metadata" in line}
    assert found == {"document": NOTES, "passage": NOTES}
    assert other.export() == indexing.export()


@pytest.mark.slow
def test_an_index_of_the_format_before_gets_metadata_from_its_sources_at_no_cost(
    indexing, script, embedded
):
    layers = {"layers": ["entities"], "model": MODEL}
    script.replies["Facts"] = facts_of([("Forth Bridge", "was designed by", "John Fowler")])
    indexing.run("docs", context=layers)
    assert script.kinds.count("Facts") == 4
    good = indexing.export(), indexing.vectors(), entries(indexing)
    as_in_format_2(indexing)
    script.asked.clear()
    embedded.clear()
    assert indexing.run("docs", context=layers)["updated"] == 4
    assert (indexing.export(), indexing.vectors(), entries(indexing)) == good
    assert (script.asked, embedded) == ([], [])
    assert indexing.run("docs", context=layers)["unchanged"] == 4


@pytest.mark.slow
def test_a_citation_of_a_pdf_names_the_page_of_its_quote(indexing, script):
    (indexing.folder / "docs" / "port.pdf").write_bytes(pdf(BREAKWATER, LIGHTHOUSE))
    indexing.run("docs/port.pdf")
    script.replies["Answer"] = lambda human: script.quoting(human, LIGHTHOUSE)
    context = QuestionContext(index=indexing.name, model=MODEL)
    result = basic.invoke({"question": "When was the lighthouse lit?"}, context=context)
    assert [one["metadata"]["page"] for one in result["citations"]] == [2]
    assert sorted(one["metadata"]["page"] for one in result["evidence"]) == [1, 2]
