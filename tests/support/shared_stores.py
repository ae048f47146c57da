"""Indexes of tests in a PostgreSQL database, perhaps beside a Chroma server, or copied there."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from postgres_server import serving_postgres
from ragraphs.index import opening
from ragraphs.index.copying import copy_between
from ragraphs.index.location import Location
from ragraphs.settings import settings
from ragraphs.stores import spending
from ragraphs.stores.chroma_client import open_server
from sqlalchemy import NullPool, create_engine, inspect, text
from sqlalchemy.schema import DropSchema

_END_READING = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE state LIKE 'idle in transaction%' AND pid <> pg_backend_pid()"
)


class SharedStores:
    """The addresses of a database, and of a Chroma server if that has the vectors.

    stores.name_in(monkeypatch, cache)
    """

    def __init__(self, database: str, chroma: str | None = None) -> None:
        self.database = database
        self.chroma = chroma

    def name_in(self, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
        """Sets them, and the folder of copies, in the environment."""
        monkeypatch.setenv("RAGRAPHS_DATABASE", self.database)
        if self.chroma is not None:
            monkeypatch.setenv("RAGRAPHS_CHROMA_URL", self.chroma)
        monkeypatch.setenv("RAGRAPHS_CACHE", str(cache))
        settings.cache_clear()

    def empty(self) -> None:
        """Deletes all indexes."""
        opening._open.clear()
        if spending._in_database.cache_info().currsize:
            spending._in_database(self.database)._engine.dispose()
            spending._in_database.cache_clear()
        gc.collect()
        opening._close_dropped()
        engine = create_engine(self.database, isolation_level="AUTOCOMMIT", poolclass=NullPool)
        with engine.connect() as connection:
            # A test that failed keeps its frames, and with them what it was reading.
            connection.execute(text(_END_READING))
            for schema in inspect(connection).get_schema_names():
                if schema.startswith("ragraphs"):
                    connection.execute(DropSchema(schema, cascade=True))
        if self.chroma is None:
            return
        client = open_server(self.chroma, None)
        for collection in client.api.list_collections(limit=1000):
            client.api.delete_collection(collection.name)
        client.close()


@contextmanager
def serving_stores() -> Iterator[SharedStores]:
    """A PostgreSQL database, which has the vectors too."""
    with serving_postgres() as database:
        yield SharedStores(database.url)


def copy_of(built: Path, place: Path) -> str:
    """The name of a copy of the index in the folder ``built``, on the stores of the tests."""
    if settings().database is None:
        return str(shutil.copytree(built, place))
    return copy_between(Location(str(built)), Location(str(place), in_database=True))["index"]
