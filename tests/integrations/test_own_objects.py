"""Chat models, embeddings, retrievers and web searches of the caller's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import ragraphs
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.retrievers import BaseRetriever
from ragraphs.settings import settings
from scripted_model import DOCUMENTS, FACT, NOT_FOUND, QUESTION, Script
from stub_openai import OpenAIStub

LABEL = "own:ChatOpenAI:stub"


class Shelf(BaseRetriever):
    """A retriever of another program."""

    documents: list[Document]
    asked: list[str] = []  # noqa: RUF012

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        self.asked.append(query)
        return self.documents


@pytest.fixture
def shelf() -> Shelf:
    metadata = {"source": "bridges.pdf", "page": 3, "tags": ["rail"], "scan": b"", "score": 0.5}
    return Shelf(
        documents=[
            Document(f"{FACT} It opened in 1890.", metadata=metadata),
            Document("The Tay Bridge was designed by Thomas Bouch.", id="tay"),
            Document("", id="empty"),
        ],
        asked=[],
    )


@pytest.mark.parametrize("method", ["basic", "crag", "deeprag", "router"])
async def test_a_chat_model_of_ones_own_answers(
    method: Any, bridges: str, llm: Any, script: Script
) -> None:
    graph = ragraphs.build(method, index=bridges, llm=llm, temperature=0.7)
    found = await graph.ainvoke({"question": QUESTION})
    assert found["answer"] == FACT
    assert list(found["usage"]["models"]) == [LABEL]
    assert found["warnings"] == []


def test_replies_of_ones_own_model_are_kept(
    tmp_path: Path, llm: Any, script: Script, server: OpenAIStub
) -> None:
    index = str(tmp_path / "index")
    ragraphs.build("index", index=index, embeddings="lexical").invoke({"documents": DOCUMENTS})
    ragraphs.build("basic", index=index, llm=llm).invoke({"question": QUESTION})
    asked = len(server.chats)
    again = type(llm)(model="stub", base_url=server.base_url, api_key="other")
    found = ragraphs.build("basic", index=index, llm=again).invoke({"question": QUESTION})
    assert len(server.chats) == asked
    assert found["usage"]["models"][LABEL]["reused"] == 1


def test_the_small_model_is_ones_own_as_well(bridges: str, llm: Any, script: Script) -> None:
    small = llm.model_copy(update={"model_name": "small"})
    graph = ragraphs.build("crag", index=bridges, llm=llm, small_llm=small)
    found = graph.invoke({"question": QUESTION})
    assert script.models("Grades") == {"small"}
    assert script.models("Answer") == {"stub"}
    assert found["usage"]["models"].keys() == {LABEL, "own:ChatOpenAI:small"}


def test_a_model_without_structured_output_is_asked_plainly(bridges: str) -> None:
    reply = (
        f'{{"quotes": [{{"id": "1", "quote": "{FACT}"}}], "sufficient": true, "answer": "Fowler"}}'
    )
    graph = ragraphs.build("basic", index=bridges, llm=FakeListChatModel(responses=[reply]))
    found = graph.invoke({"question": QUESTION})
    assert (found["answer"], found["sufficient"]) == ("Fowler", True)


def test_the_operators_list_of_models_does_not_bind_objects(
    bridges: str, llm: Any, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGRAPHS_MODELS", "openai:other")
    settings.cache_clear()
    found = ragraphs.build("basic", index=bridges, llm=llm).invoke({"question": QUESTION})
    assert found["answer"] == FACT


@pytest.mark.parametrize("model", [LABEL, "own:nothing"])
def test_the_name_of_an_object_is_no_object(bridges: str, model: str) -> None:
    with pytest.raises(ragraphs.RagraphsError, match="hand one over as llm"):
        ragraphs.build("basic", index=bridges, model=model).invoke({"question": QUESTION})


def test_prompts_of_ones_own_are_sent(
    bridges: str, llm: Any, script: Script, tmp_path: Path
) -> None:
    usual = Path(ragraphs.__file__).parent / "prompts" / "answer.md"
    changed = usual.read_text(encoding="utf-8").replace("# ", "# Ahoy! ", 1)
    text = changed if "Ahoy" in changed else f"Ahoy!\n{changed}"
    (tmp_path / "answer.md").write_text(text, encoding="utf-8")
    graph = ragraphs.build("basic", index=bridges, llm=llm, prompts=tmp_path)
    graph.invoke({"question": QUESTION})
    (asked,) = (one for one in script.asked if one.kind == "Answer")
    assert "Ahoy!" in asked.system + asked.human


def test_embeddings_of_ones_own_build_and_search_an_index(tmp_path: Path) -> None:
    index, own = str(tmp_path / "index"), DeterministicFakeEmbedding(size=8)
    built = ragraphs.build("index", index=index, embeddings=own).invoke({"documents": DOCUMENTS})
    assert built["embeddings"] == "own:DeterministicFakeEmbedding"
    text = next(one for one in DOCUMENTS if one["id"] == "Tay Bridge")["text"]
    graph = ragraphs.build("basic", index=index, embeddings=own, retriever="vector", top_k=1)
    assert graph.invoke({"question": text})["evidence"][0]["document"] == "Tay Bridge"
    with pytest.raises(ragraphs.RagraphsError, match="hand the same over as embeddings"):
        ragraphs.build("basic", index=index, retriever="vector").invoke({"question": text})
    with pytest.raises(ragraphs.RagraphsError, match="was built with the embeddings own:Det"):
        ragraphs.build("index", index=index, embeddings="lexical").invoke({"sources": []})
    with pytest.raises(ragraphs.RagraphsError, match="was built with the embeddings own:Det"):
        other = _Other(size=8)
        ragraphs.build("basic", index=index, embeddings=other).invoke({"question": text})


class _Other(DeterministicFakeEmbedding):
    """Other embeddings."""


def test_another_process_finds_by_embeddings_of_ones_own(tmp_path: Path) -> None:
    index = str(tmp_path / "index")
    start = f"""
