"""Calibrating a cross-encoder to an index, by the questions that its passages answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.crag.grading import CrossEncoderParameters, platt
from ..algorithms.crag.strips import decompose
from ..context import CragContext
from ..evaluation.retrieval import Report, unreported
from ..index.grading import keep_cross_encoder
from ..index.opening import Index
from ..models.reranker import CrossEncoder, open_cross_encoder
from ..state.errors import RagraphsError
from .calibration import (
    GOOD_LOST,
    Graded,
    labelled_questions,
    retrieved,
    thresholds_between,
    verdict_shares,
)

_RIDGE = 1e-3
_ROUNDS = 50


class ScoredCase(NamedTuple):
    """A question's retrieved passages: scores, which support it, and the best of their strips.

    ``strips`` has the best score among the strips of each supporting passage.
    """

    scores: list[float]
    support: list[bool]
    strips: list[float]


def calibrate_cross_encoder(
    index: Index, name: str, folder: str | None = None, report: Report = unreported
) -> dict[str, Any]:
    """Calibrates the cross-encoder called ``name`` to ``index`` and keeps its parameters there.

    In the form of ``--json``. It uses the questions of the set in ``folder``, or else of the hops
    layer. Blocks. Raises RagraphsError where the index has no hops layer, where its passages answer
    too few questions, and where the scores do not tell which passage does.
    """
    encoder = open_cross_encoder(name, index.operator)
    asked = labelled_questions(index, folder)
    cases = []
    for question, passages in asked.items():
        cases.append(_case(index, encoder, question, passages))
        report("calibrate", len(cases), len(asked))
    parameters = _fit(encoder, cases)
    asyncio.run(keep_cross_encoder(index, encoder.name, parameters))
    graded = [Graded(_grades(case.scores, parameters), case.support) for case in cases]
    return {
        "index": index.name,
        "embeddings": index.embedder.name,
        "cross_encoder": encoder.name,
        "questions": len(cases),
        "parameters": parameters,
        "verdicts": verdict_shares(graded, parameters["upper"], parameters["lower"]),
    }


def _case(index: Index, encoder: CrossEncoder, question: str, passages: set[str]) -> ScoredCase:
    found = retrieved(index, question)
    support = [passage["id"] in passages for passage in found]
    size = CragContext.model_fields["strip_sentences"].default
    cut = [decompose(passage, size) for passage in found if passage["id"] in passages]
    strips = [max(encoder.scores(question, strip)) for strip in cut]
    return ScoredCase(encoder.scores(question, found), support, strips)


def _fit(encoder: CrossEncoder, cases: Sequence[ScoredCase]) -> CrossEncoderParameters:
    """The scale and shift by which scores tell support best, then the thresholds and the cut.

    Raises RagraphsError where larger scores are no sign of support.
    """
    scores = [score for case in cases for score in case.scores]
    support = [supports for case in cases for supports in case.support]
    scale, shift = (0.0, 0.0) if len(set(support)) < 2 else logistic_fit(scores, support)
    if scale <= 0:
        raise RagraphsError(
            f"The cross-encoder {encoder.name} does not tell the passage that answers a question "
            "from others; name another one."
        )
    parameters: CrossEncoderParameters = {
        "scale": round(scale, 6),
        "shift": round(shift, 6),
        "upper": 0.0,
        "lower": 0.0,
        "cut": 0.0,
    }
    graded = [Graded(_grades(case.scores, parameters), case.support) for case in cases]
    good = [max(case.grades) for case in graded if any(case.support)]
    bad = [max(case.stripped().grades, default=-1.0) for case in graded]
    parameters["upper"], parameters["lower"] = thresholds_between(good, bad)
    strips = _grades([score for case in cases for score in case.strips], parameters)
    parameters["cut"] = round(float(np.quantile(strips, GOOD_LOST)), 4)
    return parameters


def _grades(scores: Sequence[float], parameters: CrossEncoderParameters) -> list[float]:
    return [platt(score, parameters) for score in scores]


def logistic_fit(scores: Sequence[float], labels: Sequence[bool]) -> tuple[float, float]:
    """Scale and shift of a logistic regression of ``labels``, both kinds of which weigh the same.

    By Newton's method, with a little ridge, so that it ends where scores tell all labels.
    """
    given, said = np.array(scores, dtype=float), np.array(labels, dtype=float)
    middle, spread = given.mean(), given.std() or 1.0
    rows = np.stack([(given - middle) / spread, np.ones(len(given))], axis=1)
    weights = np.where(said == 1, 0.5 / said.mean(), 0.5 / (1 - said.mean())) / len(said)
    held, ridge = np.zeros(2), np.diag([_RIDGE, 0.0])
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-rows @ held))
        slope = rows.T @ (weights * (likely - said)) + ridge @ held
        curve = (rows * (weights * likely * (1 - likely))[:, None]).T @ rows + ridge
        held = held - np.linalg.solve(curve + 1e-12 * np.eye(2), slope)
    return float(held[0] / spread), float(held[1] - held[0] * middle / spread)
