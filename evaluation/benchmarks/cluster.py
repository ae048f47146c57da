"""Requests a second to a language model while indexing on Ray, by the number of workers.

``RAGRAPHS_CHROMA_URL=http://localhost:8000 python -m ragraphs.evaluation.benchmarks.cluster``: a
made-up corpus is read by a stub in the model's place, which answers after a fixed time, first by
one worker and then by several, each with so many requests at a time. The start of Ray is not
counted.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence

from ...context import IndexContext
from ...graphs.index import graph
from ...settings import settings
from ...state.records import Document
from ..command import run
from .stub_model import MODEL, StubModel, stub_model
from .stub_replies import stub_reply
from .synthetic import made_up


def main(
    passages: int = 640, workers: int = 4, at_a_time: int = 4, milliseconds: int = 200
) -> None:
    """Requests a second of one worker and of several, and their ratio."""
    documents = list(made_up(passages))
    rates: dict[int, float] = {}
    with stub_model(milliseconds / 1000, stub_reply) as stub:
        for count in (1, workers):
            rates[count] = _rate(stub, documents, count, at_a_time)
    found = {f"workers_{count}": round(rate, 1) for count, rate in rates.items()}
    print(json.dumps({**found, "ratio": round(rates[workers] / rates[1], 2)}))


def _rate(stub: StubModel, documents: Sequence[Document], workers: int, at_a_time: int) -> float:
    os.environ |= {"RAGRAPHS_CLUSTER": "ray", "RAGRAPHS_WORKERS": str(workers)}
    settings.cache_clear()
    with tempfile.TemporaryDirectory() as folder:
        context = IndexContext(
            index=f"{folder}/index",
            embeddings="lexical",
            model=MODEL,
            layers=["hops"],
            concurrency=workers * at_a_time,
        )
        graph.invoke({"documents": list(documents)}, context=context)
    asked = stub.asked()
    assert len(asked.kinds) == len(documents), "a passage was asked of twice, or never"
    return len(asked.arrivals) / (asked.arrivals[-1] + stub.seconds - asked.arrivals[0])


if __name__ == "__main__":
    run(main)
