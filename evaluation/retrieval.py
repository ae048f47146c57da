"""Recall and precision of supporting passages by a retriever."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from ..context import Context, IndexContext, LayerName, RankerName, RetrieverName
from ..graphs import graph_of
from ..graphs.index import graph as index_graph
from ..graphs.methods import METHODS
from ..index.opening import Index, open_index
from ..index.retrieval import search
from ..models.embeddings import identity
from ..models.reranker import candidates, open_cross_encoder, reranked
from ..state.errors import IndexNotFoundError
from ..state.index import IndexInput
from ..state.records import Evidence
from .datasets import Dataset, LabelledQuestion, load_dataset, supported
from .figures import check_record, output_of, record, set_manifest
from .measuring import peak_megabytes, timed
from .metrics import CUTOFFS, all_support_at, f1_at, precision_at, recall_at

METRICS = {
    "recall": recall_at,
    "precision": precision_at,
    "f1": f1_at,
    "all_support": all_support_at,
}
_PASSAGES_FOR_EACH = 3

C = TypeVar("C", bound=Context)
Report = Callable[[str, int, int], None]


def unreported(step: str, done: int, total: int) -> None:
    """Tells nobody that ``done`` of ``total`` parts of a step are done."""


def evaluate_retrieval(
    folder: str,
    retriever: RankerName,
    context: IndexContext,
    limit: int | None = None,
    settings: Mapping[str, Any] | None = None,
    outputs: Path | None = None,
) -> dict[str, Any]:
    """Recall, precision, F1 and all-support at cutoffs, time and memory, as ``--json`` has them.

    ``settings`` belong to the method, where ``retriever`` is a method's search; ``rerank`` and
    ``rerank_candidates`` are settings of retrievers, too. Ranks are of the set's passages, however
    many pieces the index cut one into. Questions without support are counted apart. The rankings
    are added to the file ``outputs``, if one is named.
    """
    check_record(outputs)
    dataset = load_dataset(folder, limit)
    settings = {"rerank": "", **(settings or {})}
    supported(dataset)
    if layers := layers_of(retriever):
        context = context.model_copy(update={"layers": ["passages", *layers]})
    with indexed_set(dataset, context) as (dataset, index, index_seconds):
        asked = supported(dataset)
        index.embedder.embed(["warm up"])
        if settings["rerank"]:
            open_cross_encoder(settings["rerank"], index.operator)
        seconds, rankings = timed(lambda: rankings_of(dataset, asked, index, retriever, settings))
        count = index.catalogue
        passages = count.count_passages() if dataset.is_in_index else count.count_documents()
    if outputs is not None:
        rows = [output_of(retriever, *pair) for pair in zip(asked, rankings, strict=True)]
        record(outputs, set_manifest(dataset), rows)
    return {
        "set": dataset.name,
        "retriever": retriever,
        "rerank": identity(settings["rerank"]),
        "embeddings": index.embedder.name,
        "questions": len(asked),
        "without_support": len(dataset.questions) - len(asked),
        "passages": passages,
        **{name: _mean_at_cutoffs(metric, rankings, asked) for name, metric in METRICS.items()},
        "seconds_per_question": round(seconds / len(asked), 5),
        "index_seconds": round(index_seconds, 3),
        "peak_mb": round(peak_megabytes(), 1),
        "notes": list(dataset.notes),
    }


def layers_of(user: str) -> list[LayerName]:
    """The layers that a retriever or a method needs besides passages."""
    if user == "graph":
        return ["sentences"]
    return [cast(LayerName, layer) for layer in METHODS[user].layers] if user in METHODS else []


def rankings_of(
    dataset: Dataset,
    asked: Sequence[LabelledQuestion],
    index: Index,
    retriever: str,
    settings: Mapping[str, Any],
) -> list[list[str]]:
    """The ids of the set's passages for each question, best first, each once."""
    search_for = _searcher(index, retriever, settings)
    found = (search_for(question.question) for question in asked)
    return [
        dataset.ids((one["document"] for one in ranked), (one["id"] for one in ranked), index.home)
        for ranked in found
    ]


