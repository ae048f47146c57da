"""A server tells which store is away, while many ask it, and is ready again when it is back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from postgres_server import PostgresServer, serving_postgres
from ragraphs import IndexContext, index_graph
from ragraphs.settings import settings
from tool_server import serving_questions

pytestmark = [pytest.mark.slow, pytest.mark.in_folder("has a server of its own")]


@pytest.fixture(scope="module")
def database() -> Iterator[PostgresServer]:
    with serving_postgres() as database:
        yield database


@pytest.fixture
def url(database: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    environment = {"RAGRAPHS_DATABASE": database.url, "RAGRAPHS_CACHE": str(tmp_path / "cache")}
    with monkeypatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        settings.cache_clear()
        documents = [{"id": "a", "text": "The Forth Bridge was designed by John Fowler."}]
        context = IndexContext(index="notes", embeddings="lexical")
        index_graph.invoke({"documents": documents}, context=context)
    settings.cache_clear()
    with serving_questions(tmp_path, "--index", "notes", **environment) as url:
        yield url


def asked(url: str) -> int:
    body = {"question": "Who designed the Forth Bridge?", "max_seconds": 20}
    return httpx.post(f"{url}/ask", json=body, timeout=120).status_code


@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.thorough)])
def test_a_database_that_is_away_is_told_in_time_while_many_ask(url, database, count):
    assert asked(url) == 200
    latest = time.monotonic() + 60
    while not (found := httpx.get(f"{url}/ready", timeout=60)).is_success:  # a slow machine
        assert time.monotonic() < latest, found.text
    database.stop()
    with ThreadPoolExecutor(count) as clients:
        asking = [clients.submit(asked, url) for _ in range(2 * count)]
        told = httpx.get(f"{url}/ready", timeout=60)
        assert told.status_code == 503 and told.elapsed.total_seconds() < 20
        assert told.json()["stores"]["catalogue"] != "ready" and told.json()["detail"]
        assert httpx.get(f"{url}/live", timeout=60).is_success
        assert {one.result() for one in asking} == {503}
    database.start()
    latest = time.monotonic() + 60
    while not httpx.get(f"{url}/ready", timeout=60).is_success:
        assert time.monotonic() < latest
        time.sleep(0.2)
    assert asked(url) == 200
