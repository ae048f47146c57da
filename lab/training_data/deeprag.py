"""Trajectories of DeepRAG: steps to imitate, and pairs for its chain of calibration."""

from __future__ import annotations

import heapq
from collections import Counter
from typing import NamedTuple, cast

from ragraphs.context import DeepragContext
from ragraphs.evaluation.answers import answerable
from ragraphs.evaluation.asking import Asker, Estimate, gathered
from ragraphs.evaluation.datasets import LabelledQuestion
from ragraphs.evaluation.intervals import share_of
from ragraphs.evaluation.metrics import containment, exact_match
from ragraphs.index.opening import Index
from ragraphs.language.analyser import count_tokens
from ragraphs.prompts.deeprag_replies import (
    ANSWER_FROM_STEPS,
    CLOSED_BOOK,
    NEXT_STEP,
    READ_STEP,
    SYNTHESIZE,
    NextStep,
)
from ragraphs.prompts.replies import PromptReply
from ragraphs.state.deeprag import StepSource

from .examples import ExampleRows, ExampleTurn, Row, imitation, preference
from .planning import Choices, Sources
from .search import Decision, Path, Recorder, Search, SearchStoppedError

_LEARNED = (NEXT_STEP, READ_STEP, CLOSED_BOOK, ANSWER_FROM_STEPS, SYNTHESIZE)
_MEASURES = {"em": exact_match, "containment": containment}
_PROMPT_TOKENS = 1200  # of the longest prompt, without what is filled in
_STEP_TOKENS = 200  # of a sub-question with its answer or quotes, as steps are shown
_REASONS: dict[StepSource, str] = {
    "retrieve": "not known from the steps before",
    "earlier": "follows from the steps before",
    "known": "known without looking it up",
}


class Searched(NamedTuple):
    """The end of a question's search: its ``path``, or the bound that it ``stopped`` at."""

    question: LabelledQuestion
    path: Path | None
    stopped: SearchStoppedError | None = None


async def trajectories(sources: Sources, asker: Asker, choices: Choices) -> ExampleRows:
    """The cheapest correct trajectory of every question as examples, or as preference pairs."""
    searched = await _searched(sources, asker, choices)
    found = [(one.question, one.path) for one in searched if one.path is not None]
    make = _pairs if choices.form == "preferences" else _steps
    rows = [row for question, path in found for row in make(sources, question, path)]
    stopped = sum(one.stopped is not None for one in searched)
    decisions = [decision for _, path in found for decision in path.decisions]
    retrievals = Counter(path.retrievals for _, path in found)
    figures = {
        "questions": len(searched),
        "solved": share_of(one.path is not None for one in searched),
        "retrievals": {str(number): retrievals[number] for number in sorted(retrievals)},
        "unsolved": {"no_trajectory": len(searched) - len(found) - stopped, "most_calls": stopped},
        "decisions": {
            source: sum(one.source == source for one in decisions) for source in _REASONS
        },
    }
    return ExampleRows(rows, figures)


async def trajectory_costs(sources: Sources, asker: Asker, choices: Choices) -> Estimate:
    """The requests that are still to be paid, and about how many tokens they send at most.

    The searches are followed as far as their replies are kept.
    """
    largest = _largest(sources, choices)
    cost = Estimate()
    for one in await _searched(sources, asker, choices, dry_run=True):
        if one.stopped is None or not one.stopped.missing.calls_least:
            continue
        first, calls = one.stopped.missing, choices.most_calls - one.stopped.calls
        most = max(first.tokens_most, largest + count_tokens(one.question.question))
        cost += Estimate(1, calls, first.tokens_least, first.tokens_most + (calls - 1) * most)
    return cost


async def _searched(
    sources: Sources, asker: Asker, choices: Choices, dry_run: bool = False
) -> list[Searched]:
    context = cast(DeepragContext, sources.context)
    chosen = {"policy": "trained", "mode": "narrative", "max_steps": choices.steps}
    context = context.model_copy(update={**chosen, "confirm_plan": False})

    async def one(question: LabelledQuestion) -> Searched:
        recorder = Recorder(asker, choices.most_calls, dry_run)

        def is_right(answer: str) -> bool:
            return bool(_MEASURES[choices.match](answer, question.answers))

        search = Search(sources.index, context, recorder, question.question, is_right)
        try:
            return Searched(question, await search.cheapest())
        except SearchStoppedError as stopped:
            return Searched(question, None, stopped)

    asked = answerable(sources.dataset)
    works = [lambda question=question: one(question) for question in asked]
    return await gathered("trajectories", works, choices.report)


def _steps(sources: Sources, question: LabelledQuestion, path: Path) -> list[Row]:
    """An example for every request of ``path``, its decisions as they were taken."""
    taken = {decision.turn: decision for decision in path.decisions}
    turns = [
        (place, turn._replace(reply=_decided(turn.reply, taken[place])) if place in taken else turn)
        for place, turn in enumerate(path.turns)
        if turn.prompt in _LEARNED
    ]
    return [
        imitation(turn, sources.prompts, _source(sources, question, path, turn, place))
        for place, turn in turns
    ]


def _pairs(sources: Sources, question: LabelledQuestion, path: Path) -> list[Row]:
    """A pair for every sub-question of ``path``: the source that was taken, and the other one."""
    rows = []
    for decision in path.decisions:
        turn = path.turns[decision.turn]
        rejected = _decided(turn.reply, decision._replace(source=decision.other))
        chosen = turn._replace(reply=_decided(turn.reply, decision))
        told = _source(sources, question, path, turn, decision.turn)
        rows.append(preference(chosen, rejected, sources.prompts, told))
    return rows


def _decided(reply: PromptReply, decision: Decision) -> PromptReply:
    """``reply`` with the source of ``decision``, and a reason that fits it where it gives one."""
    update: dict[str, str] = {"source": decision.source}
    if isinstance(reply, NextStep):
        update["reason"] = _REASONS[decision.source]
    return reply.model_copy(update=update)


def _source(
    sources: Sources, question: LabelledQuestion, path: Path, turn: ExampleTurn, place: int
) -> Row:
    about = {"prompt": turn.prompt.name, "turn": place + 1, "retrievals": path.retrievals}
    return sources.source(question, **about)


def _largest(sources: Sources, choices: Choices) -> int:
    """About the tokens of the largest request: all passages that a path can find, and its steps."""
    context = cast(DeepragContext, sources.context)
    most = choices.steps * context.step_passages + context.top_k
    shown = _longest_passages(sources.index, most)
    return _PROMPT_TOKENS + shown + choices.steps * _STEP_TOKENS


def _longest_passages(index: Index, most: int) -> int:
    texts = (f"{one['title']} {one['text']}" for one in index.catalogue.all_passages())
    return sum(map(count_tokens, heapq.nlargest(most, texts, key=len)))
