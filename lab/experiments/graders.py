"""The accuracy of CRAG's graders on a question set: of single passages, and of the verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from ragraphs.algorithms.crag.strips import verdict
from ragraphs.cli.calibration import Graded
from ragraphs.context import CragContext, IndexContext
from ragraphs.evaluation.asking import Asker, Estimate, gathered, open_asker
from ragraphs.evaluation.bootstrap import Interval, draws, middle
from ragraphs.evaluation.datasets import Dataset, LabelledQuestion, load_dataset, supported
from ragraphs.evaluation.intervals import Measure, measure_of, share_of
from ragraphs.evaluation.plots import Plot, bars, measured_bar
from ragraphs.evaluation.retrieval import Report, indexed_set, layers_of, unreported
from ragraphs.index.grading import grader_of, named_cross_encoder, with_thresholds
from ragraphs.index.opening import Index
from ragraphs.index.readers import language_model
from ragraphs.index.retrieval import search
from ragraphs.models.graders import MODEL_THRESHOLDS, Grading, Thresholds, scores_of
from ragraphs.models.meter import Meter, start_meter
from ragraphs.models.protocol import OFFLINE
from ragraphs.models.reranker import candidates as to_rerank
from ragraphs.models.reranker import open_cross_encoder, reranked
from ragraphs.prompts.library import GRADE_PASSAGES
from ragraphs.prompts.prompt import number_passages
from ragraphs.state.errors import RagraphsError
from ragraphs.state.records import Evidence

from ..gold import is_gold

SETTINGS = ("top_k", "retriever", "rerank", "rerank_candidates", "upper", "lower")
_VERDICTS = ("correct", "ambiguous", "incorrect")
_USER = "The grader model"


class GraderPlan(NamedTuple):
    """The grader to measure: the set's ``folder``, the index and model, and CRAG's settings.

    ``limit`` is the number of questions, the first of the set, and ``seed`` draws the intervals.
    """

    folder: str
    context: IndexContext
    crag: CragContext
    limit: int | None = None
    seed: int = 0
    report: Report = unreported


class Retrieved(NamedTuple):
    """A question's retrieved passages, and which of them support it."""

    question: str
    passages: list[Evidence]
    support: list[bool]

    def stripped(self) -> Retrieved:
        """The same without its supporting passages: a retrieval that failed."""
        pairs = zip(self.passages, self.support, strict=True)
        kept = [passage for passage, supports in pairs if not supports]
        return Retrieved(self.question, kept, [False] * len(kept))


Grade = Callable[[Retrieved], Awaitable[Graded | None]]


def crag_settings(grader: str, given: Mapping[str, str]) -> CragContext:
    """CRAG's settings out of ``given``, by name, that make a difference to a ``grader``.

    Raises RagraphsError for another one.
    """
    for name in given:
        if name not in SETTINGS:
            raise RagraphsError(
                f"{name!r} makes no difference to a grader; there are: {', '.join(SETTINGS)}."
            )
    chosen: dict[str, Any] = {"retriever": "hybrid", "rerank": "", **given, "grader": grader}
    return CragContext(**chosen)


def evaluate_grader(plan: GraderPlan) -> dict[str, Any]:
    """How well the grader tells passages that support a question, in the form of ``--json``.

    The retrievals that found support are graded a second time with the support taken away. Raises
    RagraphsError.
    """
    dataset = load_dataset(plan.folder, plan.limit)
    supported(dataset)
    with indexed_set(dataset, _indexing(plan), plan.report) as (dataset, index, _):
        asked = supported(dataset)
        retrieved = _retrieved(dataset, asked, index, plan.crag)
        stripped = [case.stripped() for case in retrieved if any(case.support)]
        graded, thresholds, meter = asyncio.run(_graded(index, plan, [*retrieved, *stripped]))
        head = _head(plan, dataset, asked, index)
    whole = [one for one in graded[: len(retrieved)] if one is not None]
    lost = [one for one in graded[len(retrieved) :] if one is not None]
    return {
        **head,
        "unanswered": graded.count(None),
        "passages": sum(len(one.grades) for one in whole),
        "thresholds": {"upper": thresholds.upper, "lower": thresholds.lower},
        "supports": passage_measures(whole, thresholds.upper, plan.seed),
        "roc": roc_curve(whole),
        "verdicts": _verdicts(whole, lost, thresholds),
        "usage": meter.usage(),
        "warnings": meter.warnings,
    }


def cost_of_grading(plan: GraderPlan) -> dict[str, Any]:
    """The requests and tokens sent that are still to pay, which are known exactly."""
    dataset = load_dataset(plan.folder, plan.limit)
    supported(dataset)
    with indexed_set(dataset, _indexing(plan), plan.report) as (dataset, index, _):
        asked = supported(dataset)
        retrieved = _retrieved(dataset, asked, index, plan.crag)
        cost = Estimate()
        if plan.crag.grader == "model":
            cost = asyncio.run(_missing(index, plan, retrieved))
        return {**_head(plan, dataset, asked, index), **cost._asdict()}


