"""A corpus in Qdrant: its texts are searched and cited, and walked over in an index of a part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import ragraphs
from langchain_qdrant import QdrantVectorStore
from lexical_embeddings import Lexical
from qdrant_client.models import FieldCondition, Filter, Range

pytestmark = pytest.mark.slow

QUESTION = "Who designed the Bridge of Leeds in 1907?"
BEFORE = Filter(must=[FieldCondition(key="metadata.year", range=Range(lt=1908))])


@pytest.fixture(scope="module")
def archive() -> QdrantVectorStore:
    """Qdrant in this process: forty bridges of one town, one a year, each by another."""
    names = ["Ada", "Ben", "Cleo", "Dora", "Emil"]
    texts = [
        f"The Bridge of Leeds in {year} was designed by {names[year % 5]} Byron. "
        f"{names[year % 5]} Byron was born in Hull in {year - 40}."
        for year in range(1900, 1940)
    ]
    about = [{"source": f"{year}.txt", "year": year} for year in range(1900, 1940)]
    return QdrantVectorStore.from_texts(texts, Lexical(), about, location=":memory:")


def cited(found: Any) -> list[str]:
    assert all(one["quote"] for one in found["citations"])
    return [one["document"] for one in found["citations"]]


def years(found: Any) -> set[int]:
    return {one["metadata"]["year"] for one in found["evidence"]}


@pytest.mark.parametrize("method", ["basic", "router"])
def test_a_graph_cites_the_texts_that_the_filter_of_the_engine_leaves(archive, method):
    retriever = archive.as_retriever(search_kwargs={"k": 10, "filter": BEFORE})
    graph = ragraphs.build(method, retriever=retriever)
    found = graph.invoke({"question": QUESTION})
    assert cited(found)[0] == "1907.txt"
    assert years(found) <= set(range(1900, 1908))
    narrower = graph.invoke({"question": QUESTION}, context={"where": {"year": {"$lt": 1905}}})
    assert years(narrower) == set(range(1900, 1905))


def test_the_graph_of_a_question_is_built_of_the_texts_nearest_to_it(archive, tmp_path: Path):
    chosen = {"index": str(tmp_path / "near"), "embeddings": "lexical"}
    near = archive.similarity_search(QUESTION, k=1000, filter=BEFORE)
    built = ragraphs.build("index", layers=["hops", "entities"], **chosen)
    assert built.invoke({"documents": near})["document_count"] == 8
    for method in ("hoprag", "tog2"):
        graph = ragraphs.build(method, index=chosen["index"])
        assert cited(graph.invoke({"question": QUESTION}))[0] == "1907.txt"
        part = graph.invoke({"question": QUESTION}, context={"where": {"year": 1903}})
        assert years(part) == {1903}
