"""The cost of a layer at a size: ``python -m ragraphs.evaluation.benchmarks.scale hops 1890``.

The layer of a made-up corpus of that many passages, by the offline reader with lexical embeddings;
for ``entities`` also how long a question's walk over it takes. For ``communities`` it is a graph of
that many entities, and how the hierarchy follows when it grows.
"""

from __future__ import annotations

import json
import time
from functools import partial
from statistics import mean
from typing import Annotated, Any, Literal

import typer

from ...context import IndexContext, LayerName, Tog2Context
from ...graphs.index import graph as index_graph
from ...graphs.tog2 import graph as tog2
from ...index.hops import stored_hops
from ...index.opening import Index
from ...state.records import Document
from ..command import run
from ..measuring import peak_megabytes, timed
from ..retrieval import indexed
from .community_growth import growth
from .synthetic import made_up

_QUESTIONS = 100


def main(
    layer: Literal[LayerName, "communities"],
    size: Annotated[int, typer.Argument(help="Passages, or entities for communities.")],
    growths: Annotated[int, typer.Option(help="How often the graph grows by 1 %.")] = 1,
) -> None:
    """Seconds and memory; of a layer, beyond those for the passages alone."""
    print(json.dumps(growth(size, growths) if layer == "communities" else _layer(layer, size)))


def _layer(layer: LayerName, passages: int) -> dict[str, Any]:
    documents = list(made_up(passages))
    with indexed({"documents": documents}, IndexContext(embeddings="lexical")) as (index, _):
        context = IndexContext(index=index.name, embeddings="lexical", layers=[layer])
        processor = time.process_time()
        seconds, _ = timed(partial(index_graph.invoke, {}, context=context))
        return {
            "layer": layer,
            "passages": passages,
            "seconds": round(seconds, 1),
            "processor_seconds": round(time.process_time() - processor, 1),
            "peak_mb": round(peak_megabytes()),
            **_contents(index, layer, documents),
        }


def _contents(index: Index, layer: LayerName, documents: list[Document]) -> dict[str, Any]:
    if layer == "hops":
        hops = stored_hops(index)
        return {"questions": len(hops.questions), "edges": len(hops.edges)}
    if layer == "entities":
        counts = index.entities.counts()
        walk = _walk_milliseconds(index, documents)
        return {"entities": counts["entities"], "relations": counts["relations"], **walk}
    return {}


def _walk_milliseconds(index: Index, documents: list[Document]) -> dict[str, float]:
    """The mean and the longest time of questions about two entities, up to the answer."""
    context = Tog2Context(index=index.name)
    times = []
    for number in range(_QUESTIONS + 1):
        titles = [documents[(number * 97 + offset) % len(documents)]["title"] for offset in (0, 5)]
        question = f"Who was the founder of {titles[0]}, and what has it to do with {titles[1]}?"
        before = time.perf_counter()
        for task in tog2.stream({"question": question}, context=context, stream_mode="tasks"):
            if task["name"] == "answer":
                break
        times.append(1000 * (time.perf_counter() - before))
    # The first question loads the layer.
    return {"walk_ms": round(mean(times[1:]), 1), "longest_walk_ms": round(max(times[1:]), 1)}


if __name__ == "__main__":
    run(main)
