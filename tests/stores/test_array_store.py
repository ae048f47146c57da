"""Arrays are kept under a new name each time, in a folder or in a database with copies here."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from postgres_server import PostgresServer
from ragraphs.algorithms.spliced import Spliced, taken
from ragraphs.stores.array_store import ArrayStore
from ragraphs.stores.arrays import DamagedArraysError, Scratch, load_arrays
from ragraphs.stores.moved_rows import followed
from ragraphs.stores.postgresql import open_shared
from ragraphs.stores.queries import is_postgresql
from ragraphs.stores.tables import array_chunks
from sqlalchemy import Engine, delete, func, select


def numbers(count: int) -> dict[str, np.ndarray]:
    return {"numbers": np.arange(count)}


def tables(change: int) -> dict[str, np.ndarray]:
    """Arrays of every kind, in which a ``change`` has moved all that follows it."""
    chance = np.random.default_rng(1)
    rows, steps = chance.normal(size=(4000, 16)).astype(np.float32), chance.integers(0, 4, 9000)
    return {
        "rows": np.insert(rows, 70, change, axis=0) if change else rows,
        "sketches": np.rint(rows[change:] * 9).astype(np.int8),
        "ends": np.cumsum(np.insert(steps, 5, [change] * change)),
        "texts": np.frombuffer(b"some text" * 900 + b"!" * change, np.uint8),
        "none": np.empty(0, np.int32),
        "no_rows": np.empty((0, 0), np.int8),
        "name": np.array(f"hops {change}"),
    }


def changing(store: ArrayStore) -> list[str]:
    """Three arrays, each kept by its difference from those before."""
    names: list[str] = []
    for change in range(3):
        before = names[-1] if names else None
        names.append(store.save("hops", lambda scratch, of=change: tables(of), before))
    return names


def size_of(store: ArrayStore, name: str) -> int:
    of_name = array_chunks.c.arrays == name
    with store._engine.connect() as connection:
        size = select(func.sum(func.length(array_chunks.c.data))).where(of_name)
        return connection.execute(size).scalar_one()


@pytest.fixture
def store(module_engine: Engine, tmp_path: Path) -> ArrayStore:
    return ArrayStore(tmp_path, module_engine if is_postgresql(module_engine) else None)


@pytest.mark.slow
def test_arrays_made_again_stand_beside_those_from_before(store):
    first, second = (store.save("hops", lambda scratch: numbers(9)) for _ in range(2))
    assert first != second
    store.delete_all_but([second, None])
    assert not store.has(first)
    with pytest.raises(FileNotFoundError):
        store.load(first)
    assert store.load(second)["numbers"].tolist() == list(range(9))


def test_a_file_in_the_place_of_arrays_is_none(tmp_path):
    store = ArrayStore(tmp_path)  # a look at a layer repeats while there are arrays to read
    store.path("hops-1").touch()
    assert not store.has("hops-1")
    with pytest.raises(FileNotFoundError):
        store.load("hops-1")


def test_nothing_is_left_of_what_is_deleted(store, tmp_path):
    name = store.save("hops", lambda scratch: numbers(9))
    (store.path(name).with_name("hops-killed.arrays.new")).mkdir()
    (store.path(name).with_name("hops-killed.arrays.gone")).mkdir()
    store.delete_all_but([name])
    assert [path.name for path in store.path(name).parent.glob("hops*")] == [f"{name}.arrays"]


def test_a_list_shares_the_file_of_before_until_much_of_it_has_changed(store):
    count = 600_000
    ends = np.arange(0, count + 1, 2)
    name = store.save("hops", lambda scratch: {"many": np.arange(count, dtype=np.float32)})

    def changed(numbers: np.ndarray, whole: bool = False) -> tuple[str, np.ndarray]:
        def follow(scratch: Scratch) -> dict[str, np.ndarray]:
            new = np.array([7, 5], dtype=np.float32)
            known = np.append(ends, count + 2)
            return {"many": taken((store.load(name)["many"], new), known, numbers)[0]}

        after = store.save("hops", follow, name, whole)
        rows = np.append(np.arange(count), [7, 5]).reshape(-1, 2)[numbers]
        found = store.load(after, thoroughly=True)["many"]
        assert (np.asarray(found) == rows.ravel()).all() and found.dtype == np.float32
        return after, found

    few = np.array([*range(20_000, count // 2), count // 2, 5])
    after, shared = changed(few)
    file = store.path(after) / "many.npy"
    assert isinstance(shared, Spliced) and file.samefile(store.path(name) / "many.npy")
    assert not isinstance(changed(few, whole=True)[1], Spliced)
    assert not isinstance(changed(few[60_000:])[1], Spliced)
    assert not isinstance(changed(np.delete(few, np.arange(0, 200_000, 10)))[1], Spliced)


def test_arrays_that_fail_to_be_made_leave_the_others(store):
    name = store.save("hops", lambda scratch: numbers(9))
    with pytest.raises(ZeroDivisionError):
        store.save("hops", lambda scratch: numbers(1 // 0))
    store.delete_all_but([name])
    assert store.load(name)["numbers"].tolist() == list(range(9))


class TestCopies:
    """Of arrays in a database, on a machine that did not make them."""

    @pytest.fixture
    def shared(self, postgres: PostgresServer, tmp_path: Path) -> Iterator[Engine]:
        engine = open_shared(postgres.url, str(tmp_path), create=True)
        yield engine
        engine.dispose()

    @pytest.fixture
    def here(self, shared: Engine, tmp_path: Path) -> ArrayStore:
        return ArrayStore(tmp_path / "here", shared)

    @pytest.fixture
    def there(self, shared: Engine, tmp_path: Path) -> ArrayStore:
        return ArrayStore(tmp_path / "there", shared)

    def test_who_fetches_earlier_ones_leaves_the_newest(self, here, there):
        first = there.save("hops", lambda scratch: numbers(3))
        second = there.save("hops", lambda scratch: numbers(9))
        for name in (second, first):
            here.load(name)
        assert load_arrays(here.path(second))["numbers"].tolist() == list(range(9))

    def test_those_of_which_the_database_has_none_go_with_the_next_fetch(self, here, there):
        first = there.save("hops", lambda scratch: numbers(3))
        here.load(first)
        second = there.save("hops", lambda scratch: numbers(9))
        there.delete_all_but([second])
        here.load(second)
        assert not here.path(first).exists()

    def test_a_fetch_leaves_those_that_are_being_made_here(self, here, there):
        fetched = there.save("hops", lambda scratch: numbers(3))

        def make(scratch):
            here.load(fetched)
            vectors = scratch.empty("vectors", (40, 3), np.float32)
            vectors[:] = 1
            return {"vectors": vectors}

        made = here.save("hops", make)
        assert there.load(made)["vectors"].sum() == 120

    def test_a_damaged_one_is_fetched_again(self, here, there):
        name = there.save("hops", lambda scratch: numbers(9))
        here.load(name)
        (here.path(name) / "numbers.npy").write_bytes(b"")
        assert here.load(name)["numbers"].tolist() == list(range(9))

    def test_a_small_change_is_kept_as_the_difference_and_read_as_the_whole(self, here, there):
        first, second, third = changing(there)
        assert size_of(there, second) < size_of(there, first) / 50
        there.delete_all_but([third])  # and keeps what it differs from
        assert not there.has(second)
        for store in (here, there):
            for name, array in tables(2).items():
                np.testing.assert_array_equal(store.load(third)[name], array, err_msg=name)
        here.check(third)

    def test_of_a_base_that_is_damaged_there_is_no_difference(self, shared, there):
        first = there.save("hops", lambda scratch: tables(0))
        with shared.begin() as connection:
            chunks = array_chunks.c
            connection.execute(delete(array_chunks).where(chunks.file == "rows.npy"))
        second = there.save("hops", lambda scratch: tables(1), first)
        there.delete_all_but([second])
        there.check(second)
        np.testing.assert_array_equal(there.load(second)["rows"], tables(1)["rows"])

    def test_a_whole_leaves_nothing_of_what_it_differed_from(self, here, there):
        first, _, third = changing(there)
        there.write_whole(third)
        there.delete_all_but([third])
        assert not there.has(first)
        np.testing.assert_array_equal(here.load(third)["rows"], tables(2)["rows"])

    def test_deleted_ones_are_not_damaged(self, here, there):
        name = there.save("hops", lambda scratch: numbers(9))
        there.delete_all_but([])
        here.check(name)
        with pytest.raises(FileNotFoundError):
            here.load(name)


def test_arrays_of_a_folder_that_lack_a_file_are_damaged(tmp_path):
    store = ArrayStore(tmp_path)
    name = store.save("hops", lambda scratch: numbers(9))
    (store.path(name) / "numbers.npy").unlink()
    with pytest.raises(DamagedArraysError):
        store.load(name)
    shutil.rmtree(store.path(name))
    assert not store.has(name)


@pytest.mark.parametrize("linked", [True, False])
def test_of_an_array_of_which_few_rows_changed_the_file_is_shared(tmp_path, monkeypatch, linked):
    monkeypatch.setattr("ragraphs.stores.arrays._MAPPED_BYTES", 1000)
    if not linked:
        monkeypatch.setattr("os.link", refused)
    store, rows = ArrayStore(tmp_path), np.random.default_rng(0).normal(size=(100, 8))
    expected, name = rows, store.save("vectors", lambda scratch: {"rows": rows})
    first = (store.path(name) / "rows.npy").stat()
    for step in range(3):
        kept = np.delete(np.arange(100), step)
        order = np.insert(kept, 50, -1)
        new = np.full((1, 8), step, dtype=float)
        moved = followed(store.load(name)["rows"], order, new)
        expected = np.insert(expected[kept], 50, new, axis=0)
        assert moved is not None
        name = store.save("vectors", lambda scratch, moved=moved: {"rows": moved})
        store.delete_all_but([name])
        found = store.load(name, thoroughly=True)["rows"]
        assert found.shape == (100, 8) and np.array_equal(found, expected)
        assert np.array_equal(found[[3, 50]], expected[[3, 50]])
        now = (store.path(name) / "rows.npy").stat()
        assert (now.st_ino == first.st_ino) == linked and now.st_size == first.st_size
    many = np.full((11, 8), 9.0)
    assert followed(store.load(name)["rows"], np.repeat([-1, 5], [11, 89]), many) is None


def refused(*paths):
    raise OSError("this system has no links")


def test_a_part_or_another_order_of_a_file_is_not_taken_for_all_of_it(tmp_path, monkeypatch):
    monkeypatch.setattr("ragraphs.stores.arrays._MAPPED_BYTES", 1000)
    store, rows = ArrayStore(tmp_path), np.arange(400.0).reshape(100, 4)
    before = store.load(store.save("vectors", lambda scratch: {"rows": rows}))["rows"]
    others = {"turned": before[::-1], "some": before[:50], "same": before}
    found = store.load(store.save("vectors", lambda scratch: others))
    assert all(np.array_equal(found[name], others[name]) for name in others)
