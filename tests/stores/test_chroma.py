"""Vectors: the same behaviour embedded in a folder, on a Chroma server and in PostgreSQL.

In a folder, with the changes of a large collection that wait in the catalogue, too.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chroma_server import ChromaServer, serving_chroma
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.chroma import ChromaVectors
from ragraphs.stores.chroma_client import DATABASE, open_server
from ragraphs.stores.chroma_turns import turn_at
from ragraphs.stores.pgvector import PostgresVectors
from ragraphs.stores.postgresql import open_shared
from ragraphs.stores.queries import patience
from ragraphs.stores.vectors import FIRST, Entry, Generation, Vectors
from ragraphs.testing import check_vectors
from server_process import free_port

DIMENSION = 16
Opening = Callable[[str], Vectors]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    with serving_chroma(tmp_path_factory.mktemp("chroma")) as server:
        yield server


@pytest.fixture(scope="module")
def chroma(server: ChromaServer) -> str:
    """The address of a Chroma server."""
    return server.url


@pytest.fixture(
    params=[
        "embedded",
        "recent",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("server", "postgresql")),
    ]
)
def opening(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opening]:
    """Opens the vectors of an index by its id, in one folder or on one server."""
    url = request.getfixturevalue("chroma") if request.param == "server" else None
    opened: list[Vectors] = []

    def open_vectors(index: str) -> Vectors:
        id = f"ragraphs-{tmp_path.name}-{index}"
        if request.param == "postgresql":
            database = request.getfixturevalue("postgres").url
            engine = open_shared(database, id, create=True, with_vectors=True)
            opened.append(PostgresVectors(engine))
        elif request.param == "recent":
            opened.append(request.getfixturevalue("list_vectors")(tmp_path / index))
        else:
            opened.append(ChromaVectors(tmp_path / index, id, url))
        return opened[-1]

    yield open_vectors
    for vectors in opened:
        vectors.close()


def passages(*numbers: int) -> list[Entry]:
    return [Entry(f"p{n}", "t", {"document": "d", "title": ""}) for n in numbers]


def unit(*numbers: int) -> np.ndarray:
    return np.eye(DIMENSION, dtype=np.float32)[[n % DIMENSION for n in numbers]]


@pytest.mark.slow
def test_a_store_does_all_that_an_index_expects_of_it(opening, request):
    check_vectors(opening, request.node.callspec.id).require()


def test_a_store_keeps_no_text_which_the_catalogue_has(opening):
    vectors = opening("one")
    vectors.add("entities", [Entry("ada", "Ada: a person", {})], unit(2))
    vectors.add("reports", passages(77), unit(1))
    kept = [entry for name in ("entities", "reports") for entry in next(vectors.entries(name))[0]]
    # A server of Chroma gives an entry the lists in the metadata of one that is gone.
    assert [(entry.id, entry.text) for entry in kept] == [("ada", ""), ("p77", "")]


def test_another_generation_takes_another_dimension_and_its_place_when_it_is_told(opening):
    vectors = opening("one")
    vectors.add("passages", passages(1), unit(1))
    beside = vectors.at("chroma-next")
    beside.add("passages", passages(2), np.ones((1, 3), dtype=np.float32))
    assert vectors.ids("passages") == {"p1"}
    vectors._in_use = lambda: Generation("chroma-next")
    assert vectors.ids("passages") == {"p2"}
    vectors.delete_all_but(["chroma-next"])
    beside.close()
    before = vectors.at("chroma")
    assert before.ids("passages") == set()
    before.close()
    assert vectors.ids("passages") == {"p2"}


@pytest.mark.parametrize("is_gone", [False, True])
def test_who_reads_while_another_generation_takes_its_place_sees_one_of_them_whole(
    opening, is_gone
):
    vectors, most = opening("one"), 3
    vectors.add("passages", passages(1, 2, 3), unit(1, 2, 3))
    beside = vectors.at("chroma-next")
    beside.add("passages", passages(4, 5, 6), unit(4, 5, 6))
    beside.close()
    generations = iter([Generation(), *[Generation("chroma-next")] * 9])
    if is_gone:
        vectors.delete_all_but(["chroma-next"])
    vectors._in_use = lambda: next(generations)
    found = {id for id, _ in vectors.search("passages", unit(1)[0], most)}
    first_is_whole = isinstance(vectors, PostgresVectors) and not is_gone
    assert found == ({"p1", "p2", "p3"} if first_is_whole else {"p4", "p5", "p6"})


def test_two_indexes_stay_apart(opening):
    one, two = opening("one"), opening("two")
    one.add("passages", passages(1), unit(1))
    two.add("passages", passages(2), unit(1))
    assert one.search("passages", unit(1)[0], 5) == [("p1", pytest.approx(1))]
    one.delete_all_but([])
    one.close()
    assert one.ids("passages") == set()
    assert two.ids("passages") == {"p2"}


@pytest.mark.slow
def test_what_another_process_wrote_is_found_at_once(tmp_path):
    vectors = ChromaVectors(tmp_path, "ragraphs-one")
    vectors.add("passages", passages(1), unit(1))
    assert vectors.search("passages", unit(2)[0], 1)[0][0] == "p1"
    script = """
