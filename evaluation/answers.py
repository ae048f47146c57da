"""How well methods answer the questions of a set, and what that costs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from statistics import mean
from types import MappingProxyType
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args

from ..context import IndexContext, LayerName, MethodName, QuestionContext
from ..graphs import graph_of
from ..index.opening import Index, language_model, open_index
from ..nodes.router.handing import looked_up
from ..state.errors import IndexNotFoundError, RagraphsError
from ..state.usage import without_reuse
from .datasets import Dataset, LabelledQuestion, load_dataset
from .metrics import answer_f1, containment, exact_match, f1_at, precision_at, recall_at
from .outcomes import FILE, Ledger, Outcome, base_of, hops_of, key_of, stamps_of
from .retrieval import Report, indexed, is_kept, layers_of, unreported

Answerer = MethodName | Literal["router"]
W = TypeVar("W", bound=str)

_QUALITY = ("em", "f1", "containment", "support_recall", "support_precision", "support_f1")
_OF_EVIDENCE = (recall_at, precision_at, f1_at)


class Plan(NamedTuple):
    """Which methods, or the router, are asked the questions of a set, and how.

    ``limit`` is the number of questions, the first of the set. ``settings`` go to the methods that
    have them. Questions that are finished in the index of ``context`` are asked again only where
    something that decides their outcome has changed, or with ``fresh``. ``parallel`` questions are
    asked at the same time. ``report`` is told the progress.
    """

    methods: Sequence[Answerer]
    context: IndexContext
    limit: int | None = None
    settings: Mapping[str, str] = MappingProxyType({})
    fresh: bool = False
    parallel: int = 1
    report: Report = unreported


class Way(NamedTuple):
    """A way to answer questions: a method, or the router, with its settings."""

    method: Answerer
    context: QuestionContext


@dataclass(frozen=True)
class Asked(Generic[W]):
    """A set whose questions were asked: its index, and by each way all questions in order."""

    dataset: Dataset
    index: Index
    scored: dict[W, list[Scored]]


class Scored(NamedTuple):
    """A question, what a method did with it, and how good that was.

    ``support_recall`` is the share of the supporting passages that are in the evidence,
    ``support_precision`` the share of the evidence that supports, and ``support_f1`` their harmonic
    mean; None for a question without supporting passages.
    """

    question: LabelledQuestion
    outcome: Outcome
    em: float
    f1: float
    containment: float
    support_recall: float | None
    support_precision: float | None
    support_f1: float | None


def evaluate_answers(folder: str, plan: Plan) -> list[dict[str, Any]]:
    """For every method its measures over the set in ``folder``, in the form of ``--json``.

    Raises RagraphsError for what concerns all questions.
    """
    with asked_set(folder, plan) as asked:
        return [
            {
                "set": asked.dataset.name,
                "method": method,
                "model": plan.context.model,
                **summary(rows),
                "without_answer": sum(not q.answers for q in asked.dataset.questions),
            }
            for method, rows in asked.scored.items()
        ]


@contextmanager
def asked_set(folder: str, plan: Plan) -> Iterator[Asked[Answerer]]:
    """Asks each method of ``plan`` every question of the set in ``folder`` that has an answer.

    As ``asked_by`` does.
    """
    dataset = load_dataset(folder, plan.limit)
    ways = {method: Way(method, chosen) for method, chosen in contexts_of(plan).items()}
    with asked_by(ways, dataset, answerable(dataset), plan) as asked:
        yield asked


@contextmanager
def asked_by(
    ways: Mapping[W, Way], dataset: Dataset, questions: Sequence[LabelledQuestion], plan: Plan
) -> Iterator[Asked[W]]:
    """Asks ``questions`` of ``dataset`` by each of ``ways``, over one index.

    Where ``plan.context`` names an index, that one is used, brought up to date with the layers
    needed, and finished questions are kept in it. Raises RagraphsError for what concerns all
    questions.
    """
    wanted = _indexing(plan.context, _layers_of(ways.values()))
    with indexed(dataset.sources, wanted, plan.report) as (index, _):
        for _, context in ways.values():
            context.index = index.name
        ledger = Ledger(index.folder / FILE if is_kept(plan.context) else None)
        keys = _keys_of(questions, ways, index)
        if plan.fresh:
            ledger.forget({key for keys_of_way in keys.values() for key in keys_of_way})
        for chosen in {context.model: context for _, context in ways.values()}.values():
            asyncio.run(language_model(index, chosen))  # fails early where there is none
        scored: dict[W, list[Scored]] = {}
        for name, way in ways.items():
            outcomes = asyncio.run(_ask(name, way, questions, keys[name], ledger, plan))
            pairs = zip(questions, outcomes, strict=True)
            scored[name] = [score(*pair, dataset.prefix(index.home)) for pair in pairs]
        yield Asked(dataset, index, scored)


def unfinished(
    ways: Mapping[W, Way], questions: Sequence[LabelledQuestion], plan: Plan
) -> dict[W, int]:
    """How many of ``questions`` have no outcome by each of ``ways`` in the index as it is now."""
    everything = dict.fromkeys(ways, len(questions))
    if plan.fresh or not is_kept(plan.context):
        return everything
    try:
        index = open_index(plan.context)
    except IndexNotFoundError:
        return everything
    ledger, keys = Ledger(index.folder / FILE), _keys_of(questions, ways, index)
    return {name: sum(ledger.get(key) is None for key in keys[name]) for name in ways}


def answerable(dataset: Dataset) -> list[LabelledQuestion]:
    """The questions that have a gold answer. Raises RagraphsError where there is none."""
    questions = [question for question in dataset.questions if question.answers]
    if not questions:
        raise RagraphsError(
            f"No question of {dataset.name} has an answer to compare with; name another set."
        )
    return questions


def contexts_of(plan: Plan) -> dict[Answerer, QuestionContext]:
    """The settings of each method: those shared with the plan's context, and its own of the plan.

    GraphRAG searches locally unless told otherwise: questions with gold answers ask for facts. The
    router decides that itself.
    Raises RagraphsError for a setting that no method has.
    """
    given = {name: getattr(plan.context, name) for name in plan.context.model_fields_set}
    given |= plan.settings
    types = {method: graph_of(method)[1] for method in plan.methods}
    for name in plan.settings:
        if not any(name in kind.model_fields for kind in types.values()):
            raise RagraphsError(f"{name!r} is no setting of {', '.join(types)}; leave it out.")
    return {
        method: kind(**{k: v for k, v in own.items() if k in kind.model_fields})
        for method, kind in types.items()
        for own in [given if method == "router" else {"search": "local", **given}]
    }


def score(question: LabelledQuestion, outcome: Outcome, prefix: str) -> Scored:
    """How good an outcome is; ``prefix`` precedes the ids of the set in its documents."""
    found = [document.removeprefix(prefix) for document in outcome["documents"]]
    support = question.supporting
    return Scored(
        question,
        outcome,
        exact_match(outcome["answer"], question.answers),
        answer_f1(outcome["answer"], question.answers),
        containment(outcome["answer"], question.answers),
        *(metric(found, support, len(found)) if support else None for metric in _OF_EVIDENCE),
    )


def summary(rows: Sequence[Scored]) -> dict[str, Any]:
    """Means of quality and time, sums of calls and tokens; a failed question counts as wrong."""
    outcomes = [row.outcome for row in rows]
    by_type: dict[str, list[Scored]] = {}
    for row in rows:
        by_type.setdefault(row.question.kind, []).append(row)
    return {
        "questions": len(rows),
        **_quality(rows),
        "calls": sum(outcome["calls"] for outcome in outcomes),
        "tokens": sum(outcome["tokens"] for outcome in outcomes),
        "seconds_per_question": round(mean(outcome["seconds"] for outcome in outcomes), 5),
        "retrievals_per_question": _mean([outcome["retrievals"] for outcome in outcomes]),
        "hops_per_question": _mean([outcome["hops"] for outcome in outcomes]),
        "by_type": {
            kind: {"questions": len(part), **_quality(part)}
            for kind, part in sorted(by_type.items())
        },
        "sufficient": round(mean(outcome["sufficient"] for outcome in outcomes), 4),
        "reused": sum(outcome["reused"] for outcome in outcomes),
        "failures": sum(bool(outcome["error"]) for outcome in outcomes),
        "first_failure": next((o["error"] for o in outcomes if o["error"]), ""),
    }


def _quality(rows: Sequence[Scored]) -> dict[str, float | None]:
    return {name: _mean([getattr(row, name) for row in rows]) for name in _QUALITY}


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean of the ``values`` that are known; None where none is."""
    known = [value for value in values if value is not None]
    return round(mean(known), 4) if known else None


