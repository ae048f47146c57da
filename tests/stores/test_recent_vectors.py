"""The last changes of embedded vectors wait in the catalogue, and a search finds them there."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from ragraphs.state.errors import IncompleteIndexError
from ragraphs.stores import chroma, recent_vectors
from ragraphs.stores.chroma import ChromaVectors
from ragraphs.stores.queries import count_rows
from ragraphs.stores.tables import recent_vectors as table
from ragraphs.stores.vectors import Entry

DIMENSION = 8


def drawn(count: int, seed: int) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def entry(number: int, **metadata: int) -> Entry:
    return Entry(f"owner{number}-text", "", metadata)


def test_a_few_changes_open_no_collection_and_are_found(list_vectors, tmp_path, monkeypatch):
    vectors = list_vectors(tmp_path)
    vectors.close()
    monkeypatch.setattr(chroma, "open_folder", None)
    vectors.add("entities", [entry(n) for n in range(3)], drawn(3, 0))
    vectors.remove("entities", [entry(1).id, "never there"])
    assert vectors.ids("entities") == {entry(0).id, entry(2).id} and vectors.count("entities") == 2
    assert vectors.owned("entities", {"owner1", "owner2", "owner"}) == {entry(2).id}
    assert np.allclose(vectors.get("entities", [entry(2).id, entry(0).id]), drawn(3, 0)[[2, 0]])
    monkeypatch.undo()
    [(first, cosine), _] = vectors.search("entities", drawn(3, 0)[2], 5)
    assert first == entry(2).id and cosine == pytest.approx(1)
    with pytest.raises(IncompleteIndexError):
        vectors.get("entities", [entry(0).id, entry(1).id])
    vectors.close()


@pytest.mark.parametrize("most", [3, 1000])
def test_after_any_changes_all_is_as_if_they_had_been_made_at_once(
    list_vectors, tmp_path, monkeypatch, most
):
    monkeypatch.setattr(recent_vectors, "_MOST", most)
    vectors, expected = list_vectors(tmp_path), dict[str, np.ndarray]()
    chance = random.Random(1)
    for step in range(25):
        new, gone = chance.sample(range(30), 4), chance.sample(range(30), 2)
        vectors.add("reports", [entry(n) for n in new], own := drawn(4, step))
        expected.update({entry(n).id: row for n, row in zip(new, own, strict=True)})
        vectors.remove("reports", [entry(n).id for n in gone])
        for number in gone:
            expected.pop(entry(number).id, None)
    ids, asked = sorted(expected), drawn(1, 99)[0]
    assert vectors.ids("reports") == set(ids) and vectors.count("reports") == len(ids)
    assert np.allclose(vectors.get("reports", ids), [expected[id] for id in ids], atol=1e-6)
    for among in (None, frozenset(ids[::2])):
        cosines = {id: row @ asked for id, row in expected.items() if not among or id in among}
        found = vectors.search("reports", asked, 5, among)
        assert [id for id, _ in found] == sorted(cosines, key=lambda id: -cosines[id])[:5]
    copied = {
        one.id: row
        for some, own in vectors.entries("reports")
        for one, row in zip(some, own, strict=True)
    }
    assert copied.keys() == expected.keys()
    assert all(np.allclose(copied[id], expected[id], atol=1e-6) for id in ids)
    vectors.close()


def test_metadata_of_a_vector_that_waits_and_of_one_that_does_not_are_put_beside_both(
    list_vectors, tmp_path
):
    vectors = list_vectors(tmp_path)
    ChromaVectors.add(vectors, "passages", [entry(1, page=1)], drawn(1, 1))
    vectors.add("passages", [entry(2, page=1)], drawn(1, 2))
    vectors.describe("passages", [entry(1, page=7), entry(2, page=8)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recent_vectors, "_LISTED_FROM", 0)
        stored = ChromaVectors.entries(vectors.at("chroma"), "passages")
        assert [one.metadata for some, _ in stored for one in some] == [{"page": 7}]
    [(waiting, own)] = vectors.entries("passages")
    assert [one.metadata for one in waiting] == [{"page": 8}] and np.allclose(own, drawn(1, 2))
    vectors.close()


@pytest.mark.parametrize("method", ["add", "remove"])
def test_changes_that_are_interrupted_on_their_way_are_made_the_next_time(
    list_vectors, tmp_path: Path, monkeypatch, method
):
    monkeypatch.setattr(recent_vectors, "_MOST", 4)
    vectors = list_vectors(tmp_path)
    vectors.add("entities", [entry(n) for n in range(4)], drawn(4, 0))
    vectors.remove("entities", [entry(0).id])

    def killed(*given):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(ChromaVectors, method, killed)
        vectors.add("entities", [entry(n) for n in range(4, 6)], drawn(2, 1))
        vectors.remove("entities", [entry(4).id])
    assert {entry(n).id for n in range(1, 4)} <= vectors.ids("entities")
    vectors.add("entities", [entry(n) for n in range(4, 9)], drawn(5, 1))
    assert vectors.ids("entities") == {entry(n).id for n in range(1, 9)}
    assert vectors.at("chroma").ids("entities") == vectors.ids("entities")
    assert np.allclose(vectors.get("entities", [entry(8).id]), drawn(5, 1)[4:], atol=1e-6)
    vectors.close()


def test_nothing_of_a_generation_that_another_replaced_is_left(list_vectors, tmp_path):
    vectors = list_vectors(tmp_path)
    vectors.add("passages", [entry(1)], drawn(1, 1))
    assert count_rows(vectors._engine, table) == 1
    vectors.delete_all_but(["chroma-next"])
    assert count_rows(vectors._engine, table) == 0
    assert vectors.ids("passages") == set()


def test_a_collection_that_was_deleted_is_not_taken_for_listed(list_vectors, tmp_path):
    vectors = list_vectors(tmp_path)
    vectors.add("passages", [entry(1)], drawn(1, 1))
    vectors.close()
    (tmp_path / "chroma" / "chroma.sqlite3").unlink()
    assert vectors.ids("passages") == set()
    vectors.close()
