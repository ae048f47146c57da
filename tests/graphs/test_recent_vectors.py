"""A small change of a large index opens no collection of Chroma, and is found and copied."""

from __future__ import annotations

import pytest
from ragraphs.index.copying import copy_index
from ragraphs.index.opening import open_index
from ragraphs.stores import chroma, recent_vectors
from ragraphs.stores.queries import count_rows
from ragraphs.stores.tables import recent_vectors as table
from scripted_model import DOCUMENTS

NEW = {"id": "new", "title": "Kites", "text": "Kites of paper fly over the beach of Fanø."}


@pytest.mark.slow
@pytest.mark.in_folder("its vectors are embedded in it")
def test_a_small_change_opens_no_collection_and_is_found_copied_and_purged(
    indexing, tmp_path, monkeypatch
):
    monkeypatch.setattr(recent_vectors, "_LISTED_FROM", 1)
    indexing.run(documents=DOCUMENTS, context={"layers": ["sentences", "entities"]})
    first, second = (one["id"] for one in DOCUMENTS[:2])
    index = indexing.index
    [asked] = index.embedder.embed([NEW["text"]])
    index.vectors.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chroma, "open_folder", None)
        indexing.run(documents=[NEW])
        [gone] = [one for one in index.catalogue.passages_of([first])[first]]
        indexing.run(remove=[first])
    passages = index.catalogue.passage_ids()
    assert index.vectors.ids("passages") == passages
    [new] = index.catalogue.passages_of(["new"])["new"]
    found = [id for id, _ in index.vectors.search("passages", asked, 10)]
    assert found[0] == new["id"] and set(found) == passages and gone["id"] not in found
    copy_index(indexing.name, str(tmp_path / "copied"))
    copied = open_index(str(tmp_path / "copied"))
    assert copied.vectors.ids("passages") == passages
    assert copied.vectors.search("passages", asked, 1)[0][0] == new["id"]
    monkeypatch.setattr(recent_vectors, "_LISTED_FROM", 10_000)
    indexing.run(remove=[second], context={"purge": True})
    assert count_rows(index.engine, table) == 0
    passages = index.catalogue.passage_ids()
    assert index.vectors.at(index.catalogue.property("vectors")).ids("passages") == passages