def _indexing(context: IndexContext, layers: list[LayerName]) -> IndexContext:
    """The settings of indexing: an index that has the layers keeps the model that read for them."""
    chosen = context.model_dump(include=context.model_fields_set)
    with suppress(IndexNotFoundError):
        if is_kept(context) and set(layers) <= set(
            open_index(context).catalogue.property("layers") or ()
        ):
            chosen.pop("model", None)
    return IndexContext(**{**chosen, "layers": ["passages", *layers]})


def _layers_of(ways: Iterable[Way]) -> list[LayerName]:
    """The layers that the ways need, with those of the retrievers that they use."""
    users = {user for method, chosen in ways for user in (method, chosen.retriever)}
    return sorted({layer for user in users for layer in layers_of(user)})


def _keys_of(
    asked: Sequence[LabelledQuestion], ways: Mapping[W, Way], index: Index
) -> dict[W, list[str]]:
    stamps = stamps_of(index)
    keys = {}
    for name, way in ways.items():
        # The graph retriever reads the entities where there are any, and the router any layer.
        graph: list[LayerName] = ["entities"] if way.context.retriever == "graph" else []
        read = get_args(LayerName) if way.method == "router" else _layers_of([way])
        base = base_of(way.method, way.context, index, [*read, *graph], stamps)
        keys[name] = [key_of(base, question.question) for question in asked]
    return keys


