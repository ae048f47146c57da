"""Searches of vectors in PostgreSQL by pgvector, and in Chroma: recall and time, also filtered.

``RAGRAPHS_DATABASE=... python -m lab.benchmarks.vectors --count 100000``: vectors drawn around
centres, in an index of the database that is deleted at the end, and in Chroma, embedded in a folder
or on the server of RAGRAPHS_CHROMA_URL. Filters leave 1, 10 and 50 % of the passages.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from ragraphs.settings import settings
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.chroma import ChromaVectors
from ragraphs.stores.pgvector import PostgresVectors
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.postgresql import open_shared
from ragraphs.stores.vectors import Entry, Vectors
from sqlalchemy.schema import DropSchema

from ..command import run

_NAME = "vectors_benchmark"
_SHARES = (100, 50, 10, 1)  # percent
_MOST = 10
_BATCH = 2000
_CENTRES, _SPREAD = 1000, 0.7

Matrix = NDArray[np.float32]


class Corpus(NamedTuple):
    """Ids with their vectors, questions, and the ids that each filter allows."""

    ids: list[str]
    vectors: Matrix
    asked: Matrix
    allowed: dict[int, frozenset[str]]


def main(
    count: int = 100_000, dimensions: int = 384, questions: int = 100, chroma: bool = True
) -> None:
    """Recall@10, and milliseconds of a search, by the share of passages that a filter leaves."""
    database = settings().database
    if database is None:
        raise SystemExit("Set RAGRAPHS_DATABASE to a database of PostgreSQL with pgvector.")
    url = database.get_secret_value()
    engine = open_shared(url, _NAME, create=True, with_vectors=True)
    try:
        catalogue = Catalogue(engine)
        corpus = _made(catalogue, count, dimensions, questions)
        _measure("pgvector", PostgresVectors(engine), corpus)
    finally:
        with engine.begin() as connection:
            connection.execute(DropSchema(f"ragraphs_{_NAME}", cascade=True))
    if chroma:
        with TemporaryDirectory() as folder:
            stored = ChromaVectors(Path(folder), _NAME, settings().chroma_url)
            _measure("Chroma", stored, corpus)
            stored.delete_all_but([])
            stored.close()


def _made(catalogue: Catalogue, count: int, dimensions: int, questions: int) -> Corpus:
    pieces = (Piece(at, at, f"Text {at}.", metadata={"place": at % 100}) for at in range(count))
    catalogue.write_documents([NewDocument("made", "made", "Made up", "", pieces)])
    ids = sorted(catalogue.passage_ids())
    chance = np.random.default_rng(0)
    centres = chance.normal(size=(_CENTRES, dimensions))
    drawn = _drawn(chance, centres, count + questions)
    allowed = {
        share: frozenset(catalogue.only(_filter(share)).passage_ids()) for share in _SHARES[1:]
    }
    return Corpus(ids, drawn[:count], drawn[count:], allowed)


def _drawn(chance: np.random.Generator, centres: NDArray[Any], count: int) -> Matrix:
    """Vectors of length 1 around ``centres``, as texts lie around subjects."""
    rows = centres[chance.integers(len(centres), size=count)]
    rows = rows + _SPREAD * chance.normal(size=rows.shape)
    made: Matrix = (rows / np.linalg.norm(rows, axis=1)[:, None]).astype(np.float32)
    return made


def _filter(share: int) -> dict[str, Any]:
    return {"place": {"$lt": share}}


def _measure(name: str, vectors: Vectors, corpus: Corpus) -> None:
    began = time.perf_counter()
    for start in range(0, len(corpus.ids), _BATCH):
        entries = [Entry(id, "", {"kind": "made"}) for id in corpus.ids[start : start + _BATCH]]
        vectors.add("passages", entries, corpus.vectors[start : start + _BATCH])
    added = time.perf_counter()
    vectors.settle("passages")
    built = {"added_s": added - began, "settled_s": time.perf_counter() - added}
    for share in _SHARES:
        recall, milliseconds = _searched(vectors, corpus, share)
        row = {"store": name, "vectors": len(corpus.ids), "share": share, "recall": recall}
        row |= {"ms": statistics.median(milliseconds), "worst_ms": max(milliseconds)} | built
        print(json.dumps({key: _rounded(value) for key, value in row.items()}), flush=True)


def _searched(vectors: Vectors, corpus: Corpus, share: int) -> tuple[float, list[float]]:
    allowed = corpus.allowed.get(share)
    if allowed is not None:
        vectors = vectors.only(_filter(share), allowed)
    vectors.search("passages", corpus.asked[0], _MOST, allowed)
    recalls, milliseconds = list[float](), list[float]()
    for vector, nearest in zip(corpus.asked, _nearest(corpus, allowed), strict=True):
        began = time.perf_counter()
        found = vectors.search("passages", vector, _MOST, allowed)
        milliseconds.append(1000 * (time.perf_counter() - began))
        recalls.append(len(nearest & {id for id, _ in found}) / _MOST)
    return statistics.mean(recalls), milliseconds


def _nearest(corpus: Corpus, allowed: frozenset[str] | None) -> Iterator[set[str]]:
    """The nearest of all that are allowed, for each question."""
    held: Sequence[int] = [
        at for at, id in enumerate(corpus.ids) if allowed is None or id in allowed
    ]
    rows = corpus.vectors[held]
    for vector in corpus.asked:
        best = np.argpartition(-(rows @ vector), _MOST)[:_MOST]
        yield {corpus.ids[held[at]] for at in best}


def _rounded(value: Any) -> Any:
    return round(value, 3) if isinstance(value, float) else value


if __name__ == "__main__":
    run(main)
