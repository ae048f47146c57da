"""Calls and time of a question, with a stub in the model's place.

``python -m lab.benchmarks.latency hoprag SET``: the questions of a set are asked of
a model that answers after a fixed time and lets every walk be as long as it may.
"""

from __future__ import annotations

import json
import re
import statistics
from itertools import pairwise
from typing import Any, Literal

from ragraphs.context import IndexContext, LayerName
from ragraphs.evaluation.datasets import load_dataset
from ragraphs.evaluation.measuring import timed
from ragraphs.evaluation.retrieval import indexed
from ragraphs.graphs import graph_of
from ragraphs.state.usage import total_calls

from ..command import run
from .stub_model import MODEL, StubModel, first_sentence, stub_model, texts_of

WalkingMethod = Literal["hoprag", "tog2", "deeprag"]

_OFFERED = re.compile(r"^\d+\.\d+(?= )", re.MULTILINE)
_LAYERS: dict[WalkingMethod, LayerName] = {
    "hoprag": "hops",
    "tog2": "entities",
    "deeprag": "passages",
}


def main(method: WalkingMethod, dataset: str, limit: int = 20, milliseconds: int = 50) -> None:
    """Calls, dependent rounds of calls, and milliseconds beyond the answer's own call."""
    found = load_dataset(dataset, limit)
    context = IndexContext(embeddings="lexical", layers=["passages", _LAYERS[method]])
    graph, context_type = graph_of(method)
    with (
        stub_model(milliseconds / 1000, _reply) as stub,
        indexed(found.sources, context) as (index, _),
    ):
        asked = context_type(index=index.name, model=MODEL)
        graph.invoke({"question": found.questions[-1].question}, context=asked)
        rows = [_ask(graph, each.question, asked, stub) for each in found.questions[:-1]]
    result = {"method": method, "set": found.name, "milliseconds": milliseconds, **_means(rows)}
    print(json.dumps(result))


def _ask(graph: Any, question: str, context: Any, stub: StubModel) -> dict[str, float]:
    stub.asked()
    seconds, result = timed(lambda: graph.invoke({"question": question}, context=context))
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
    """Nothing ever suffices, and something is always worth following."""
    texts = texts_of(human)
    found = {**first_sentence(human), "missing": ["Which text is number 0?"]}
    steps = sum(id.startswith("Q") for id, _, _ in texts)
    match kind:
        case "HopLabels":
            return {"necessary": _OFFERED.findall(human), "indirect": []}
        case "RelationScores":
            return {"scores": [{"id": id, "score": 0.9} for id in _OFFERED.findall(human)]}
        case "KeptTexts":
            return {"keep": [id for id, _, _ in texts]}
        case "Judgement":
            return {"sufficient": False, "clue": f"what is missing after {len(human)} characters"}
        case "StepReading":
            more = {"final": "", "decided": False, "next": f"Which text is number {steps}?"}
            return {**found, **more, "source": "retrieve"}
        case "Answer" if not steps:
            return {**found, "sufficient": False}
    return found


if __name__ == "__main__":
    run(main)
