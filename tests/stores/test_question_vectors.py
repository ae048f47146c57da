"""The vectors of questions: added, read in any order, replaced, and known to be whole."""

from __future__ import annotations

import numpy as np
import pytest
from ragraphs.state.errors import IncompleteIndexError
from ragraphs.stores.vector_tables import QuestionVectors
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError

DIMENSION = 3


def unlike(*numbers: int, dimension: int = DIMENSION) -> np.ndarray:
    """A vector for each number, unlike those of other numbers."""
    rows = np.arange(dimension, dtype=np.float32) / 7
    return np.stack([rows + number for number in numbers])


def corrupt(engine: Engine, change: str) -> None:
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE question_vectors SET vector = {change} WHERE id = 'b'"))


@pytest.fixture
def store(engine) -> QuestionVectors:
    """The questions ``a``, ``b`` and ``c``."""
    store = QuestionVectors(engine)
    store.add(["a", "b", "c"], unlike(1, 2, 3))
    return store


def test_vectors_are_read_bit_by_bit_in_the_order_of_their_ids(store):
    found = store.get(["c", "a"])
    assert found.dtype == np.float32
    assert np.array_equal(found, unlike(3, 1))
    assert store.ids() == {"a", "b", "c"}


def test_more_vectors_than_one_query_takes_are_added_read_and_removed(engine):
    store, many = QuestionVectors(engine), range(1_200)
    store.add([f"q{n}" for n in many], unlike(*many))
    found = store.get([f"q{n}" for n in reversed(many)])
    assert np.array_equal(found, unlike(*reversed(many)))
    with pytest.raises(IncompleteIndexError):
        store.get([*(f"q{n}" for n in many), "never there"])
    store.remove([f"q{n}" for n in many if n])
    assert store.ids() == {"q0"}


def test_an_id_that_is_asked_for_twice_is_read_twice(store):
    assert np.array_equal(store.get(["b", "a", "b"]), unlike(2, 1, 2))


def test_nothing_is_added_read_or_removed_of_no_questions(store):
    store.add([], np.empty((0, DIMENSION), dtype=np.float32))
    store.remove([])
    assert len(store.get([])) == 0
    assert store.ids() == {"a", "b", "c"}


def test_adding_again_replaces_and_removing_forgets(store):
    store.add(["b", "d"], unlike(8, 9))
    store.remove(["a", "never there"])
    assert store.ids() == {"b", "c", "d"}
    assert np.array_equal(store.get(["b", "c", "d"]), unlike(8, 3, 9))


def test_a_batch_is_stored_as_a_whole_or_not_at_all(store):
    with pytest.raises(IntegrityError):
        store.add(["d", None], unlike(4, 5))
    assert store.ids() == {"a", "b", "c"}


def test_a_vector_of_double_precision_is_stored_in_single_precision(store):
    store.add(["d"], unlike(4).astype(np.float64))
    assert np.array_equal(store.get(["d", "a"]), unlike(4, 1))


def test_what_is_missing_is_told_with_the_command_that_makes_it(store):
    with pytest.raises(IncompleteIndexError, match="run ragraphs index to complete it"):
        store.get(["a", "never there"])


@pytest.mark.parametrize("order", ["abc", "bac", "b"])
@pytest.mark.parametrize("change", ["x''", "substr(vector, 1, 11)", "zeroblob(13)"])
def test_a_vector_that_is_no_row_of_numbers_is_not_read(store, engine, order, change):
    corrupt(engine, change)
    with pytest.raises(IncompleteIndexError):
        store.get(list(order))
    assert np.array_equal(store.get(["c", "a"]), unlike(3, 1))


def test_vectors_of_two_dimensions_are_not_read_together(store):
    store.add(["b"], unlike(2, dimension=2))
    store.add(["c"], unlike(3, dimension=4))
    with pytest.raises(IncompleteIndexError):
        store.get(["a", "b", "c"])


def test_what_is_not_as_long_as_most_is_removed_as_damaged(store):
    store.remove_damaged()
    assert store.ids() == {"a", "b", "c"}
    store.add(["b"], unlike(2, dimension=4))
    store.remove_damaged()
    assert store.ids() == {"a", "c"}


@pytest.mark.parametrize("change", ["x''", "substr(vector, 1, 11)"])
def test_what_is_no_row_of_numbers_is_removed_as_damaged_though_it_is_all(store, engine, change):
    store.remove(["a", "c"])
    corrupt(engine, change)
    store.remove_damaged()
    assert store.ids() == set()


def test_clearing_leaves_nothing_and_takes_another_dimension(store):
    store.clear()
    assert store.ids() == set()
    store.add(["a"], unlike(1, dimension=5))
    assert store.get(["a"]).shape == (1, 5)
