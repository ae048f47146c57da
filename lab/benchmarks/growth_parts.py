"""The parts of a measurement of growth, each in a process of its own: layers, and serving.

``python -m lab.benchmarks.growth`` starts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

from ragraphs.context import IndexContext, LayerName, RetrieverName
from ragraphs.evaluation.datasets import Dataset, LabelledQuestion, load_dataset
from ragraphs.evaluation.measuring import timed
from ragraphs.evaluation.metrics import recall_at
from ragraphs.evaluation.retrieval import layers_of, rankings_of
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index import layers
from ragraphs.index.opening import Index, open_index
from ragraphs.index.retrieval import search
from ragraphs.models.protocol import OFFLINE
from ragraphs.models.query_vectors import embed_queries
from ragraphs.stores.table_sizes import table_sizes

from ..measuring import memory_of, processor_seconds, processor_seconds_of, watched_memory

LAYERS: tuple[LayerName, ...] = ("passages", "sentences", "hops", "entities", "communities")
SHARES = (100, 50, 10, 1)  # percent of the passages that a filter leaves
FILTERED: tuple[RetrieverName, ...] = ("lexical", "vector", "hybrid", "graph")
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "graph": ("graph", {}),
    "hybrid": ("hybrid", {}),
    "hoprag": ("hoprag", {}),
    "tog2": ("tog2", {}),
    "graphrag local": ("graphrag", {"search": "local"}),
}
_CUTOFF = 5
_MOST = 10


def make_layer(folder: Path, index: str, layer: LayerName, embeddings: str) -> dict[str, Any]:
    """Makes a layer of the question set in ``folder``, beyond the layers before it."""
    given = load_dataset(folder).sources if layer == LAYERS[0] else {}
    context = IndexContext(index=index, model=OFFLINE, embeddings=embeddings, layers=[layer])
    processor = processor_seconds()
    with watched_memory() as peak:
        seconds, _ = timed(lambda: index_graph.invoke(given, context=context))
        highest = peak()
    return {
        "seconds": round(seconds, 2),
        "processor_seconds": round(processor_seconds() - processor, 2),
        "peak_mb": round(highest.resident),
        "own_peak_mb": round(highest.own),
        "stored_mb": {name: round(size / 1e6, 2) for name, size in _stored(index).items()},
        **_contents(open_index(index), layer),
    }


def ask(folder: Path, index: str, processes: dict[str, int]) -> dict[str, Any]:
    """Asks the questions of the set in ``folder`` in every way, and tells of time and memory.

    A time is up to the answer, beyond the embedding of the question; of filters it is the median
    in milliseconds, by the share of passages that they leave. Ways whose layers are missing are
    left out. ``processes`` are others whose memory is told apart, and whose processor time counts.
    """
    dataset = load_dataset(folder)
    opening, opened = timed(lambda: open_index(index))
    opened.embedder.embed(["warm up"])
    rows = {
        name: _asked(dataset, opened, *way, [*processes.values()])
        for name, way in ASKED.items()
        if _is_open(opened, way[0])
    }
    filtered = {
        way: {
            str(share): _filtered(dataset, opened, way, share, [*processes.values()])
            for share in SHARES
        }
        for way in FILTERED
        if _is_open(opened, way)
    }
    memory = memory_of()
    return {
        "questions": len(dataset.questions),
        "opening_seconds": round(opening, 2),
        "asked": rows,
        "filtered_ms": filtered,
        "resident_mb": round(memory.resident),
        "of_files_mb": round(memory.of_files),
        "others_mb": {name: round(memory_of(id).resident) for name, id in processes.items()},
    }


def _is_open(index: Index, way: str) -> bool:
    return all(layers.LAYERS[name].is_built(index) for name in layers_of(way))


def _filtered(
    dataset: Dataset, index: Index, way: RetrieverName, share: int, others: Sequence[int]
) -> dict[str, float]:
    where = {"place": {"$lt": share}} if share < SHARES[0] else None
    search(index, dataset.questions[0].question, way, _MOST, where)  # which looks who meets it
    times, processor = list[float](), list[float]()
    before = sum(map(processor_seconds_of, others))
    for asked in dataset.questions:
        embed_queries(index.embedder, [asked.question])
        began = processor_seconds()
        times.append(timed(partial(search, index, asked.question, way, _MOST, where))[0])
        processor.append(processor_seconds() - began)
    spent = (sum(map(processor_seconds_of, others)) - before) / len(times)
    return {
        "median_ms": round(1000 * median(times), 1),
        "processor_ms": round(1000 * (median(processor) + spent), 1),
    }


def _asked(
    dataset: Dataset, index: Index, ranker: str, settings: dict[str, Any], others: Sequence[int]
) -> dict[str, float]:
    def rank(asked: LabelledQuestion) -> list[str]:
        return rankings_of(dataset, [asked], index, ranker, settings)[0]

    first, *rest = dataset.questions
    embed_queries(index.embedder, [first.question])
    loading, ranked = timed(lambda: rank(first))
    recalls, times, processor = [recall_at(ranked, first.supporting, _CUTOFF)], [], []
    before = sum(map(processor_seconds_of, others))
    for asked in rest:
        embed_queries(index.embedder, [asked.question])  # which the search then remembers
        began = processor_seconds()
        seconds, ranked = timed(partial(rank, asked))
        processor.append(1000 * (processor_seconds() - began))
        times.append(1000 * seconds)
        recalls.append(recall_at(ranked, asked.supporting, _CUTOFF))
    spent = sum(map(processor_seconds_of, others)) - before
    return {
        "first_seconds": round(loading, 2),
        "median_ms": round(median(times), 1),
        "median_processor_ms": round(median(processor), 1),
        "others_processor_ms": round(1000 * spent / len(rest), 1),
        "p95_ms": round(quantiles(times, n=20)[-1], 1),
        "recall_at_5": round(mean(recalls), 4),
        "own_mb_after": round(memory_of().own),
    }


def _contents(index: Index, layer: LayerName) -> dict[str, int]:
    match layer:
        case "passages":
            return {"pieces": len(index.catalogue.passage_ids())}
        case "entities":
            return dict(index.entities.counts())
        case "communities":
            return {"communities": len(index.communities.all())}
    return {}


def _stored(index: str) -> dict[str, int]:
    """The bytes on disk of tables, vectors in Chroma and arrays, as far as they can be seen here.

    PostgreSQL is asked for its own; the folder of a Chroma server is not seen.
    """
    opened = open_index(index)
    sizes = {"tables": 0, "vectors": 0, "arrays": 0}
    if opened.location.in_database:
        for name, size in table_sizes(opened.engine).items():
            sizes["arrays" if name.startswith("array") else "tables"] += size
        return sizes
    for file in opened.folder.rglob("*"):
        with suppress(FileNotFoundError):
            if file.is_file():
                sizes[_place_of(file.relative_to(opened.folder).parts)] += file.stat().st_size
    return sizes


def _place_of(parts: Sequence[str]) -> str:
    first = parts[0]
    return "vectors" if first.startswith("chroma") else "arrays" if ".arrays" in first else "tables"
