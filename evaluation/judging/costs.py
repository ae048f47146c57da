"""Cost of a judged comparison: questions, answers and judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...context import GraphragContext
from ...index.opening import Index
from ...language.analyser import count_tokens
from ...models.protocol import OFFLINE
from ...nodes.graphrag.global_search import map_contexts
from ...prompts.evaluation import JUDGE_ANSWERS
from ...prompts.graphrag_replies import COMBINE_POINTS, MAP_TEXTS
from ...prompts.prompt import number
from ..answering import Way
from ..asking import Asker, Estimate
from .conditions import reads_all
from .verdicts import PairwiseJudging, told_criteria

LONGEST_ANSWER = 1000
"""Tokens; an answer that is not known yet is taken to have this many at most."""
_LONGEST_QUESTION = 125  # tokens of the 500 characters that a question may have
_INSTRUCTIONS = 300, 1500  # tokens of a prompt without its texts, the shortest and the longest
_ROW_TOKENS = 20  # of the marks around a passage
_ONE_REQUEST = {"basic", "local"}  # searches of GraphRAG; another request may check the answer


def of_an_answer(way: Way, index: Index) -> Estimate:
    """The least and the most that one answer takes, as far as the method's bounds tell. Blocks."""
    context = way.context
    if context.model == OFFLINE:
        return Estimate()
    if reads_all(way):
        assert isinstance(context, GraphragContext)
        contexts = map_contexts(index, context)
        texts, calls = sum(contexts), len(contexts)
        least = texts + calls * _instructions(MAP_TEXTS)
        combining = _instructions(COMBINE_POINTS) + context.context_tokens
        most = texts + calls * (_instructions(MAP_TEXTS) + _LONGEST_QUESTION) + 2 * combining
        limited = min(calls + 2, context.max_calls)  # one combines, one may check the answer
        return Estimate(min(calls, limited), limited, min(least, most), most)
    most_calls = context.max_calls
    request = context.top_k * (_longest_passage(index) + _ROW_TOKENS)
    if isinstance(context, GraphragContext):
        request = max(request, context.context_tokens)
    if way.method == "basic" or getattr(context, "search", "") in _ONE_REQUEST:
        most_calls = min(2, most_calls)
    shortest, longest = _INSTRUCTIONS
    return Estimate(1, most_calls, shortest, most_calls * (request + longest))


def of_answers(ways: Mapping[str, Way], left: Mapping[str, int], index: Index) -> Estimate:
    """Cost of the ``left`` answers of each of ``ways``, by name. Blocks."""
    each = {name: of_an_answer(way, index) for name, way in ways.items() if left[name]}
    costs = [Estimate(*(left[name] * part for part in one)) for name, one in each.items()]
    return sum(costs, Estimate())


async def of_unknown_judgements(
    judging: PairwiseJudging, asker: Asker, questions: Sequence[str]
) -> Estimate:
    """Cost of judging answers that are not known; an empty question is not known, either."""
    texts = number([("answer", ""), ("answer", "")])
    bare = 0
    for criteria in judging.criteria():
        told = told_criteria(criteria)
        one = await asker.missing(
            JUDGE_ANSWERS, question="", texts=texts, criteria=told, reading="0"
        )
        bare += one.tokens_most
    comparisons, calls = judging.comparisons_each, judging.calls_each
    known = [count_tokens(question) for question in questions]
    least = sum(comparisons * bare + calls * tokens for tokens in known)
    longest = sum(tokens or _LONGEST_QUESTION for tokens in known)
    most = len(known) * (comparisons * bare + calls * 2 * LONGEST_ANSWER) + calls * longest
    return Estimate(calls * len(known), calls * len(known), least, most)


def _instructions(prompt: Any) -> int:
    inputs = {"texts": [], "question": "", "general": "no"}
    needed = {k: v for k, v in inputs.items() if k != "general" or prompt is COMBINE_POINTS}
    return sum(map(count_tokens, prompt.render(needed)))


def _longest_passage(index: Index) -> int:
    size = index.catalogue.property("passage_size") or [400]
    return int(size[0])