async def _ask(
    name: str,
    way: Way,
    asked: Sequence[LabelledQuestion],
    keys: Sequence[str],
    ledger: Ledger,
    plan: Plan,
) -> list[Outcome]:
    """The outcome of every question: the one that ``ledger`` has under its key, or a new one."""
    slots, done = asyncio.Semaphore(plan.parallel), 0

    async def one(question: LabelledQuestion, key: str) -> Outcome:
        nonlocal done
        outcome = ledger.get(key)
        if outcome is None:
            async with slots:
                outcome = await _run(way, question.question)
            if not outcome["error"]:
                ledger.put(key, outcome)
        done += 1
        plan.report(name, done, len(asked))
        return outcome

    return await asyncio.gather(*map(one, asked, keys))


async def _run(way: Way, question: str) -> Outcome:
    """The outcome of ``question``; a failure is an outcome, too."""
    started = time.perf_counter()
    try:
        graph, _ = graph_of(way.method)
        result = await graph.ainvoke({"question": question}, context=way.context)
    except Exception as error:
        result, problem = {}, f"{type(error).__name__}: {error}"
    else:
        problem = "; ".join(result["warnings"]) if result["stop_reason"] == "model_failed" else ""
    usage = result.get("usage", {})
    calls, tokens = without_reuse(usage)
    return {
        "answer": result.get("answer", ""),
        "missing": result.get("missing", []),
        "citations": result.get("citations", []),
        "looked_up": looked_up(result),
        "documents": list(dict.fromkeys(p["document"] for p in result.get("evidence", []))),
        "tried": [attempt["method"] for attempt in result.get("path", [])] or [way.method],
        "sufficient": result.get("sufficient", False),
        "stop_reason": result.get("stop_reason") or "failed",
        "calls": calls,
        "reused": sum(model["reused"] for model in usage.get("models", {}).values()),
        "tokens": tokens,
        "retrievals": usage.get("retrievals", 0),
        "hops": hops_of(result),
        "seconds": round(time.perf_counter() - started, 5),
        "error": problem,
    }
