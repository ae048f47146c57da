"""`ragraphs evaluate make-set`: questions on one's own documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ...context import Context
from .. import show
from ..flags import Shown, context_options, shown
from ..running import progress_bars
from .group import evaluate
from .tables import least_to_most


@evaluate.command("make-set")
@context_options(Context)
@shown
def make_set(
    *,
    folder: Annotated[str, typer.Argument(help="Folder for the set.")],
    facts: Annotated[
        int, typer.Option(min=0, metavar="N", help="Questions that one passage answers.")
    ] = 40,
    two_hop: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Questions that need two passages, along the layer hops; unset: 20, or none "
            "without that layer.",
        ),
    ] = None,
    unanswerable: Annotated[
        int, typer.Option(min=0, metavar="N", help="Questions that nothing in the index answers.")
    ] = 20,
    seed: Annotated[int, typer.Option(help="Seed of the passages that are drawn.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Write over a set.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say how many requests and tokens it takes.")
    ] = False,
    context: Context,
) -> Shown:
    """Make a question set from an index: a model writes questions, and checks them blindly.

    Replies are kept with the index: an interrupted command goes on where it stopped, and the same
    index and seed give the same set. Then ask it with: ragraphs evaluate answers FOLDER --index DIR
    """
    from ...evaluation.making.make import make_set, price_set
    from ...evaluation.making.rounds import Order

    wanted = Order(facts, two_hop, unanswerable, seed)
    if dry_run:
        return price_set(wanted, context), _plan
    with progress_bars(quiet=False) as report:
        return make_set(Path(folder), wanted, context, force=force, report=report), _made


def _plan(result: dict[str, Any]) -> None:
    plan = result["plan"]
    calls, tokens = least_to_most(plan)
    show.sentence(
        f"Would send {calls} requests with about {tokens} tokens: the least if every question "
        "stands its checks, the most if other passages are tried until the end."
    )
    show.notes(result["notes"])


def _made(result: dict[str, Any]) -> None:
    show.sentence(
        f"The set in {result['set']} asks about {result['passages']:,} passages of the index at "
        f"{result['index']}."
    )
    for kind, made in result["questions"].items():
        rejected = sum(made["rejected"].values())
        show.sentence(
            f"{kind}: {made['made']} of {made['wanted']} made, {rejected} of {made['tried']} tries "
            f"rejected{': ' * bool(rejected)}"
            + "; ".join(f"{count} × {reason}" for reason, count in made["rejected"].items())
        )
    show.notes([*result["notes"], *result["warnings"]])
    show.cost(result["usage"])
