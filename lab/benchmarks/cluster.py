"""Requests a second to a language model while indexing on Ray, by the number of workers.

``RAGRAPHS_CHROMA_URL=http://localhost:8000 python -m lab.benchmarks.cluster``: a
folder of made-up files is read by a stub in the model's place, which answers after a fixed time,
first by one worker and then by several, each with so many requests at a time. The start of Ray and
the loading of the files, which also starts the workers, are not counted.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph
from ragraphs.settings import settings

from ..command import run
from .stub_model import MODEL, StubModel, stub_model
from .stub_replies import stub_reply
from .synthetic import made_up


def main(
    passages: int = 960, workers: int = 4, at_a_time: int = 4, milliseconds: int = 200
) -> None:
    """Requests a second of one worker and of several, and their ratio."""
    rates: dict[int, float] = {}
    with TemporaryDirectory() as folder, stub_model(milliseconds / 1000, stub_reply) as stub:
        for number, document in enumerate(made_up(passages)):
            Path(folder, f"{number}.txt").write_text(document["text"])
        for count in (1, workers):
            rates[count] = _rate(stub, folder, count, at_a_time)
    found = {f"workers_{count}": round(rate, 1) for count, rate in rates.items()}
    print(json.dumps({**found, "ratio": round(rates[workers] / rates[1], 2)}))


def _rate(stub: StubModel, documents: str, workers: int, at_a_time: int) -> float:
    os.environ |= {"RAGRAPHS_CLUSTER": "ray", "RAGRAPHS_WORKERS": str(workers)}
    settings.cache_clear()
    with TemporaryDirectory() as folder:
        context = IndexContext(
            index=f"{folder}/index",
            embeddings="lexical",
            model=MODEL,
            layers=["hops"],
            concurrency=workers * at_a_time,
        )
        result = graph.invoke({"sources": [documents]}, context=context)
    asked = stub.asked()
    assert len(asked.kinds) == result["passage_count"], "a passage was asked of twice, or never"
    return len(asked.arrivals) / (asked.arrivals[-1] + stub.seconds - asked.arrivals[0])


if __name__ == "__main__":
    run(main)
