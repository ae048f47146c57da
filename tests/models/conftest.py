"""A language model over a local server, with a real reply table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ragraphs.context import QuestionContext
from ragraphs.models.language import LanguageModel
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.models.meter import Meter, start_meter
from ragraphs.models.opening import open_language_model
from ragraphs.settings import settings
from ragraphs.stores.replies import ReplyStore
from ragraphs.stores.schema import open_database

OpenModel = Callable[..., Awaitable[LanguageModel]]


@pytest.fixture
def replies(tmp_path: Path) -> Iterator[ReplyStore]:
    engine = open_database(tmp_path / "index", create=True)
    yield ReplyStore(engine)
    engine.dispose()


@pytest.fixture
def open_model(openai: Any, replies: ReplyStore) -> OpenModel:
    """Opens ``openai:stub`` by the product's own way, with settings of a context."""

    async def open_it(**chosen: Any) -> LanguageModel:
        context = QuestionContext(**{"model": "openai:stub", "max_retries": 0, **chosen})
        return await open_language_model(context, settings(), replies, LexicalEmbedder)

    return open_it


@pytest.fixture
def metering() -> Callable[..., Meter]:
    """Starts a meter with an optional limit of calls; to be called in the test's own task."""
    return lambda calls_left=None: start_meter(calls_left)
