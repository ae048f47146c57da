"""Settings that an index records, and what callers may name of them."""

from __future__ import annotations

from typing import Any

import pytest
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph
from ragraphs.index.opening import open_index
from ragraphs.index.recorded import readers_of, warn_of_language
from ragraphs.models.embeddings import DEFAULT_FASTEMBED
from ragraphs.models.meter import start_meter
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError

DOCUMENTS = {"documents": [{"id": "a", "text": "A text."}]}


@pytest.fixture
def operator_lists(monkeypatch: Any) -> Any:
    """Sets the list of models that callers may name, and the default embeddings."""

    def set_it(models: str, embeddings: str = "lexical") -> None:
        monkeypatch.setenv("RAGRAPHS_MODELS", models)
        monkeypatch.setenv("RAGRAPHS_EMBEDDINGS", embeddings)
        settings.cache_clear()

    return set_it


def _indexed(name: str, **chosen: Any) -> str:
    result = graph.invoke(DOCUMENTS, context=IndexContext(index=name, **chosen))
    return str(result["embeddings"])


@pytest.mark.parametrize("named", ["openai:text-embedding-3-large", "fastembed:any/model"])
def test_a_caller_names_no_embeddings_that_the_operator_does_not_list(
    openai, operator_lists, monkeypatch, named
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-operator")
    operator_lists("openai:gpt-4o-mini")
    with pytest.raises(RagraphsError, match="not allowed here; choose one of: lexical, openai:gpt"):
        _indexed("notes", embeddings=named)
    assert openai.requests == []


@pytest.mark.slow
def test_listed_and_default_embeddings_may_be_named(openai, operator_lists):
    operator_lists("openai:small", "openai:large")
    for name in ("openai:small", "openai:large", "lexical"):
        assert _indexed(name.replace(":", "-"), embeddings=name) == name
    assert _indexed("openai-small", embeddings="openai:small") == "openai:small"
    assert _indexed("unnamed") == "openai:large"


@pytest.mark.slow
def test_without_a_list_any_may_be_named(openai):
    assert _indexed("notes", embeddings="openai:any") == "openai:any"


KOREAN = "이 다리는 1890년에 개통되었으며 같은 종류의 다리 가운데 가장 길다."


@pytest.fixture
def without_network(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", "empty")


@pytest.mark.slow
@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("as_file", [False, True])
def test_auto_looks_at_the_languages_of_what_is_to_be_indexed(
    without_network, tmp_path, dry_run, as_file
):
    (tmp_path / "bridge.txt").write_text(KOREAN)
    given = (
        {"sources": [str(tmp_path)]} if as_file else {"documents": [{"id": "a", "text": KOREAN}]}
    )
    result = graph.invoke(given, context=IndexContext(embeddings="auto", dry_run=dry_run))
    [note] = result["warnings"]
    assert "multilingual" in note and result["embeddings"] == "lexical"
    if not dry_run:
        again = graph.invoke(DOCUMENTS, context=IndexContext(embeddings="auto"))
        assert again["embeddings"] == "lexical" and again["warnings"] == []


@pytest.mark.slow
def test_documents_that_the_embeddings_do_not_suit_are_told_of():
    graph.invoke(DOCUMENTS, context=IndexContext(embeddings="lexical"))
    index = open_index(IndexContext())
    index.catalogue.set_property("embeddings", f"fastembed:{DEFAULT_FASTEMBED}")
    meter = start_meter(None)
    warn_of_language(index)
    assert meter.warnings == []
    index.catalogue.set_property("embeddings", "lexical")
    korean = {"documents": [{"id": "b", "text": KOREAN}]}
    graph.invoke(korean, context=IndexContext(embeddings="lexical"))
    index.catalogue.set_property("embeddings", f"fastembed:{DEFAULT_FASTEMBED}")
    warn_of_language(index)
    [note] = meter.warnings
    assert (
        "made for English" in note
        and "--embeddings fastembed:sentence-transformers/paraphrase-multi" in note
    )
    warn_of_language(index)
    assert meter.warnings == [note]


def test_a_setting_of_an_earlier_release_makes_no_difference_to_the_reader():
    usual = {"entity_types": IndexContext.model_fields["entity_types"].default, "examples": ""}
    recorded: Any = {**usual, "claims": False, "gleanings": 0, "joint": True}
    assert readers_of(["entities"], "openai:m", recorded)["facts"] == "openai:m"
    other = readers_of(["entities"], "openai:m", {**recorded, "claims": True})["facts"]
    assert other.startswith("openai:m (")
