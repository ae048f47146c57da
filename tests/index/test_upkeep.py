"""All indexes of an operator are listed, renamed and deleted, in folders and in a database."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import open_index
from ragraphs.index.upkeep import delete_index, index_names, rename_index
from ragraphs.settings import settings
from ragraphs.state.errors import IndexBusyError, IndexNotFoundError, RagraphsError
from shared_stores import serving_stores

pytestmark = pytest.mark.slow


def make(*names: str) -> None:
    for name in names:
        documents = [{"id": "a", "text": f"This is {name}. Ada wrote it."}]
        context = IndexContext(index=name, embeddings="lexical", layers=["sentences"])
        index_graph.invoke({"documents": documents}, context=context)


def texts(name: str) -> list[str]:
    return [passage["text"] for passage in open_index(name).catalogue.all_passages()]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_an_index_has_another_name_and_is_the_same(tmp_path):
    make("notes", "papers")
    assert index_names(settings()) == ["notes", "papers"]
    with pytest.raises(RagraphsError, match="an index papers already"):
        rename_index("notes", "papers")
    rename_index("notes", "letters")
    assert index_names(settings()) == ["letters", "papers"]
    assert texts("letters") == ["This is notes. Ada wrote it."]
    with pytest.raises(IndexNotFoundError):
        open_index("notes")
    index = open_index("letters")
    assert index.vectors.ids("passages") == index.catalogue.passage_ids()
    make("letters")  # it is written to as before
    assert texts("letters") == ["This is letters. Ada wrote it."]


@pytest.mark.in_folder("has a database of its own")
def test_indexes_of_a_database_have_names_that_no_schema_could_bear(tmp_path, monkeypatch):
    with serving_stores() as stores, monkeypatch.context() as patch:
        stores.name_in(patch, tmp_path / "cache")
        make("notes", "Ada.Papers")
        assert index_names(settings()) == ["Ada.Papers", "notes"]
        rename_index("Ada.Papers", "Bobs.Papers")
        rename_index("notes", "letters")
        assert index_names(settings()) == ["Bobs.Papers", "letters"]
        assert texts("Bobs.Papers") == ["This is Ada.Papers. Ada wrote it."]
        make("letters")
        assert texts("letters") == ["This is letters. Ada wrote it."]
        delete_index("Bobs.Papers")
        assert index_names(settings()) == ["letters"]
        with pytest.raises(IndexNotFoundError):
            open_index("Bobs.Papers")
        stores.empty()
    settings.cache_clear()


def test_a_deleted_index_is_gone_and_another_stays(tmp_path):
    make("notes", "papers")
    assert delete_index("notes") == ""
    assert index_names(settings()) == ["papers"] and texts("papers")
    with pytest.raises(IndexNotFoundError):
        open_index("notes")
    with pytest.raises(IndexNotFoundError):
        delete_index("notes")
    make("notes")  # a new one
    assert texts("notes") == ["This is notes. Ada wrote it."]


@pytest.mark.in_folder("the folder has another file")
def test_a_file_that_is_not_of_the_index_stays(tmp_path):
    make("notes")
    (tmp_path / "notes" / "mine.txt").write_text("Mine.")
    assert delete_index("notes") == str(tmp_path / "notes")
    assert [file.name for file in (tmp_path / "notes").iterdir()] == ["mine.txt"]


def test_an_index_that_is_written_to_is_left_alone(tmp_path):
    make("notes")

    async def try_both() -> None:
        async with open_index("notes").writing():
            for change in (delete_index, lambda name: rename_index(name, "other")):
                with pytest.raises(IndexBusyError):
                    await asyncio.to_thread(change, "notes")

    asyncio.run(try_both())
    assert texts("notes")
