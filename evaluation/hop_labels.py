"""How far a model's labels for hops are believed on an index (HopRAG)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import cast

from ..algorithms.hoprag.offers import label_skill
from ..context import HopragContext
from ..index.hops import load_hops
from ..nodes.begin import fresh_state
from ..nodes.hoprag.asking import Labeller, ShownHops
from ..nodes.hoprag.walk import hop_on, retrieve_edges
from ..nodes.run import Run
from ..prompts.hoprag_replies import HopLabels
from ..state.found import NOTHING
from ..state.hoprag import HopragState

_MOST_QUESTIONS = 40


JudgeHops = Callable[[HopragState, ShownHops], Awaitable[HopLabels | None]]


async def walked(run: Run[HopragContext], question: str, judge: JudgeHops | None) -> HopragState:
    """The state after the walk for ``question``; without ``judge`` similarity chooses the hops."""
    fresh = fresh_state("hoprag", HopragState)
    began = {**fresh, "question": question, "held": NOTHING}
    state = cast(HopragState, began | await retrieve_edges.function(began, run))
    while state["frontier"]:
        label = None if judge is None else partial(judge, state)
        state = cast(HopragState, {**state, **await hop_on(state, run, label)})
    return state


async def measure_labels(
    run: Run[HopragContext], asked: Mapping[str, set[str]], label: Callable[[str], Labeller]
) -> float:
    """The skill in [0, 1] of labels on at most 40 questions, spread evenly.

    ``asked`` has the passages that support each question, and ``label`` its labels.
    """
    hops = await run.in_thread(load_hops)
    said: dict[bool, list[bool]] = {True: [], False: []}
    for question in list(asked)[:: -(-len(asked) // _MOST_QUESTIONS)]:
        ask, gold = label(question), {hops.vertex(id) for id in asked[question]}

        async def judge(
            _: HopragState, shown: ShownHops, ask: Labeller = ask, gold: set[str] = gold
        ) -> HopLabels | None:
            reply = await ask(shown)
            if reply is not None:
                followed = {*reply.necessary, *reply.indirect}
                for id, offer in shown.offers.items():
                    said[id in followed].append(offer.target in gold)
            return reply

        await walked(run, question, judge)
    return round(label_skill(said[True], said[False]), 4)
