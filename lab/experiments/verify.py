"""Statements put to every method: what is said of those that the texts support, refute or leave.

A set is a folder of ``documents.jsonl`` and ``statements.jsonl``, whose rows have ``statement`` and
``verdict``: supported, refuted or not enough.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from ragraphs.context import IndexContext
from ragraphs.evaluation.retrieval import Report, indexed, unreported
from ragraphs.graphs.methods import METHODS, RouterContext
from ragraphs.graphs.router import graph
from ragraphs.state.answering import Verdict
from ragraphs.state.errors import RagraphsError
from ragraphs.state.usage import total_calls

VERDICTS: tuple[str, ...] = get_args(Verdict)


def evaluate_verify(
    folder: str, methods: Sequence[str], context: IndexContext, report: Report = unreported
) -> dict[str, Any]:
    """For each of ``methods`` (or auto) how often each verdict was given, by the right one.

    Layers that a method needs are made. Raises RagraphsError.
    """
    documents, rows = _lines(folder, "documents"), _lines(folder, "statements")
    layers = {layer for method in methods if method in METHODS for layer in METHODS[method].layers}
    context = context.model_copy(update={"layers": [*{*context.layers, *layers}]})
    with indexed({"documents": documents}, context, report) as (index, _):
        place = str(index.folder)
        found = {
            method: asyncio.run(_asked(rows, method, context.narrowed(RouterContext, index=place)))
            for method in methods
        }
    return {
        "set": Path(folder).resolve().name,
        "model": context.model,
        "methods": {method: _counted(rows, outputs) for method, outputs in found.items()},
        "rows": [
            {**row, "given": {method: found[method][place]["answer"] for method in methods}}
            for place, row in enumerate(rows)
        ],
    }


def _lines(folder: str, name: str) -> list[Any]:
    file = Path(folder).expanduser() / f"{name}.jsonl"
    try:
        return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]
    except (OSError, ValueError) as error:
        raise RagraphsError(
            f"{file} cannot be read ({error}); name a folder with documents.jsonl and "
            "statements.jsonl."
        ) from error


async def _asked(
    rows: Sequence[Mapping[str, str]], method: str, context: RouterContext
) -> list[dict[str, Any]]:
    chosen = context.model_copy(update={"method": method})
    return [await graph.ainvoke({"statement": row["statement"]}, context=chosen) for row in rows]


def _counted(
    rows: Sequence[Mapping[str, str]], outputs: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    pairs = Counter(
        (row["verdict"], output["answer"] or "none")
        for row, output in zip(rows, outputs, strict=True)
    )
    calls = sum(total_calls(output["usage"]) for output in outputs)
    return {
        "right": sum(count for (gold, given), count in pairs.items() if gold == given),
        "wrong": sum(
            count
            for (gold, given), count in pairs.items()
            if given in VERDICTS[:2] and given != gold
        ),
        "given": {
            gold: {given: count for (one, given), count in sorted(pairs.items()) if one == gold}
            for gold in VERDICTS
        },
        "calls": round(calls / max(1, len(rows)), 2),
    }
