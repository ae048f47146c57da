"""Cost of the questions of an experiment, from least to most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from ..context import CragContext, DeepragContext, GraphragContext, QuestionContext
from ..index.recorded import DEFAULT_CHUNK_TOKENS
from ..language.analyser import count_tokens
from ..models.protocol import OFFLINE
from ..nodes.retrieve import passages_read
from ..prompts.lists import QUESTION_PROMPTS
from .answering import AnsweringPlan, Way
from .asking import Estimate

# Every prompt of the graph, and each once more, as a reply that is no use is asked for again.
_MOST_CALLS = {"basic": 4, "crag": 12}
_AROUND_A_PASSAGE = 40  # tokens of its title and of the tags around it
_PASSAGES_ANEW = 5  # that a step of deeprag reads besides its own


def estimated(
    ways: Mapping[str, Way], left: Mapping[str, int], questions: Sequence[str], plan: AnsweringPlan
) -> Estimate:
    """The cost of asking the questions that are ``left`` by each of ``ways``; ``left`` are counts.

    At least one call a question, of the shortest prompt; at most what the graph and ``max_calls``
    allow, each with as many passages as the largest request shows. Pages of the web, and what
    indexing costs, are not counted; replies that are known cost nothing.
    """
    asked = list(map(count_tokens, questions))
    prompts = _tokens_of_prompts()
    total = Estimate()
    for name, way in ways.items():
        if way.context.model == OFFLINE:
            continue
        most = min(way.context.max_calls, _MOST_CALLS.get(way.method, way.context.max_calls))
        read = max(passages_read(one, way.context.top_k) for one in questions)
        longest = max(prompts) + max(asked) + _most_texts(way.context, plan, read)
        count = left[name]
        total += Estimate(
            count, count * most, count * (min(prompts) + min(asked)), count * most * longest
        )
    return total


def _most_texts(context: QuestionContext, plan: AnsweringPlan, passages: int) -> int:
    """The tokens of the texts in the largest request; so many ``passages`` are read at first."""
    if isinstance(context, GraphragContext):
        return context.context_tokens
    if isinstance(context, DeepragContext):
        passages += context.max_steps * (2 * context.step_passages + _PASSAGES_ANEW)
    passage = (plan.context.chunk_tokens or DEFAULT_CHUNK_TOKENS) + _AROUND_A_PASSAGE
    strips = passages if isinstance(context, CragContext) else 0  # each with its own title
    return passages * passage + strips * _AROUND_A_PASSAGE


@cache
def _tokens_of_prompts() -> list[int]:
    """The tokens of each prompt of a method that asks about questions, without its inputs."""
    folder = resources.files("ragraphs.prompts")
    return [
        count_tokens(folder.joinpath(f"{prompt.name}.md").read_text(encoding="utf-8"))
        for prompt in QUESTION_PROMPTS
    ]
