"""An index is copied from a folder to a database, with or without a Chroma server, and back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chroma_server import serving_chroma
from earlier_formats import as_in_format
from ragraphs.context import Context, CragContext, IndexContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.crag import graph as crag
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.copying import copy_index
from ragraphs.index.layers import HOPS, SENTENCES
from ragraphs.index.opening import COPIED_FROM, open_index
from ragraphs.settings import settings
from ragraphs.state.errors import IndexNotFoundError, RagraphsError
from ragraphs.state.records import NewReply
from ragraphs.stores import pgvector, schema
from ragraphs.views.status import describe, export_lines
from raw_sql import sql
from scripted_model import DOCUMENTS, QUESTION
from shared_stores import SharedStores, serving_stores
from sqlalchemy import Engine, event

LAYERS = ["sentences", "hops", "entities", "communities"]
REPLY = {"value": "{}", "words": "", "input_tokens": 3, "output_tokens": 2}


@pytest.fixture(scope="module")
def stores(shared_stores: SharedStores | None) -> Iterator[SharedStores]:
    if shared_stores is not None:
        yield shared_stores
        return
    with serving_stores() as served:
        yield served


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an index with all layers, of files and a stored reply."""
    home = tmp_path_factory.mktemp("home")
    rows = "".join(json.dumps(document) + "\n" for document in DOCUMENTS)
    (home / "rows.jsonl").write_text(rows)
    context = IndexContext(index=str(home / "index"), embeddings="lexical", layers=LAYERS)
    index_graph.invoke({"sources": [str(home / "rows.jsonl")]}, context=context)
    index = open_index(context)
    index.entities.correct("split", "Tay Bridge", "Forth Bridge")
    index_graph.invoke({"sources": [str(home / "rows.jsonl")]}, context=context)
    index.replies.put([NewReply("key", "answer", "openai:stub", REPLY, None)])
    index.vectors.close()
    return home


