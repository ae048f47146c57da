"""What it takes to index a text with a language model, with a stub in the model's place.

``python -m ragraphs.evaluation.benchmarks.indexing FILE``: all layers are built with a model that
answers after a fixed time, in replies of a realistic length, and a question is asked of the whole
corpus.
"""

from __future__ import annotations

import json
import math
import os
import resource
import tempfile
import time
from collections import Counter
from functools import cache, partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, get_args

import typer

from ...offline.extraction.extract import extract_facts
from ...offline.questions.english import write_questions
from ..retrieval import peak_megabytes
from .stub_model import StubModel, stub_model, texts_of

_MODEL = "openai:stub"
_WARM_UP = "Penguin Books was founded by Allen Lane in London."
_ENTITIES = 20
_DESCRIPTION_WORDS = 45
_SUMMARY_WORDS = 60
_FINDING_WORDS = 20
_FINDINGS = 5
_POINTS = 5
_QUESTIONS = 9


class _Job(NamedTuple):
    """One measured run in a process of its own."""

    file: str
    folder: str
    concurrency: int
    chunk_tokens: int
    chunk_overlap: int
    question: str
    url: str


def main(
    file: str,
    milliseconds: int = 50,
    concurrency: int = 16,
    chunk_tokens: int = 600,
    chunk_overlap: int = 100,
    question: str = "What are the main themes?",
) -> None:
    """Calls by kind, tokens, wall time against the ideal, processor time and memory."""
    path = str(Path(file).resolve())
    with stub_model(milliseconds / 1000, _reply) as stub:
        rows: list[dict[str, Any]] = []
        for _ in range(2):  # the first run fills the stub's memory, so that it answers in time
            with tempfile.TemporaryDirectory(prefix="ragraphs-indexing-") as folder:
                job = _Job(
                    path, folder, concurrency, chunk_tokens, chunk_overlap, question, stub.url
                )
                rows.append(_run_apart(job, stub))
    print(json.dumps(rows[-1], indent=2))


def _run_apart(job: _Job, stub: StubModel) -> dict[str, Any]:
    spawn = get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=_run, args=(theirs, job, stub.seconds))
    process.start()
    found: dict[str, Any] = ours.recv()
    process.join()
    return found


def _run(connection: Connection, job: _Job, seconds: float) -> None:
    os.environ["OPENAI_BASE_URL"] = job.url
    from ...context import IndexContext, LayerName
    from ...graphs.index import graph as index_graph
    from ...index.opening import open_index

    stub = StubModel(job.url, seconds)
    layers = list(get_args(LayerName))

    def context(name: str) -> IndexContext:
        return IndexContext(
            index=str(Path(job.folder) / name),
            model=_MODEL,
            embeddings="lexical",
            layers=layers,
            concurrency=job.concurrency,
            chunk_tokens=job.chunk_tokens,
            chunk_overlap=job.chunk_overlap,
        )

    # Libraries are loaded when they are first used.
    index_graph.invoke({"documents": [{"id": "a", "text": _WARM_UP}]}, context=context("first"))
    stub.asked()
    wall, result = _timed(
        lambda: index_graph.invoke({"sources": [job.file]}, context=context("measured"))
    )
    asked = stub.asked()
    index = open_index(context("measured"))
    levels = Counter(each.level for each in index.communities.all() if each.writer == _MODEL)
    calls = Counter(asked.kinds)
    stages = [*(n for kind, n in calls.items() if kind != "CommunityReport"), *levels.values()]
    ideal = sum(math.ceil(n / job.concurrency) for n in stages) * seconds
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "passages": result["passage_count"],
        "calls": dict(calls),
        "reports_by_level": {str(level): levels[level] for level in sorted(levels)},
        "tokens_sent": asked.tokens,
        "ideal_seconds": round(ideal, 3),
        "wall_seconds": round(wall, 3),
        "times_the_ideal": round(wall / ideal, 2),
        "process_cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "peak_mb": round(peak_megabytes()),
        "warnings": result["warnings"],
    }
    connection.send(found | {"global_question": _ask_all(job, str(index.folder), stub)})


def _ask_all(job: _Job, folder: str, stub: StubModel) -> dict[str, Any]:
    """What questions asked of the whole corpus take beyond the requests that wait for others."""
    from ...context import GraphragContext
    from ...graphs.graphrag import graph as graphrag

    ask = GraphragContext(index=folder, model=_MODEL, concurrency=job.concurrency, max_calls=100)
    graphrag.invoke({"question": "What else?"}, context=ask)
    beyond = []
    for number in range(_QUESTIONS):  # each a new one, so that no reply is reused
        question = {"question": f"{job.question} ({number})"}
        stub.asked()
        wall, _ = _timed(partial(graphrag.invoke, question, context=ask))
        maps = Counter(stub.asked().kinds)["Points"]
        path = (math.ceil(maps / job.concurrency) + 1) * stub.seconds
        beyond.append(1000 * (wall - path))
    return {
        "map_calls": maps,
        "critical_path_ms": round(1000 * path),
        "beyond_ms": {"median": round(median(beyond), 1), "most": round(max(beyond), 1)},
    }


def _timed(work: Any) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


@cache
def _reply(kind: str, human: str) -> Any:
    """What a model would say, in length and form; the words are the text's."""
    texts = texts_of(human)
    text = texts[0][2]
    match kind:
        case "PassageReading":
            written = write_questions(texts[0][1], text)
            questions = {"incoming": written.incoming, "outgoing": written.outgoing}
            return {**questions, **_facts(texts[0][1], text)}
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
    typer.run(main)