import sys
from pathlib import Path
from typing import Any
import numpy as np
from ragraphs.stores.chroma import ChromaVectors
from ragraphs.stores.vectors import Entry
vectors = ChromaVectors(Path(sys.argv[1]), "ragraphs-one")
vectors.remove("passages", ["p1"])
vectors.add("passages", [Entry("p2", "t", {"document": "d"})], np.eye(16, dtype=np.float32)[2:3])
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
    assert vectors.search("passages", unit(2)[0], 1) == [("p2", pytest.approx(1))]


def test_what_another_client_wrote_is_found_at_once(opening):
    one, other = opening("one"), opening("one")
    one.add("passages", passages(1), unit(1))
    assert other.search("passages", unit(2)[0], 1)[0][0] == "p1"
    one.remove("passages", ["p1"])
    one.add("passages", passages(2), unit(2))
    assert other.search("passages", unit(2)[0], 1) == [("p2", pytest.approx(1))]


@pytest.mark.parametrize(("alone", "waits"), [(True, True), (False, False)])
def test_nobody_opens_vectors_that_another_writes_but_many_read_them(tmp_path, alone, waits):
    """Two processes that write and read the files of Chroma at once spoil them for good."""
    vectors = ChromaVectors(tmp_path, "ragraphs-one")
    vectors.add("passages", passages(1), unit(1))
    vectors.search("passages", unit(1)[0], 1)
    with ThreadPoolExecutor(1) as thread:
        with turn_at(tmp_path / FIRST, alone=alone):
            found = thread.submit(vectors.search, "passages", unit(1)[0], 1)
            _, waiting = wait([found], timeout=0.3 if waits else 10)
            assert bool(waiting) == waits
        assert found.result(10) == [("p1", pytest.approx(1))]


def test_vectors_of_before_are_deleted_once_nobody_reads_them(tmp_path):
    """Chroma dies, and so does the question, of a file that goes while it is opened."""
    vectors = ChromaVectors(tmp_path, "ragraphs-one")
    vectors.add("passages", passages(1), unit(1))
    with ThreadPoolExecutor(1) as thread:
        with turn_at(tmp_path / FIRST, alone=False):
            gone = thread.submit(vectors.delete_all_but, ["chroma-next"])
            assert wait([gone], timeout=0.2).not_done
            assert (tmp_path / FIRST / DATABASE).exists()
        gone.result(10)
    assert not (tmp_path / FIRST).exists()


def test_a_panic_of_chroma_is_told_as_any_damage(tmp_path):
    vectors = ChromaVectors(tmp_path, "ragraphs-one")
    vectors.add("passages", passages(1), unit(1))
    vectors.close()
    with closing(sqlite3.connect(tmp_path / FIRST / DATABASE)) as database:
        database.executescript("DROP TABLE migrations; CREATE TABLE migrations (none)")
    with pytest.raises(RagraphsError, match="cannot be read or written"):
        vectors.ids("passages")


def test_a_folder_that_was_deleted_is_made_anew(tmp_path):
    vectors = ChromaVectors(tmp_path, "ragraphs-one")
    vectors.add("passages", passages(1), unit(1))
    shutil.rmtree(tmp_path / "chroma")
    assert vectors.ids("passages") == set()
    vectors.add("passages", passages(2), unit(2))
    assert vectors.search("passages", unit(2)[0], 5) == [("p2", pytest.approx(1))]