@contextmanager
def indexed_set(
    dataset: Dataset, context: IndexContext, report: Report = unreported
) -> Iterator[tuple[Dataset, Index, float]]:
    """The set as it is asked, its index, and the seconds that indexing took.

    Where ``context`` names the index that the set was made from, that one is asked: only layers
    are added to it. Else the set's passages are indexed, as by ``indexed``.
    """
    own = is_made_from(dataset, context)
    with indexed({} if own else dataset.sources, context, report) as (index, seconds):
        yield dataset.asked_in(index) if own else dataset.beside_others(index), index, seconds


def is_made_from(dataset: Dataset, context: IndexContext) -> bool:
    """Whether ``context`` names the index that the set was made from. Blocks."""
    if not is_kept(context) or dataset.origin is None:
        return False
    try:
        return dataset.is_made_from(open_index(context))
    except IndexNotFoundError:
        return False


@contextmanager
def indexed(
    given: IndexInput, context: IndexContext, report: Report = unreported
) -> Iterator[tuple[Index, float]]:
    """The index that ``context`` names, with ``given`` indexed, and the seconds that it took.

    Where ``context`` names no index, it is a temporary one.
    """
    with placed(context) as context:
        started = time.perf_counter()
        for part in index_graph.stream(given, context=context, stream_mode="custom"):
            report(part["step"], part["done"], part["total"])
        yield open_index(context), time.perf_counter() - started


@contextmanager
def placed(context: C) -> Iterator[C]:
    """``context``; where it names no index, with a temporary one, which is empty."""
    with tempfile.TemporaryDirectory(prefix="ragraphs-evaluate-") as folder:
        temporary = {"index": str(Path(folder) / "index")}
        yield context if is_kept(context) else context.model_copy(update=temporary)


def is_kept(context: Context) -> bool:
    """Whether ``context`` names an index, rather than leaving the default."""
    return "index" in context.model_fields_set


def _searcher(
    index: Index, retriever: str, settings: Mapping[str, Any]
) -> Callable[[str], list[Evidence]]:
    """Finds the evidence for a question: a retriever, or a method's graph up to its answer."""
    if retriever in get_args(RetrieverName):
        return _ranker(index, cast(RetrieverName, retriever), settings)
    graph, context_type = graph_of(retriever)
    context = context_type(index=index.name, **settings)

    def run(question: str) -> list[Evidence]:
        given = {"question": question}
        for task in graph.stream(given, context=context, stream_mode="tasks"):
            if task["name"] in ("answer", "answer_locally"):
                return cast(list[Evidence], task["input"]["evidence"])
        raise AssertionError("every method ends with its answer")

    return run


def _ranker(
    index: Index, retriever: RetrieverName, settings: Mapping[str, Any]
) -> Callable[[str], list[Evidence]]:
    """Finds the evidence for a question by a retriever, reranked where ``settings`` say so."""
    most = CUTOFFS[-1] * _PASSAGES_FOR_EACH
    if not settings.get("rerank"):
        return lambda question: search(index, question, retriever, most)
    encoder = open_cross_encoder(settings["rerank"], index.operator)
    stated = settings.get("rerank_candidates")
    wanted = int(stated) if stated else candidates(None, CUTOFFS[-1])

    def rank(question: str) -> list[Evidence]:
        return reranked(encoder, question, search(index, question, retriever, wanted), most)

    return rank


def _mean_at_cutoffs(
    metric: Callable[[Sequence[str], frozenset[str], int], float],
    rankings: Sequence[Sequence[str]],
    asked: Sequence[LabelledQuestion],
) -> dict[str, float]:
    pairs = list(zip(rankings, asked, strict=True))
    sums = {k: sum(metric(ids, one.supporting, k) for ids, one in pairs) for k in CUTOFFS}
    return {str(k): round(value / len(pairs), 4) for k, value in sums.items()}
