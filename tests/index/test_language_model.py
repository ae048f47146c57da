"""Which models may be named, and what they need."""

from __future__ import annotations

import asyncio

import pytest
from ragraphs.context import QuestionContext
from ragraphs.index.language_model import open_language_model
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.offline.model import OfflineLanguageModel
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError


@pytest.fixture
def open_named(replies, monkeypatch):
    async def open_it(name: str, **environment: str):
        for variable, value in environment.items():
            monkeypatch.setenv(variable, value)
        settings.cache_clear()
        context = QuestionContext(model=name)
        return await open_language_model(context, settings(), replies, _offline)

    return open_it


def _offline() -> OfflineLanguageModel:
    return OfflineLanguageModel(LexicalEmbedder())


def is_one_sentence(error: BaseException) -> bool:
    text = str(error)
    return text.endswith(".") and "\n" not in text and len(text) < 500


@pytest.mark.parametrize("environment", [{}, {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}])
async def test_a_model_without_key_and_address_says_what_to_set(open_named, environment):
    with pytest.raises(RagraphsError, match="set OPENAI_API_KEY, or OPENAI_BASE_URL") as caught:
        await open_named("openai:gpt-4o-mini", **environment)
    assert is_one_sentence(caught.value)


async def test_an_address_alone_is_enough(open_named):
    model = await open_named("openai:local", OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert model.name == "openai:local"


@pytest.mark.parametrize("name", ["nobody:model", "gpt-4o-mini", "openai", ":", ":x"])
async def test_an_unknown_or_absent_provider_is_one_sentence(open_named, name):
    with pytest.raises(RagraphsError, match="provider:name") as caught:
        await open_named(name)
    assert is_one_sentence(caught.value) and "Supported" not in str(caught.value)


@pytest.mark.parametrize(("name", "package"), [("anthropic:x", "anthropic"), ("bedrock:x", "aws")])
async def test_a_provider_without_its_package_says_what_to_install(open_named, name, package):
    with pytest.raises(RagraphsError, match=rf"pip install langchain-{package}\.$") as caught:
        await open_named(name)
    assert is_one_sentence(caught.value)


async def test_the_operators_list_of_models_is_kept(open_named):
    environment = {"RAGRAPHS_MODELS": "openai:a, openai:b", "OPENAI_API_KEY": "k"}
    assert (await open_named("openai:b", **environment)).name == "openai:b"
    assert isinstance(await open_named("offline"), OfflineLanguageModel)
    with pytest.raises(RagraphsError, match="choose one of: offline, openai:a, openai:b"):
        await open_named("openai:c")


async def test_a_folder_of_prompts_that_does_not_exist_is_said(open_named):
    with pytest.raises(RagraphsError, match="RAGRAPHS_PROMPTS"):
        await open_named(
            "openai:a", OPENAI_BASE_URL="http://127.0.0.1:9/v1", RAGRAPHS_PROMPTS="nowhere"
        )


async def test_what_many_ask_for_at_once_is_opened_once(openai, open_model, monkeypatch):
    from ragraphs.index import language_model as opening

    made: list[object] = []
    open_chat = opening._open_chat

    def counted(*arguments):
        made.append(arguments)
        return open_chat(*arguments)

    monkeypatch.setattr(opening, "_open_chat", counted)
    models = await asyncio.gather(*(open_model() for _ in range(10)))
    assert len(made) == 1 and all(model is models[0] for model in models)
