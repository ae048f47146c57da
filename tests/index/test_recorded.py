"""Settings that an index records, and what callers may name of them."""

from __future__ import annotations

from typing import Any

import pytest
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph
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


@pytest.mark.parametrize("named", ["openai:text-embedding-3-large", "fastembed:any/model", "auto"])
def test_a_caller_names_no_embeddings_that_the_operator_does_not_list(
    openai, operator_lists, monkeypatch, named
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-operator")
    operator_lists("openai:gpt-4o-mini")
    with pytest.raises(RagraphsError, match="not allowed here; choose one of: lexical, openai:gpt"):
        _indexed("notes", embeddings=named)
    assert openai.requests == []


def test_listed_and_default_embeddings_may_be_named(openai, operator_lists):
    operator_lists("openai:small", "openai:large")
    for name in ("openai:small", "openai:large", "lexical"):
        assert _indexed(name.replace(":", "-"), embeddings=name) == name
    assert _indexed("openai-small", embeddings="openai:small") == "openai:small"
    assert _indexed("unnamed") == "openai:large"


def test_without_a_list_any_may_be_named(openai):
    assert _indexed("notes", embeddings="openai:any") == "openai:any"
