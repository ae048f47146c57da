"""How Think-on-Graph 2.0 bears an incomplete graph (the paper's experiment).

``python -m lab.benchmarks.completeness SET --index INDEX``: recall with 100, 80,
50, 30 and 0 % of the relations of an index with the entities layer, in copies of it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable
from statistics import mean
from typing import Annotated

import typer
from ragraphs.context import IndexContext
from ragraphs.evaluation.datasets import load_dataset
from ragraphs.evaluation.metrics import recall_at
from ragraphs.evaluation.retrieval import rankings_of
from ragraphs.index.opening import Index, open_index
from ragraphs.stores.schema import open_database
from ragraphs.stores.tables import relations
from sqlalchemy import bindparam, delete

from ..command import run

SHARES = (1.0, 0.8, 0.5, 0.3, 0.0)
CUTOFFS = (2, 5, 10)


def main(
    dataset: str,
    index: Annotated[str, typer.Option()],
    seeds: Annotated[int, typer.Option(min=1)] = 3,
    width: Annotated[int, typer.Option(min=1)] = 3,
    depth: Annotated[int, typer.Option(min=1)] = 3,
    retriever: Annotated[str, typer.Option()] = "hybrid",
    as_printed: Annotated[bool, typer.Option("--as-printed")] = False,
    limit: Annotated[int | None, typer.Option(min=1)] = None,
) -> None:
    """Mean recall at 2, 5 and 10 for each share of relations, over several random choices.

    The retriever that the walk starts from is hybrid: the graph retriever walks by itself. As
    printed the walk begins at the question's names alone, and ranks by them.
    """
    found = load_dataset(dataset, limit)
    asked = [question for question in found.questions if question.supporting]
    settings = {"width": width, "depth": depth, "retriever": retriever, "as_printed": as_printed}
    rows = {}
    for share in SHARES:
        recalls: dict[int, list[float]] = {k: [] for k in CUTOFFS}
        for seed in range(seeds if 0 < share < 1 else 1):
            # A sibling, so that documents go by the same names.
            with tempfile.TemporaryDirectory(dir=IndexContext(index=index).folder.parent) as folder:
                thinned = _copy(index, f"{folder}/index", share, seed)
                ranked = rankings_of(found, asked, thinned, "tog2", settings)
                thinned.vectors.close()
            for ids, question in zip(ranked, asked, strict=True):
                for k in CUTOFFS:
                    recalls[k].append(recall_at(ids, question.supporting, k))
        rows[f"{share:.0%}"] = {str(k): round(mean(values), 4) for k, values in recalls.items()}
    told = {"set": found.name, "questions": len(asked), **settings, "seeds": seeds}
    print(json.dumps({**told, "recall": rows}))


def _copy(index: str, folder: str, share: float, seed: int) -> Index:
    """A copy of an index with that share of its relations."""
    shutil.copytree(IndexContext(index=index).folder, folder)
    copied = open_index(IndexContext(index=folder))
    ids = {relation.id for relation in copied.entities.all_relations()}
    dropped = ids.difference(keep_relations(ids, share, seed))
    if dropped:
        with open_database(copied.folder, create=False).begin() as connection:
            statement = delete(relations).where(relations.c.id == bindparam("dropped"))
            connection.execute(statement, [{"dropped": id} for id in sorted(dropped)])
    return copied


def keep_relations(relation_ids: Iterable[str], share: float, seed: int = 0) -> list[str]:
    """A random ``share`` in [0, 1] of the relations, for the experiment on incomplete graphs.

    The same for the same seed in any order of ids; a smaller share is part of a greater one.
    """
    ids = sorted(set(relation_ids))
    order = sorted(ids, key=lambda id: hashlib.sha256(f"{seed}:{id}".encode()).digest())
    return sorted(order[: round(share * len(ids))])


if __name__ == "__main__":
    run(main)
