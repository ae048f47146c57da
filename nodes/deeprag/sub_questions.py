"""Looking up a sub-question, in both modes of DeepRAG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from ...context import DeepragContext
from ...models.protocol import NoReplyError
from ...prompts.deeprag_replies import StepReading
from ...prompts.library import ANSWER
from ...prompts.prompt import number_passages
from ...prompts.replies import Answer
from ...state.answering import StopReason
from ...state.places import place_of
from ...state.records import Citation, Evidence
from ..answer import stands
from ..citing import check_citations
from ..run import Run


class SubAnswer(NamedTuple):
    """The answer to a sub-question, with citations; or none, and ``why`` not.

    ``doubted`` is an answer that rules refused.
    """

    answer: str
    citations: list[Citation]
    why: StopReason | Literal["", "not_found"]
    doubted: str = ""


class Support(NamedTuple):
    """A sub-question as it was asked, its answer (empty: not found) and its citations.

    ``doubted`` is an answer that rules refused.
    """

    question: str
    answer: str
    citations: list[Citation]
    doubted: str = ""


async def retrieve_for(
    run: Run[DeepragContext], question: str, found: str, most: int
) -> list[Evidence]:
    """The ``most`` passages nearest to the sub-question ``question``, each marked ``found``."""
    passages = await run.search(question, most)
    return [{**passage, "found": found} for passage in passages]


async def read_for(
    run: Run[DeepragContext], question: str, passages: Sequence[Evidence]
) -> SubAnswer:
    """The answer to a sub-question from ``passages``; a failure of the model is a warning."""
    if not passages:
        return SubAnswer("", [], "not_found")
    try:
        reply = await run.ask(ANSWER, question=question, texts=number_passages(passages))
    except NoReplyError as error:
        run.meter.warn(f"“{question[:80]}” was not answered. {error}")
        return unanswered_step(error)
    return await step_answer(run, question, reply, passages)


async def step_answer(
    run: Run[DeepragContext],
    question: str,
    reply: Answer | StepReading,
    passages: Sequence[Evidence],
) -> SubAnswer:
    """The answer to a sub-question that ``reply`` gives, where rules do not refuse it."""
    cited = check_citations(reply.quotes, passages)
    found = sub_answer(reply.sufficient, reply.answer, cited)
    if found.answer and not await stands(run, question, found.answer, cited, passages):
        return SubAnswer("", cited, "not_found", found.answer)
    return found


def unanswered_step(error: NoReplyError) -> SubAnswer:
    """Placeholder for an answer that the model did not give because of ``error``."""
    return SubAnswer("", [], error.stop_reason)


def sub_answer(sufficient: bool, answer: str, citations: list[Citation]) -> SubAnswer:
    """``answer`` where it is sufficient and cited; else what was found in its place."""
    if sufficient and answer and citations:
        return SubAnswer(answer, citations, "")
    return SubAnswer("", citations, "not_found")


def quotes_of(citations: Iterable[Citation]) -> list[str]:
    """The sentences that citations quote, each after the title and headings of its text."""
    return [": ".join(filter(None, [place_of(one), one["quote"]])) for one in citations]


def gather_evidence(known: Sequence[Evidence], more: Sequence[Evidence]) -> list[Evidence]:
    """``more`` before what is ``known``, each passage once, as it was found first."""
    both = [*more, *known]
    by_id = {passage["id"]: passage for passage in both}
    last = dict.fromkeys(passage["id"] for passage in reversed(both))
    return [by_id[id] for id in reversed(last)]
