import numpy as np
import pytest
from ragraphs.algorithms.hoprag import sketches
from ragraphs.algorithms.hoprag.sketches import SCALE, Sketches
from ragraphs.models.lexical import LexicalEmbedder

NAMES = "Oslo Rome Bonn Ulm Riga Cork".split()


def of_words(names):
    return LexicalEmbedder().embed([f"Who built the bridge of {name}?" for name in names])


def of_meaning(names):
    rng = [np.random.default_rng(list(name.encode())) for name in names]
    vectors = np.stack([one.standard_normal(24) for one in rng]).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


KINDS = pytest.mark.parametrize("embed", [of_words, of_meaning])


@KINDS
def test_sketches_are_near_their_vectors(embed):
    vectors, numbers = embed(NAMES), np.array([4, 0, 1])
    rows = Sketches.of(vectors).rows(numbers) / SCALE
    np.testing.assert_allclose(rows, vectors[numbers], atol=0.5 / SCALE + 1e-6)


@KINDS
@pytest.mark.parametrize("few", [0, 9])
def test_products_are_those_of_the_sketches(embed, few, monkeypatch):
    monkeypatch.setattr(sketches, "_FEW", few)
    monkeypatch.setattr(sketches, "_BLOCK", 1500)
    made = Sketches.of(np.concatenate([embed(NAMES), np.zeros_like(embed(NAMES[:1]))]))
    numbers, others = np.array([6, 3, 0, 1, 6]), np.array([2, 6])
    expected = made.rows(numbers) @ made.rows(others).T
    np.testing.assert_array_equal(made.products(numbers, others), expected)


@KINDS
def test_sketches_that_follow_a_change_are_made_as_anew(embed):
    before = Sketches.from_arrays(Sketches.of(embed(NAMES)).to_arrays())
    followed = before.followed(np.array([2, -1, 0, 5, -1]), embed(["Kiel", "Pisa"])).to_arrays()
    anew = Sketches.of(embed(["Bonn", "Kiel", "Oslo", "Cork", "Pisa"])).to_arrays()
    assert followed.keys() == anew.keys()
    assert all(np.array_equal(followed[name], array) for name, array in anew.items())


def test_their_zeros_decide_whether_they_are_kept_whole():
    few, full = np.eye(8, 64, dtype=np.float32), np.full((8, 64), 0.125, np.float32)
    for before, now in ((few, full), (full, few)):
        followed = Sketches.of(before).followed(np.full(8, -1), now)
        assert len(followed.to_arrays()) == (3 if now is few else 1)
        np.testing.assert_array_equal(followed.rows(np.arange(8)), np.rint(now * SCALE))
