"""The checks of one's own parts, tried on parts of ours and on parts that lack something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import ragraphs
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.retrievers import BaseRetriever
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from ragraphs import testing
from ragraphs.models.web import TavilySearch
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.chroma import ChromaVectors
from ragraphs.testing import check_chat_model, check_retriever, check_vectors, check_web
from scripted_model import DOCUMENTS, QUESTION
from stub_openai import chat
from stub_tavily import KEY

FORM = {"question": "When was John Fowler born?"}


class Shelf(BaseRetriever):
    """Finds the same texts for every question but an empty one."""

    texts: list[Any]

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        if not query.strip():
            raise ValueError("I need a query")
        return [Document(text) for text in self.texts]


@pytest.mark.slow
def test_an_index_is_a_retriever_with_all_capabilities(tmp_path):
    index = str(tmp_path / "notes")
    given = [{**one, "metadata": {"year": 1890}} for one in DOCUMENTS]
    ragraphs.build("index", index=index, embeddings="lexical").invoke({"documents": given})
    report = check_retriever(ragraphs.open_index(index).as_retriever(), QUESTION).require()
    assert all(report.capabilities.values()), report
    assert "ok    finds: Finds Documents for the question" in str(report)


def test_what_a_retriever_lacks_is_told(tmp_path):
    report = check_retriever(Shelf(texts=["One.", "One.", " "]), "Who?")
    assert not report.capabilities["sources"] and not report.capabilities["metadata"]
    assert report.capabilities["finds"] and report.capabilities["is_steady"]
    assert "FAIL  has_texts" in str(report) and "1 of 3 can be used" in str(report)
    assert "  no    ids" in str(report)
    with pytest.raises(RagraphsError, match=r"Shelf cannot be used.*takes_any_question.*I need"):
        report.require()


def test_a_web_search_by_function_and_ours_are_checked(tavily):
    def search(query: str) -> list[Document]:
        page = {"source": "https://example.com/forth", "title": "Forth"}
        return [Document("The bridge crosses the Forth. " * 100, metadata=page)]

    report = check_web(search, "Forth").require()
    assert report.part == "search" and all(report.capabilities.values()), report
    tavily.pages = [("https://example.com/tay", "Tay", "A bridge.")]
    ours = check_web(TavilySearch(SecretStr(KEY), tavily.url), "Tay").require()
    assert [name for name, can in ours.capabilities.items() if not can] == ["whole_pages"]
    with pytest.raises(RagraphsError, match="nothing was found for 'Tay'"):
        check_web(lambda query: [], "Tay").require()


@pytest.mark.slow
def test_a_chat_model_is_asked_in_every_form(openai):
    openai.answer = lambda body: FORM
    llm = ChatOpenAI(model="m", base_url=openai.base_url, api_key=SecretStr("none"), max_retries=0)
    report = check_chat_model(llm).require()
    assert all(report.capabilities.values()), report
    openai.modes = {"plain"}
    lacking = check_chat_model(llm).require().capabilities
    assert [name for name, can in lacking.items() if not can] == ["structured_output", "tool_calls"]
    openai.answer = lambda body: chat("I would rather not.")
    with pytest.raises(RagraphsError, match=r"own:ChatOpenAI:m cannot be used.*replies"):
        check_chat_model(llm).require()


async def test_a_model_without_tools_is_asked_in_plain_text_also_within_a_loop():
    report = check_chat_model(FakeListChatModel(responses=[json.dumps(FORM)])).require()
    can = [name for name, passed in report.capabilities.items() if passed]
    assert can == ["replies", "replies_at_once", "plain_text", "streams"]


class Remembering(ChromaVectors):
    """Removes nothing."""

    def remove(self, collection: Any, ids: Any) -> None:
        """Does nothing."""


@pytest.mark.slow
def test_a_store_of_vectors_that_forgets_nothing_is_found_out(tmp_path):
    report = check_vectors(lambda index: Remembering(tmp_path / index, index), "Remembering")
    failed = {check.name for check in report.checks if check.problem}
    assert failed == {"replaced_and_removed", "many"}, report


def test_the_checks_need_no_framework_of_tests():
    sources = [file.read_text("utf-8") for file in Path(str(testing.__file__)).parent.glob("*.py")]
    assert len(sources) == 5 and not any("pytest" in source for source in sources)
