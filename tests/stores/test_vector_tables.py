"""Vectors of questions and sentences: read in any order, replaced, and known to be whole."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from ragraphs.state.errors import IncompleteIndexError
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.vector_tables import QuestionVectors, SentenceStore, SentenceVectors
from raw_sql import sql
from sqlalchemy import Engine

DIMENSION = 3
HALF = "\ud800"  # a character that no database stores


def unlike(*numbers: int, dimension: int = DIMENSION) -> np.ndarray:
    """A vector for each number, unlike the vectors of other numbers."""
    rows = np.arange(dimension, dtype=np.float32)
    return np.stack([rows + number for number in numbers])


def corrupt_question(engine: Engine, change: str) -> None:
    with engine.begin() as connection:
        sql(
            connection,
            f"UPDATE question_vectors SET vector = {change} WHERE id = 'b'",
            zeros=bytes(13),
        )


@pytest.fixture
def questions(engine) -> QuestionVectors:
    """The questions ``a``, ``b`` and ``c``."""
    questions = QuestionVectors(engine)
    questions.add(["a", "b", "c"], unlike(1, 2, 3))
    return questions


@pytest.mark.slow
def test_vectors_are_read_bit_by_bit_in_the_order_of_their_ids(questions):
    found = questions.get(["c", "a"])
    assert found.dtype == np.float32
    assert np.array_equal(found, unlike(3, 1))
    assert questions.ids() == {"a", "b", "c"}


@pytest.mark.slow
def test_more_questions_than_one_query_takes_are_added_read_and_removed(engine):
    questions, many = QuestionVectors(engine), range(1_200)
    questions.add([f"q{n}" for n in many], unlike(*many))
    found = questions.get([f"q{n}" for n in reversed(many)])
    assert np.array_equal(found, unlike(*reversed(many)))
    with pytest.raises(IncompleteIndexError):
        questions.get([*(f"q{n}" for n in many), "never there"])
    questions.remove([f"q{n}" for n in many if n])
    assert questions.ids() == {"q0"}


def test_nothing_is_added_read_or_removed_of_no_questions(questions):
    questions.add([], np.empty((0, DIMENSION), dtype=np.float32))
    questions.remove([])
    assert len(questions.get([])) == 0
    assert questions.ids() == {"a", "b", "c"}


def test_adding_again_replaces_and_removing_forgets(questions):
    questions.add(["b", "d"], unlike(8, 9))
    questions.remove(["a", "never there"])
    assert questions.ids() == {"b", "c", "d"}
    assert np.array_equal(questions.get(["b", "c", "d"]), unlike(8, 3, 9))


def test_a_batch_of_questions_is_stored_as_a_whole_or_not_at_all(questions):
    with pytest.raises(UnicodeEncodeError):
        questions.add(["d", HALF], unlike(4, 5))
    assert questions.ids() == {"a", "b", "c"}


def test_a_vector_of_double_precision_is_stored_in_half_precision(questions):
    questions.add(["d"], unlike(4).astype(np.float64))
    assert np.array_equal(questions.get(["d", "a"]), unlike(4, 1))


def test_what_is_missing_is_told_with_the_command_that_makes_it(questions):
    with pytest.raises(IncompleteIndexError, match="run ragraphs index to complete it"):
        questions.get(["a", "never there"])


@pytest.mark.parametrize("order", ["abc", "bac", "b"])
@pytest.mark.parametrize("change", ["substr(vector, 1, 0)", "substr(vector, 1, 11)", ":zeros"])
def test_a_vector_that_is_no_row_of_numbers_is_not_read(questions, engine, order, change):
    corrupt_question(engine, change)
    with pytest.raises(IncompleteIndexError):
        questions.get(list(order))
    assert np.array_equal(questions.get(["c", "a"]), unlike(3, 1))


def test_vectors_of_two_dimensions_are_not_read_together(questions):
    questions.add(["b"], unlike(2, dimension=2))
    questions.add(["c"], unlike(3, dimension=4))
    with pytest.raises(IncompleteIndexError):
        questions.get(["a", "b", "c"])


def test_what_is_not_as_long_as_most_is_removed_as_damaged(questions):
    questions.remove_damaged()
    assert questions.ids() == {"a", "b", "c"}
    questions.add(["b"], unlike(2, dimension=4))
    questions.remove_damaged()
    assert questions.ids() == {"a", "c"}


@pytest.mark.parametrize("change", ["substr(vector, 1, 0)", "substr(vector, 1, 11)"])
def test_what_is_no_row_of_numbers_is_removed_as_damaged_though_it_is_all(
    questions, engine, change
):
    questions.remove(["a", "c"])
    corrupt_question(engine, change)
    questions.remove_damaged()
    assert questions.ids() == set()


def test_clearing_leaves_no_questions_and_takes_another_dimension(questions):
    questions.clear()
    assert questions.ids() == set()
    questions.add(["a"], unlike(1, dimension=5))
    assert questions.get(["a"]).shape == (1, 5)


def vectors(passage: str, sentences: int, dimension: int = DIMENSION) -> SentenceVectors:
    """Vectors of ``passage``, a letter, that differ from the vectors of any other letter."""
    numbers = np.arange(sentences * dimension, dtype=np.float32) / 16 + ord(passage)
    return SentenceVectors(passage, numbers.reshape(sentences, dimension))


def corrupt_sentences(engine: Engine, change: str) -> None:
    with engine.begin() as connection:
        sql(
            connection, f"UPDATE sentence_vectors SET {change} WHERE passage = 'b'", zeros=bytes(40)
        )


@pytest.fixture
def sentences(engine) -> SentenceStore:
    """Two sentences of the passage ``a``, three of ``b``, one of ``c``."""
    sentences = SentenceStore(engine)
    sentences.put([vectors("a", 2), vectors("b", 3), vectors("c", 1)])
    return sentences


@pytest.mark.slow
def test_vectors_are_loaded_bit_by_bit_in_the_order_asked_for(sentences):
    loaded = sentences.load({"c": 1, "a": 2})
    assert loaded.dtype == np.float32
    assert np.array_equal(loaded[:1], vectors("c", 1).vectors)
    assert np.array_equal(loaded[1:], vectors("a", 2).vectors)
    assert sentences.counts() == {"a": 2, "b": 3, "c": 1}


def test_more_passages_than_are_read_at_once_are_loaded(engine):
    sentences = SentenceStore(engine)
    found = [SentenceVectors(f"p{n}", np.full((2, 4), n, np.float32)) for n in range(1_200)]
    sentences.put(found)
    wanted = {f"p{n}": 2 for n in reversed(range(1_200))}
    assert np.array_equal(sentences.load(wanted)[:, 0], np.repeat(np.arange(1_200)[::-1], 2))


def test_nothing_is_loaded_of_an_index_without_passages(sentences):
    assert sentences.load({}).shape[0] == 0


def test_putting_again_replaces(sentences):
    sentences.put([vectors("b", 5)])
    assert sentences.counts() == {"a": 2, "b": 5, "c": 1}
    assert np.array_equal(sentences.load({"b": 5}), vectors("b", 5).vectors)


def test_a_batch_of_passages_is_stored_as_a_whole_or_not_at_all(sentences):
    unstorable = SentenceVectors(HALF, vectors("d", 1).vectors)
    with pytest.raises(UnicodeEncodeError):
        sentences.put([vectors("d", 1), unstorable])
    assert "d" not in sentences.counts()


@pytest.mark.slow
def test_what_was_not_stored_is_missing_in_the_order_asked_for(sentences):
    assert sentences.missing({"e": 1, "a": 2, "d": 4, "b": 3}) == ["e", "d"]
    with pytest.raises(IncompleteIndexError, match="run ragraphs index to complete it"):
        sentences.load({"a": 2, "d": 4})


@pytest.mark.parametrize(
    "change",
    [
        "vectors = substr(vectors, 1, 15)",
        "vectors = substr(vectors, 1, 0)",
        "vectors = :zeros",
        "sentences = 2, vectors = substr(vectors, 1, 24)",
        "sentences = 9, dimension = 1",
    ],
)
def test_a_row_of_another_length_is_missing_and_is_not_loaded(sentences, engine, change):
    corrupt_sentences(engine, change)
    assert "b" in sentences.missing({"a": 2, "b": 3, "c": 1})
    with pytest.raises(IncompleteIndexError):
        sentences.load({"a": 2, "b": 3, "c": 1})


def test_a_damaged_row_leaves_the_others_as_they_are(sentences, engine):
    corrupt_sentences(engine, "dimension = 2")
    assert sentences.missing({"a": 2, "b": 3, "c": 1}) == ["b"]


@pytest.mark.slow
def test_vectors_of_two_dimensions_are_all_missing(sentences):
    sentences.put([vectors("b", 3, dimension=4)])
    assert sentences.missing({"a": 2, "b": 3}) == ["a", "b"]


def test_what_is_missing_is_found_without_reading_vectors(engine):
    sentences = SentenceStore(engine)
    sentences.put([vectors(letter, 100, 1_000) for letter in "abcdefgh"])
    tracemalloc.start()
    try:
        assert sentences.missing({"a": 100, "z": 1}) == ["z"]
        assert sentences.counts()["h"] == 100
        assert tracemalloc.get_traced_memory()[1] < 300_000
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_clearing_leaves_no_sentences(sentences):
    sentences.clear()
    assert sentences.counts() == {}


def test_the_vectors_of_a_passage_go_when_it_goes(engine):
    catalogue, sentences = Catalogue(engine), SentenceStore(engine)

    def write(id: str, *texts: str) -> None:
        catalogue.write_documents([NewDocument(id, id, id, "", [Piece(0, 3, t) for t in texts])])

    write("kept", "one", "two")
    write("removed", "three")
    sentences.put(
        [SentenceVectors(p["id"], vectors("a", 1).vectors) for p in catalogue.all_passages()]
    )
    write("kept", "two", "other")
    catalogue.remove_documents(["removed"])
    [two] = [p["id"] for p in catalogue.all_passages() if p["text"] == "two"]
    assert sentences.counts() == {two: 1}
