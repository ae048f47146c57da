"""An index as a retriever of LangChain."""

from __future__ import annotations

import pickle

import pytest
import ragraphs
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_openai import ChatOpenAI
from scripted_model import FACT, QUESTION
from stub_openai import OpenAIStub


async def test_documents_have_texts_places_and_scores(bridges: str) -> None:
    retriever = ragraphs.open_index(bridges).as_retriever(top_k=2)
    documents = retriever.invoke(QUESTION)
    assert len(documents) == 2
    metadata = documents[0].metadata
    assert (metadata["document"], metadata["title"]) == ("Forth Bridge", "Forth Bridge")
    assert documents[0].page_content.startswith(FACT)
    assert metadata["end"] - metadata["start"] == len(documents[0].page_content)
    assert metadata["id"] == documents[0].id
    assert documents[0].metadata["score"] >= documents[1].metadata["score"]
    assert await retriever.ainvoke(QUESTION) == documents


def test_a_retriever_can_be_pickled(bridges: str) -> None:
    retriever = ragraphs.open_index(bridges).as_retriever("lexical", top_k=1)
    again = pickle.loads(pickle.dumps(retriever))
    assert again.invoke(QUESTION) == retriever.invoke(QUESTION)


def test_a_retriever_stands_in_a_chain(bridges: str, server: OpenAIStub) -> None:
    def joined(documents: list[Document]) -> str:
        return "\n\n".join(document.page_content for document in documents)

    server.answer = lambda body: "Fowler." if FACT in body["messages"][0]["content"] else "?"
    retriever = ragraphs.open_index(bridges).as_retriever(top_k=3)
    prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {question}")
    llm = ChatOpenAI(model="stub", base_url=server.base_url, api_key="none")  # type: ignore[arg-type]
    chain = (
        {"context": retriever | joined, "question": RunnablePassthrough()}
        | prompt
        | llm
        | StrOutputParser()
    )
    assert chain.invoke(QUESTION) == "Fowler."


def test_evidence_becomes_documents_and_documents_evidence(bridges: str) -> None:
    evidence = ragraphs.build("basic", index=bridges).invoke({"question": QUESTION})["evidence"]
    documents = ragraphs.to_documents(evidence)
    assert [document.page_content for document in documents] == [one["text"] for one in evidence]
    retriever = ragraphs.open_index(bridges).as_retriever()
    found = ragraphs.build("basic", retriever=retriever).invoke({"question": QUESTION})
    assert found["evidence"] == evidence


def test_an_index_that_is_not_there_is_told(tmp_path: object) -> None:
    with pytest.raises(ragraphs.IndexNotFoundError):
        ragraphs.open_index(str(tmp_path)).as_retriever()


def test_a_filter_says_among_which_passages(rivers: str) -> None:
    index = ragraphs.open_index(rivers)
    (found,) = index.as_retriever(where={"year": {"$lt": 1950}}).invoke("Elbe")
    assert found.metadata["year"] == 1911
    assert index.as_retriever(where={"year": {"$gt": 1950}}).invoke("Elbe") == []
