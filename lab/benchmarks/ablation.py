"""Recall without each ingredient of the graph retriever in turn.

``python -m lab.benchmarks.ablation SET... --embeddings E``; ``--index`` names a
folder that holds an index for each set, made where it is missing.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from ragraphs.algorithms.linear_rag.question import read_question
from ragraphs.algorithms.linear_rag.walk import BridgingSettings, rank, similarities
from ragraphs.context import IndexContext
from ragraphs.evaluation.datasets import Dataset, load_dataset
from ragraphs.evaluation.metrics import recall_at
from ragraphs.evaluation.retrieval import indexed
from ragraphs.index.opening import Index
from ragraphs.index.sentences import load_graph

from ..command import run

_BASE = BridgingSettings()

VARIANTS: dict[str, BridgingSettings] = {
    "all": _BASE,
    "no walk: passages by vector and BM25": replace(_BASE, damping=0.0, seed_share=0.0),
    "without sentences (every mention alike)": replace(_BASE, edge_sharpness=0.0),
    "without the question's names": replace(_BASE, seed_share=0.0),
    "without the best passages": replace(_BASE, seed_share=1.0),
    "without BM25": replace(_BASE, lexical_weight=0.0),
    "without what is asked beside names": replace(_BASE, rest_weight=0.0, overlap_weight=0.0),
    "without titles": replace(_BASE, title_weight=0.0, own_title=1.0),
    "without dates and numbers": replace(_BASE, uncertain=0.0),
    "without completing the best": replace(_BASE, completes=False),
    "no hubs left out": replace(_BASE, common=1.0),
}


def main(
    sets: list[str],
    embeddings: Annotated[str, typer.Option()] = "auto",
    index: Annotated[str, typer.Option()] = ".ragraphs-ablation",
) -> None:
    """Recall at 2 and 5, in percent, of every variant on every set, as a Markdown table."""
    measured = {}
    for folder in sets:
        dataset = load_dataset(folder)
        place = str(Path(index) / dataset.name)
        context = IndexContext(index=place, embeddings=embeddings, layers=["sentences"])
        with indexed(dataset.sources, context) as (built, _):
            measured[dataset.name] = _measure(built, dataset)
    print(f"| variant | {' | '.join(f'{name} @2 / @5' for name in measured)} |")
    print("|---|" + "---|" * len(measured))
    for variant in VARIANTS:
        cells = (f"{two:.1f} / {five:.1f}" for two, five in (m[variant] for m in measured.values()))
        print(f"| {variant} | {' | '.join(cells)} |")
    print(json.dumps({"embeddings": embeddings, "recall": measured}))


def _measure(index: Index, dataset: Dataset) -> dict[str, tuple[float, float]]:
    loaded = load_graph(index)
    prefix = dataset.prefix(index.home)
    documents = {
        p["id"]: p["document"].removeprefix(prefix) for p in index.catalogue.all_passages()
    }
    found: dict[str, list[tuple[float, float]]] = {variant: [] for variant in VARIANTS}
    for question in dataset.questions:
        if not question.supporting:
            continue
        parts = read_question(loaded.graph, question.question)
        vectors = index.embedder.embed([question.question, parts.rest or question.question])
        cosines = similarities(loaded.passages, loaded.sentences, vectors[0], vectors[1])
        for variant, settings in VARIANTS.items():
            order = np.argsort(-rank(loaded.graph, parts, cosines, settings), kind="stable")[:60]
            ids = list(dict.fromkeys(documents[loaded.ids[place]] for place in order))
            two, five = (recall_at(ids, question.supporting, k) for k in (2, 5))
            found[variant].append((two, five))
    return {
        variant: (round(100 * two, 1), round(100 * five, 1))
        for variant, rows in found.items()
        for two, five in [np.mean(rows, axis=0).tolist()]
    }


if __name__ == "__main__":
    run(main)