def _indexing(plan: GraderPlan) -> IndexContext:
    """The settings of indexing, which needs no model for passages and sentences."""
    layers = ["passages", *layers_of(plan.crag.retriever)]
    return plan.context.model_copy(update={"layers": layers, "model": OFFLINE})


def _head(
    plan: GraderPlan, dataset: Dataset, asked: Sequence[LabelledQuestion], index: Index
) -> dict[str, Any]:
    models = {
        "model": lambda: plan.context.model,
        "similarity": lambda: index.embedder.name,
        "cross-encoder": lambda: named_cross_encoder(index, plan.crag).name,
    }
    return {
        "set": dataset.name,
        "grader": plan.crag.grader,
        "model": models[plan.crag.grader](),
        "embeddings": index.embedder.name,
        "retriever": plan.crag.retriever,
        "top_k": plan.crag.top_k,
        "questions": len(asked),
        "without_support": len(dataset.questions) - len(asked),
    }


def _retrieved(
    dataset: Dataset, asked: Sequence[LabelledQuestion], index: Index, crag: CragContext
) -> list[Retrieved]:
    """Passages retrieved for each question; a piece of a supporting passage supports. Blocks."""
    encoder = open_cross_encoder(crag.rerank, index.operator) if crag.rerank else None
    wanted = to_rerank(crag.rerank_candidates, crag.top_k) if encoder else crag.top_k
    found = []
    for one in asked:
        passages = search(index, one.question, crag.retriever, wanted)
        if encoder is not None:
            passages = reranked(encoder, one.question, passages, crag.top_k)
        support = [is_gold(dataset, one, each, index.home) for each in passages]
        found.append(Retrieved(one.question, passages, support))
    return found


async def _graded(
    index: Index, plan: GraderPlan, retrieved: Sequence[Retrieved]
) -> tuple[list[Graded | None], Thresholds, Meter]:
    """The grades of each retrieval, the thresholds for them, and the cost."""
    grade, own, meter = await _grader(index, plan)
    graded = await gathered("grade", [partial(grade, case) for case in retrieved], plan.report)
    return graded, with_thresholds(plan.crag, Grading([], own)).thresholds, meter


async def _grader(index: Index, plan: GraderPlan) -> tuple[Grade, Thresholds, Meter]:
    """Grades a retrieval, None where no usable reply came; with its own thresholds."""
    if plan.crag.grader == "model":
        asker = await open_asker(index, plan.context, _USER)
        return partial(_ask, asker), MODEL_THRESHOLDS, asker.meter
    meter = start_meter(None)
    offline = await language_model(index, plan.crag, OFFLINE)
    grader = await asyncio.to_thread(grader_of, index, plan.crag, offline)

    async def grade(case: Retrieved) -> Graded:
        texts = number_passages(case.passages)
        return Graded(
            (await grader.grade(GRADE_PASSAGES, case.question, texts)).scores, case.support
        )

    nothing = await grader.grade(GRADE_PASSAGES, "", [])
    return grade, nothing.thresholds, meter


async def _ask(asker: Asker, case: Retrieved) -> Graded | None:
    """The model's grades; nothing is asked about no passages."""
    texts = number_passages(case.passages)
    if not texts:
        return Graded([], [])
    reply = await asker.ask(GRADE_PASSAGES, question=case.question, texts=texts)
    if reply is None:
        return None
    scores = scores_of(reply, texts)
    if scores is None:
        asker.meter.warn("The model named none of the texts.")
        return None
    return Graded(scores, case.support)


async def _missing(index: Index, plan: GraderPlan, retrieved: Sequence[Retrieved]) -> Estimate:
    asker = await open_asker(index, plan.context, _USER)
    lost = [case.stripped() for case in retrieved if any(case.support)]
    parts = [
        await asker.missing(
            GRADE_PASSAGES, question=case.question, texts=number_passages(case.passages)
        )
        for case in [*retrieved, *lost]
        if case.passages
    ]
    return sum(parts, Estimate())


def grader_plots(result: Mapping[str, Any]) -> list[Plot]:
    """The measures of single passages, the ROC curve, and the verdicts, from a grader's result."""
    title = f"{result['set']}, {result['grader']}, {result['model']}"
    kinds = ["correct", "ambiguous", "incorrect"]
    rows = {n: v for n, v in result["verdicts"].items() if n != "balanced_accuracy"}
    named = {name.replace("_", " "): one for name, one in result["supports"].items()}
    return [
        bars(title, {"supports": [measured_bar(name, one) for name, one in named.items()]}),
        {
            "kind": "curves",
            "title": f"{title}: ROC",
            "joined": True,
            "x_label": "other passages",
            "y_label": "supporting passages",
            "x_unit": "share",
            "y_unit": "share",
            "curves": {
                result["grader"]: [{"x": p["other"], "y": p["support"]} for p in result["roc"]]
            },
        },
        {
            "kind": "matrix",
            "title": f"{title}: verdicts",
            "unit": "share",
            "rows": [name.replace("_", " ") for name in rows],
            "columns": kinds,
            "values": [[one[kind]["value"] for kind in kinds] for one in rows.values()],
        },
    ]


