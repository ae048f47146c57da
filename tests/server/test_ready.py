"""A server tells which store is away, while many ask it, and is ready again when it is back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from chroma_server import ChromaServer, serving_chroma
from postgres_server import PostgresServer, serving_postgres
from ragraphs import IndexContext, index_graph
from ragraphs.settings import settings
from tool_server import serving_questions

pytestmark = [pytest.mark.slow, pytest.mark.in_folder("has a server of its own")]


@pytest.fixture(scope="module")
def database() -> Iterator[PostgresServer]:
    with serving_postgres() as database:
        yield database


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    with serving_chroma(tmp_path_factory.mktemp("vectors")) as chroma:
        yield chroma


@pytest.fixture(scope="module")
def url(
    database: PostgresServer, chroma: ChromaServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    environment = {
        "RAGRAPHS_DATABASE": database.url,
        "RAGRAPHS_CHROMA_URL": chroma.url,
        "RAGRAPHS_CACHE": str(folder / "cache"),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        settings.cache_clear()
        documents = [{"id": "a", "text": "The Forth Bridge was designed by John Fowler."}]
        context = IndexContext(index="notes", embeddings="lexical")
        index_graph.invoke({"documents": documents}, context=context)
    settings.cache_clear()
    with serving_questions(folder, "--index", "notes", **environment) as url:
        yield url


def wait_until_ready(url: str) -> None:
    latest = time.monotonic() + 60
    while not (found := httpx.get(f"{url}/ready", timeout=60)).is_success:  # a slow machine
        assert time.monotonic() < latest, found.text
        time.sleep(0.2)


def asked(url: str, client: httpx.Client) -> int:
    body = {"question": "Who designed the Forth Bridge?", "max_seconds": 20}
    return client.post(f"{url}/ask", json=body).status_code


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """One for all threads, since to make one for each takes longer than the server does."""
    with httpx.Client(timeout=120, limits=httpx.Limits(max_connections=None)) as client:
        yield client


@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.thorough)])
def test_a_database_that_is_away_is_told_in_time_while_many_ask(url, database, client, count):
    assert asked(url, client) == 200
    wait_until_ready(url)
    database.stop()
    with ThreadPoolExecutor(count) as clients:
        asking = [clients.submit(asked, url, client) for _ in range(2 * count)]
        told = [httpx.get(f"{url}/ready", timeout=60) for _ in range(3)]
        assert {one.status_code for one in told} == {503}
        assert min(one.elapsed.total_seconds() for one in told) < 2
        assert "does not answer" in told[-1].json()["stores"]["catalogue"]
        assert httpx.get(f"{url}/live", timeout=60).is_success
        assert {one.result() for one in asking} == {503}
    database.start()
    wait_until_ready(url)
    assert asked(url, client) == 200


def test_a_chroma_server_that_hangs_or_is_away_is_told_within_two_seconds(url, chroma):
    wait_until_ready(url)
    for turn_off in (chroma.pause, chroma.kill):
        turn_off()
        told = [httpx.get(f"{url}/ready", timeout=60) for _ in range(3)]
        assert {one.status_code for one in told} == {503}
        assert min(one.elapsed.total_seconds() for one in told) < 2
        stores = told[-1].json()["stores"]
        assert "answer" in stores["vectors"] and stores["catalogue"] == "ready"
    chroma.start()
    wait_until_ready(url)
