"""Files that the tests of stores write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest
from loading_support import Write
from postgres_server import PostgresServer, serving_postgres
from ragraphs.stores import recent_vectors, schema
from ragraphs.stores.postgresql import open_shared
from ragraphs.stores.recent_vectors import RecentVectors
from ragraphs.stores.vectors import Collection
from sqlalchemy import Engine

OpenEngine = Callable[[], Engine]
ListVectors = Callable[[Path], RecentVectors]

KINDS = ("sqlite", pytest.param("postgresql", marks=pytest.mark.slow))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server, the same for all tests."""
    with serving_postgres() as server:
        yield server


@pytest.fixture(params=KINDS)
def open_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenEngine]:
    """Opens the database of the test, which it makes at first, in each kind of store."""
    opened: list[Engine] = []
    is_shared = request.param == "postgresql"
    url = request.getfixturevalue("postgres").url if is_shared else ""

    def open_it() -> Engine:
        if is_shared:
            engine = open_shared(url, str(tmp_path), create=True)
        else:
            engine = schema.open_database(tmp_path / "index", create=True)
        opened.append(engine)
        return engine

    yield open_it
    for engine in opened:
        engine.dispose()


@pytest.fixture
def engine(open_engine: OpenEngine) -> Engine:
    """A new database of each kind."""
    return open_engine()


@pytest.fixture
def list_vectors(monkeypatch: pytest.MonkeyPatch) -> Iterator[ListVectors]:
    """Opens embedded vectors whose catalogue lists their ids, and keeps changes, from the first."""
    opened: list[Engine] = []

    def open_vectors(folder: Path) -> RecentVectors:
        opened.append(schema.open_database(folder, create=True))
        vectors = RecentVectors(folder, "one", opened[-1])
        with monkeypatch.context() as patch:
            patch.setattr(recent_vectors, "_LISTED_FROM", 0)
            vectors._done("passages", lambda store: store.count(), writes=True)  # makes the folder
            for collection in get_args(Collection):
                vectors.settle(collection)
        return vectors

    yield open_vectors
    for engine in opened:
        engine.dispose()


@pytest.fixture(scope="module", params=KINDS)
def module_engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """A new database of each kind, for all tests of a module."""
    folder = tmp_path_factory.mktemp("index")
    if request.param == "sqlite":
        engine = schema.open_database(folder, create=True)
        yield engine
        engine.dispose()
    else:
        url = request.getfixturevalue("postgres").url
        engine = open_shared(url, str(folder), create=True)
        yield engine
        engine.dispose()
