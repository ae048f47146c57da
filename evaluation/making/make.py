"""Making a question set from an index, from the drawing of passages to the files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from ...context import Context
from ...index.concurrency import to_its_end
from ...index.layers import HOPS, built_layers
from ...index.opening import Index, open_index
from ...state.errors import RagraphsError
from ..asking import open_asker
from ..retrieval import Report, unreported
from .estimate import estimate
from .folder import check_free, write_set
from .rounds import MadeQuestions, Order, made

USUAL_TWO_HOP = 20


def make_set(
    folder: Path,
    wanted: Order,
    context: Context,
    *,
    force: bool = False,
    report: Report = unreported,
) -> dict[str, Any]:
    """Makes a set in ``folder`` from the index that ``context`` names, in the form of ``--json``.

    The same index, seed and replies give the same set. Blocks. Raises RagraphsError.
    """
    check_free(folder, force=force)
    index = open_index(context)
    order, notes = _ordered(index, wanted)
    return asyncio.run(_make(folder, index, order, notes, context, report))


def price_set(wanted: Order, context: Context) -> dict[str, Any]:
    """Cost of making the set ``wanted``, in the form of ``--json``. Blocks."""
    index = open_index(context)
    order, notes = _ordered(index, wanted)

    async def priced() -> dict[str, Any]:
        asker = await open_asker(index, context, "Making a set")
        return {"plan": (await estimate(index, asker, order))._asdict(), "notes": notes}

    return asyncio.run(priced())


def _ordered(index: Index, wanted: Order) -> tuple[Order, list[str]]:
    """The order that the layers of ``index`` allow, and what is to be told of it.

    Raises RagraphsError where two-hop questions are wanted in so many words without their layer.
    """
    two_hop = USUAL_TWO_HOP if wanted.two_hop is None else wanted.two_hop
    notes: list[str] = []
    if two_hop:
        try:
            HOPS.stamp(index)
        except RagraphsError as error:
            if wanted.two_hop:
                raise
            two_hop = 0
            notes.append(f"No two-hop questions are made: {error}")
    order = wanted._replace(two_hop=two_hop)
    if not order.facts + two_hop + order.unanswerable:
        raise RagraphsError("No question is wanted; ask for some with --facts.")
    return order, notes


async def _make(
    folder: Path, index: Index, order: Order, notes: list[str], context: Context, report: Report
) -> dict[str, Any]:
    asker = await open_asker(index, context, "Making a set")
    kinds = await made(index, asker, order, report)
    if not any(kind.drafts for kind in kinds):
        raise RagraphsError(
            f"No question stood its checks ({_told(kinds)}); try another model, or index more "
            "documents."
        )
    drafts = [draft for kind in kinds for draft in kind.drafts]
    passages = await to_its_end(write_set, folder, index, drafts)
    return {
        "set": str(folder),
        "index": index.name,
        "model": context.model,
        "seed": order.seed,
        "layers": built_layers(index),
        "passages": passages,
        "questions": {kind.kind: _shown(kind) for kind in kinds},
        "notes": [*notes, *_lacking(kinds)],
        "usage": asker.meter.usage(),
        "warnings": asker.meter.warnings,
    }


def _shown(kind: MadeQuestions) -> dict[str, Any]:
    rejected = {str(reason): count for reason, count in kind.rejected.most_common()}
    return {
        "wanted": kind.wanted,
        "made": len(kind.drafts),
        "tried": kind.tried,
        "rejected": rejected,
    }


def _lacking(kinds: list[MadeQuestions]) -> list[str]:
    return [
        f"{len(kind.drafts)} of {kind.wanted} {kind.kind} questions were made after {kind.tried} "
        f"tries; {'another seed draws others' if kind.is_bounded else 'the index holds no more'}."
        for kind in kinds
        if len(kind.drafts) < kind.wanted
    ]


def _told(kinds: list[MadeQuestions]) -> str:
    reasons = [f"{count} × {reason}" for kind in kinds for reason, count in kind.rejected.items()]
    return "; ".join(reasons) or "the index has no passages"
