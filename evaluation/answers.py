"""How well methods answer the questions of a set, and what that costs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from statistics import mean
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from ..context import IndexContext, LayerName, MethodName, QuestionContext
from ..graphs import graph_of
from ..index.opening import Index, language_model, open_index
from ..models.meter import current_meter
from ..nodes.router.handing import looked_up
from ..state.errors import IndexNotFoundError, RagraphsError
from ..state.usage import without_reuse
from .datasets import Dataset, LabelledQuestion, load_dataset
from .metrics import answer_f1, containment, exact_match, recall_at
from .outcomes import FILE, Ledger, Outcome, base_of, key_of, stamps_of
from .retrieval import Report, indexed, is_kept, layers_of, unreported

N = TypeVar("N", bound=Hashable)
Answerer = MethodName | Literal["router"]

_QUALITY = ("em", "f1", "containment", "support_recall")


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


@dataclass(frozen=True)
class Asked:
    """A set whose questions were asked: its index, and for each method all questions in order."""

    dataset: Dataset
    index: Index
    scored: dict[Answerer, list[Scored]]


class Way(NamedTuple):
    """A method with its settings: one way to answer questions."""

    method: Answerer
    context: QuestionContext


class Scored(NamedTuple):
    """A question, what a method did with it, and how good that was.

    ``support_recall`` is the share of the supporting passages in the evidence; None without any.
    """

    question: LabelledQuestion
    outcome: Outcome
    em: float
    f1: float
    containment: float
    support_recall: float | None


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
def asked_set(folder: str, plan: Plan) -> Iterator[Asked]:
    """Asks each method of ``plan`` every question of the set in ``folder`` that has an answer.

    Where ``plan.context`` names an index, that one is used, brought up to date with the layers
    needed, and finished questions are kept in it. Raises RagraphsError for what concerns all
    questions.
    """
    dataset = load_dataset(folder, plan.limit)
    questions = answerable(dataset)
    contexts = contexts_of(plan)
    wanted = _indexing(plan.context, _layers_of(contexts))
    with indexed(dataset.sources, wanted, plan.report) as (index, _):
        for chosen in contexts.values():
            chosen.index = index.name
        ledger = Ledger(index.folder / FILE if is_kept(plan.context) else None)
        ways = {method: Way(method, chosen) for method, chosen in contexts.items()}
        texts = [question.question for question in questions]
        keys = keys_of(texts, ways, index)
        if plan.fresh:
            ledger.forget({key for keys_of_method in keys.values() for key in keys_of_method})
        asyncio.run(language_model(index, plan.context))  # fails early where there is none
        scored: dict[Answerer, list[Scored]] = {}
        for method, way in ways.items():
            report = partial(plan.report, method)
            outcomes = asyncio.run(
                outcomes_of(way, texts, keys[method], ledger, plan.parallel, report)
            )
            pairs = zip(questions, outcomes, strict=True)
            scored[method] = [score(*pair, dataset.prefix(index.home)) for pair in pairs]
        yield Asked(dataset, index, scored)


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
        recall_at(found, support, len(found)) if support else None,
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
    values = {name: [getattr(row, name) for row in rows] for name in _QUALITY}
    known = {name: [v for v in column if v is not None] for name, column in values.items()}
    return {name: round(mean(column), 4) if column else None for name, column in known.items()}


def _indexing(context: IndexContext, layers: list[LayerName]) -> IndexContext:
    """The settings of indexing: an index that has the layers keeps the model that read for them."""
    chosen = context.model_dump(include=context.model_fields_set)
    with suppress(IndexNotFoundError):
        if is_kept(context) and set(layers) <= set(
            open_index(context).catalogue.property("layers") or ()
        ):
            chosen.pop("model", None)
    return IndexContext(**{**chosen, "layers": ["passages", *layers]})


def _layers_of(contexts: Mapping[Answerer, QuestionContext]) -> list[LayerName]:
    """The layers that the methods need, with those of the retrievers that they use."""
    users = {user for method, chosen in contexts.items() for user in (method, chosen.retriever)}
    return sorted({layer for user in users for layer in layers_of(user)})


def keys_of(questions: Sequence[str], ways: Mapping[N, Way], index: Index) -> dict[N, list[str]]:
    """For each of ``ways``, by name, the keys of the outcomes of all ``questions``. Blocks."""
    stamps = stamps_of(index)
    keys = {}
    for name, (method, context) in ways.items():
        # The graph retriever reads the entities where there are any, and the router any layer.
        graph: list[LayerName] = ["entities"] if context.retriever == "graph" else []
        read = get_args(LayerName) if method == "router" else _layers_of({method: context})
        base = base_of(method, context, index, [*read, *graph], stamps)
        keys[name] = [key_of(base, question) for question in questions]
    return keys


async def outcomes_of(
    way: Way,
    questions: Sequence[str],
    keys: Sequence[str],
    ledger: Ledger,
    parallel: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> list[Outcome]:
    """The outcome of every question: the one that ``ledger`` has under its key, or a new one.

    ``parallel`` questions are asked at the same time; ``report`` is told how many are done. An
    outcome that a limit of the whole command may have cut short is not kept.
    """
    slots, done = asyncio.Semaphore(parallel), 0
    budget = current_meter().budget

    def spent() -> bool:
        return budget is not None and budget.was_reached

    async def one(question: str, key: str) -> Outcome:
        nonlocal done
        outcome = ledger.get(key)
        if outcome is None:
            async with slots:
                outcome = await _run(way, question)
            if not outcome["error"] and not spent():
                ledger.put(key, outcome)
        done += 1
        report(done, len(questions))
        return outcome

    return await asyncio.gather(*map(one, questions, keys))


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
        "seconds": round(time.perf_counter() - started, 5),
        "error": problem,
    }
