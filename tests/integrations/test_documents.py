"""Documents of LangChain as the input of the index graph."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import ragraphs
from langchain_core.documents import Document
from ragraphs.models.documents import given_documents
from scripted_model import FACT, QUESTION


def fill(index: Path, *documents: Any) -> Any:
    graph = ragraphs.build("index", index=str(index), embeddings="lexical")
    return graph.invoke({"documents": list(documents)})


@pytest.mark.slow
def test_documents_are_indexed_beside_dictionaries(tmp_path: Path) -> None:
    index = tmp_path / "index"
    given = (
        Document(FACT, metadata={"source": "forth.pdf", "title": "Forth", "page": 7}),
        Document("The Tay Bridge fell in a storm.", id="tay"),
        {"id": "elbe", "text": "The Elbe Tunnel has two tubes."},
    )
    assert fill(index, *given)["added"] == 3
    again = fill(index, *given)
    assert (again["added"], again["updated"], again["unchanged"]) == (0, 0, 3)
    found = ragraphs.build("basic", index=str(index)).invoke({"question": QUESTION})
    citation = found["citations"][0]
    assert (citation["document"], citation["title"]) == ("forth.pdf", "Forth")
    assert citation["metadata"] == {"page": 7, "source": "forth.pdf"}


def test_pages_of_one_source_are_documents_of_their_own() -> None:
    pages = [Document(f"Page {n}.", metadata={"source": "a.pdf", "page": n}) for n in (1, 2)]
    assert [one["id"] for one in given_documents(pages)] == ["a.pdf#1", "a.pdf#2"]
    assert [one["metadata"]["page"] for one in given_documents(pages)] == [1, 2]


def test_documents_without_a_name_have_that_of_their_text() -> None:
    first, second, third = given_documents([Document("One."), Document("Two."), Document("One.")])
    assert first["id"] == third["id"] != second["id"]


def test_metadata_that_filters_can_name_is_kept() -> None:
    metadata = {
        "date": date(1890, 3, 4),
        "tags": ["rail", "steel"],
        "year": 1890,
        "nothing": None,
        "nested": {"a": 1},
        "_id": "x",
    }
    (document,) = given_documents([Document(FACT, id="a", metadata=metadata)])
    assert document["metadata"] == {"date": "1890-03-04", "tags": ["rail", "steel"], "year": 1890}


def test_a_document_without_a_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(ragraphs.RagraphsError, match="The document 'a' has no text"):
        fill(tmp_path / "index", Document("", id="a"))