def passage_measures(cases: Sequence[Graded], upper: float, seed: int) -> dict[str, Measure]:
    """Measures of "supports", said of each passage that is graded ``upper`` or more.

    Intervals are from resampled questions, since the passages of one belong together.
    """
    said = [np.array(case.grades) >= upper for case in cases]
    held = [np.array(case.support, dtype=bool) for case in cases]
    counts = np.array(
        [
            [(s & h).sum(), (s & ~h).sum(), (~s & h).sum(), (~s & ~h).sum()]
            for s, h in zip(said, held, strict=True)
        ]
    )
    grades = [np.array(case.grades) for case in cases]
    passages = int(counts.sum())
    if not passages:
        return {name: share_of([]) for name in (*_OF_COUNTS, "auc")}
    places = list(draws(len(cases), seed))
    measured = {
        name: _with_interval(
            measure(counts.sum(axis=0)),
            [measure(counts[place].sum(axis=0)) for place in places],
            passages,
        )
        for name, measure in _OF_COUNTS.items()
    }
    return {
        **measured,
        "auc": _with_interval(
            auc(np.concatenate(grades), np.concatenate(held)),
            [
                auc(
                    np.concatenate([grades[n] for n in place]),
                    np.concatenate([held[n] for n in place]),
                )
                for place in places
            ],
            passages,
        ),
    }


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


_OF_COUNTS: dict[str, Callable[[Any], float]] = {
    "accuracy": lambda n: _ratio(n[0] + n[3], n.sum()),
    "balanced_accuracy": lambda n: (_ratio(n[0], n[0] + n[2]) + _ratio(n[3], n[1] + n[3])) / 2,
    "precision": lambda n: _ratio(n[0], n[0] + n[1]),
    "recall": lambda n: _ratio(n[0], n[0] + n[2]),
    "f1": lambda n: _ratio(2 * n[0], 2 * n[0] + n[1] + n[2]),
}


def _with_interval(value: float, resampled: Sequence[float], n: int) -> Measure:
    if np.isnan(value):
        return measure_of(None, n)
    return measure_of(Interval(value, *middle(resampled), n))


def auc(grades: Any, support: Any) -> float:
    """The share of pairs in which the passage that supports has the better grade; ties half.

    This is the area under the ROC curve; nan where all support, or none.
    """
    own, other = int(support.sum()), int((~support).sum())
    if not own or not other:
        return float("nan")
    _, places, counts = np.unique(grades, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return float((ranks[support].sum() - own * (own + 1) / 2) / (own * other))


def roc_curve(cases: Sequence[Graded]) -> list[dict[str, float]]:
    """The shares of other passages and of supporting ones at or above each grade, from 0 to 1.

    Empty where all passages support, or none.
    """
    grades = np.array([grade for case in cases for grade in case.grades])
    support = np.array([supports for case in cases for supports in case.support], dtype=bool)
    if not support.any() or support.all():
        return []
    cuts = [np.inf, *np.unique(grades)[::-1]]
    if len(cuts) > _MOST_POINTS:
        cuts = [cuts[round(place)] for place in np.linspace(0, len(cuts) - 1, _MOST_POINTS)]
    return [
        {
            "other": round(float((grades[~support] >= cut).mean()), 4),
            "support": round(float((grades[support] >= cut).mean()), 4),
        }
        for cut in cuts
    ]


_MOST_POINTS = 101


def _verdicts(
    whole: Sequence[Graded], lost: Sequence[Graded], thresholds: Thresholds
) -> dict[str, Any]:
    """How often each verdict is given to retrievals with support, without, and with it taken away.

    The balanced accuracy measures "correct" on retrievals with support, and on the same without it.
    """
    groups = {
        "with_support": [case for case in whole if any(case.support)],
        "without_support": [case for case in whole if not any(case.support)],
        "support_taken_away": lost,
    }
    drawn = {
        name: [verdict(case.grades, thresholds.upper, thresholds.lower) for case in cases]
        for name, cases in groups.items()
    }
    shares = {
        name: {kind: share_of(one == kind for one in given) for kind in _VERDICTS}
        for name, given in drawn.items()
    }
    hit = shares["with_support"]["correct"]["value"]
    false = shares["support_taken_away"]["correct"]["value"]
    known = hit is not None and false is not None
    balanced = round((cast(float, hit) + 1 - cast(float, false)) / 2, 4) if known else None
    return {"balanced_accuracy": balanced, **shares}
