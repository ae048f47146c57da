"""Chroma collections of other programs as indexes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chromadb
import pytest
import ragraphs
from chromadb.config import Settings
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

TEXTS = {
    "forth": "The Forth Bridge was designed by John Fowler.",
    "tay": "The Tay Bridge was designed by Thomas Bouch.",
    "elbe": "The Elbe Tunnel was designed by Ludwig Wendemuth.",
}


class Letters(Embeddings):
    """How often a text has each letter; it remembers what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [[1.0 + text.lower().count(one) for one in "abcdefghijklmnop"] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """A vector store of another program."""
    client = chromadb.PersistentClient(
        str(tmp_path / "chroma"), Settings(anonymized_telemetry=False)
    )
    store = Chroma("notes", Letters(), client=client)
    metadata = {"source": "bridges.pdf", "page": 3}
    store.add_documents(
        [Document(text, metadata=metadata) for text in TEXTS.values()], ids=[*TEXTS]
    )
    yield store
    client.close()  # type: ignore[attr-defined]


@pytest.mark.slow
def test_rows_become_passages_with_the_vectors_that_they_have(store: Any, tmp_path: Path) -> None:
    index, own = str(tmp_path / "index"), Letters()
    made = ragraphs.index_collection(store, embeddings=own, index=index)
    assert (made["added"], made["passage_count"]) == (3, 3)
    assert made["embeddings"] == "own:Letters"
    assert not [text for text in own.asked if text in TEXTS.values() or "bridges.pdf\n" in text]
    graph = ragraphs.build("basic", index=index, embeddings=own, retriever="vector", top_k=1)
    found = graph.invoke({"question": TEXTS["tay"]})
    assert found["evidence"][0]["document"] == "notes#tay"
    assert found["evidence"][0]["title"] == "bridges.pdf"
    assert found["evidence"][0]["score"] == pytest.approx(1)


@pytest.mark.slow
def test_changes_of_the_collection_are_taken_over(store: Any, tmp_path: Path) -> None:
    index, own = str(tmp_path / "index"), Letters()
    rows = store._collection
    ragraphs.index_collection(rows, embeddings=own, index=index)
    graph = ragraphs.build("index", index=index, embeddings=own)
    graph.invoke({"documents": [{"id": "mine", "text": "A document of another origin."}]})
    store.delete(["tay"])
    store.add_documents([Document("The Severn Bridge opened in 1966.")], ids=["severn"])
    again = ragraphs.index_collection(rows, embeddings=own, index=index)
    assert (again["added"], again["removed"], again["unchanged"]) == (1, 1, 2)
    ids = {row["id"] for row in ragraphs.open_index(index).catalogue.documents()}
    assert ids == {"notes#forth", "notes#elbe", "notes#severn", "mine"}


def test_other_embeddings_and_empty_collections_are_refused(store: Any, tmp_path: Path) -> None:
    class Others(Letters):
        def embed_query(self, text: str) -> list[float]:
            return [1.0, 2.0]

    index = str(tmp_path / "index")
    with pytest.raises(ragraphs.RagraphsError, match="have 16 dimensions, and those of own:Others"):
        ragraphs.index_collection(store, embeddings=Others(), index=index)
    store.delete([*TEXTS])
    with pytest.raises(ragraphs.RagraphsError, match="'notes' has no row with a text"):
        ragraphs.index_collection(store, embeddings=Letters(), index=index)
    assert not Path(index).exists()