@pytest.fixture
def folder(
    built: Path, stores: SharedStores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The folder of an index; indexes of other names are in the database."""
    monkeypatch.chdir(shutil.copytree(built, tmp_path / "home"))
    stores.name_in(monkeypatch, tmp_path / "cache")
    yield "./index"
    stores.empty()


def export(name: str) -> list[str]:
    return list(export_lines(open_index(name)))


def exported_folder(folder: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    with monkeypatch.context() as patch:
        patch.delenv("RAGRAPHS_DATABASE")
        patch.delenv("RAGRAPHS_CHROMA_URL", raising=False)
        settings.cache_clear()
        lines = export(folder)
    settings.cache_clear()
    return lines


@pytest.mark.slow
def test_a_copy_and_its_copy_back_are_equal_by_export(folder, monkeypatch):
    before = exported_folder(folder, monkeypatch)
    seen: list[tuple[str, int, int]] = []
    copied = copy_index(folder, "notes", lambda *told: seen.append(told))
    assert (copied["index"], copied["documents"]) == ("notes", len(DOCUMENTS))
    assert {step for step, *_ in seen} == {"tables", "vectors", "layers"}
    assert export("notes") == before
    copy_index("notes", "./back")
    assert exported_folder("./back", monkeypatch) == before


@pytest.mark.slow
def test_a_copy_answers_holds_replies_and_needs_nothing_made_anew(folder):
    copy_index(folder, "notes")
    index = open_index("notes")
    assert index.replies.count() == 1
    for retriever in ("hybrid", "vector", "lexical", "graph"):
        found = basic.invoke(
            {"question": QUESTION}, context={"index": "notes", "retriever": retriever}
        )
        assert found["evidence"]
    status = describe(index)
    assert (status["index"], status["lacks"], status["failures"]) == ("notes", [], [])
    assert status["bytes"] > 100_000  # of tables: nothing is copied to this machine yet
    stamps = [layer.stamp(index) for layer in (SENTENCES, HOPS)]
    result = index_graph.invoke({"sources": ["rows.jsonl"]}, context=IndexContext(index="notes"))
    assert (result["unchanged"], result["added"]) == (len(DOCUMENTS), 0)
    assert [layer.stamp(index) for layer in (SENTENCES, HOPS)] == stamps


def without_metadata(lines: list[str]) -> list[dict[str, Any]]:
    """The lines of an export without what sources are read again for."""
    left_out = {"metadata", "content"}
    return [
        {key: value for key, value in json.loads(line).items() if key not in left_out}
        for line in lines
    ]


@pytest.mark.slow
def test_a_copy_in_a_database_has_the_index_of_its_vectors(folder, monkeypatch):
    monkeypatch.setattr(pgvector, "_INDEXED", 1)
    copy_index(folder, "copy")
    with open_index("copy").engine.connect() as connection:
        found = sql(connection, "SELECT indexname FROM pg_indexes").scalars().all()
    assert {"vectors_passages_near", "vectors_entities_near"} <= set(found)


@pytest.mark.slow
@pytest.mark.parametrize("format", [1, 2, 3])
def test_an_index_of_an_earlier_format_is_copied_as_it_is_and_is_up_to_date_there(
    folder, monkeypatch, format
):
    before = without_metadata(exported_folder(folder, monkeypatch))
    source = schema.open_database(Path(folder), create=False)
    as_in_format(source, format)
    copy_index(folder, "notes")
    assert without_metadata(export("notes")) == before
    assert schema.format_of(source) == str(format)
    source.dispose()
    as_in_format(open_index("notes").engine, format)
    copy_index("notes", "./back")
    assert without_metadata(exported_folder("./back", monkeypatch)) == before
    assert schema.format_of(open_index("notes").engine) == str(format)


@pytest.mark.slow
def test_files_keep_their_names_wherever_a_command_is_run(folder, tmp_path, monkeypatch):
    copy_index(folder, "notes")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    settings.cache_clear()
    sources = [str(tmp_path / "home" / "rows.jsonl")]
    result = index_graph.invoke({"sources": sources}, context=IndexContext(index="notes"))
    assert result["unchanged"] == len(DOCUMENTS) == result["document_count"]


@pytest.mark.slow
def test_new_documents_and_corrections_are_added_to_a_copy(folder):
    copy_index(folder, "notes")
    document = {"id": "new", "text": "The Tay Bridge fell in 1879."}
    index_graph.invoke({"documents": [document]}, context=IndexContext(index="notes"))
    index = open_index("notes")
    index.entities.correct("merge", "Forth Rail Bridge", "Forth Bridge")
    assert len(index.entities.corrections()) == 2
    assert index.catalogue.search_terms("Tay Bridge 1879", 1)
    assert index.vectors.ids("passages") == index.catalogue.passage_ids()


@pytest.mark.slow
def test_a_copy_that_was_not_finished_is_no_index_and_is_begun_anew(folder, monkeypatch):
    def killed(step: str, done: int, total: int) -> None:
        if step == "vectors":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_index(folder, "notes", killed)
    with pytest.raises(RagraphsError, match=r"was not finished; run again: ragraphs copy .* notes"):
        open_index("notes")
    copy_index(folder, "notes")
    assert export("notes") == exported_folder(folder, monkeypatch)


@pytest.mark.slow
def test_no_index_is_copied_over(folder):
    copy_index(folder, "notes")
    with pytest.raises(RagraphsError, match="There is an index at notes already"):
        copy_index(folder, "notes")
    with pytest.raises(RagraphsError, match="cannot be copied to itself"):
        copy_index(folder, folder)
    with pytest.raises(IndexNotFoundError, match="There is no index"):
        copy_index("unheard", "other")
    assert open_index("notes").catalogue.property(COPIED_FROM) is None


@pytest.mark.slow
def test_a_machine_fetches_arrays_once_and_again_where_they_are_damaged(folder, tmp_path):
    copy_index(folder, "notes")
    index = open_index("notes")
    place = HOPS.path(index)
    assert place is not None and not place.exists()
    loaded = HOPS.load(index, lambda *_: pytest.fail("they are made again"))
    assert place.is_relative_to(tmp_path / "cache") and place.is_dir()
    (place / "arrays.json").write_bytes(b"{")
    again = HOPS.load(index, lambda *_: pytest.fail("they are made again"))
    assert all(np.array_equal(loaded[name], again[name]) for name in loaded)


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_told(folder, tmp_path):
    copy_index(folder, "notes")
    (tmp_path / "cache").write_text("a file in place of the folder")
    with pytest.raises(RagraphsError, match=r"cannot be written .* check the disk"):
        HOPS.load(open_index("notes"), lambda *_: pytest.fail("they are made again"))


@pytest.mark.slow
def test_the_vectors_of_a_copy_may_stand_on_a_chroma_server(folder, tmp_path, monkeypatch):
    before = exported_folder(folder, monkeypatch)
    with serving_chroma(tmp_path) as chroma, monkeypatch.context() as patch:
        patch.setenv("RAGRAPHS_CHROMA_URL", chroma.url)
        settings.cache_clear()
        copy_index(folder, "notes")
        index = open_index("notes")
        assert export("notes") == before and not index.vectors.lacks("passages")
        copy_index("notes", "./back")
        index.vectors.close()
    settings.cache_clear()
    assert exported_folder("./back", monkeypatch) == before


@pytest.mark.slow
def test_an_index_that_was_made_anew_under_its_name_is_opened_anew(folder, stores):
    given = {"documents": [{"id": "a", "text": "The first text."}]}
    context = IndexContext(index="notes", embeddings="lexical")
    index_graph.invoke(given, context=context)
    first = open_index("notes")
    stores.empty()
    with pytest.raises(IndexNotFoundError):
        open_index(Context(index="notes"))
    index_graph.invoke(given, context=context)
    second = open_index("notes")
    assert second.incarnation != first.incarnation
    assert second.vectors.ids("passages") == second.catalogue.passage_ids()


@pytest.mark.slow
def test_a_question_asks_once_whether_its_index_is_still_there(folder, stores):
    given = {"documents": [{"id": "a", "text": "The first text."}]}
    index_graph.invoke(given, context=IndexContext(index="notes", embeddings="lexical"))
    asked = list[Any]()

    def note(_connection: Any, _cursor: Any, _statement: str, parameters: Any, *_: Any) -> None:
        asked.append(parameters)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        for _ in range(2):
            crag.invoke({"question": "Which text is first?"}, context=CragContext(index="notes"))
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert asked.count({"wanted": "id"}) == 2
