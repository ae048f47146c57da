"""The grader without a model, as it was fitted to an index."""

from __future__ import annotations

import asyncio

from ..algorithms.crag.grading import GraderParameters
from ..models.meter import current_meter
from .opening import Index

_PROPERTY = "grader"


def fitted_grader(index: Index) -> GraderParameters | None:
    """The grader's parameters for ``index``, if it was calibrated. Blocks.

    None, with a warning, where its hops or embeddings have changed since.
    """
    kept = index.catalogue.property(_PROPERTY)
    if kept is None:
        return None
    if kept["made_from"] != _made_from(index):
        current_meter().warn(
            "The grader was calibrated before the index changed, so that its usual fit is used; "
            f"run: ragraphs calibrate --index {index.name}"
        )
        return None
    parameters: GraderParameters = kept["parameters"]
    return parameters


async def keep_grader(index: Index, parameters: GraderParameters) -> None:
    """Keeps the grader's parameters for ``index`` as it is now. Raises RagraphsError."""
    async with index.writing():
        kept = {"made_from": await asyncio.to_thread(_made_from, index), "parameters": parameters}
        await asyncio.to_thread(index.catalogue.set_property, _PROPERTY, kept)


def _made_from(index: Index) -> list[str]:
    from .layers import HOPS

    return list(index.catalogue.properties(HOPS.kept_as, "embeddings"))
