"""Parts that only pgvector has: its index, filters within SQL, its extension, rows with vectors."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from postgres_server import PASSWORD, USER, PostgresServer
from ragraphs.state.errors import RagraphsError
from ragraphs.stores import pgvector, pgvector_tables
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.pgvector import PostgresVectors
from ragraphs.stores.pgvector_tables import vector_table
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.postgresql import open_shared
from ragraphs.stores.vectors import Entry
from raw_sql import sql
from sqlalchemy import Engine, event

pytestmark = pytest.mark.slow

DIMENSION = 24
COUNT = 1200


@pytest.fixture
def engine(postgres: PostgresServer, request: pytest.FixtureRequest) -> Engine:
    """A new index whose vectors stand in the database."""
    return open_shared(postgres.url, request.node.name, create=True, with_vectors=True)


@pytest.fixture(scope="module")
def filled(postgres: PostgresServer) -> Engine:
    """An index of passages of which each tenth is of this year, with an index of their vectors."""
    engine = open_shared(postgres.url, "filled", create=True, with_vectors=True)
    pieces = [Piece(at, at, f"Text {at}.", metadata={"year": at % 10}) for at in range(COUNT)]
    Catalogue(engine).write_documents([NewDocument("a", "a", "A", "", pieces)])
    vectors = PostgresVectors(engine)
    ids = sorted(Catalogue(engine).passage_ids())
    vectors.add("passages", [Entry(id, "", {}) for id in ids], drawn(COUNT))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pgvector, "_INDEXED", 1000)
        vectors.settle("passages")
        vectors.settle("passages")  # it is there
    return engine


def drawn(count: int) -> np.ndarray:
    rows = np.random.default_rng(7).normal(size=(count, DIMENSION))
    return (rows / np.linalg.norm(rows, axis=1)[:, None]).astype(np.float32)


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    seen: list[str] = []

    def note(_connection, _cursor, statement, *_):
        seen.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield seen
    event.remove(engine, "before_cursor_execute", note)


def plan(engine: Engine, vectors: PostgresVectors, by_filter: bool) -> str:
    """How the server looks for the nearest vectors."""
    query = vectors._by_index(vector_table("chroma", "passages"), ASKED, 10, by_filter)

    def explain(_connection, _cursor, statement, parameters, *_):
        says = "EXPLAIN " if "hnsw" not in str(parameters) else ""
        return f"{says}{statement}", parameters

    event.listen(engine, "before_cursor_execute", explain, retval=True)
    try:
        with engine.connect() as connection:
            connection.execute(pgvector._going_on(10))
            found = connection.execute(query)
            return "\n".join(row[0] for row in found.cursor.fetchall())
    finally:
        event.remove(engine, "before_cursor_execute", explain)


ASKED = drawn(3)[2]


def test_an_index_is_made_of_many_vectors_and_finds_nearly_all_that_are_nearest(filled):
    vectors, asked = PostgresVectors(filled), drawn(20)
    narrowed = vectors.only({"year": 3}, frozenset())
    for how in (plan(filled, vectors, by_filter=False), plan(filled, narrowed, by_filter=True)):
        assert "Index Scan using vectors_passages_near" in how
    rows, ids = drawn(COUNT), sorted(Catalogue(filled).passage_ids())
    for vector in asked:
        nearest = {ids[at] for at in np.argsort(-(rows @ vector))[:10]}
        found = vectors.search("passages", vector, 10)
        assert len(nearest & {id for id, _ in found}) >= 9
        assert [cosine for _, cosine in found] == sorted((one for _, one in found), reverse=True)
        assert found[0][1] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("few", [0, 5000])
def test_a_filter_finds_the_nearest_that_meet_it_within_sql_or_by_ids(filled, monkeypatch, few):
    monkeypatch.setattr(pgvector, "_FEW", few)
    where = {"year": 3}
    allowed = frozenset(Catalogue(filled).only(where).passage_ids())
    assert len(allowed) == COUNT / 10
    ids, rows = sorted(Catalogue(filled).passage_ids()), drawn(COUNT)
    held = [at for at, id in enumerate(ids) if id in allowed]
    with statements(filled) as seen:
        found = PostgresVectors(filled).only(where, allowed).search("passages", ASKED, 10, allowed)
    nearest = [ids[held[at]] for at in np.argsort(-(rows[held] @ ASKED))[:10]]
    assert [id for id, _ in found] == nearest
    assert any("json_each" in one for one in seen) == (few == 0)


def test_where_the_index_ends_too_soon_those_allowed_are_compared_one_by_one(filled, monkeypatch):
    monkeypatch.setattr(pgvector, "_FEW", 0)
    where = {"year": 3}
    allowed = frozenset(Catalogue(filled).only(where).passage_ids())
    # The filter is not met any more by most, as by a run that writes meanwhile.
    vectors = PostgresVectors(filled).only({"year": 99}, allowed)
    assert len(vectors.search("passages", ASKED, 10, allowed)) == 10


def test_a_passage_is_removed_with_its_vector_at_one_moment(engine):
    catalogue, vectors = Catalogue(engine), PostgresVectors(engine)
    pieces = [Piece(at, at, f"Text {at}.") for at in range(3)]
    catalogue.write_documents([NewDocument(name, name, name, "", pieces) for name in "ab"])
    ids = sorted(catalogue.passage_ids())
    for one in (vectors, vectors.at("chroma-next")):
        one.add("passages", [Entry(id, "", {}) for id in ids], drawn(len(ids)))
    [(entries, _)] = vectors.entries("passages")
    assert [entry.id for entry in entries] == ids
    catalogue.remove_documents(["a"])
    assert vectors.ids("passages") == vectors.at("chroma-next").ids("passages")
    assert vectors.ids("passages") == catalogue.passage_ids() != set(ids)


def test_vectors_too_long_for_an_index_are_compared_one_by_one(engine, monkeypatch):
    monkeypatch.setattr(pgvector, "_INDEXED", 2)
    vectors, rows = PostgresVectors(engine), np.eye(3, 5000, dtype=np.float32)
    vectors.add("passages", [Entry(f"p{at}", "", {}) for at in range(3)], rows)
    vectors.settle("passages")
    assert vectors.search("passages", rows[1], 1) == [("p1", pytest.approx(1))]


def test_a_vector_that_fits_stands_in_its_row(engine):
    vectors = PostgresVectors(engine)
    for collection, length in (("passages", 3000), ("entities", 3600), ("reports", 5000)):
        vectors.add(collection, [Entry("a", "", {})], np.ones((1, length), np.float32))
        assert vectors.get(collection, ["a"]).shape == (1, length)
    with engine.connect() as connection:
        stored = "SELECT attstorage FROM pg_attribute WHERE attname = 'vector' AND attrelid = "
        kinds = [
            sql(connection, f"{stored}'vectors_{one}'::regclass").scalar_one()
            for one in ("passages", "entities", "reports")
        ]
    assert kinds[0] == "p" and "p" not in kinds[1:]


def test_vectors_of_another_length_are_told(engine):
    vectors = PostgresVectors(engine)
    vectors.add("passages", [Entry("p", "", {})], drawn(1))
    with pytest.raises(RagraphsError, match="ragraphs index --repair"):
        vectors.search("passages", np.ones(3, dtype=np.float32), 1)


def test_several_writers_make_one_table(engine):
    with ThreadPoolExecutor(6) as threads:
        adding = [
            threads.submit(PostgresVectors(engine).add, "passages", [Entry(f"p{at}", "", {})], row)
            for at, row in enumerate(drawn(6)[:, None])
        ]
        for one in adding:
            one.result()
    assert len(PostgresVectors(engine).ids("passages")) == 6


def test_a_server_without_the_extension_is_told_before_anything_is_made(postgres, engine):
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("CREATE ROLE owner LOGIN PASSWORD 'o'")
        connection.exec_driver_sql("CREATE DATABASE bare OWNER owner")
    bare = postgres.url.replace(f"{USER}:{PASSWORD}", "owner:o").replace("/postgres", "/bare")
    assert bare.endswith("/bare")
    with pytest.raises(RagraphsError, match="let a superuser run: CREATE EXTENSION vector"):
        open_shared(bare, "notes", create=True, with_vectors=True)
    with pytest.raises(RagraphsError, match="There is no index"):
        open_shared(bare, "notes", create=False)
    open_shared(bare, "notes", create=True)  # with a Chroma server


def test_an_extension_that_is_too_old_is_told(postgres, monkeypatch):
    monkeypatch.setattr(pgvector_tables, "_OLDEST", (99, 0))
    with pytest.raises(RagraphsError, match="ALTER EXTENSION vector UPDATE"):
        open_shared(postgres.url, "old", create=True, with_vectors=True)
