"""llama.cpp's server, started once for all tests of a process that speak to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from llama_server import NAME, LlamaServer, serving_llama
from ragraphs.context import QuestionContext
from ragraphs.index.language_model import open_language_model
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.offline.model import OfflineLanguageModel
from ragraphs.settings import settings


@pytest.fixture(scope="session")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """A server of two slots with 8,192 tokens each."""
    with serving_llama(tmp_path_factory.mktemp("llama")) as server:
        yield server


@pytest.fixture
def llama(started: LlamaServer, monkeypatch: pytest.MonkeyPatch) -> LlamaServer:
    """The server, which the environment names."""
    monkeypatch.setenv("OPENAI_BASE_URL", started.base_url)
    settings.cache_clear()
    return started


@pytest.fixture
def open_model(replies):
    """Opens the model of the server that the environment names, with settings of a context."""

    async def open_it(**chosen):
        context = QuestionContext(**{"model": f"openai:{NAME}", "temperature": 1.0, **chosen})
        return await open_language_model(
            context, settings(), replies, lambda: OfflineLanguageModel(LexicalEmbedder())
        )

    return open_it
