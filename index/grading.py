"""The graders of an index: how they were fitted to it, and which one a run takes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ..algorithms.crag.grading import CrossEncoderParameters, GraderParameters
from ..context import CragContext
from ..models.graders import (
    MODEL_THRESHOLDS,
    CrossEncoderGrader,
    Grader,
    Grading,
    Thresholds,
    open_grader,
)
from ..models.meter import current_meter
from ..models.protocol import LanguageModel
from ..models.reranker import CrossEncoder, open_cross_encoder
from ..state.errors import RagraphsError
from .opening import Index

FITTED = ("grader", "cross_encoder_grader", "model_grader", "hop_labels")  # properties
_SIMILARITY, _CROSS_ENCODER, _MODEL, _HOP_LABELS = FITTED


def grader_of(index: Index, context: CragContext, model: LanguageModel) -> Grader:
    """The grader that ``context`` names, as it was fitted to ``index``. Blocks.

    Raises RagraphsError where a cross-encoder cannot be had.
    """
    if context.grader != "cross-encoder":
        thresholds = _model_thresholds(index, model.name)
        known = fitted_grader(index)
        return open_grader(context.grader, model, index.embedder, known, thresholds)
    encoder = named_cross_encoder(index, context)
    fitted = fitted_cross_encoder(index, encoder.name)
    if fitted is None and (context.upper is None or context.lower is None):
        current_meter().warn(
            f"The cross-encoder {encoder.name} is not fitted to this index: without upper no "
            "retrieval is called correct, and without lower none incorrect; run: ragraphs "
            f"calibrate --cross-encoder {encoder.name} --index {index.name}"
        )
    return CrossEncoderGrader(encoder, fitted)


def named_cross_encoder(index: Index, context: CragContext) -> CrossEncoder:
    """The cross-encoder that grades by ``context``. Blocks; raises RagraphsError."""
    if not context.rerank:
        raise RagraphsError(
            "The grader cross-encoder needs a model; name one with rerank, such as "
            "fastembed:Xenova/ms-marco-MiniLM-L-6-v2."
        )
    return open_cross_encoder(context.rerank, index.operator)


def with_thresholds(context: CragContext, grading: Grading) -> Grading:
    """``grading`` with the thresholds that ``context`` gives in the place of the grader's."""
    chosen: dict[str, Any] = {
        "upper": context.upper,
        "lower": context.lower,
        "cut": context.strip_cut,
        "most": context.strips_kept,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    return grading._replace(thresholds=grading.thresholds._replace(**given))


def fitted_grader(index: Index) -> GraderParameters | None:
    """The parameters of the grader without a model, if it was calibrated to ``index``. Blocks.

    None, with a warning, where its hops or embeddings have changed since.
    """
    kept = _kept(index, _SIMILARITY)
    parameters: GraderParameters | None = None if kept is None else kept["parameters"]
    return parameters


def fitted_cross_encoder(index: Index, model: str) -> CrossEncoderParameters | None:
    """The parameters of the cross-encoder ``model``, if it was calibrated to ``index``. Blocks.

    None as well where another one was; with a warning where the index has changed since.
    """
    kept = _kept(index, _CROSS_ENCODER)
    parameters: CrossEncoderParameters | None = (
        kept["parameters"] if kept and kept["model"] == model else None
    )
    return parameters


def _model_thresholds(index: Index, model: str) -> Thresholds:
    """The thresholds for the grades of ``model``, as calibrated to ``index`` or the usual ones."""
    kept = _kept(index, _MODEL)
    fitted = kept["parameters"] if kept and kept["model"] == model else {}
    return MODEL_THRESHOLDS._replace(**fitted)


async def keep_model_grader(index: Index, model: str, parameters: Mapping[str, float]) -> None:
    """Keeps the thresholds for the grades of ``model``. Raises RagraphsError."""
    await _keep(index, _MODEL, {"model": model, "parameters": dict(parameters)})


def hop_skill(index: Index, model: str) -> float | None:
    """How far the labels of ``model`` for hops are believed, if that was measured. Blocks."""
    kept = _kept(index, _HOP_LABELS)
    return kept["skill"] if kept and kept["model"] == model else None


async def keep_hop_skill(index: Index, model: str, skill: float) -> None:
    """Keeps how far the labels of ``model`` for hops are believed. Raises RagraphsError."""
    await _keep(index, _HOP_LABELS, {"model": model, "skill": skill})


async def keep_grader(index: Index, parameters: GraderParameters) -> None:
    """Keeps the grader's parameters for ``index`` as it is now. Raises RagraphsError."""
    await _keep(index, _SIMILARITY, {"parameters": parameters})


async def keep_cross_encoder(index: Index, model: str, parameters: CrossEncoderParameters) -> None:
    """Keeps the parameters of the cross-encoder ``model`` for ``index`` as it is now.

    Raises RagraphsError.
    """
    await _keep(index, _CROSS_ENCODER, {"model": model, "parameters": parameters})


def _kept(index: Index, name: str) -> dict[str, Any] | None:
    kept: dict[str, Any] | None = index.catalogue.property(name)
    if kept is None or kept["made_from"] == _made_from(index):
        return kept
    option = "cross-encoder" if name == _CROSS_ENCODER else "model"
    by = f" --{option} {kept['model']}" if "model" in kept else ""
    current_meter().warn(
        "The grader was calibrated before the index changed, so that its usual fit is used; "
        f"run: ragraphs calibrate{by} --index {index.name}"
    )
    return None


async def _keep(index: Index, name: str, fit: dict[str, Any]) -> None:
    async with index.writing():
        kept = {"made_from": await asyncio.to_thread(_made_from, index), **fit}
        await asyncio.to_thread(index.catalogue.set_property, name, kept)


def _made_from(index: Index) -> list[str]:
    from .layers import HOPS

    return list(index.catalogue.properties(HOPS.kept_as, "embeddings"))
