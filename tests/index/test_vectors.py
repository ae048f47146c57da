"""Vectors of a layer: what stays of them in memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.index.opening import open_index
from ragraphs.stores.chroma import ChromaVectors

from lab.benchmarks.synthetic import made_up

pytestmark = pytest.mark.in_folder("a Chroma server keeps vectors in its own memory")


@pytest.mark.slow
@pytest.mark.parametrize("flat_from, released", [(0, True), (1000, False)])
def test_chroma_keeps_no_vectors_of_a_large_index_that_is_being_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flat_from: int, released: bool
) -> None:
    monkeypatch.setattr("ragraphs.stores.large.FLAT_FROM", flat_from)
    closed, close = list[set[str]](), ChromaVectors.close

    def watched(vectors: ChromaVectors) -> None:
        if vectors._folder.is_relative_to(tmp_path):  # and not of another index of the process
            closed.append(vectors.ids("passages"))
        close(vectors)

    monkeypatch.setattr(ChromaVectors, "close", watched)
    layers = ["sentences", "entities"]
    context = IndexContext(index=str(tmp_path / "index"), embeddings="lexical", layers=layers)
    index_graph.invoke({"documents": list(made_up(10))}, context=context)
    made = open_index(context).catalogue.passage_ids()
    assert (made in closed) == released
