"""Labelled hops for HopRAG: the walk's choices as gold support makes them."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import cast

from ragraphs.context import HopragContext
from ragraphs.evaluation.asking import gathered
from ragraphs.evaluation.datasets import LabelledQuestion, supported
from ragraphs.evaluation.hop_labels import walked
from ragraphs.index.hops import load_hops
from ragraphs.models.meter import Meter
from ragraphs.nodes.hoprag.asking import ShownHops
from ragraphs.nodes.run import Run
from ragraphs.prompts.hoprag_replies import CHOOSE_HOPS, HopLabels
from ragraphs.state.hoprag import HopragState

from .examples import ExampleRows, ExampleTurn, Row, imitation
from .planning import Choices, Sources


async def hops(sources: Sources, choices: Choices) -> ExampleRows:
    """The requests of every question's walk, which follows the hops to supporting passages."""
    asked = supported(sources.dataset)
    works = [lambda question=question: _walked(sources, question) for question in asked]
    walked = await gathered("walk", works, choices.report)
    every = [row for rows in walked for row in rows]
    empty = [place for place, row in enumerate(every) if not row["source"]["necessary"]]
    most = round(choices.empty * (len(every) - len(empty)))
    drawn = random.Random(choices.seed).sample(empty, min(most, len(empty)))
    left_out = set(empty) - set(drawn)
    rows = [row for place, row in enumerate(every) if place not in left_out]
    return ExampleRows(
        rows,
        {
            "questions": len(asked),
            "without_support": len(sources.dataset.questions) - len(asked),
            "with_necessary": len(every) - len(empty),
            "nothing_necessary": len(empty) - len(left_out),
            "left_out": len(left_out),
        },
    )


async def _walked(sources: Sources, question: LabelledQuestion) -> list[Row]:
    """An example for every request of the walk of ``question``."""
    run = Run(cast(HopragContext, sources.context), sources.index, Meter())
    gold = await run.in_thread(lambda index: _gold(sources, question))
    rows: list[Row] = []

    async def label(state: HopragState, shown: ShownHops) -> HopLabels:
        necessary = [one for one, offer in shown.offers.items() if offer.target in gold]
        known = [one for one in necessary if shown.offers[one].target in state["counts"]]
        reply = HopLabels(necessary=necessary)
        about = {"round": state["round"], "necessary": necessary, "at_hand": known}
        source = sources.source(question, **about)
        rows.append(
            imitation(ExampleTurn(CHOOSE_HOPS, shown.inputs, reply), sources.prompts, source)
        )
        return reply

    await walked(run, question.question, label)
    return rows


def _gold(sources: Sources, question: LabelledQuestion) -> set[str]:
    """The passages that support the answer, as the hops layer knows them. Blocks."""
    known = load_hops(sources.index)
    [found] = replace(sources.dataset, questions=(question,)).support_in(sources.index)
    return {known.vertex(id) for id in found}
