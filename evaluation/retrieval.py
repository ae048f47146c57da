"""Recall of supporting passages by a retriever."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast, get_args

from ..algorithms.router.decision import NEEDS
from ..context import Context, IndexContext, LayerName, MethodName, RankerName, RetrieverName
from ..graphs import graph_of
from ..graphs.index import graph as index_graph
from ..index.opening import Index, open_index
from ..index.retrieval import search
from ..state.errors import RagraphsError
from ..state.index import IndexInput
from ..state.records import Evidence
from .datasets import Dataset, LabelledQuestion, load_dataset
from .measuring import peak_megabytes, timed
from .metrics import all_support_at, recall_at

CUTOFFS = (2, 5, 10, 20)
_PASSAGES_FOR_EACH = 3

Report = Callable[[str, int, int], None]


def unreported(step: str, done: int, total: int) -> None:
    """Tells nobody that ``done`` of ``total`` parts of a step are done."""


def evaluate_retrieval(
    folder: str,
    retriever: RankerName,
    context: IndexContext,
    limit: int | None = None,
    settings: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Recall and all-support at each cutoff, time and memory, in the form of ``--json``.

    ``settings`` are those of the method, where ``retriever`` is a method's search. Ranks are of the
    set's passages, however many pieces the index cut one into. Questions without support are
    counted apart.
    """
    dataset = load_dataset(folder, limit)
    asked = [question for question in dataset.questions if question.supporting]
    if not asked:
        raise RagraphsError(f"No question of {folder} names supporting passages.")
    if layers := layers_of(retriever):
        context = context.model_copy(update={"layers": ["passages", *layers]})
    with indexed(dataset.sources, context) as (index, index_seconds):
        index.embedder.embed(["warm up"])
        seconds, rankings = timed(
            lambda: rankings_of(dataset, asked, index, retriever, settings or {})
        )
        passages = len(index.catalogue.documents())
    return {
        "set": dataset.name,
        "retriever": retriever,
        "embeddings": index.embedder.name,
        "questions": len(asked),
        "without_support": len(dataset.questions) - len(asked),
        "passages": passages,
        "recall": _mean_at_cutoffs(recall_at, rankings, asked),
        "all_support": _mean_at_cutoffs(all_support_at, rankings, asked),
        "seconds_per_question": round(seconds / len(asked), 5),
        "index_seconds": round(index_seconds, 3),
        "peak_mb": round(peak_megabytes(), 1),
    }


def layers_of(user: str) -> list[LayerName]:
    """The layers that a retriever or a method needs besides passages."""
    if user == "graph":
        return ["sentences"]
    return [cast(LayerName, layer) for layer in NEEDS[user].layers] if user in NEEDS else []


def rankings_of(
    dataset: Dataset,
    asked: Sequence[LabelledQuestion],
    index: Index,
    retriever: RankerName | MethodName,
    settings: Mapping[str, Any],
) -> list[list[str]]:
    """The ids of the set's passages for each question, best first, each once."""
    prefix = dataset.prefix(index.home)
    search_for = _searcher(index, retriever, settings)
    found = (search_for(question.question) for question in asked)
    return [
        list(dict.fromkeys(passage["document"].removeprefix(prefix) for passage in ranked))
        for ranked in found
    ]


@contextmanager
def indexed(
    given: IndexInput, context: IndexContext, report: Report = unreported
) -> Iterator[tuple[Index, float]]:
    """The index that ``context`` names, with ``given`` indexed, and the seconds that it took.

    Where ``context`` names no index, it is a temporary one.
    """
    with tempfile.TemporaryDirectory(prefix="ragraphs-evaluate-") as folder:
        if not is_kept(context):
            context = context.model_copy(update={"index": str(Path(folder) / "index")})
        started = time.perf_counter()
        for part in index_graph.stream(given, context=context, stream_mode="custom"):
            report(part["step"], part["done"], part["total"])
        yield open_index(context), time.perf_counter() - started


def is_kept(context: Context) -> bool:
    """Whether ``context`` names an index, rather than leaving the default."""
    return "index" in context.model_fields_set


def _searcher(
    index: Index, retriever: RankerName | MethodName, settings: Mapping[str, Any]
) -> Callable[[str], list[Evidence]]:
    """Finds the evidence for a question: a retriever, or a method's graph up to its answer."""
    if retriever in get_args(RetrieverName):
        most = CUTOFFS[-1] * _PASSAGES_FOR_EACH
        return lambda question: search(index, question, cast(RetrieverName, retriever), most)
    graph, context_type = graph_of(cast(MethodName, retriever))
    context = context_type(index=index.name, **settings)

    def run(question: str) -> list[Evidence]:
        given = {"question": question}
        for task in graph.stream(given, context=context, stream_mode="tasks"):
            if task["name"] in ("answer", "answer_locally"):
                return cast(list[Evidence], task["input"]["evidence"])
        raise AssertionError("every method ends with its answer")

    return run


def _mean_at_cutoffs(
    metric: Callable[[Sequence[str], frozenset[str], int], float],
    rankings: Sequence[Sequence[str]],
    asked: Sequence[LabelledQuestion],
) -> dict[str, float]:
    pairs = list(zip(rankings, asked, strict=True))
    sums = {k: sum(metric(ids, one.supporting, k) for ids, one in pairs) for k in CUTOFFS}
    return {str(k): round(value / len(pairs), 4) for k, value in sums.items()}
