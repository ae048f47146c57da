import numpy as np
import pytest
from ragraphs.algorithms.hoprag import neighbours
from ragraphs.algorithms.hoprag.neighbours import (
    MeaningNeighbours,
    WordNeighbours,
    neighbours_from_arrays,
)
from ragraphs.algorithms.spliced import Spliced
from ragraphs.models.lexical import LexicalEmbedder

TEXTS = [f"Who built the {name} bridge in {year}?" for name in "Oslo Rome Bonn Ulm".split()
         for year in range(1800, 1850)]  # fmt: skip


def of_words():
    vectors = LexicalEmbedder().embed(TEXTS)
    return WordNeighbours.of([vectors[:70], vectors[70:]]), vectors


def of_meaning():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((200, 24)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    batches = [vectors[:70], vectors[70:]]
    return MeaningNeighbours.of(batches, 200, lambda _, *form: np.empty(*form)), vectors


@pytest.fixture(params=[of_words, of_meaning])
def kept(request, tmp_path):
    """Neighbours that were written to files and mapped, and their vectors."""
    near, vectors = request.param()
    for name, array in near.to_arrays().items():
        np.save(tmp_path / f"{name}.npy", array)
    arrays = {file.stem: np.load(file, mmap_mode="r") for file in tmp_path.glob("*.npy")}
    return neighbours_from_arrays(
        {name: np.asarray(array) for name, array in arrays.items()}
    ), vectors


def test_a_vector_is_its_own_neighbour(kept):
    near, vectors = kept
    places, numbers = near.nearest(vectors)
    own = set(places[places == numbers].tolist())
    assert len(near) == len(vectors)
    assert len(own) >= 0.9 * len(vectors)  # the lists of coordinates that many have are cut


def test_cosines_are_those_of_the_vectors(kept):
    near, vectors = kept
    places, numbers = np.divmod(np.arange(5 * len(vectors)), len(vectors))
    expected = (vectors[:5] @ vectors.T).ravel()
    assert near.cosines(vectors[:5], places, numbers) == pytest.approx(expected, abs=1e-3)


def test_a_vector_of_zeros_has_no_neighbours_by_words():
    near, vectors = of_words()
    assert near.nearest(np.zeros_like(vectors[:2]))[0].tolist() == []


def test_there_are_no_neighbours_among_nothing():
    empty = WordNeighbours.of([]), MeaningNeighbours.of([], 0, lambda _, *form: np.empty(*form))
    for near in empty:
        near = neighbours_from_arrays(near.to_arrays())
        assert len(near) == 0


def test_vectors_of_opposite_signs_are_not_near():
    near = WordNeighbours.of([np.array([[1, 0], [-1, 0]], dtype=np.float32)])
    places, numbers = near.nearest(np.array([[1, 0]], dtype=np.float32))
    assert (places.tolist(), numbers.tolist()) == ([0], [0])


@pytest.mark.parametrize("at_a_time", [8, 4096])
@pytest.mark.parametrize("gone", [[], [0, 7, 8, 150], range(40, 90)])
def test_neighbours_by_words_that_follow_a_change_are_as_made_anew(gone, at_a_time, monkeypatch):
    monkeypatch.setattr(neighbours, "_ROWS", at_a_time)
    near, vectors = of_words()
    codes = np.random.default_rng(0).permutation(len(TEXTS)).astype(np.uint64)
    arrays = WordNeighbours.of([vectors], codes).to_arrays()
    if at_a_time == 8:  # of an earlier version
        arrays["near_columns"] = arrays["near_columns"].astype(np.int32)
    near = WordNeighbours(arrays)
    stays = np.delete(np.roll(np.arange(len(TEXTS)), 3), gone)
    new = LexicalEmbedder().embed(["Who built the Oslo tower in 1801?", "Who lived in Ulm?"])
    sources = np.insert(stays, [5, 20], -1)
    both = np.insert(vectors[stays], [5, 20], new, axis=0)
    of_both = np.insert(codes[stays], [5, 20], [1_000, 1_001])
    followed = near.followed(sources, new, of_both).to_arrays()
    values, before = followed["near_values"], arrays["near_values"]
    assert isinstance(values, Spliced) and values.base is before  # nothing of it is copied
    for name, array in WordNeighbours.of([both], of_both).to_arrays().items():
        assert (followed[name][:] == array).all(), name
        assert followed[name].dtype == array.dtype, name
