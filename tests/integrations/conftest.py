"""Two small indexes, and a chat model that speaks to a local server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import ragraphs
from langchain_openai import ChatOpenAI
from ragraphs.settings import settings
from scripted_model import DOCUMENTS, Script
from stub_openai import OpenAIStub, serving_openai

TUNNEL = "The Elbe Tunnel was designed by Ludwig Wendemuth."
RIVERS = [
    {
        "id": "Elbe Tunnel",
        "title": "Elbe Tunnel",
        "text": f"{TUNNEL} It has two tubes.",
        "metadata": {"year": 1911},
    }
]


def _index(folder: str, documents: list[Any]) -> str:
    settings.cache_clear()
    ragraphs.build("index", index=folder, embeddings="lexical", layers=["sentences"]).invoke(
        {"documents": documents}
    )
    return folder


@pytest.fixture(scope="package")
def bridges(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of an index of bridges."""
    return _index(str(tmp_path_factory.mktemp("bridges")), DOCUMENTS)


@pytest.fixture(scope="package")
def rivers(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of an index of rivers."""
    return _index(str(tmp_path_factory.mktemp("rivers")), RIVERS)


@pytest.fixture
def server() -> Iterator[OpenAIStub]:
    """An OpenAI-compatible server that the environment does not name."""
    with serving_openai() as stub:
        yield stub


@pytest.fixture
def script(server: OpenAIStub) -> Script:
    """The replies of that server."""
    return Script(server)


@pytest.fixture
def llm(server: OpenAIStub, script: Script) -> ChatOpenAI:
    """A chat model of the caller's own, as one has for Ollama, vLLM or LM Studio."""
    return ChatOpenAI(model="stub", base_url=server.base_url, api_key="none", max_retries=0)