def test_looking_for_vectors_where_there_are_none_makes_no_folder(tmp_path):
    vectors = ChromaVectors(tmp_path, "ragraphs-one")
    assert vectors.ids("passages") == set()
    vectors.remove("passages", [])
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_store_names_the_folder_to_delete(tmp_path):
    (tmp_path / "chroma").mkdir()
    (tmp_path / "chroma" / "chroma.sqlite3").write_bytes(b"no database " * 1000)
    with pytest.raises(RagraphsError, match="delete that folder and run: ragraphs index"):
        ChromaVectors(tmp_path, "ragraphs-one").ids("passages")


def test_a_server_that_does_not_answer_is_named(tmp_path):
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(RagraphsError, match=f"Chroma server at {url} does not answer"):
        ChromaVectors(tmp_path, "ragraphs-one", url).ids("passages")


def test_among_other_requests_few_rows_are_written_at_a_time(tmp_path, monkeypatch):
    """Embedded Chroma holds Python's lock while it writes, which stops all other requests."""
    from chromadb import Collection

    written: list[int] = []
    upsert = Collection.upsert

    def spy(self, ids, **rest):
        written.append(len(ids))
        return upsert(self, ids, **rest)

    monkeypatch.setattr(Collection, "upsert", spy)
    vectors = ChromaVectors(tmp_path, "ragraphs-one", is_shared=True)
    rows = np.eye(40, dtype=np.float32)
    vectors.add("passages", [Entry(str(n), "text", {"title": "t"}) for n in range(40)], rows)
    assert sum(written) == 40 and max(written) <= 32
    assert vectors.ids("passages") == {str(n) for n in range(40)}


@pytest.mark.slow
def test_a_server_that_restarts_is_waited_for(server, tmp_path):
    vectors = ChromaVectors(tmp_path, "ragraphs-restart", server.url)
    vectors.add("passages", passages(1), unit(1))
    server.kill()
    # Each thread waits as long as a writer does.
    with ThreadPoolExecutor(2, initializer=patience.set, initargs=(60.0,)) as threads:
        written = threads.submit(vectors.add, "passages", passages(2), unit(2))
        read = threads.submit(vectors.ids, "passages")
        time.sleep(0.5)
        assert not written.done() and not read.done()
        server.start()
        written.result()
        assert "p1" in read.result()
    assert vectors.ids("passages") == {"p1", "p2"}
    vectors.close()


def test_what_another_client_wrote_on_a_server_is_found_at_once(chroma, tmp_path):
    one, other = (
        ChromaVectors(tmp_path / name, "ragraphs-two", chroma) for name in ("one", "other")
    )
    one.add("passages", passages(1), unit(1))
    assert other.ids("passages") == {"p1"}
    one.add("passages", passages(2), unit(2))
    one.remove("passages", ["p1"])
    assert other.search("passages", unit(2)[0], 1) == [("p2", pytest.approx(1))]
    assert other.ids("passages") == {"p2"}
    one.close()
    other.close()


@pytest.mark.slow
def test_a_server_has_vectors_by_tenant_and_database(server, tmp_path):
    client = open_server(server.url, None)
    admin: Any = client.api
    admin._admin_client.create_tenant("acme")
    admin._admin_client.create_database("notes", "acme")
    client.close()
    theirs = ChromaVectors(tmp_path, "ragraphs-x", f"{server.url}/?tenant=acme&database=notes")
    theirs.add("passages", passages(1), unit(1))
    default = ChromaVectors(tmp_path, "ragraphs-x", server.url)
    assert theirs.ids("passages") == {"p1"} and default.ids("passages") == set()
    theirs.close()
    default.close()


def test_a_token_and_a_path_reach_the_server_and_no_message_shows_the_token(httpserver, tmp_path):
    url = httpserver.url_for("/vectors").replace("://", "://a-secret@")
    with pytest.raises(RagraphsError) as told:
        ChromaVectors(tmp_path, "ragraphs-one", url).ids("passages")
    assert "/vectors does not answer" in str(told.value) and "a-secret" not in str(told.value)
    asked = [request for request, _ in httpserver.log]
    assert all(request.path.startswith("/vectors/api/v2/") for request in asked)
    assert {request.headers["Authorization"] for request in asked} == {"Bearer a-secret"}
