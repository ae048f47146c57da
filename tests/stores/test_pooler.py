"""Indexes of a database behind a pooler, which gives each transaction any session."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from pooler import pooling
from postgres_server import PostgresServer
from ragraphs.state.errors import RagraphsError
from ragraphs.stores import lock
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.lock import writing
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.postgresql import open_shared
from ragraphs.stores.queries import raw_name, replace_all
from ragraphs.stores.tables import files

NAMES = ("bees", "ants")


def document(name: str, at: int) -> NewDocument:
    pieces = [Piece(n, n, f"common {name} {at} {n}") for n in range(5)]
    return NewDocument(f"{name}{at}", f"{name}{at}", name, "", pieces)


@pytest.mark.slow
def test_every_look_finds_its_own_index_while_both_are_written(postgres: PostgresServer):
    with pooling(postgres) as url, ThreadPoolExecutor(8) as threads:
        engines = [open_shared(url, name, create=True) for name in NAMES]
        catalogues = dict(zip(NAMES, map(Catalogue, engines), strict=True))
        for name, catalogue in catalogues.items():
            catalogue.write_documents([document(name, 0)])

        def write(name: str) -> None:
            for at in range(1, 15):
                catalogues[name].write_documents([document(name, at)])

        def look(at: int) -> set[str]:
            name = NAMES[at % 2]
            found = catalogues[name].search_terms("common", 999)
            texts = catalogues[name].passages([id for id, _ in found])
            return {text["title"] for text in texts} - {name}

        writers = [threads.submit(write, name) for name in NAMES]
        assert set().union(*threads.map(look, range(300))) == set()
        for writer in writers:
            writer.result()
        assert [one.count_passages() for one in catalogues.values()] == [75, 75]
        for engine in engines:
            with engine.begin() as connection:
                replace_all(connection, files, [{"path": "a", "content": "b"}])
            assert Catalogue(engine).vacuum() in (True, False)
            engine.dispose()


@pytest.mark.slow
async def test_a_writer_behind_a_pooler_has_the_lock_until_it_is_done(postgres: PostgresServer):
    with pooling(postgres) as url:
        engine = open_shared(url, "locked", create=True)
        other = open_shared(postgres.url, "locked", create=False)
        async with writing(engine, "locked"):
            await asyncio.to_thread(Catalogue(engine).write_documents, [document("bees", 1)])
            with pytest.raises(RagraphsError, match="Another run is writing"):
                async with writing(other, "locked"):
                    pass
        async with writing(other, "locked"):
            pass
        engine.dispose()
        other.dispose()


@pytest.mark.slow
async def test_a_pooler_that_cannot_serve_a_writer_is_told(postgres: PostgresServer, monkeypatch):
    monkeypatch.setattr(lock, "_SECOND_CONNECTION", 0.5)
    with pooling(postgres, size=1) as url:
        engine = open_shared(url, "narrow", create=True)
        with pytest.raises(RagraphsError, match="pool_size of 2"):
            async with writing(engine, "narrow"):
                pass
        engine.dispose()
    with (
        pooling(postgres, "statement") as url,
        pytest.raises(RagraphsError, match="pool_mode to transaction"),
    ):
        open_shared(url, "statements", create=True)


def test_sql_of_our_own_names_the_schema(postgres: PostgresServer):
    engine = open_shared(postgres.url, "named", create=True)
    assert raw_name(engine, "files") == '"ragraphs_named"."files"'
    engine.dispose()
