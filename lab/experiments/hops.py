"""HopRAG's walks as printed and as they are here, with labels that are wrong at several rates."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import mean
from typing import Any, cast

from ragraphs.cli.calibration import labelled_questions
from ragraphs.context import HopragContext, IndexContext
from ragraphs.evaluation.asking import gathered
from ragraphs.evaluation.datasets import Dataset, load_dataset, supported
from ragraphs.evaluation.hop_labels import JudgeHops, measure_labels, walked
from ragraphs.evaluation.metrics import CUTOFFS, recall_at
from ragraphs.evaluation.retrieval import Report, indexed_set, layers_of
from ragraphs.index.grading import keep_hop_skill
from ragraphs.index.hops import load_hops
from ragraphs.index.opening import Index
from ragraphs.models.meter import Meter
from ragraphs.models.protocol import OFFLINE
from ragraphs.nodes.hoprag.asking import Labeller, ShownHops
from ragraphs.nodes.hoprag.walk import prune_passages
from ragraphs.nodes.run import Run
from ragraphs.prompts.hoprag_replies import HopLabels
from ragraphs.state.hoprag import HopragState
from ragraphs.state.records import Evidence

_UNLABELLED: dict[str, dict[str, Any]] = {
    "no hops": {"n_hop": 0, "traversal": "similarity"},
    "similarity": {"traversal": "similarity"},
    "as printed, similarity": {"as_printed": True, "traversal": "similarity"},
}
_LABELLED: dict[str, dict[str, Any]] = {
    "labels": {},
    "labels of every hop": {"traversal": "every"},
    "as printed, labels": {"as_printed": True},
}


def evaluate_hops(
    folder: str,
    errors: Sequence[float],
    context: IndexContext,
    limit: int | None,
    retriever: str,
    report: Report,
) -> dict[str, Any]:
    """Recall of every way to walk; those by labels once for each rate of wrong ones.

    A label says whether a hop leads to a supporting passage, and is turned round at that rate. Its
    skill is measured on the index's own questions, as ``ragraphs calibrate`` does. Raises
    RagraphsError.
    """
    dataset = load_dataset(folder, limit)
    context = context.model_copy(
        update={"layers": ["passages", *layers_of("hoprag"), *layers_of(retriever)]}
    )
    ways: list[tuple[str, dict[str, Any], float | None]]
    ways = [(name, way, None) for name, way in _UNLABELLED.items()]
    ways += [(name, way, error) for name, way in _LABELLED.items() for error in errors]
    with indexed_set(dataset, context, report) as (dataset, index, _):
        asked = supported(dataset)
        own = labelled_questions(index)
        rows = []
        for name, way, error in ways:
            model = OFFLINE if error is None else f"labels-{error:g}"
            walk = HopragContext(index=index.name, model=model, **{"retriever": retriever, **way})
            run = Run(walk, index, Meter())
            skill = None if error is None else asyncio.run(_measured(run, own, error))
            recall = _recall(run, replace(dataset, questions=tuple(asked)), error, report)
            rows.append({"way": name, "error": error, "skill": skill, "recall": recall})
    return {
        "set": dataset.name,
        "retriever": retriever,
        "embeddings": index.embedder.name,
        "questions": len(asked),
        "rows": rows,
    }


def _recall(
    run: Run[HopragContext], dataset: Dataset, error: float | None, report: Report
) -> dict[str, float]:
    support = dataset.support_in(run.index)
    works = [
        partial(_evidence, run, one.question, gold, error)
        for one, gold in zip(dataset.questions, support, strict=True)
    ]
    found = asyncio.run(gathered("walk", works, report))
    ranked = [
        dataset.ids([p["document"] for p in one], [p["id"] for p in one], run.index.home)
        for one in found
    ]
    pairs = list(zip(ranked, dataset.questions, strict=True))
    return {
        str(k): round(mean(recall_at(ids, one.supporting, k) for ids, one in pairs), 4)
        for k in CUTOFFS
    }


async def _measured(run: Run[HopragContext], own: Mapping[str, set[str]], error: float) -> float:
    skill = await measure_labels(run, own, lambda one: _labeller(run.index, one, own[one], error))
    await keep_hop_skill(run.index, run.context.model, skill)
    return skill


async def _evidence(
    run: Run[HopragContext], question: str, gold: set[str], error: float | None
) -> list[Evidence]:
    judge: JudgeHops | None = None
    if error is not None:
        label = _labeller(run.index, question, gold, error)

        async def judge(_: HopragState, shown: ShownHops) -> HopLabels | None:
            return await label(shown)

    state = await walked(run, question, judge)
    return cast(list[Evidence], (await prune_passages.function(state, run))["evidence"])


def _labeller(index: Index, question: str, gold: set[str], error: float) -> Labeller:
    """Labels by ``gold``, of which a share ``error`` is turned round, always the same."""

    async def label(shown: ShownHops) -> HopLabels:
        hops = load_hops(index)
        ends = {hops.vertex(id) for id in gold}
        turned = {
            id: random.Random(f"{question} {offer.edge}").random() < error
            for id, offer in shown.offers.items()
        }
        return HopLabels(
            necessary=[
                id for id, offer in shown.offers.items() if (offer.target in ends) is not turned[id]
            ]
        )

    return label
