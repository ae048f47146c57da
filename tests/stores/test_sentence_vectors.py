"""The vectors of sentences: kept with their passages, loaded at once, and known to be whole."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from ragraphs.state.errors import IncompleteIndexError
from ragraphs.stores.catalogue import Catalogue, NewDocument, Piece
from ragraphs.stores.vector_tables import SentenceStore, SentenceVectors
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError

DIMENSION = 3


def vectors(passage: str, sentences: int, dimension: int = DIMENSION) -> SentenceVectors:
    """Vectors that differ from those of any other passage of one letter."""
    numbers = np.arange(sentences * dimension, dtype=np.float32) / 7 + ord(passage)
    return SentenceVectors(passage, numbers.reshape(sentences, dimension))


def corrupt(engine: Engine, change: str) -> None:
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE sentence_vectors SET {change} WHERE passage = 'b'"))


@pytest.fixture
def store(engine) -> SentenceStore:
    """Two sentences of the passage ``a``, three of ``b``, one of ``c``."""
    store = SentenceStore(engine)
    store.put([vectors("a", 2), vectors("b", 3), vectors("c", 1)])
    return store


def test_vectors_are_loaded_bit_by_bit_in_the_order_asked_for(store):
    loaded = store.load({"c": 1, "a": 2})
    assert loaded.dtype == np.float32
    assert np.array_equal(loaded[:1], vectors("c", 1).vectors)
    assert np.array_equal(loaded[1:], vectors("a", 2).vectors)
    assert store.counts() == {"a": 2, "b": 3, "c": 1}


def test_more_passages_than_are_read_at_once_are_loaded(engine):
    store = SentenceStore(engine)
    found = [SentenceVectors(f"p{n}", np.full((2, 4), n, np.float32)) for n in range(1_200)]
    store.put(found)
    wanted = {f"p{n}": 2 for n in reversed(range(1_200))}
    assert np.array_equal(store.load(wanted)[:, 0], np.repeat(np.arange(1_200)[::-1], 2))


def test_nothing_is_loaded_of_an_index_without_passages(store):
    assert store.load({}).shape[0] == 0


def test_putting_again_replaces(store):
    store.put([vectors("b", 5)])
    assert store.counts() == {"a": 2, "b": 5, "c": 1}
    assert np.array_equal(store.load({"b": 5}), vectors("b", 5).vectors)


def test_a_batch_is_stored_as_a_whole_or_not_at_all(store):
    nobody = SentenceVectors(None, vectors("d", 1).vectors)
    with pytest.raises(IntegrityError):
        store.put([vectors("d", 1), nobody])
    assert "d" not in store.counts()


def test_what_was_not_stored_is_missing_in_the_order_asked_for(store):
    assert store.missing({"e": 1, "a": 2, "d": 4, "b": 3}) == ["e", "d"]
    with pytest.raises(IncompleteIndexError, match="run ragraphs index to complete it"):
        store.load({"a": 2, "d": 4})


@pytest.mark.parametrize(
    "change",
    [
        "vectors = substr(vectors, 1, 35)",
        "vectors = x''",
        "vectors = zeroblob(40)",
        "sentences = 2, vectors = substr(vectors, 1, 24)",
        "sentences = 9, dimension = 1",
    ],
)
def test_a_row_of_another_length_is_missing_and_is_not_loaded(store, engine, change):
    corrupt(engine, change)
    assert "b" in store.missing({"a": 2, "b": 3, "c": 1})
    with pytest.raises(IncompleteIndexError):
        store.load({"a": 2, "b": 3, "c": 1})


def test_a_damaged_row_leaves_the_others_as_they_are(store, engine):
    corrupt(engine, "dimension = 2")
    assert store.missing({"a": 2, "b": 3, "c": 1}) == ["b"]


def test_vectors_of_two_dimensions_are_all_missing(store):
    store.put([vectors("b", 3, dimension=4)])
    assert store.missing({"a": 2, "b": 3}) == ["a", "b"]


def test_what_is_missing_is_found_without_reading_vectors(engine):
    store = SentenceStore(engine)
    store.put([vectors(letter, 100, 1_000) for letter in "abcdefgh"])
    tracemalloc.start()
    try:
        assert store.missing({"a": 100, "z": 1}) == ["z"]
        assert store.counts()["h"] == 100
        assert tracemalloc.get_traced_memory()[1] < 300_000
    finally:
        tracemalloc.stop()


def test_clearing_leaves_nothing(store):
    store.clear()
    assert store.counts() == {}


def test_the_vectors_of_a_passage_go_when_it_goes(engine):
    catalogue, store = Catalogue(engine), SentenceStore(engine)

    def write(id: str, *texts: str) -> None:
        catalogue.write_documents([NewDocument(id, id, id, "", [Piece(0, 3, t) for t in texts])])

    write("kept", "one", "two")
    write("removed", "three")
    store.put([SentenceVectors(p["id"], vectors("a", 1).vectors) for p in catalogue.all_passages()])
    write("kept", "two", "other")
    catalogue.remove_documents(["removed"])
    [two] = [p["id"] for p in catalogue.all_passages() if p["text"] == "two"]
    assert store.counts() == {two: 1}
