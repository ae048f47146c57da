"""The index graph: what it reads, keeps, removes, and says of it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from ragraphs.graphs.index import graph as index_graph
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.state.errors import IndexNotFoundError, RagraphsError
from ragraphs.stores.vectors import Entry
from ragraphs.views.status import describe


def counts(result) -> tuple[int, int, int, int]:
    return tuple(result[name] for name in ("added", "updated", "unchanged", "removed"))


def paths(result) -> list[str]:
    return [failure["path"] for failure in result["failures"]]


@pytest.fixture
def embedded(monkeypatch) -> list[str]:
    """The texts of passages that are embedded, in the order that they are."""
    seen: list[str] = []
    embed = LexicalEmbedder.embed

    def spy(self, texts):
        seen.extend(texts)
        return embed(self, texts)

    monkeypatch.setattr(LexicalEmbedder, "embed", spy)
    return seen


@pytest.mark.slow
def test_files_and_rows_become_documents_with_vectors(indexing):
    result = indexing.run("docs")
    assert counts(result) == (4, 0, 0, 0)
    assert (result["document_count"], result["passage_count"]) == (4, 4)
    ids = [document["id"] for document in indexing.index.catalogue.documents()]
    assert ids == ["docs/forth.txt", "docs/rows.jsonl#1", "docs/rows.jsonl#2", "docs/sonata.md"]
    indexing.assert_whole()


@pytest.mark.slow
def test_what_did_not_change_is_neither_cut_nor_embedded_again(indexing, embedded):
    indexing.run("docs")
    vectors = indexing.vectors()
    embedded.clear()
    assert counts(indexing.run("docs")) == (0, 0, 4, 0)
    assert embedded == []
    assert indexing.vectors() == vectors


@pytest.mark.slow
def test_an_edited_row_alone_is_embedded_again(indexing, embedded):
    indexing.run("docs")
    embedded.clear()
    rows = indexing.folder / "docs" / "rows.jsonl"
    rows.write_text(rows.read_text().replace("second row", "changed row"))
    assert counts(indexing.run("docs")) == (0, 1, 3, 0)
    assert embedded == ["Second\nThe changed row."]
    indexing.assert_whole()


@pytest.mark.slow
def test_an_added_paragraph_leaves_the_other_passages_as_they_are(indexing, embedded):
    paragraphs = [f"Paragraph {n} " + f"speaks of matter {n}. " * 60 for n in range(8)]
    file = indexing.folder / "docs" / "long.txt"
    file.write_text("\n\n".join(paragraphs))
    indexing.run("docs")
    before = indexing.index.catalogue.passage_ids()
    embedded.clear()
    file.write_text("\n\n".join(["A new beginning. " * 90, *paragraphs]))
    assert counts(indexing.run("docs")) == (0, 1, 4, 0)
    assert before <= indexing.index.catalogue.passage_ids()
    assert {text.split("\n")[1].strip()[:5] for text in embedded} == {"A new"}


@pytest.mark.slow
def test_rows_added_and_deleted_in_a_file_are_followed(indexing):
    indexing.run("docs")
    rows = indexing.folder / "docs" / "rows.jsonl"
    kept = rows.read_text().splitlines()[1]
    rows.write_text(kept + '\n{"id": "3", "text": "The third row."}\n')
    assert counts(indexing.run("docs")) == (1, 0, 3, 1)
    ids = [row["id"] for row in indexing.index.catalogue.documents("docs/rows.jsonl")]
    assert ids == ["docs/rows.jsonl#2", "docs/rows.jsonl#3"]
    indexing.assert_whole()


@pytest.mark.slow
def test_an_id_that_two_rows_have_is_reported_and_the_first_is_kept(indexing):
    rows = indexing.folder / "docs" / "rows.jsonl"
    rows.write_text(rows.read_text() + '{"id": "1", "text": "Another first."}\n')
    result = indexing.run("docs/rows.jsonl")
    assert paths(result) == ["docs/rows.jsonl#1"]
    assert indexing.texts() == ["The first row.", "The second row."]


@pytest.mark.slow
def test_a_bad_row_is_reported_until_it_is_mended(indexing):
    rows = indexing.folder / "docs" / "rows.jsonl"
    good = rows.read_text()
    rows.write_text(good + "no json\n")
    for _ in range(2):
        assert paths(indexing.run("docs")) == ["docs/rows.jsonl, line 3"]
    assert len(describe(indexing.index)["failures"]) == 1
    rows.write_text(good)
    assert paths(indexing.run("docs")) == []
    assert describe(indexing.index)["failures"] == []


@pytest.mark.slow
def test_a_file_that_vanished_from_an_indexed_folder_is_removed(indexing):
    indexing.run("docs")
    (indexing.folder / "docs" / "rows.jsonl").unlink()
    assert counts(indexing.run("docs/sonata.md")) == (0, 0, 1, 0)
    assert counts(indexing.run("docs")) == (0, 0, 2, 2)
    indexing.assert_whole()


@pytest.mark.slow
def test_a_file_that_comes_back_is_read_again(indexing):
    indexing.run("docs")
    forth = indexing.folder / "docs" / "forth.txt"
    text = forth.read_text()
    forth.unlink()
    indexing.run("docs")
    forth.write_text(text)
    assert counts(indexing.run("docs")) == (1, 0, 3, 0)


@pytest.mark.slow
def test_a_broken_file_among_good_ones_is_reported_and_the_others_are_indexed(indexing):
    (indexing.folder / "docs" / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing that follows")
    (indexing.folder / "docs" / "empty.txt").write_bytes(b"")
    (indexing.folder / "docs" / "binary.txt").write_bytes(bytes(range(256)) * 20)
    result = indexing.run("docs")
    assert counts(result)[0] == 4
    assert paths(result) == ["docs/binary.txt", "docs/broken.pdf", "docs/empty.txt"]
    assert paths(indexing.run("docs")) == paths(result)
    for name in ("broken.pdf", "empty.txt", "binary.txt"):
        (indexing.folder / "docs" / name).unlink()
    assert paths(indexing.run("docs")) == []
    assert describe(indexing.index)["failures"] == []


@pytest.mark.slow
def test_a_file_that_can_no_longer_be_read_keeps_its_passages_and_is_reported(indexing):
    forth = indexing.folder / "docs" / "forth.txt"
    good = forth.read_bytes()
    indexing.run("docs")
    before = indexing.export()
    forth.write_bytes(b"")
    result = indexing.run("docs")
    assert paths(result) == ["docs/forth.txt"]
    assert indexing.export() == before
    forth.write_bytes(good)
    assert counts(indexing.run("docs")) == (0, 0, 4, 0)
    assert describe(indexing.index)["failures"] == []


@pytest.mark.slow
def test_a_file_name_that_is_no_text_is_reported(indexing):
    os.rename(
        os.fsencode(indexing.folder / "docs" / "forth.txt"),
        os.fsencode(indexing.folder / "docs") + b"/f\xff.txt",
    )
    result = indexing.run("docs")
    assert counts(result)[0] == 3
    assert "rename it" in result["failures"][0]["reason"]
    json.dumps(result).encode()


@pytest.mark.slow
def test_documents_given_inline_are_indexed_updated_and_stay_when_folders_are_read(indexing):
    given = [{"id": "note", "title": "A note", "text": "Ships sail the Firth."}]
    assert counts(indexing.run(documents=given)) == (1, 0, 0, 0)
    assert counts(indexing.run(documents=given)) == (0, 0, 1, 0)
    given[0]["text"] = "Ships sailed."
    assert counts(indexing.run(documents=given)) == (0, 1, 0, 0)
    assert counts(indexing.run(".")) == (4, 0, 0, 0)
    assert "Ships sailed." in indexing.texts()


@pytest.mark.slow
def test_what_no_database_can_hold_in_an_inline_text_keeps_its_place(indexing):
    indexing.run(documents=[{"id": "a", "text": "one \ud800 two \0 three"}])
    assert indexing.texts() == ["one ? two \ufffd three"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "removed"),
    [
        ("docs/rows.jsonl#2", 1),
        ("rows.jsonl#2", 1),
        ("2", 1),
        ("docs/rows.jsonl", 2),
        ("rows.jsonl", 2),
        ("sonata.md", 1),
    ],
)
def test_a_document_is_removed_by_id_by_file_or_by_a_unique_ending(indexing, name, removed):
    indexing.run("docs")
    assert counts(indexing.run(remove=[name])) == (0, 0, 0, removed)
    indexing.assert_whole()
    assert counts(indexing.run("docs"))[0] == removed


@pytest.mark.slow
def test_an_ending_of_several_documents_is_not_removed(indexing):
    shutil.copytree(indexing.folder / "docs", indexing.folder / "more")
    indexing.run("docs", "more")
    with pytest.raises(RagraphsError, match=r"may be any of docs/forth\.txt, more/forth\.txt"):
        indexing.run(remove=["forth.txt"])
    assert indexing.index.catalogue.count_documents() == 8


@pytest.mark.slow
@pytest.mark.in_folder("its tables are dumped by SQLite")
def test_a_removed_document_leaves_no_trace_in_tables_or_vectors(indexing):
    indexing.run("docs")
    indexing.run(remove=["forth.txt"])
    indexing.assert_whole()
    with sqlite3.connect(Path(indexing.name) / "catalogue.sqlite") as connection:
        dump = [line for line in connection.iterdump() if "INSERT INTO" in line]
    connection.close()
    assert "sonata" in str(dump)
    assert "forth" not in str(dump).lower()
    with indexing.index.vectors._opened("passages") as store:
        assert "forth" not in str(store.get(include=["documents", "metadatas"])).lower()


@pytest.mark.slow
def test_a_dry_run_makes_no_folder_and_says_what_it_would_do(indexing, openai):
    result = indexing.run("docs", context={"dry_run": True, "embeddings": "openai:stub"})
    assert not Path(indexing.name).exists()
    assert (result["plan"]["documents"], result["plan"]["passages"]) == (4, 4)
    assert 20 < result["plan"]["embedding_tokens"] < 100
    assert openai.requests == []


@pytest.mark.slow
@pytest.mark.in_folder("its files are compared byte by byte")
def test_a_dry_run_changes_nothing_and_counts_only_what_is_new(indexing):
    indexing.run("docs")
    (indexing.folder / "docs" / "sonata.md").unlink()
    rows = indexing.folder / "docs" / "rows.jsonl"
    rows.write_text(rows.read_text() + '{"id": "3", "text": "Third."}\nno json\n')
    before = _contents(Path(indexing.name))
    result = indexing.run("docs", context={"dry_run": True})
    assert (result["plan"]["documents"], result["plan"]["passages"]) == (1, 1)
    assert counts(result) == (1, 0, 3, 1)
    assert paths(result) == ["docs/rows.jsonl, line 4"]
    assert _contents(Path(indexing.name)) == before


def _contents(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".sqlite-shm")
    return {str(file): file.read_bytes() for file in files}


@pytest.mark.slow
def test_a_dry_run_counts_passages_that_an_interrupted_run_left_without_vectors(indexing):
    indexing.run("docs")
    indexing.index.vectors.remove("passages", list(indexing.index.vectors.ids("passages")))
    plan = indexing.run("docs", context={"dry_run": True})["plan"]
    assert (plan["documents"], plan["passages"]) == (0, 4)


@pytest.mark.slow
@pytest.mark.in_folder("its vectors are a folder that is deleted")
def test_deleted_vectors_are_made_again_by_the_next_run(indexing):
    indexing.run("docs")
    vectors = indexing.vectors()
    shutil.rmtree(Path(indexing.name) / "chroma")
    assert describe(indexing.index)["without_vector"] == 4
    assert counts(indexing.run()) == (0, 0, 0, 0)
    assert indexing.vectors() == vectors


@pytest.mark.slow
@pytest.mark.in_folder("its lexical index is emptied by SQLite")
def test_repair_makes_vectors_and_lexical_index_anew(indexing):
    indexing.run("docs")
    found = indexing.index.catalogue.search_terms("bridge", 5)
    vectors = indexing.vectors()
    with sqlite3.connect(Path(indexing.name) / "catalogue.sqlite") as connection:
        connection.execute("DELETE FROM passage_terms")
    connection.close()
    entries = [Entry(id, "junk", {"title": "junk"}) for id in vectors]
    indexing.index.vectors.add("passages", entries, LexicalEmbedder().embed(["junk"] * 4))
    assert indexing.index.catalogue.search_terms("bridge", 5) == []
    indexing.run(context={"repair": True})
    assert indexing.index.catalogue.search_terms("bridge", 5) == found
    assert indexing.vectors() == vectors


@pytest.mark.slow
@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"embeddings": "openai:text-embedding-3-small"}, "built with the embeddings lexical"),
        ({"chunk_tokens": 50}, "built with passages of 400 tokens"),
        ({"chunk_overlap": 10}, "built with passages of 400 tokens that share 0"),
    ],
)
def test_settings_other_than_the_recorded_ones_are_refused_in_a_sentence(indexing, other, sentence):
    indexing.run("docs")
    before = indexing.export()
    with pytest.raises(RagraphsError, match=sentence):
        indexing.run("docs", context=other)
    assert indexing.export() == before


def test_an_index_that_does_not_exist_is_not_made_by_a_run_without_sources(indexing):
    with pytest.raises(IndexNotFoundError, match="There is no index"):
        indexing.run()
    assert not Path(indexing.name).exists()


@pytest.mark.slow
def test_a_thread_does_not_repeat_the_input_of_an_earlier_run(indexing):
    graph = index_graph.builder.compile(checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}

    def run(**given):
        return graph.invoke(given, thread, context=indexing.context())

    docs = str(indexing.folder / "docs")
    run(sources=[docs], documents=[{"id": "note", "text": "A note."}])
    assert counts(run(remove=["note"])) == (0, 0, 0, 1)
    assert counts(run(documents=[{"id": "other", "text": "Another."}])) == (1, 0, 0, 0)
    with pytest.raises(RagraphsError, match="no file or folder"):
        run(sources=["missing"])
    result = run(documents=[{"id": "third", "text": "A third."}])
    assert (counts(result), result["document_count"]) == ((1, 0, 0, 0), 6)
    assert counts(run()) == (0, 0, 0, 0)


@pytest.mark.slow
def test_the_export_depends_on_the_content_and_not_on_how_it_came_about(indexing, tmp_path):
    indexing.run("docs")
    expected = indexing.export()
    forth = indexing.folder / "docs" / "forth.txt"
    text = forth.read_text()
    for change in (text * 3, "Something else.", text):
        forth.write_text(change)
        indexing.run("docs")
    assert indexing.export() == expected
    other = type(indexing)(tmp_path, "other")
    for name in ("sonata.md", "rows.jsonl", "forth.txt"):
        other.run(f"docs/{name}")
    assert other.export() == expected
    other.assert_whole()


@pytest.mark.slow
@pytest.mark.in_folder("its folder is deleted")
def test_an_index_folder_that_was_replaced_is_opened_anew(indexing):
    indexing.run("docs")
    shutil.rmtree(indexing.name)
    assert counts(indexing.run("docs/sonata.md")) == (1, 0, 0, 0)
    indexing.assert_whole()
