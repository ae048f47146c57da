"""Checking questions: a model that does not see the writer's answers answers them from texts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...context import RetrieverName
from ...index.concurrency import to_its_end
from ...index.layers import built_layers
from ...index.opening import Index
from ...index.retrieval import search
from ...prompts.evaluation import CHECK_QUESTIONS
from ...prompts.prompt import Excerpt, number_passages, numbered
from ...state.records import Passage
from ..asking import Asker
from ..metrics import containment, exact_match
from .drafts import Draft, Reason, Written

SEARCHED = 10  # passages of each retriever


class Posed(NamedTuple):
    """A question, with the passages from which alone it is to be answered."""

    draft: Draft
    passages: Sequence[Passage]


class AnswerVerdict(NamedTuple):
    """The checker's answer to a question, and the passages that state what it asks for."""

    is_clear: bool
    is_answerable: bool
    answer: str
    stating: tuple[Passage, ...]

    def agrees(self, draft: Draft) -> bool:
        """Whether the answer is one of the draft's, or holds one."""
        right = exact_match(self.answer, draft.golds) or containment(self.answer, draft.golds)
        return self.is_answerable and bool(right)


async def check_facts(asker: Asker, drafts: Sequence[Draft]) -> list[Written]:
    """The drafts that their own passage answers as the writer did, in one request."""
    verdicts = await answered(asker, [Posed(draft, draft.own) for draft in drafts])
    return [_settled(draft, verdict) for draft, verdict in zip(drafts, verdicts, strict=True)]


async def check_chains(asker: Asker, drafts: Sequence[Draft]) -> list[Written]:
    """The drafts that both passages answer as the writer did, and neither alone: three requests."""
    both, first, second = await asyncio.gather(
        answered(asker, [Posed(draft, draft.own) for draft in drafts]),
        answered(asker, [Posed(draft, draft.own[:1]) for draft in drafts]),
        answered(asker, [Posed(draft, draft.own[1:]) for draft in drafts]),
    )
    return [
        _chained(draft, verdict, alone)
        for draft, verdict, *alone in zip(drafts, both, first, second, strict=True)
    ]


async def check_in_index(asker: Asker, index: Index, drafts: Sequence[Draft]) -> list[Written]:
    """The drafts after they were searched for: a request for each question.

    A question with an answer must have it still, and gets the passages found that support it; one
    without must have none.
    """

    async def one(draft: Draft) -> Written:
        passages = await to_its_end(found_for, index, draft)
        [verdict] = await answered(asker, [Posed(draft, passages)])
        if verdict is None:
            return Reason.NO_REPLY
        if draft.golds:
            if not verdict.agrees(draft):
                return Reason.OTHERS_DISAGREE
            own = {passage["id"] for passage in draft.own}
            others = tuple(each["id"] for each in verdict.stating if each["id"] not in own)
            return replace(draft, others=others)
        if not verdict.is_clear:
            return Reason.UNCLEAR
        return Reason.ANSWERED if verdict.is_answerable else draft

    return await asyncio.gather(*map(one, drafts))


def retrievers_of(index: Index) -> list[RetrieverName]:
    """The retrievers that search for a question: hybrid, and graph where it has its layer."""
    return ["hybrid", "graph"] if "sentences" in built_layers(index) else ["hybrid"]


def found_for(index: Index, draft: Draft) -> list[Passage]:
    """The passages that are found for the question, and its own at the end where they are not."""
    found: dict[str, Passage] = {}
    for retriever in retrievers_of(index):
        for one in search(index, draft.question, retriever, SEARCHED):
            found.setdefault(one["id"], one)
    own = {one["id"]: one for one in draft.own if one["id"] not in found}
    return [*found.values(), *own.values()]


async def answered(asker: Asker, posed: Sequence[Posed]) -> list[AnswerVerdict | None]:
    """The verdict on each question, all in one request; None where there is no usable one."""
    passages = [passage for one in posed for passage in one.passages]
    reply = await asker.ask(
        CHECK_QUESTIONS, texts=number_passages(passages), questions=shown_questions(posed)
    )
    if reply is None:
        return [None] * len(posed)
    given = {answer.id: answer for answer in reversed(reply.answers)}
    verdicts: list[AnswerVerdict | None] = []
    for place, one in enumerate(posed, start=1):
        answer = given.get(str(place))
        if answer is None:
            verdicts.append(None)
            continue
        own = {passage["id"] for passage in one.passages}
        stating = [each for each in numbered(answer.texts, passages) if each["id"] in own]
        verdicts.append(
            AnswerVerdict(answer.clear, answer.answerable, answer.answer, tuple(stating))
        )
    return verdicts


def shown_questions(posed: Sequence[Posed]) -> list[Excerpt]:
    """The questions as they are shown, each with the numbers of its texts."""
    shown: list[Excerpt] = []
    before = 0
    for place, (draft, passages) in enumerate(posed, start=1):
        first, last = before + 1, before + len(passages)
        texts = f"text {first}" if first == last else f"texts {first} to {last}"
        question: Excerpt = {
            "id": f"Q{place}",
            "title": f"to be answered from {texts} alone",
            "text": draft.question,
        }
        if len(draft.own) == 1:  # else it may hold words of several
            question["passage"] = draft.own[0]["id"]
        shown.append(question)
        before = last
    return shown


def _settled(draft: Draft, verdict: AnswerVerdict | None) -> Written:
    if verdict is None:
        return Reason.NO_REPLY
    if not verdict.is_clear:
        return Reason.UNCLEAR
    if not verdict.is_answerable:
        return Reason.UNANSWERED
    return draft if verdict.agrees(draft) else Reason.DISAGREES


def _chained(
    draft: Draft, both: AnswerVerdict | None, alone: Sequence[AnswerVerdict | None]
) -> Written:
    settled = _settled(draft, both)
    if settled is not draft:
        return settled
    if None in alone:
        return Reason.NO_REPLY
    if any(verdict is not None and verdict.agrees(draft) for verdict in alone):
        return Reason.ONE_SUFFICES
    return draft
