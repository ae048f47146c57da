"""Refusals while every thread of a server hangs at a store."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ragraphs.context import BasicContext
from ragraphs.graphs import graph_soon
from ragraphs.nodes import node
from ragraphs.server.exchange import failure
from ragraphs.settings import settings, told
from ragraphs.state.errors import RagraphsError, UnavailableError


@pytest.fixture
async def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """A server's loop with two threads, which hang while they open an index."""
    monkeypatch.setenv("RAGRAPHS_ROOT", str(tmp_path))
    settings.cache_clear()
    told("", settings())
    await graph_soon("basic")
    over, threads = threading.Event(), ThreadPoolExecutor(2)
    monkeypatch.setattr(node, "open_index", lambda context: over.wait(30))
    asyncio.get_running_loop().set_default_executor(threads)
    for _ in range(2):
        threads.submit(over.wait, 30)
    try:
        yield
    finally:
        over.set()


@pytest.mark.slow
@pytest.mark.usefixtures("hanging")
async def test_questions_with_a_deadline_are_refused_by_it_as_not_to_be_answered_for_now():
    graph = await graph_soon("basic")
    context = BasicContext(index="notes", max_seconds=0.2)
    asked = [graph.ainvoke({"question": "Who?"}, context=context) for _ in range(4)]
    async with asyncio.timeout(10):
        errors = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(error) for error in errors} == {UnavailableError}
    assert all("could not be opened by then" in str(error) for error in errors)


@pytest.mark.slow
@pytest.mark.usefixtures("hanging")
async def test_a_refusal_is_told_without_a_thread():
    async with asyncio.timeout(5):
        response = await failure(RagraphsError("The question is empty."))
    assert response.status_code == 422
