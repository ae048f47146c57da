"""Calibrating a language model's grades and labels to an index."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

from ..context import Context, HopragContext
from ..evaluation.asking import Asker, gathered, open_asker
from ..evaluation.hop_labels import measure_labels
from ..evaluation.retrieval import Report, unreported
from ..index.grading import keep_hop_skill, keep_model_grader
from ..index.layers import HOPS
from ..index.opening import Index
from ..models.graders import scores_of
from ..nodes.hoprag.asking import ShownHops
from ..nodes.run import Run
from ..prompts.hoprag_replies import CHOOSE_HOPS, HopLabels
from ..prompts.library import GRADE_PASSAGES
from ..prompts.prompt import number_passages
from ..state.errors import RagraphsError
from .calibration import Graded, labelled_questions, retrieved, thresholds_between, verdict_shares

_MOST_QUESTIONS = 100
_CHANCE = 0.5


def calibrate_model(
    index: Index, context: Context, folder: str | None = None, report: Report = unreported
) -> dict[str, Any]:
    """Fits CRAG's thresholds to the model's grades, and measures its labels for hops.

    Both are kept with ``index``, for that model. In the form of ``--json``. It uses the questions
    of the set in ``folder``, or else of the hops layer. Blocks. Raises RagraphsError where the
    model cannot be asked, and where its grades do not tell which passage answers a question.
    """
    return asyncio.run(_calibrated(index, context, folder, report))


async def _calibrated(
    index: Index, context: Context, folder: str | None, report: Report
) -> dict[str, Any]:
    asker = await open_asker(index, context, "Calibrating by a model's grades")
    asked = await asyncio.to_thread(labelled_questions, index, folder)
    few = list(asked)[:: -(-len(asked) // _MOST_QUESTIONS)]
    works = [partial(_graded, asker, index, one, asked[one]) for one in few]
    cases = [case for case in await gathered("calibrate", works, report) if case is not None]
    good = [max(case.grades) for case in cases if any(case.support)]
    bad = [max(case.stripped().grades, default=-1.0) for case in cases]
    upper, lower = thresholds_between(good, bad) if good else (1.0, -1.0)
    verdicts = verdict_shares(cases, upper, lower)
    if not good or verdicts["balanced_accuracy"] <= _CHANCE:
        raise RagraphsError(
            f"The grades of {context.model} do not tell the passage that answers a question from "
            "others; name another --model, or grade by similarity (--grader similarity)."
        )
    await keep_model_grader(index, context.model, {"upper": upper, "lower": lower})
    skill = await _skill(asker, index, context, asked)
    return {
        "index": index.name,
        "embeddings": index.embedder.name,
        "model": context.model,
        "questions": len(cases),
        "parameters": {"upper": upper, "lower": lower},
        "hop_labels": skill,
        "verdicts": verdicts,
        "usage": asker.meter.usage(),
    }


async def _graded(asker: Asker, index: Index, question: str, gold: set[str]) -> Graded | None:
    found = await asyncio.to_thread(retrieved, index, question)
    texts = number_passages(found)
    reply = await asker.ask(GRADE_PASSAGES, question=question, texts=texts)
    scores = None if reply is None else scores_of(reply, texts)
    return None if scores is None else Graded(scores, [one["id"] in gold for one in found])


async def _skill(
    asker: Asker, index: Index, context: Context, asked: Mapping[str, set[str]]
) -> float | None:
    """How far the model's labels for hops are believed; None without the layer."""
    if not await asyncio.to_thread(HOPS.is_built, index):
        return None

    async def label(shown: ShownHops) -> HopLabels | None:
        return await asker.ask(CHOOSE_HOPS, **shown.inputs)

    walk = HopragContext(index=index.name, model=context.model)
    skill = await measure_labels(Run(walk, index, asker.meter), asked, lambda _: label)
    await keep_hop_skill(index, context.model, skill)
    return skill
