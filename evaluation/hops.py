"""What HopRAG costs: ``python -m ragraphs.evaluation.hops layer 1890`` and ``... questions SET``.

``layer`` builds the hops layer of a made-up corpus with the offline reader and lexical embeddings;
``questions`` asks the questions of a set with a stub in the model's place.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from itertools import pairwise
from typing import Any

import typer

from ..context import HopragContext, IndexContext, settings
from ..graphs.hoprag import graph
from ..graphs.index import graph as index_graph
from ..nodes.hops_layer import stored_hops
from ..nodes.opening import open_index
from ..state.usage import total_calls
from .datasets import load_dataset
from .retrieval import indexed, peak_megabytes
from .stub_model import StubModel, stub_model, texts_of
from .synthetic import made_up

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

_MODEL = "openai:stub"


@app.command()
def layer(passages: int) -> None:
    """Seconds and memory for the hops layer of a made-up corpus of that many passages."""
    with tempfile.TemporaryDirectory(prefix="ragraphs-hops-") as folder:
        context = IndexContext(index=f"{folder}/index", embeddings="lexical")
        index_graph.invoke({"documents": list(made_up(passages))}, context=context)
        before = time.perf_counter(), time.process_time()
        index_graph.invoke({}, context=context.model_copy(update={"layers": ["hops"]}))
        wall, processor = time.perf_counter() - before[0], time.process_time() - before[1]
        hops = stored_hops(open_index(context))
    result = {
        "passages": passages,
        "questions": len(hops.questions),
        "edges": len(hops.edges),
        "seconds": round(wall, 1),
        "processor_seconds": round(processor, 1),
        "peak_mb": round(peak_megabytes()),
    }
    print(json.dumps(result))


@app.command()
def questions(dataset: str, limit: int = 20, milliseconds: int = 50, n_hop: int = 4) -> None:
    """Calls and time of questions with a model that answers after ``milliseconds``."""
    found = load_dataset(dataset, limit)
    context = IndexContext(embeddings="lexical", layers=["hops"])
    with stub_model(milliseconds / 1000, _reply) as stub:
        os.environ["OPENAI_BASE_URL"] = stub.url
        settings.cache_clear()
        with indexed(found, context, keep_index=False) as (index, _):
            asked = HopragContext(index=str(index.folder), model=_MODEL, n_hop=n_hop)
            graph.invoke({"question": "Who warms up the server?"}, context=asked)
            rows = [_ask(question.question, asked, stub) for question in found.questions]
    print(json.dumps({"set": found.name, "milliseconds": milliseconds, **_means(rows)}))


def _ask(question: str, context: HopragContext, stub: StubModel) -> dict[str, float]:
    stub.asked()
    before = time.perf_counter()
    result = graph.invoke({"question": question}, context=context)
    seconds = time.perf_counter() - before
    arrivals = sorted(stub.asked().arrivals)
    rounds = 1 + sum(after - before > stub.seconds for before, after in pairwise(arrivals))
    return {
        "calls": total_calls(result["usage"]),
        "rounds": rounds,
        "beyond_answer_ms": 1000 * (seconds - stub.seconds),
        "own_ms": 1000 * (seconds - rounds * stub.seconds),
    }


def _means(rows: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    return {
        name: {
            "mean": round(statistics.mean(row[name] for row in rows), 2),
            "most": round(max(row[name] for row in rows), 2),
        }
        for name in rows[0]
    }


def _reply(kind: str, human: str) -> Any:
    """Every passage has a question worth following: the longest walks there are."""
    if kind == "HopLabels":
        return {
            "labels": [
                {"id": line.split(" ")[0], "label": "necessary"}
                for _, _, text in texts_of(human)
                for line in text.split("\n")[:1]
            ]
        }
    id, _, text = texts_of(human)[0]
    quote = text.split(". ")[0]
    return {"quotes": [{"id": id, "quote": quote}], "sufficient": True, "answer": quote[:40]}


if __name__ == "__main__":
    app()
