"""Recall of supporting passages where all sets of questions share one index.

``python -m lab.benchmarks.one_index SET... --embeddings E [--retriever R]... [--record FILE]``;
``--index`` names a folder for the index, made where it is missing. A passage of another set with
the same title and words counts as the set's own: the retriever finds only the better of the two.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from ragraphs.context import IndexContext
from ragraphs.evaluation.datasets import QUESTIONS, Dataset, load_dataset, supported
from ragraphs.evaluation.figures import check_record, manifest_of, output_of, record
from ragraphs.evaluation.measuring import timed
from ragraphs.evaluation.metrics import CUTOFFS, all_support_at, recall_at
from ragraphs.evaluation.retrieval import indexed, layers_of, rankings_of
from ragraphs.index.opening import Index
from ragraphs.state.index import IndexInput

from ..command import Sets, run

_PROGRAM = "python -m lab.benchmarks.one_index"


def main(
    sets: Sets,
    embeddings: Annotated[str, typer.Option()] = "auto",
    index: Annotated[str | None, typer.Option(help="None: a temporary one.")] = None,
    retriever: Annotated[list[str] | None, typer.Option(help="Also a method; graph.")] = None,
    kept: Annotated[Path | None, typer.Option("--record")] = None,
) -> None:
    """Recall at each cutoff, in percent, of every retriever on every set, as a Markdown table."""
    retrievers = list(dict.fromkeys(retriever or ["graph"]))
    check_record(kept)
    datasets = [load_dataset(folder) for folder in sets]
    layers = dict.fromkeys(layer for one in retrievers for layer in layers_of(one))
    context = IndexContext(embeddings=embeddings, layers=["passages", *layers])
    if index is not None:
        context = context.model_copy(update={"index": index})
    sources: IndexInput = {"sources": [str(dataset.passages) for dataset in datasets]}
    with indexed(sources, context) as (built, _):
        catalogue = built.catalogue
        print(f"{catalogue.count_documents()} documents, {catalogue.count_passages()} passages\n")
        rows = list(_measured(built, datasets, retrievers))
    if kept is not None:
        files = [
            file for one in datasets for file in (one.passages, one.passages.parent / QUESTIONS)
        ]
        names = " + ".join(dataset.name for dataset in datasets)
        record(kept, manifest_of(names, files, (), _PROGRAM), rows)


def _measured(
    index: Index, datasets: Sequence[Dataset], retrievers: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Prints the table, and gives the output for each question."""
    print(f"| set | retriever | {' | '.join(f'@{k}' for k in CUTOFFS)} | ms a question |")
    print("|---|---|" + "---|" * (len(CUTOFFS) + 1))
    index.embedder.embed(["warm up"])
    for retriever in retrievers:
        for dataset in datasets:
            asked = supported(dataset)
            work = partial(rankings_of, dataset, asked, index, retriever, {"rerank": ""})
            seconds, ranked = timed(work)
            twins = _twins(dataset, datasets, index.home)
            found = [list(dict.fromkeys(twins.get(id, id) for id in ids)) for ids in ranked]
            pairs = list(zip(asked, found, strict=True))
            cells = []
            for k in CUTOFFS:
                recall = sum(recall_at(ids, one.supporting, k) for one, ids in pairs)
                whole = sum(all_support_at(ids, one.supporting, k) for one, ids in pairs)
                cells.append(f"{100 * recall / len(asked):.1f} ({100 * whole / len(asked):.0f})")
            milliseconds = f"{1000 * seconds / len(asked):.0f}"
            print(f"| {dataset.name} | {retriever} | {' | '.join(cells)} | {milliseconds} |")
            yield from (output_of(f"{dataset.name}, {retriever}", *pair) for pair in pairs)


def _twins(dataset: Dataset, datasets: Sequence[Dataset], home: Path) -> Mapping[str, str]:
    """The documents of other sets that say the same as a passage of ``dataset``, by its id."""
    own = {words: id for id, words in _passages(dataset)}
    return {
        other.prefix(home) + id: own[words]
        for other in datasets
        if other is not dataset
        for id, words in _passages(other)
        if words in own
    }


def _passages(dataset: Dataset) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The id of each passage, and the words of its title and text."""
    lines = dataset.passages.read_text(encoding="utf-8").split("\n")
    for row in map(json.loads, filter(str.strip, lines)):
        yield row["id"], tuple(re.findall(r"\w+", f"{row['title']}\n{row['text']}".casefold()))


if __name__ == "__main__":
    run(main)
