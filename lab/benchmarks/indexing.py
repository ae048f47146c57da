"""The cost of indexing a text with a language model, with a stub in the model's place.

``python -m lab.benchmarks.indexing FILE``: all layers are built with a model that
answers after a fixed time, in replies of a realistic length, and a question is asked of the whole
corpus.
"""

from __future__ import annotations

import json
import math
import resource
import tempfile
from collections import Counter
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any, get_args

from ragraphs.context import GraphragContext, IndexContext, LayerName
from ragraphs.evaluation.measuring import peak_megabytes, timed
from ragraphs.graphs.graphrag import graph as graphrag
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import Index, open_index
from ragraphs.offline.extraction.extract import extract_facts
from ragraphs.offline.questions import write_questions

from ..command import run
from .stub_model import MODEL, StubModel, apart, stub_model, texts_of

_WARM_UP = "Penguin Books was founded by Allen Lane in London."
_ENTITIES = 20
_DESCRIPTION_WORDS = 45
_SUMMARY_WORDS = 60
_FINDING_WORDS = 20
_FINDINGS = 5
_POINTS = 5
_QUESTIONS = 9


def main(
    file: str,
    milliseconds: int = 50,
    concurrency: int = 16,
    chunk_tokens: int = 600,
    chunk_overlap: int = 100,
    question: str = "What are the main themes?",
) -> None:
    """Calls by kind, tokens, wall time against the ideal, processor time and memory."""
    context = IndexContext(
        model=MODEL,
        embeddings="lexical",
        layers=list(get_args(LayerName)),
        concurrency=concurrency,
        chunk_tokens=chunk_tokens,
        chunk_overlap=chunk_overlap,
    )
    with stub_model(milliseconds / 1000, _reply) as stub:
        for _ in range(2):  # the first run fills the stub's memory, so that it answers in time
            found = apart(_measure, stub, context, str(Path(file).resolve()), question)
    print(json.dumps(found, indent=2))


def _measure(stub: StubModel, context: IndexContext, file: str, question: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="ragraphs-indexing-") as folder:
        context.index = f"{folder}/first"
        # Libraries are loaded when they are first used.
        index_graph.invoke({"documents": [{"id": "a", "text": _WARM_UP}]}, context=context)
        stub.asked()
        context.index = f"{folder}/measured"
        wall, result = timed(lambda: index_graph.invoke({"sources": [file]}, context=context))
        index = open_index(context)
        return {
            "passages": result["passage_count"],
            **_against_ideal(stub, index, wall, context.concurrency),
            **_used(),
            "warnings": result["warnings"],
            "global_question": _ask_all(stub, index, question, context.concurrency),
        }


def _against_ideal(stub: StubModel, index: Index, wall: float, at_once: int) -> dict[str, Any]:
    """The calls, and the time against the requests that wait for others, ``at_once`` at a time."""
    asked = stub.asked()
    levels = Counter(each.level for each in index.communities.all() if each.writer == MODEL)
    calls = Counter(asked.kinds)
    stages = [*(n for kind, n in calls.items() if kind != "CommunityReport"), *levels.values()]
    ideal = sum(math.ceil(n / at_once) for n in stages) * stub.seconds
    return {
        "calls": dict(calls),
        "reports_by_level": {str(level): levels[level] for level in sorted(levels)},
        "tokens_sent": asked.tokens,
        "ideal_seconds": round(ideal, 3),
        "wall_seconds": round(wall, 3),
        "times_the_ideal": round(wall / ideal, 2),
    }


def _used() -> dict[str, Any]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "process_cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "peak_mb": round(peak_megabytes()),
    }


def _ask_all(stub: StubModel, index: Index, question: str, at_once: int) -> dict[str, Any]:
    """The time of questions about the whole corpus beyond the requests that wait for others."""
    ask = GraphragContext(index=index.name, model=MODEL, concurrency=at_once, max_calls=100)
    graphrag.invoke({"question": "What else?"}, context=ask)
    beyond = []
    for number in range(_QUESTIONS):  # each a new one, so that no reply is reused
        given = {"question": f"{question} ({number})"}
        stub.asked()
        wall, _ = timed(partial(graphrag.invoke, given, context=ask))
        maps = Counter(stub.asked().kinds)["Points"]
        path = (math.ceil(maps / at_once) + 1) * stub.seconds
        beyond.append(1000 * (wall - path))
    return {
        "map_calls": maps,
        "critical_path_ms": round(1000 * path),
        "beyond_ms": {"median": round(median(beyond), 1), "most": round(max(beyond), 1)},
    }


@cache
def _reply(kind: str, human: str) -> Any:
    """A reply with the length and form of a model's; the words are the text's."""
    texts = texts_of(human)
    text = texts[0][2]
    match kind:
        case "PassageReading":
            written = write_questions(texts[0][1], text)
            questions = {"incoming": written.incoming, "outgoing": written.outgoing}
            return {**questions, **_facts(texts[0][1], text)}
        case "SameThings":
            return {"same": []}
        case "Description":
            return {"description": _first(text, _DESCRIPTION_WORDS)}
        case "CommunityReport":
            lines = [line.partition("| ")[2] or line for line in text.splitlines()]
            findings = [
                {"statement": _first(line, _FINDING_WORDS), "evidence": [str(place)]}
                for place, line in enumerate(lines[:_FINDINGS], start=1)
            ]
            summary = _first(" ".join(lines), _SUMMARY_WORDS)
            return {"title": summary[:40], "summary": summary, "rating": 5, "findings": findings}
        case "Points":
            return {
                "points": [
                    {"point": _first(body, _FINDING_WORDS), "score": 60, "evidence": [id]}
                    for id, _, body in texts[:_POINTS]
                ]
            }
        case "CombinedAnswer":
            answer = _first(" ".join(body for _, _, body in texts), 2 * _SUMMARY_WORDS)
            return {"answer": answer, "used": ["1", "2"], "sufficient": True, "general": ""}
    raise ValueError(kind)


def _facts(title: str, text: str) -> dict[str, Any]:
    found = extract_facts(title, text)
    entities = found["entities"][:_ENTITIES]
    names = {entity["name"] for entity in entities}
    linked = [one for one in found["relations"] if {one["source"], one["target"]} <= names]
    return {"entities": entities, "relations": linked[:_ENTITIES], "claims": []}


def _first(text: str, words: int) -> str:
    return " ".join(text.split()[:words])


if __name__ == "__main__":
    run(main)
