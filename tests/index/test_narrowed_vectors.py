"""The nearest passages that a filter leaves: of few all are compared, of many the nearest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.index import narrowed_vectors
from ragraphs.index.narrowed_vectors import nearest_allowed
from ragraphs.index.narrowing import narrowed
from ragraphs.index.opening import Index, open_index

COUNT = 60


def add(name: str, numbers: range) -> None:
    documents: list[Any] = [
        {
            "id": str(at),
            "text": f"Bridge {at} of {'Leeds' if at % 2 else 'Hull'} has {at} piers.",
            "metadata": {"n": at},
        }
        for at in numbers
    ]
    context = IndexContext(index=name, embeddings="lexical")
    index_graph.invoke({"documents": documents}, context=context)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    add(str(tmp_path / "notes"), range(COUNT))
    return open_index(str(tmp_path / "notes"))


def nearest(index: Index, where: dict[str, Any], most: int) -> list[tuple[str, float]]:
    asked = index.embedder.embed(["Which bridge of Leeds has 7 piers?"])
    return nearest_allowed(narrowed(index, where), asked, most)[0]


@pytest.mark.parametrize("least", [0, 10, 30, 55, 59, COUNT])
@pytest.mark.parametrize("searches", [0, 10])
def test_the_nearest_of_those_allowed_are_found(index, monkeypatch, searches, least):
    monkeypatch.setattr(narrowed_vectors, "_FEW", 0)
    monkeypatch.setattr(narrowed_vectors, "_OFTEN", searches)
    part = narrowed(index, where := {"n": {"$gte": least}})
    asked = index.embedder.embed(["Which bridge of Leeds has 7 piers?"])[0]
    exact = [
        one for one in index.vectors.search("passages", asked, COUNT) if one[0] in part.allowed
    ]
    found = nearest(index, where, 4)
    assert {id for id, _ in found} <= part.allowed
    assert [far for _, far in found] == pytest.approx([far for _, far in exact[:4]], abs=1e-3)


def test_vectors_are_read_once_a_filter_was_searched_by_often(index, monkeypatch):
    monkeypatch.setattr(narrowed_vectors, "_FEW", 0)
    part, read = narrowed(index, {"n": {"$gte": 30}}), list[int]()
    get = type(index.vectors).get
    monkeypatch.setattr(
        type(index.vectors),
        "get",
        lambda store, collection, ids: read.append(len(ids)) or get(store, collection, ids),
    )
    asked = index.embedder.embed(["Which bridge of Leeds has 7 piers?"])
    found = [nearest_allowed(part, asked, 4) for _ in range(12)]
    assert read == [30]
    for [each] in found:
        assert [far for _, far in each] == pytest.approx([far for _, far in found[0][0]], abs=1e-3)


def test_a_passage_that_comes_is_found_with_the_vectors_that_are_kept(index):
    assert len(nearest(index, {"n": {"$gte": 57}}, 9)) == 3
    add(index.name, range(COUNT, COUNT + 2))
    assert len(nearest(index, {"n": {"$gte": 57}}, 9)) == 5


def test_passages_without_a_vector_yet_are_left_out(index):
    gone = next(iter(narrowed(index, {"n": 58}).allowed or ()))
    index.vectors.remove("passages", [gone])
    assert len(nearest(index, {"n": {"$gte": 57}}, 9)) == 2
