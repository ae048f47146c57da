"""A search engine and a retriever of langchain-community, in the place of Tavily and an index."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest
import ragraphs
from http_stub import HttpStub, Response
from lexical_embeddings import Lexical
from scripted_model import FACT, QUESTION, Script

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it is no longer developed further
    pytest.importorskip("langchain_community", reason="the extra community is not installed")
    from langchain_community.retrievers import KNNRetriever

PAGE = Path(ragraphs.__file__).parent / "docs" / "methods" / "crag.md"
FOUND = {
    "title": "Forth Bridge",
    "url": "https://example.org/forth",
    "content": f"{FACT} It opened in 1890.",
    "engines": ["one"],
    "category": "general",
}


class Pages(dict[str, Response]):
    """Answers any GET by the same results."""

    def get(self, path: str, default: Any = None) -> Response:
        return Response({"query": "", "results": self.results, "answers": [], "suggestions": []})

    results: list[dict[str, Any]] = [FOUND]  # noqa: RUF012


@pytest.fixture
def engine() -> Any:
    stub = HttpStub(lambda *_: Response(None, 404))
    stub.documents = Pages()
    yield stub
    stub.close()


def built(engine: HttpStub, index: str, **more: Any) -> Any:
    """The graph of the page, which searches by that engine."""
    [code] = re.findall(r"```py\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    code = code.replace("http://localhost:8080", engine.url).replace('index="notes"', "**chosen")
    scope: dict[str, Any] = {"ragraphs": ragraphs, "chosen": {"index": index, **more}}
    exec(compile(code, PAGE.name, "exec"), scope)
    return scope["graph"]


def test_the_search_engine_of_the_page_finds_what_the_index_lacks(
    engine: HttpStub, rivers: str, llm: Any, script: Script
) -> None:
    script.replies["Grades"] = lambda human: {
        "grades": [{"id": "1", "grade": 4 if "Fowler" in human else 0}]
    }
    found = built(engine, rivers, llm=llm).invoke({"question": QUESTION})
    assert found["answer"] == FACT
    assert [one["document"] for one in found["citations"]] == [FOUND["url"]]
    assert "q=" in engine.looked_up[0] and "format=json" in engine.looked_up[0]


def test_a_search_that_finds_nothing_ends_without_an_answer(
    engine: HttpStub, rivers: str, llm: Any, script: Script
) -> None:
    engine.documents.results = []  # type: ignore[attr-defined]
    script.replies["Grades"] = {"grades": [{"id": "1", "grade": 0}]}
    found = built(engine, rivers, llm=llm).invoke({"question": QUESTION})
    assert not found["sufficient"] and found["citations"] == []


def test_a_retriever_of_it_is_searched_and_cited(llm: Any, script: Script) -> None:
    texts = [FACT, "The Elbe has two sources."]
    named = [{"source": "bridges.txt"}, {"source": "rivers.txt"}]
    shelf = KNNRetriever.from_texts(texts, Lexical(), named, k=1)
    found = ragraphs.build("basic", retriever=shelf, llm=llm).invoke({"question": QUESTION})
    assert found["answer"] == FACT
    assert [one["document"] for one in found["citations"]] == ["bridges.txt"]