import ragraphs
from langchain_core.embeddings import DeterministicFakeEmbedding
own, index = DeterministicFakeEmbedding(size=8), {index!r}
"""
    build = 'ragraphs.build("index", index=index, embeddings=own).invoke({"documents": DOCUMENTS})'
    ask = """
graph = ragraphs.build("basic", index=index, embeddings=own, retriever="vector", top_k=1)
print(graph.invoke({"question": TEXT})["evidence"][0]["document"])
"""
    text = next(one for one in DOCUMENTS if one["id"] == "Tay Bridge")["text"]
    scripts = [f"DOCUMENTS = {DOCUMENTS!r}{start}{build}", f"TEXT = {text!r}{start}{ask}"]
    for script in scripts:
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
    assert done.stdout.strip() == "Tay Bridge"


@pytest.mark.parametrize("method", ["basic", "crag", "deeprag", "router"])
def test_a_retriever_of_ones_own_needs_no_index(
    method: Any, shelf: Shelf, llm: Any, script: Script
) -> None:
    found = ragraphs.build(method, retriever=shelf, llm=llm).invoke({"question": QUESTION})
    assert found["answer"] == FACT
    (citation,) = found["citations"]
    assert (citation["document"], citation["start"], citation["end"]) == (
        "bridges.pdf",
        0,
        len(FACT),
    )
    assert shelf.asked
    assert not Path(".ragraphs").exists()


def test_documents_of_a_retriever_become_evidence(shelf: Shelf) -> None:
    found = ragraphs.build("basic", retriever=shelf).invoke({"question": QUESTION})
    first, second = found["evidence"]
    assert first["metadata"] == {
        "source": "bridges.pdf",
        "page": 3,
        "tags": ["rail"],
    }
    assert (first["score"], second["score"]) == (0.5, 0.5)
    assert (second["id"], second["document"], second["title"]) == ("tay", "tay", "tay")
    assert found["usage"]["retrievals"] == 1


def test_a_retriever_stands_in_for_the_search_of_a_named_index(shelf: Shelf, bridges: str) -> None:
    found = ragraphs.build("basic", retriever=shelf, index=bridges).invoke({"question": QUESTION})
    assert found["evidence"][0]["document"] == "bridges.pdf"


def test_methods_that_walk_an_index_want_no_retriever(
    shelf: Shelf, llm: Any, script: Script
) -> None:
    script.replies["Answer"] = NOT_FOUND
    for method in ("hoprag", "tog2", "graphrag"):
        with pytest.raises(ragraphs.RagraphsError, match=f"{method} walks the layers"):
            ragraphs.build(method, retriever=shelf)  # type: ignore[arg-type]
    found = ragraphs.build("router", retriever=shelf, llm=llm, escalations=3).invoke(
        {"question": QUESTION}
    )
    assert "walks the layers" in found["decision"]["obstacles"]["hoprag"]
    assert {one["method"] for one in found["path"]} <= {"basic", "crag", "deeprag"}


def test_a_retriever_that_fails_is_told_in_a_sentence(shelf: Shelf) -> None:
    class Broken(Shelf):
        def _get_relevant_documents(
            self, query: str, *, run_manager: CallbackManagerForRetrieverRun
        ) -> list[Document]:
            raise ConnectionError("no route to host")

    with pytest.raises(ragraphs.RagraphsError, match=r"Broken failed \(no route to host\)"):
        ragraphs.build("basic", retriever=Broken(documents=[])).invoke({"question": QUESTION})


async def _async_search(query: str) -> list[Document]:
    return [Document(FACT, metadata={"source": "https://example.org", "title": "Bridges"})]


def _search(query: str) -> list[Document]:
    return [Document(FACT, metadata={"source": "https://example.org", "title": "Bridges"})]


@pytest.mark.parametrize("kind", ["function", "async function", "retriever"])
def test_the_web_is_searched_by_ones_own_means(
    kind: str, bridges: str, llm: Any, script: Script
) -> None:
    script.replies["Grades"] = lambda human: (
        script._grades(human) if "The Forth Bridge was designed" in human else {"needed": []}
    )
    web: Any = {
        "function": _search,
        "async function": _async_search,
        "retriever": Shelf(documents=_search("")),
    }[kind]
    retriever = Shelf(documents=[Document("The Tay Bridge fell in a storm.")])
    found = ragraphs.build("crag", retriever=retriever, llm=llm, web=web).invoke(
        {"question": QUESTION}
    )
    assert [text["document"] for text in found["evidence"]] == ["https://example.org"]
    assert found["usage"]["web_searches"] == 1
    assert found["answer"] == FACT


def test_without_the_web_nothing_is_searched(
    bridges: str, llm: Any, script: Script, tavily: Any
) -> None:
    script.replies["Grades"] = {"needed": [], "related": []}
    found = ragraphs.build("crag", index=bridges, llm=llm, web=False).invoke({"question": QUESTION})
    assert found["stop_reason"] == "web_unavailable"
    assert "the web could not be asked: web=False" in found["warnings"][0]
    assert tavily.requests == []


def test_a_web_search_that_fails_is_a_warning(llm: Any, script: Script) -> None:
    script.replies["Grades"] = {"needed": [], "related": []}

    def search(query: str) -> list[Document]:
        raise TimeoutError("no answer")

    shelf = Shelf(documents=[Document("The Tay Bridge fell in a storm.")])
    found = ragraphs.build("crag", retriever=shelf, llm=llm, web=search).invoke(
        {"question": QUESTION}
    )
    assert any("failed (no answer)" in warning for warning in found["warnings"])
