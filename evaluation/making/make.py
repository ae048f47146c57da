"""Making a question set from an index, from the drawing of passages to the files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, NamedTuple

from ...context import Context
from ...index.concurrency import to_its_end
from ...index.layers import HOPS, built_layers
from ...index.opening import Index, open_index
from ...state.errors import RagraphsError
from ..asking import Asker, open_asker
from ..retrieval import Report, unreported
from .estimate import estimate
from .folder import check_free, write_set
from .rounds import MadeQuestions, Order, made

USUAL_TWO_HOP = 20


class WantedQuestions(NamedTuple):
    """How many questions of each kind a set is to have; without ``two_hop`` as the index allows."""

    facts: int = 40
    two_hop: int | None = None
    unanswerable: int = 20
    seed: int = 0


def make_set(
    folder: Path,
    wanted: WantedQuestions,
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


def price_set(wanted: WantedQuestions, context: Context) -> dict[str, Any]:
    """Cost of making the set ``wanted``, in the form of ``--json``. Blocks."""
    index = open_index(context)
    order, notes = _ordered(index, wanted)

    async def priced() -> dict[str, Any]:
        asker = await open_asker(index, context, "Making a set")
        return {"plan": (await estimate(index, asker, order))._asdict(), "notes": notes}

    return asyncio.run(priced())


def _ordered(index: Index, wanted: WantedQuestions) -> tuple[Order, list[str]]:
    """The order that the layers of ``index`` allow, and what is to be told of it.

    Raises RagraphsError where two-hop questions are wanted in so many words without their layer.
    """
    two_hop = wanted.two_hop
    notes: list[str] = []
    if two_hop is None:
        try:
            HOPS.stamp(index)
            two_hop = USUAL_TWO_HOP
        except RagraphsError as error:
            two_hop = 0
            notes.append(f"No two-hop questions are made: {error}")
    elif two_hop:
        HOPS.stamp(index)
    order = Order(wanted.facts, two_hop, wanted.unanswerable, wanted.seed)
    if not order.facts + order.two_hop + order.unanswerable:
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
        **_spent(asker),
    }


def _shown(kind: MadeQuestions) -> dict[str, Any]:
    rejected = {str(reason): count for reason, count in kind.rejected.most_common()}
    return {
        "wanted": kind.wanted,
        "made": len(kind.drafts),
        "tried": kind.tried,
        "rejected": rejected,
    }


def _spent(asker: Asker) -> dict[str, Any]:
    return {"usage": asker.meter.usage(), "warnings": asker.meter.warnings}


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
