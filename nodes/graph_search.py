"""Ranking passages by a walk over the names and sentences that they share with the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..state.errors import RagraphsError
from .keeping import Kept
from .opening import Index
from .sentence_layer import GRAPH_FILE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..algorithms.passage_graph import PassageGraph


@dataclass(frozen=True)
class LoadedGraph:
    """The graph of an index with its vectors; rows in the order of ``ids``."""

    ids: list[str]
    graph: PassageGraph
    passages: NDArray[np.float32]
    sentences: NDArray[np.float32]


def walk_from(index: Index, question: str, most: int) -> list[tuple[str, float]]:
    """The ids of at most ``most`` passages with their scores, best first. Blocks.

    Raises RagraphsError where the index has no sentences layer.
    """
    from ..algorithms.bridging import rank, similarities
    from ..algorithms.linking import read_question

    loaded = load_graph(index)
    if not loaded.ids:
        return []
    parts = read_question(loaded.graph, question)
    vectors = index.embedder.embed([question, parts.rest or question])
    cosines = similarities(loaded.passages, loaded.sentences, vectors[0], vectors[1])
    scores = rank(loaded.graph, parts, cosines)
    best = (-scores).argsort(kind="stable")[:most]
    return [(loaded.ids[place], float(scores[place])) for place in best]


def stored_graph(index: Index) -> tuple[PassageGraph, list[str]]:
    """The graph of an index and the ids of its passages. Blocks.

    Raises RagraphsError where the index has no sentences layer.
    """
    from ..algorithms.passage_graph import graph_from_arrays
    from ..stores.arrays import load_arrays

    _stamp(index)
    arrays = load_arrays(index.folder / GRAPH_FILE)
    return graph_from_arrays(arrays), [str(id) for id in arrays["ids"]]


def _stamp(index: Index) -> str:
    """What changes when the graph was made anew."""
    stamp: str | None = index.catalogue.property("linked")
    if stamp is None or not (index.folder / GRAPH_FILE).exists():
        raise RagraphsError(
            "The index has no sentences layer; build it with: ragraphs index --layers sentences "
            f"--index {index.folder}"
        )
    return stamp


def load_graph(index: Index) -> LoadedGraph:
    """The graph of ``index``, kept in memory. Blocks; raises RagraphsError without a layer."""
    return _kept.of(index)


def _load(index: Index) -> LoadedGraph:
    graph, ids = stored_graph(index)
    passage_vectors = index.vectors.get("passages", ids)
    sentences = dict(zip(ids, graph.sentence_counts.tolist(), strict=True))
    sentence_vectors = index.sentences.load(sentences)
    return LoadedGraph(ids, graph, passage_vectors, sentence_vectors)


_kept = Kept(_stamp, _load)
