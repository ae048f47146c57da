"""The pages of a documentation that answer questions, and whether they are found first.

A set is any folder of documents and a file of JSON lines with ``question`` and ``pages``: the paths
below the folder of the pages that answer it, each alone. ``lab/data/documentation`` has some.

A page is found among the first k where it is one of the first k *distinct* pages among the results,
however many of its passages stand there. A retriever's results are its best ``top_k`` passages (10,
as anyone gets who sets nothing). The results of ``auto`` are the passages that the router's answer
shows, in the order in which the command line does: the passages with a citation first.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from os.path import relpath
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeVar, cast, get_args

from ragraphs.cli.excerpts import best_passages
from ragraphs.context import IndexContext, QuestionContext, RetrieverName
from ragraphs.evaluation.datasets import read_questions
from ragraphs.evaluation.figures import check_record
from ragraphs.evaluation.intervals import share_of
from ragraphs.evaluation.plots import Plot, bars, measured_bar
from ragraphs.evaluation.retrieval import Report, indexed, unreported
from ragraphs.graphs import graph_soon
from ragraphs.index.layers import built_layers
from ragraphs.index.opening import Index
from ragraphs.index.retrieval import search
from ragraphs.state.errors import RagraphsError
from ragraphs.state.records import Passage
from ragraphs.state.router import RouterOutput

from .keeping import keep, others
from .natural import context_of

T = TypeVar("T")

CUTOFFS = (1, 3, 5)
WAYS = ("lexical", "vector", "hybrid", "graph", "auto")
_LIMITS = frozenset({"budget", "time", "steps", "depth", "nodes"})


class PageQuestion(NamedTuple):
    """A question with the paths of the pages that answer it."""

    question: str
    pages: frozenset[str]


class Times(NamedTuple):
    """The milliseconds that a question takes: by the clock, and of the processor."""

    clock: float
    processor: float


class Asked(NamedTuple):
    """A question, and for each way the distinct pages found, best first, and its times.

    ``output`` is that of the router.
    """

    question: PageQuestion
    found: Mapping[str, Sequence[str]]
    times: Mapping[str, Times]
    output: RouterOutput

    def rank(self, way: str) -> int | None:
        """The place of the first page that answers, from 1 on; None where none was found."""
        places = (k for k, page in enumerate(self.found[way], 1) if page in self.question.pages)
        return next(places, None)


def evaluate_documentation(
    folder: str,
    questions: str,
    context: IndexContext,
    report: Report = unreported,
    outputs: Path | None = None,
) -> dict[str, Any]:
    """Pages found first by every retriever and by the router, kinds of questions, and times.

    In the form of ``--json``: shares come with their number n and Wilson's interval of 95 %, times
    are medians a question. The index gets the layers of ``context``, and sentences for the
    retriever graph; one that is up to date is only asked. The pages found for each question are
    added to the file ``outputs``, if one is named. Raises RagraphsError.
    """
    check_record(outputs)
    root = Path(folder).expanduser().resolve()
    asked_for = page_questions(Path(questions).expanduser(), root)
    context = context.model_copy(update={"layers": [*context.layers, "sentences"]})
    with indexed({"sources": [str(root)]}, context, report) as (index, seconds):
        asked = asyncio.run(_ask_all(asked_for, root, context_of("router", context, index), index))
        notes = others(index, root, Path(questions).stem)
        about = {
            "embeddings": index.embedder.name,
            "layers": built_layers(index),
            "documents": index.catalogue.count_documents(),
            "passages": index.catalogue.count_passages(),
            "notes": notes,
        }
    rows = [row for one in asked for row in _kept(one)]
    keep(outputs, Path(questions).expanduser(), root, notes, rows)
    routed = [one.output for one in asked]
    return {
        "set": Path(questions).stem,
        "model": context.model,
        "questions": len(asked),
        **about,
        "index_seconds": round(seconds, 1),
        "found": {
            way: {
                str(k): share_of([(one.rank(way) or k + 1) <= k for one in asked]) for k in CUTOFFS
            }
            for way in WAYS
        },
        "times": {way: _medians([one.times[way] for one in asked]) for way in WAYS},
        "kinds": Counter(output["decision"]["kind"] for output in routed),
        "methods": Counter(output["method"] for output in routed),
        "limits": sum(output["stop_reason"] in _LIMITS for output in routed),
        "rows": list(map(_row, asked)),
    }


def documentation_bars(result: Mapping[str, Any]) -> list[Plot]:
    """The pages found among the first by each way."""
    shares = {
        f"among the first {k}": [
            measured_bar(way, found[str(k)]) for way, found in result["found"].items()
        ]
        for k in CUTOFFS
    }
    return [bars(f"{result['set']}: a page that answers", shares)]


def page_questions(file: Path, root: Path) -> list[PageQuestion]:
    """The questions in ``file``, whose pages are files below ``root``. Raises RagraphsError."""

    def parse(row: Any) -> PageQuestion:
        return PageQuestion(row["question"], frozenset([*row["pages"]]))

    found = read_questions(file, parse, "'question' and 'pages'")
    if not found:
        raise RagraphsError(f"{file} has no question; write one on each line.")
    named = sorted(set().union(*(one.pages for one in found)))
    if missing := [page for page in named if not (root / page).is_file()]:
        raise RagraphsError(
            f"{root} has no page {missing[0]} ({len(missing)} of {len(named)} are missing); name "
            "the folder that the questions' pages are in."
        )
    return found


async def _ask_all(
    questions: Sequence[PageQuestion], root: Path, context: QuestionContext, index: Index
) -> list[Asked]:
    """Asks each question in every way; the first one twice, so that all is loaded."""
    return [await _ask(one, root, context, index) for one in (questions[0], *questions)][1:]


async def _ask(question: PageQuestion, root: Path, context: QuestionContext, index: Index) -> Asked:
    def pages(passages: Iterable[Passage]) -> list[str]:
        files = (relpath(Path(index.home, one["document"]), root) for one in passages)
        return list(dict.fromkeys(Path(file).as_posix() for file in files))

    found, times = {}, {}
    for way in get_args(RetrieverName):
        searching = asyncio.to_thread(search, index, question.question, way, context.top_k)
        ranked, times[way] = await _timed(searching)
        found[way] = pages(ranked)
    router = await graph_soon("router")
    answering = router.ainvoke({"question": question.question}, context=context)
    answered, times["auto"] = await _timed(answering)
    output = cast(RouterOutput, answered)
    said = output["answer"] if output["sufficient"] else ""
    best = best_passages(output["evidence"], output["citations"], said)
    found["auto"] = pages(one.passage for one in best)
    return Asked(question, found, times, output)


async def _timed(work: Awaitable[T]) -> tuple[T, Times]:
    """The result of ``work`` and the milliseconds that it took."""
    started = time.perf_counter(), time.process_time()
    result = await work
    return result, Times(
        1000 * (time.perf_counter() - started[0]), 1000 * (time.process_time() - started[1])
    )


def _medians(times: Sequence[Times]) -> dict[str, float]:
    return {name: round(median(getattr(one, name) for one in times), 1) for name in Times._fields}


def _kept(asked: Asked) -> list[dict[str, Any]]:
    """The rows of files of figures: one for each way."""
    ranks = {way: asked.rank(way) or CUTOFFS[-1] + 1 for way in WAYS}
    return [
        {
            "method": way,
            "id": asked.question.question,
            "pages": sorted(asked.question.pages),
            "first": asked.found[way][: CUTOFFS[-1]],
            "scores": {f"page@{k}": float(rank <= k) for k in CUTOFFS},
        }
        for way, rank in ranks.items()
    ]


def _row(asked: Asked) -> dict[str, Any]:
    output = asked.output
    return {
        "question": asked.question.question,
        "pages": sorted(asked.question.pages),
        "kind": output["decision"]["kind"],
        "method": output["method"],
        "stop_reason": output["stop_reason"],
        "rank": {way: asked.rank(way) for way in WAYS},
        "first": {way: asked.found[way][: CUTOFFS[-1]] for way in WAYS},
    }
