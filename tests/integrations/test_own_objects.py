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
from ragraphs.models.meter import start_meter
from ragraphs.nodes.retrieve import nearest
from ragraphs.nodes.run import Run
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
    graph = ragraphs.build(method, index=bridges, llm=llm)
    found = await graph.ainvoke({"question": QUESTION})
    assert found["answer"] == FACT
    assert list(found["usage"]["models"]) == [LABEL]
    assert found["warnings"] == []


@pytest.mark.slow
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
    large = llm.model_copy(update={"model_name": "large"})
    graph = ragraphs.build("crag", index=bridges, llm=large, small_llm=small)
    found = graph.invoke({"question": QUESTION})
    assert script.models("Grades") == {"small"}
    assert script.models("Answer") == {"large"}
    labels = {"own:ChatOpenAI:large", "own:ChatOpenAI:small"}
    assert found["usage"]["models"].keys() == labels


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
    changed = usual.read_text(encoding="utf-8").replace("# System\n\n", "# System\n\nAhoy! ")
    (tmp_path / "answer.md").write_text(changed, encoding="utf-8")
    graph = ragraphs.build("basic", index=bridges, llm=llm, prompts=tmp_path)
    graph.invoke({"question": QUESTION})
    (asked,) = (one for one in script.asked if one.kind == "Answer")
    assert asked.system.startswith("Ahoy! ")


LETTERS = """
from langchain_core.embeddings import Embeddings

class Letters(Embeddings):
    model = "a-z"

    def embed_documents(self, texts):
        return [[1.0 + text.lower().count(letter) for letter in LETTERS] for text in texts]

    def embed_query(self, text):
        return self.embed_documents([text])[0]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""


def letters() -> Any:
    """Embeddings of one's own: how often a text has each letter."""
    scope: dict[str, Any] = {}
    exec(LETTERS, scope)
    return scope["Letters"]()


@pytest.fixture(scope="module")
def lettered(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An index that was built with them."""
    index = str(tmp_path_factory.mktemp("lettered"))
    built = ragraphs.build("index", index=index, embeddings=letters()).invoke(
        {"documents": DOCUMENTS}
    )
    assert built["embeddings"] == "own:Letters:a-z"
    return index


TAY = "Tay Bridge: The Tay Bridge was designed by Thomas Bouch. It fell in a storm."


def test_embeddings_of_ones_own_build_and_search_an_index(lettered: str) -> None:
    graph = ragraphs.build(
        "basic", index=lettered, embeddings=letters(), retriever="vector", top_k=1
    )
    assert graph.invoke({"question": TAY})["evidence"][0]["document"] == "Tay Bridge"
    documents = ragraphs.open_index(graph.bound).as_retriever("vector", top_k=1).invoke(TAY)
    assert documents[0].metadata["document"] == "Tay Bridge"


def test_embeddings_other_than_those_of_the_index_are_refused(lettered: str) -> None:
    with pytest.raises(ragraphs.RagraphsError, match="hand the same over as embeddings"):
        ragraphs.build("basic", index=lettered, retriever="vector").invoke({"question": TAY})
    with pytest.raises(ragraphs.RagraphsError, match="was built with the embeddings own:Letters"):
        ragraphs.build("index", index=lettered, embeddings="lexical").invoke({"sources": []})
    other = DeterministicFakeEmbedding(size=8)
    for name, given in (("basic", {"question": TAY}), ("index", {"sources": []})):
        with pytest.raises(ragraphs.RagraphsError, match="was built with the embeddings own:Let"):
            ragraphs.build(name, index=lettered, embeddings=other).invoke(given)  # type: ignore[arg-type]


@pytest.mark.slow
def test_another_process_finds_by_embeddings_of_ones_own(lettered: str) -> None:
    script = f"""{LETTERS}
import ragraphs

index = ragraphs.open_index(
    ragraphs.QuestionContext(index={lettered!r}).using(embeddings=Letters())
)
print(index.as_retriever("vector", top_k=1).invoke({TAY!r})[0].metadata["document"])
"""
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
    assert first["metadata"] == {"source": "bridges.pdf", "page": 3, "tags": ["rail"]}
    assert (first["score"], second["score"]) == (0.5, 0.5)
    assert (second["id"], second["document"], second["title"]) == ("tay", "tay", "tay")
    assert found["usage"]["retrievals"] == 1


async def test_a_ranking_of_earlier_does_not_stand_for_texts_of_a_retriever(shelf: Shelf) -> None:
    context = ragraphs.BasicContext().using(retriever=shelf)
    run = Run(context, ragraphs.open_index(context), start_meter(None))
    held = {"ranked": {"tay": 0.5}}
    found = await nearest(run, {"question": QUESTION, "held": held, "ranked": {}}, 5)
    assert [one["document"] for one in found] == ["bridges.pdf", "tay"]


def test_a_filter_holds_for_a_retriever_of_ones_own(shelf: Shelf) -> None:
    for where, expected in (({"page": 3}, 1), ({"page": 4}, 0), ({"title": "tay"}, 1)):
        graph = ragraphs.build("basic", retriever=shelf, where=where)
        assert len(graph.invoke({"question": QUESTION})["evidence"]) == expected


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
    wary = llm.model_copy(update={"model_name": "wary"})
    found = ragraphs.build("crag", index=bridges, llm=wary, web=False).invoke(
        {"question": QUESTION}
    )
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
