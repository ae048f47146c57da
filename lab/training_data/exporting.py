"""Making a file of training data out of a question set."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ragraphs.context import IndexContext
from ragraphs.evaluation.answering import AnsweringPlan, indexing, ways_of
from ragraphs.evaluation.asking import Estimate, open_asker
from ragraphs.evaluation.datasets import Dataset, load_dataset
from ragraphs.evaluation.retrieval import indexed_set, is_kept
from ragraphs.index.layers import built_layers
from ragraphs.index.opening import open_index
from ragraphs.models.protocol import OFFLINE
from ragraphs.state.errors import IndexNotFoundError, RagraphsError
from ragraphs.state.usage import total_calls, total_tokens

from .deeprag import trajectories, trajectory_costs
from .examples import ExampleRows, check_place, write
from .grades import grades
from .hops import hops
from .planning import METHODS, Choices, Sources


def export(
    folder: str,
    out: Path,
    choices: Choices,
    context: IndexContext,
    limit: int | None = None,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Writes training data from the set in ``folder`` into ``out``; a summary, as with ``--json``.

    ``settings`` are the settings of the method. A dry run, as ``context`` says, writes nothing, and
    gives the cost instead. Raises RagraphsError for what concerns all questions.
    """
    dataset = load_dataset(folder, limit)
    check_place(out)
    method = METHODS[choices.kind]
    [way] = ways_of(AnsweringPlan([method], context, settings=settings)).values()
    wanted = indexing(context, [way])
    if context.dry_run and choices.kind == "hops":
        _check_hops(context, dataset)
    wanted = wanted.model_copy(update={"dry_run": False})
    with indexed_set(dataset, wanted, choices.report) as (dataset, index, _):
        way.context.index = index.name
        sources = Sources(dataset, index, method, way.context)
        about = {"set": dataset.name, "kind": choices.kind, "form": choices.form}
        if context.dry_run:
            return {**about, "dry_run": True, **asyncio.run(_cost(sources, choices, context))}
        made, usage = asyncio.run(_made(sources, choices, context))
    write(out, made.rows)
    return {**about, "file": str(out), "examples": len(made.rows), **made.figures, **usage}


def _check_hops(context: IndexContext, dataset: Dataset) -> None:
    """Raises RagraphsError where a model would first have to read passages for the hops."""
    layers: Sequence[str] = ()
    with suppress(IndexNotFoundError):
        layers = built_layers(open_index(context)) if is_kept(context) else ()
    if "hops" not in layers and context.model != OFFLINE:
        raise RagraphsError(
            f"{context.model} would first read the passages for the layer hops; see what that "
            f"costs with: ragraphs index {dataset.passages} --layers hops --dry-run"
        )


async def _cost(sources: Sources, choices: Choices, context: IndexContext) -> dict[str, int]:
    """Remaining cost, in the names of ``Estimate``; zero where no model is asked."""
    if choices.kind != "deeprag":
        return Estimate()._asdict()
    asker = await open_asker(sources.index, context, "The search for trajectories")
    return (await trajectory_costs(sources, asker, choices))._asdict()


async def _made(
    sources: Sources, choices: Choices, context: IndexContext
) -> tuple[ExampleRows, dict[str, Any]]:
    """The training data, and what it cost to ask for them."""
    if choices.kind != "deeprag":
        make = grades if choices.kind == "crag" else hops
        return await make(sources, choices), {}
    asker = await open_asker(sources.index, context, "The search for trajectories")
    made = await trajectories(sources, asker, choices)
    usage = asker.meter.usage()
    reused = sum(model["reused"] for model in usage["models"].values())
    spent = {"calls": total_calls(usage), "tokens": total_tokens(usage), "reused": reused}
    notes = {"unanswered": asker.unanswered, "notes": asker.meter.warnings}
    return made, {"model": context.model, **spent, **notes}
