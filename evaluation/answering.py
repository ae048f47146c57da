"""Asking the questions of an evaluation by one or more ways, with outcomes that are kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, get_args

from ..context import IndexContext, LayerName, QuestionContext
from ..graphs import graph_of
from ..index.layers import wanted_layers
from ..index.opening import Index, open_index
from ..index.readers import language_model
from ..models.meter import current_meter
from ..nodes.router.handing import looked_up
from ..state.errors import IndexNotFoundError, RagraphsError
from ..state.index import IndexInput
from ..state.usage import without_reuse
from .outcomes import FILE, Ledger, Outcome, base_of, hops_of, key_of, piece_of, stamps_of
from .retrieval import Report, indexed, is_kept, layers_of, unreported

N = TypeVar("N", bound=Hashable)
Answerer = str  # a method, or the router


class AnsweringPlan(NamedTuple):
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
    """A way to answer questions: a method, or the router, with its settings.

    ``graph``, by a name of its own, answers in the place of the method's graph: the same with nodes
    replaced.
    """

    method: Answerer
    context: QuestionContext
    graph: Any = None


def contexts_of(plan: AnsweringPlan) -> dict[Answerer, QuestionContext]:
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


def ways_of(plan: AnsweringPlan) -> dict[Answerer, Way]:
    """Each method of ``plan`` with its settings. Raises as ``contexts_of`` does."""
    return {method: Way(method, chosen) for method, chosen in contexts_of(plan).items()}


def way_of(method: Answerer, plan: AnsweringPlan, own: Mapping[str, Any]) -> Way:
    """A method with the settings of ``plan`` that it has, and ``own`` ones, which go first.

    Raises RagraphsError for one of its own that it has not.
    """
    fields = graph_of(method)[1].model_fields
    shared = {name: value for name, value in plan.settings.items() if name in fields}
    alone = plan._replace(methods=[method], settings=shared | dict(own))
    return Way(method, contexts_of(alone)[method])


@contextmanager
def answered(
    given: IndexInput, questions: Sequence[str], ways: Mapping[N, Way], plan: AnsweringPlan
) -> Iterator[tuple[Index, dict[N, list[Outcome]]]]:
    """The index of ``given``, and by the name of each of ``ways`` the outcomes of ``questions``.

    Where ``plan.context`` names an index, that one is used, brought up to date with the layers
    needed, and finished questions are kept in it. Raises RagraphsError for what concerns all
    questions.
    """
    with indexed(given, indexing(plan.context, ways.values()), plan.report) as (index, _):
        yield index, outcomes_in(index, questions, ways, plan)


def outcomes_in(
    index: Index, questions: Sequence[str], ways: Mapping[N, Way], plan: AnsweringPlan
) -> dict[N, list[Outcome]]:
    """Outcomes of ``questions`` asked in ``index``, by the name of each of ``ways``. Blocks.

    Finished outcomes are kept where ``plan.context`` names the index.
    """
    for way in ways.values():
        way.context.index = index.name
    ledger = Ledger(index.folder / FILE if is_kept(plan.context) else None)
    keys = keys_of(questions, ways, index)
    if plan.fresh:
        ledger.forget({key for keys_of_way in keys.values() for key in keys_of_way})
    for chosen in {way.context.model: way.context for way in ways.values()}.values():
        asyncio.run(language_model(index, chosen))  # fails early where there is none
    return {
        name: asyncio.run(
            outcomes_of(
                way, questions, keys[name], ledger, plan.parallel, partial(plan.report, str(name))
            )
        )
        for name, way in ways.items()
    }


def unfinished(
    ways: Mapping[N, Way], questions: Sequence[str], plan: AnsweringPlan
) -> dict[N, int]:
    """How many of ``questions`` have no outcome by each of ``ways`` in the index as it is now."""
    everything = dict.fromkeys(ways, len(questions))
    if plan.fresh or not is_kept(plan.context):
        return everything
    try:
        index = open_index(plan.context)
    except IndexNotFoundError:
        return everything
    ledger, keys = Ledger(index.folder / FILE), keys_of(questions, ways, index)
    return {name: sum(ledger.get(key) is None for key in keys[name]) for name in ways}


def indexing(context: IndexContext, ways: Iterable[Way]) -> IndexContext:
    """The settings of indexing for ``ways``.

    An index that has the layers keeps the model that read for them.
    """
    layers = sorted({layer for way in ways for layer in _layers_of(way)})
    chosen = context.model_dump(include=context.model_fields_set)
    with suppress(IndexNotFoundError):
        if is_kept(context) and set(layers) <= {"passages", *wanted_layers(open_index(context))}:
            chosen.pop("model", None)
    return IndexContext(**{**chosen, "layers": ["passages", *layers]})


def _layers_of(way: Way) -> set[LayerName]:
    """The layers that the method of ``way`` and its retriever need."""
    return {layer for user in (way.method, way.context.retriever) for layer in layers_of(user)}


def keys_of(questions: Sequence[str], ways: Mapping[N, Way], index: Index) -> dict[N, list[str]]:
    """For each of ``ways``, by name, the keys of the outcomes of all ``questions``. Blocks."""
    stamps = stamps_of(index)
    keys = {}
    for name, way in ways.items():
        method, context, own = way
        # The graph retriever reads the entities where there are any, and the router any layer.
        graph: list[LayerName] = ["entities"] if context.retriever == "graph" else []
        read = get_args(LayerName) if method == "router" else _layers_of(way)
        base = base_of(method, context, index, [*read, *graph], stamps)
        base = base if own is None else key_of(base, own.name)
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
    result: dict[str, Any]
    try:
        graph = way.graph or graph_of(way.method)[0]
        result = await graph.ainvoke({"question": question}, context=way.context)
    except Exception as error:
        result, problem = {}, f"{type(error).__name__}: {error}"
    else:
        problem = "; ".join(result["warnings"]) if result["stop_reason"] == "model_failed" else ""
    usage, evidence = result.get("usage", {}), result.get("evidence", [])
    calls, tokens = without_reuse(usage)
    return {
        "answer": result.get("answer", ""),
        "missing": result.get("missing", []),
        "citations": result.get("citations", []),
        "looked_up": looked_up(result),
        "documents": list(dict.fromkeys(passage["document"] for passage in evidence)),
        "evidence": list(map(piece_of, evidence)),
        "tried": [attempt["method"] for attempt in result.get("path", [])] or [way.method],
        "sufficient": result.get("sufficient", False),
        "stop_reason": result.get("stop_reason") or "failed",
        "calls": calls,
        "reused": sum(model["reused"] for model in usage.get("models", {}).values()),
        "tokens": tokens,
        "retrievals": usage.get("retrievals", 0),
        "retrieved_tokens": usage.get("retrieved_tokens", 0),
        "hops": hops_of(result),
        "seconds": round(time.perf_counter() - started, 5),
        "error": problem,
    }
