"""Indexes in a PostgreSQL server: opened by name, told apart, locked, purged; it may go away."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from postgres_server import PASSWORD, PostgresServer, serving_postgres
from ragraphs.state.errors import IndexNotFoundError, RagraphsError, UnavailableError
from ragraphs.stores import lock
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.kept_names import in_one_transaction
from ragraphs.stores.lock import writing
from ragraphs.stores.moments import at_one_moment
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.postgresql import open_shared, plain_engine, schema_of
from ragraphs.stores.postgresql_errors import LostConnectionError
from ragraphs.stores.queries import rows, rows_with
from ragraphs.stores.tables import files
from raw_sql import sql
from sqlalchemy import Engine, func, select, text
from sqlalchemy.schema import DropSchema

ODD = ["notes", "Notes", "a-b", "a_b", "세종", "/home/me/a", "", "_x", "x" * 80, "x" * 81, 'a"; --']


@pytest.fixture
def opened(postgres: PostgresServer, tmp_path) -> Iterator[Engine]:
    engine = open_shared(postgres.url, str(tmp_path), create=True)
    yield engine
    engine.dispose()


@pytest.mark.slow
def test_indexes_of_one_database_are_told_apart_by_any_name(postgres):
    engines = [open_shared(postgres.url, name, create=True) for name in ODD]
    for name, engine in zip(ODD, engines, strict=True):
        Catalogue(engine).set_property("mine", name)
    assert [Catalogue(engine).property("mine") for engine in engines] == ODD
    assert [Catalogue(engine).property("name") for engine in engines] == ODD
    assert all(len(schema_of(name).encode()) <= 63 for name in ODD)
    for engine in engines:
        engine.dispose()


@pytest.mark.slow
def test_an_index_that_is_missing_or_was_deleted_is_not_found(postgres):
    for _ in range(2):
        with pytest.raises(IndexNotFoundError, match="ragraphs index SOURCE --index gone"):
            open_shared(postgres.url, "gone", create=False)
        open_shared(postgres.url, "gone", create=True).dispose()
        engine = open_shared(postgres.url, "gone", create=False)
        with engine.begin() as connection:
            connection.execute(DropSchema("ragraphs_gone", cascade=True))
        engine.dispose()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (PASSWORD, "another secret", "refuses the user or the password"),
        ("/postgres", "/nowhere", "has no such database"),
        ("127.0.0.1:", "127.0.0.1:1", "no address|does not answer"),
        ("postgresql+psycopg", "mysql", "write it as postgresql"),
        ("@127.0.0.1", "@nowhere.invalid", "does not answer"),
    ],
)
def test_a_server_that_cannot_be_used_is_told_without_the_password(postgres, old, new, said):
    url = postgres.url.replace(old, new)
    with pytest.raises(RagraphsError, match=said) as raised:
        open_shared(url, "notes", create=True)
    assert "secret" not in f"{raised.value!r} {raised.value.__cause__!r}"


def test_a_user_without_rights_is_told_which_one_is_missing(postgres, opened):
    with opened.begin() as connection:
        connection.execute(text("DROP ROLE IF EXISTS reader"))
        connection.execute(text("CREATE ROLE reader LOGIN PASSWORD 'r'"))
    url = postgres.url.replace(f"ragraphs:{PASSWORD}", "reader:r")
    with pytest.raises(RagraphsError, match="GRANT CREATE ON DATABASE"):
        open_shared(url, "of the reader", create=True)


def test_the_password_is_in_no_text_of_an_engine(opened):
    assert PASSWORD not in f"{opened!r} {opened.url} {opened.pool!r}"


@pytest.mark.slow
def test_texts_with_a_nul_are_kept_with_a_mark_in_its_place(opened):
    catalogue = Catalogue(opened)
    catalogue.write_documents([NewDocument("a", "a", "a\0b", "", [Piece(0, 3, "c\0d")])])
    [passage] = catalogue.all_passages()
    assert (passage["title"], passage["text"]) == ("a\ufffdb", "c\ufffdd")


@pytest.mark.slow
def test_of_many_who_write_at_once_nobody_is_lost(opened):
    catalogue = Catalogue(opened)

    def write(at: int) -> None:
        pieces = [Piece(n, n, f"common {at} {n}") for n in range(5)]
        catalogue.write_documents([NewDocument(str(at), str(at), "shared title", "", pieces)])

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(write, range(24)))
    assert len(catalogue.search_terms("common", 999)) == catalogue.count_passages() == 120


async def test_one_writer_has_the_lock_until_it_is_done(opened, postgres, tmp_path):
    other = open_shared(postgres.url, str(tmp_path), create=False)
    for _ in range(2):
        async with writing(opened, "notes"):
            with pytest.raises(RagraphsError, match="Another run is writing to the index at notes"):
                async with writing(other, "notes"):
                    pass
    async with writing(other, "notes"):
        pass
    other.dispose()


def end_holders_of_locks(engine: Engine) -> None:
    """Ends their connections, as a network that fails does."""
    with engine.connect() as connection:
        held = "locktype = 'advisory' AND granted"
        connection.execute(
            text(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE {held}")
        )


async def test_a_writer_that_lost_its_lock_commits_nothing_more(
    opened, postgres, tmp_path, monkeypatch
):
    monkeypatch.setattr(lock, "_HEARTBEAT", 60.0)  # it does not notice by itself
    catalogue, other = Catalogue(opened), open_shared(postgres.url, str(tmp_path), create=False)
    async with writing(opened, "notes"):
        catalogue.set_property("one", 1)
        await asyncio.to_thread(end_holders_of_locks, other)
        async with writing(other, "notes"):
            Catalogue(other).set_property("two", 2)
            with pytest.raises(RagraphsError, match="nothing of this change is kept"):
                await asyncio.to_thread(catalogue.set_property, "one", 3)
        with pytest.raises(RagraphsError, match="Another run has begun to write"):
            catalogue.set_property("one", 4)
        Catalogue(other).set_property("three", 3)  # by nobody who ever had the lock
    assert catalogue.properties("one", "two", "three") == [1, 2, 3]
    other.dispose()


@pytest.mark.slow
async def test_a_writer_that_is_cancelled_while_it_begins_keeps_no_lock(opened, monkeypatch):
    """At no moment: neither while it takes the lock, nor while it leaves its mark."""

    async def write() -> None:
        async with writing(opened, "notes"):
            pass

    for step in ("take", "mark"):
        begun, done = threading.Event(), getattr(lock._AdvisoryLock, step)

        def slowly(self: Any, done: Any = done, begun: threading.Event = begun) -> Any:
            result = done(self)
            begun.set()
            time.sleep(0.2)
            return result

        with monkeypatch.context() as slowed:
            slowed.setattr(lock._AdvisoryLock, step, slowly)
            writer = asyncio.create_task(write())
            await asyncio.to_thread(begun.wait)
            writer.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writer
        await write()
    assert opened.pool.checkedout() == 0  # type: ignore[attr-defined]


@pytest.mark.slow
async def test_a_writer_whose_lock_went_to_another_is_stopped(opened, monkeypatch):
    monkeypatch.setattr(lock, "_HEARTBEAT", 0.05)
    async with writing(opened, "notes"):  # it is free, and taken again
        await asyncio.to_thread(end_holders_of_locks, opened)
        await asyncio.sleep(0.3)
        with pytest.raises(RagraphsError, match="Another run"):
            async with writing(opened, "notes"):
                pass
    monkeypatch.setattr(lock._AdvisoryLock, "hold", lambda self: False)
    with pytest.raises(RagraphsError, match="Another run"):
        async with writing(opened, "notes"):
            await asyncio.sleep(30)


@pytest.mark.slow
def test_a_lookup_that_is_not_read_to_its_end_holds_no_transaction_open(opened):
    Catalogue(opened).note_file("a", "of a", {})
    open_ones = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%' AND query LIKE "
    found = rows_with(opened, select(files.c.content), files.c.path, ["a", "b"])
    assert next(found) == ("of a",)
    with opened.connect() as connection:
        assert sql(connection, f"{open_ones} '%files.content%files.path%'").scalar() == 0
    assert list(found) == []


@pytest.mark.slow
def test_lookups_at_one_moment_all_see_it(opened):
    Catalogue(opened).note_file("a", "of a", {})
    with at_one_moment(opened) as moment:
        Catalogue(opened).note_file("a", "new", {})
        assert Catalogue(moment).files() == Catalogue(moment).files(["a"]) == {"a": "of a"}
    assert Catalogue(opened).files(["a"]) == {"a": "new"}


@pytest.mark.slow
def test_a_purge_leaves_no_bytes_unless_an_older_transaction_reads(opened):
    catalogue = Catalogue(opened)
    catalogue.write_documents([NewDocument("a", "a", "a", "", [Piece(0, 3, "one " * 5000)])])
    with opened.connect().execution_options(isolation_level="REPEATABLE READ") as reader:
        reader.execute(text("SELECT 1 FROM pg_class LIMIT 1"))
        catalogue.remove_documents(["a"])
        assert catalogue.vacuum() is False
    assert catalogue.vacuum() is True
    with opened.connect() as connection:
        assert sql(connection, "SELECT pg_relation_size('passages')").scalar() == 0


@pytest.mark.slow
async def test_the_lock_of_a_writer_keeps_no_deleted_row_alive(opened):
    catalogue = Catalogue(opened)
    async with writing(opened, "notes"):
        catalogue.write_documents([NewDocument("a", "a", "a", "", [Piece(0, 3, "one")])])
        catalogue.remove_documents(["a"])
        assert catalogue.vacuum() is True


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGQUIT])
def test_a_server_that_restarts_in_the_middle_of_a_run_is_waited_for(how):
    with serving_postgres() as server:
        engine = open_shared(server.url, "notes", create=True)
        catalogue, written = Catalogue(engine), 40

        def restart() -> None:
            server.stop(how)
            time.sleep(0.5)
            server.start()

        restarting = threading.Timer(0.2, restart)
        restarting.start()
        for at in range(written):
            pieces = [Piece(n, n, f"word {at} {n}") for n in range(20)]
            catalogue.write_documents([NewDocument(str(at), str(at), "", "", pieces)])
            time.sleep(0.02)
        restarting.join()
        assert catalogue.count_passages() == len(catalogue.search_terms("word", 9999)) == 800
        engine.dispose()


@pytest.mark.slow
def test_a_server_that_stays_away_is_told():
    with serving_postgres() as server:
        engine = open_shared(server.url, "notes", create=True)
        server.stop()
        time.sleep(0.2)  # so that the connection is tried before it is used
        with pytest.raises(UnavailableError, match="does not answer"):
            Catalogue(engine).documents()
        server.start()
        assert Catalogue(engine).documents() == []
        engine.dispose()


def lose_connections(engine: Engine) -> None:
    """Ends those that are in the middle of a transaction, as a server that goes away does."""
    with engine.connect() as other:
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {}"
        mine = "pid <> pg_backend_pid() AND state = 'idle in transaction'"
        other.execute(text(ended.format(mine)))


def test_a_socket_that_is_found_closed_is_a_connection_lost_and_a_new_one_is_opened(opened):
    with pytest.raises(LostConnectionError, match="run the command again"), opened.begin() as held:
        driver: Any = held.connection.dbapi_connection
        os.close(driver.fileno())
        held.execute(select(func.now()))
    with opened.begin() as connection:
        assert connection.execute(select(1)).scalar() == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_loss_that_is_noticed_as_a_stream_is_closed_is_told_by_one_sentence(opened, caplog):
    stream = rows(opened, select(func.generate_series(1, 2000)))
    assert next(stream) == (1,)
    lose_connections(opened)
    with pytest.raises(RagraphsError, match="run the command again"):
        stream.close()
    gc.collect()  # the driver warns of the cursor, which could not be closed
    assert caplog.records == []


@pytest.mark.slow
def test_a_transaction_whose_connection_is_lost_in_the_middle_is_made_again(opened):
    begun = []

    def work(connection):
        begun.append(connection.scalar(text("SELECT pg_backend_pid()")))
        connection.execute(files.insert(), [{"path": f"at {len(begun)}", "content": "c"}])
        if len(begun) == 1:
            with opened.begin() as other:
                other.execute(text(f"SELECT pg_terminate_backend({begun[0]}, 5000)"))
        return connection.scalar(select(func.count()).select_from(files))

    assert in_one_transaction(opened, work) == 1 and len(begun) == 2
    with opened.connect() as connection:
        assert connection.scalars(select(files.c.path)).all() == ["at 2"]


@pytest.mark.slow
def test_a_document_whose_pieces_cannot_be_read_twice_is_not_written_by_half(opened):
    def pieces() -> Iterator[Piece]:
        for at in range(1200):
            if at == 700:
                lose_connections(opened)
            yield Piece(at, at, f"piece {at}")

    with pytest.raises(RagraphsError, match="run the command again"):
        Catalogue(opened).write_documents([NewDocument("a", "a", "", "", pieces())])
    assert Catalogue(opened).count_passages() == 0


def test_a_send_that_no_machine_acknowledges_fails_in_time(postgres: PostgresServer, opened):
    plain = plain_engine(postgres.url, 5)
    for engine in (opened, plain):
        with engine.connect() as connection:
            driver: Any = connection.connection.dbapi_connection
            assert driver.info.get_parameters()["tcp_user_timeout"] == "30000"
    plain.dispose()


@pytest.mark.slow
def test_all_indexes_of_a_database_share_as_many_connections_as_its_address_allows(postgres):
    url = f"{postgres.url}?pool_size=1"
    one, other = (open_shared(url, name, create=True) for name in ("one", "other"))
    assert one.pool is other.pool
    one.pool._timeout = 0.1  # type: ignore[attr-defined]
    with one.connect(), pytest.raises(UnavailableError, match="All 1 connections"):
        other.connect()
    assert Catalogue(other).documents() == []
    one.dispose()
