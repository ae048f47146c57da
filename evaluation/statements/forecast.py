"""The cost of answers and of judging them, before anybody is asked."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ...context import Context
from ...graphs.index import graph as index_graph
from ...index.opening import Index, open_index
from ...language.analyser import count_tokens
from ...models.protocol import OFFLINE
from ...prompts.prompt import Prompt
from ...state.errors import RagraphsError
from ...state.index import IndexInput, Plan
from ..answering import AnsweringPlan, Way, indexing, keys_of
from ..asking import Estimate, open_asker
from ..cost import estimated
from ..outcomes import FILE, Ledger, Outcome
from ..retrieval import is_kept

LONGEST_ANSWER = 1500  # tokens that an answer is taken to have at most
Requests = list[tuple[Prompt[Any], dict[str, Any]]]


class JudgeSettings(NamedTuple):
    """How answers are judged: by the model of ``context``, for ``user``.

    ``requests`` are the prompts, with their inputs, about a known outcome of the question at a
    place, in an index; ``unknown`` is the cost where there is no outcome yet.
    """

    context: Context
    user: str
    requests: Callable[[Index, int, str, Outcome], Requests]
    unknown: Callable[[int, str], Estimate]


def forecast(
    given: IndexInput,
    questions: Sequence[str],
    ways: Mapping[str, Way],
    plan: AnsweringPlan,
    judging: JudgeSettings,
) -> dict[str, Any]:
    """Requests and tokens sent that are still to pay: of indexing, of answers, of judging them.

    Exact for answers that are kept, else from least to most: how often a method asks, and how long
    answers and passages are, shows only when it does. Asks nobody. Raises RagraphsError.
    """
    needed = _index_plan(given, ways, plan)
    known = _kept(questions, ways, plan, needed)
    absent = [
        place
        for _, outcomes in known.values()
        for place, outcome in enumerate(outcomes)
        if outcome is None
    ]
    left = {name: outcomes.count(None) for name, (_, outcomes) in known.items()}
    judged = sum((judging.unknown(place, questions[place]) for place in absent), Estimate())
    for index, outcomes in known.values():
        if index is not None:
            judged += asyncio.run(_exact(index, questions, outcomes, judging))
    return {
        "dry_run": True,
        "indexing": {"calls": needed["missing_replies"], "tokens": needed["reply_tokens"]},
        "missing_answers": len(absent),
        "answers": estimated(ways, left, questions, plan)._asdict(),
        "judging": judged._asdict(),
    }


def add_forecasts(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:

    def total(name: str) -> dict[str, int]:
        return {key: sum(one[name][key] for one in found) for key in found[0][name]}

    return {
        "dry_run": True,
        "indexing": total("indexing"),
        "missing_answers": sum(one["missing_answers"] for one in found),
        "answers": total("answers"),
        "judging": total("judging"),
    }


def length_of(prompt: Prompt[Any], inputs: dict[str, Any]) -> int:
    """The tokens of a prompt with its inputs. Blocks."""
    return sum(map(count_tokens, prompt.render(inputs)))


def _index_plan(given: IndexInput, ways: Mapping[str, Way], plan: AnsweringPlan) -> Plan:
    with tempfile.TemporaryDirectory(prefix="ragraphs-forecast-") as folder:
        context = indexing(plan.context, ways.values()).model_copy(update={"dry_run": True})
        if not is_kept(plan.context):
            context = context.model_copy(update={"index": str(Path(folder) / "index")})
        needed: Plan = index_graph.invoke(given, context=context)["plan"]
        return needed


def _kept(
    questions: Sequence[str], ways: Mapping[str, Way], plan: AnsweringPlan, needed: Plan
) -> dict[str, tuple[Index | None, list[Outcome | None]]]:
    """The outcomes that are kept; none where documents or layers are still to be read."""
    is_current = not (needed["documents"] or needed["passages"] or needed["missing_replies"])
    if not (is_kept(plan.context) and is_current) or plan.fresh:
        return {name: (None, [None] * len(questions)) for name in ways}
    index = open_index(plan.context)
    for way in ways.values():
        way.context.index = index.name
    ledger, keys = Ledger(index.folder / FILE), keys_of(questions, ways, index)
    return {name: (index, [ledger.get(key) for key in keys[name]]) for name in ways}


async def _exact(
    index: Index,
    questions: Sequence[str],
    outcomes: Sequence[Outcome | None],
    judging: JudgeSettings,
) -> Estimate:
    """The cost of judging the outcomes that are known."""
    if judging.context.model == OFFLINE:
        return Estimate()
    asker = await open_asker(index, judging.context, judging.user)
    requests = chain.from_iterable(
        judging.requests(index, place, question, outcome)
        for place, (question, outcome) in enumerate(zip(questions, outcomes, strict=True))
        if outcome is not None
    )
    costs = [await asker.missing(prompt, **inputs) for prompt, inputs in requests]
    return sum(costs, Estimate())


def require_model(context: Context, user: str) -> None:
    """Raises RagraphsError where ``context`` names no model, which ``user`` needs."""
    if context.model == OFFLINE:
        raise RagraphsError(f"{user} needs a language model; name one with --model.")
